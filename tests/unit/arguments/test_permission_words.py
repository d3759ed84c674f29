"""Which rules answer permission requests, by the words of the command line."""

from argparse import Namespace
from pathlib import Path

import pytest

from acp_tui.arguments.command_line import read_arguments
from acp_tui.cli import _policy
from acp_tui.errors import UserFault
from acp_tui.host.rules.rule import RulePolicy
from tests.rows import each_of

EVERYTHING = RulePolicy(rules=False, everything=True)
NOTHING = RulePolicy(rules=False)
SPELLINGS = ["--yolo", "--dangerously-skip-permissions", "--dangerously-bypass-approvals-and-sandbox"]


def options(line: str) -> Namespace:
    return read_arguments(line.split()).options


@each_of(
    ("line", "policy"),
    [
        ("--demo", RulePolicy()),
        ("-c", RulePolicy()),
        ("run hi --demo", NOTHING),
        ("-p hi --demo", NOTHING),
        ("run hi --permission allow-always --demo", NOTHING),
        ("run hi --permission rules --demo", RulePolicy(rules=True)),
        *[(f"{spelling} --demo", EVERYTHING) for spelling in SPELLINGS],
        *[(f"run hi {spelling} --demo", EVERYTHING) for spelling in SPELLINGS],
        *[(f"{spelling} -p hi", EVERYTHING) for spelling in SPELLINGS],
        ("run hi -- agent --yolo", NOTHING),  # that is the agent's own
    ],
)
def test_the_users_rules_answer_on_the_screen_and_where_a_run_asks_for_them(line: str, policy: RulePolicy) -> None:
    assert _policy(options(line)) == policy


@each_of(
    "line",
    [
        *("--yol", "--y", "--dangerously", "--dangerously-skip", "run hi --yol", "-p hi --y", "--yolo=true"),
        *("run hi --yolo --permission reject", "run hi --policy x --permission rules", "run hi --yolo --policy x"),
        *("config --yolo", "agents --yolo", "replay x --yolo", "--permission rules", "--policy x"),
    ],
)
def test_no_slip_allows_everything(line: str) -> None:
    with pytest.raises(UserFault):
        options(line)


def test_a_word_in_a_prompt_is_text() -> None:
    given = read_arguments(["run", "--yolo please", "--demo"])
    assert (given.options.prompt, given.options.yolo) == ("--yolo please", False)


def test_a_short_form_of_another_option_is_as_before() -> None:
    assert options("--dem").demo is True


def test_a_policy_is_the_rules_of_that_file_alone(tmp_path: Path) -> None:
    file = tmp_path / "ci.toml"
    file.write_text("")
    assert _policy(options(f"run hi --policy {file}")) == RulePolicy(file=str(file))


@each_of("text", [None, b"[[rule", b"\xff\xfe"])
def test_a_policy_that_cannot_be_read_is_a_fault(tmp_path: Path, text: bytes | None) -> None:
    file = tmp_path / "ci.toml"
    if text is not None:
        file.write_bytes(text)
    with pytest.raises(UserFault, match=r"ci\.toml"):
        _policy(options(f"run hi --policy {file}"))
