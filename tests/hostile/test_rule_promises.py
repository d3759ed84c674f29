"""The promises of docs/security.md about rules, attacked by an agent over a real pipe, with `--yolo` too.

The agent asks for several things in one turn and says which options were sent; `None` stands for cancelled.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import Client
from acp_tui.host.config.state_files import config_folder
from acp_tui.host.rules.rule import RulePolicy
from acp_tui.session.changes import PermissionRuled
from tests.agents.scripted import Script, write_script
from tests.integration.driver import Driver, command_of, driven
from tests.integration.runs import HEAD, Ended, run_script
from tests.own_config import write_own_config

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no command rule holds there")

ONCE = {"optionId": "once", "name": "Allow", "kind": "allow_once"}
ALWAYS = {"optionId": "always", "name": "Always", "kind": "allow_always"}
NO = {"optionId": "no", "name": "Reject", "kind": "reject_once"}
NEVER = {"optionId": "never", "name": "Never", "kind": "reject_always"}
ALL = [ALWAYS, ONCE, NEVER, NO]
EVERYTHING = RulePolicy(rules=False, everything=True)
Ask = tuple[Mapping[str, Any], Sequence[Mapping[str, str]]]


def runs(command: str | list[str], **more: Any) -> dict[str, Any]:
    """A call that runs a command, as OpenCode sends it."""
    title = command if isinstance(command, str) else " ".join(command)
    return {"title": title, "kind": "execute", "rawInput": {"command": command}, **more}


EDIT = {"title": "Edit a.py", "kind": "edit", "locations": [{"path": "a.py"}]}
# What no rule may answer, and to allow everything neither.
DECISIONS: list[Mapping[str, Any]] = [
    {"title": "Ready to code?", "kind": "switch_mode", "rawInput": {"plan": "1. Do it"}},
    {"title": "Leave plan mode", "kind": "switch_mode"},
    {"title": "ExitPlanMode", "kind": "other", "rawInput": {"plan": "1. Do it"}},
]


def asking(folder: Path, asks: Sequence[Ask]) -> Script:
    """An agent that asks for all that, one after the other, and says what it was sent."""
    calls = [({"toolCallId": f"t{at}", **call}, list(options)) for at, (call, options) in enumerate(asks)]
    body = f"""
    for call, options in json.loads({json.dumps(calls)!r}):
        agent.update({{"sessionUpdate": "tool_call", "status": "pending", **call}})
        asked = agent.ask("session/request_permission", {{"sessionId": session, "toolCall": call, "options": options}})
        outcome = agent.answer_to(asked)["result"]["outcome"]
        agent.say(json.dumps(outcome.get("optionId")) + "\\n")
    agent.end_turn(prompt)
    agent.serve()
"""
    return write_script(folder, HEAD + body)


def sent(ended: Ended) -> list[str | None]:
    assert ended.code == 0, ended.err
    return [json.loads(line) for line in ended.out.split()]


def run(folder: Path, asks: Sequence[Ask], *options: str) -> list[str | None]:
    return sent(run_script(asking(folder, asks), *options))


def write_rules(path: Path, *rules: str, readers: bool = False) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([f"readers = {str(readers).lower()}", *(f"[[rules]]\n{rule}" for rule in rules)]) + "\n")
    return path


def own_rules(*rules: str, readers: bool = False) -> Path:
    return write_rules(config_folder() / "rules.toml", *rules, readers=readers)


def cargo(folder: Path, verdict: str = "allow") -> str:
    """A rule for tests in this project."""
    return f'{verdict} = "cargo test"\nmore = true\nproject = {json.dumps(str(folder.resolve()))}'


class TestOneAnswer:
    """Nothing but the request's only `allow_once` or `reject_once` is sent."""

    ODD: Sequence[tuple[Sequence[Mapping[str, str]], str | None]] = (
        (ALL, "once"),
        ([ALWAYS, NO], "no"),
        ([ONCE, {**ONCE, "optionId": "other"}, NO], "no"),
        ([ALWAYS], None),
        ([{**ONCE, "kind": "allow_forever"}, NO], "no"),
        ([{**NO, "name": "Allow once"}, NEVER], "no"),
        ([], None),
    )

    @pytest.mark.parametrize("options", [["--yolo"], ["--permission", "rules"]])
    def test_an_odd_set_of_options_is_not_answered_by_allowing(self, tmp_path: Path, options: list[str]) -> None:
        own_rules(cargo(tmp_path))
        found = run(tmp_path, [(runs("cargo test -p core"), offered) for offered, _ in self.ODD], *options)
        assert found == [answer for _, answer in self.ODD]

    def test_a_rejecting_rule_rejects_once(self, tmp_path: Path) -> None:
        own_rules(cargo(tmp_path), cargo(tmp_path, "reject"))
        assert run(tmp_path, [(runs("cargo test"), ALL)], "--permission", "rules") == ["no"]


class TestNeverAnswered:
    @pytest.mark.parametrize("options", [["--yolo"], ["--permission", "rules"]])
    def test_a_run_rejects_modes_and_plans(self, tmp_path: Path, options: list[str]) -> None:
        own_rules(readers=True)
        assert run(tmp_path, [(call, ALL) for call in DECISIONS], *options) == ["no"] * len(DECISIONS)

    @pytest.mark.anyio
    async def test_on_the_screen_they_wait_for_the_user_though_everything_is_allowed(self, tmp_path: Path) -> None:
        script = asking(tmp_path, [(runs("make"), ALL), (EDIT, ALL), *((call, ALL) for call in DECISIONS)])
        plan = LaunchPlan(command_of(script.as_process), tmp_path, policy=EVERYTHING)
        async with driven(Driver(Client(plan, attended=True))) as driver:
            driver.submit("go")
            for call in DECISIONS:
                await driver.asked()
                assert driver.session.permissions[0].request.title == call["title"]
                key = driver.session.permissions[0].key
                driver.client.of(driver.session).questions.answer_permission(key, "never")
            await driver.idle()
            answers = [json.loads(line) for line in "".join(driver.said()).split()]
            assert answers == ["once", "once", "never", "never", "never"]
            ruled = [change for change in driver.changes if isinstance(change, PermissionRuled)]
            assert [(change.option_id, change.rules) for change in ruled] == [("once", ("everything",))] * 2


class TestYourRulesOnly:
    def test_a_script_has_no_rules_unless_it_asks_for_them(self, tmp_path: Path) -> None:
        own_rules(cargo(tmp_path), readers=True)
        asks = [(runs("cargo test"), ALL), (runs("git status"), ALL), (runs("ls"), ALL)]
        assert run(tmp_path, asks) == ["no", "no", "no"]
        assert run(tmp_path, asks, "--permission", "rules")[0] == "once"

    def test_files_of_a_project_are_no_rules(self, tmp_path: Path) -> None:
        rules = f"readers = true\nyolo = true\neverything = true\n[[rules]]\n{cargo(tmp_path)}\n"
        for name in (
            "rules.toml",
            ".acp-tui.toml",
            ".config/acp-tui/rules.toml",
            ".acp-tui/rules.toml",
            "a/rules.toml",
        ):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(rules)
        asks = [(runs("cargo test"), ALL), (runs("ls"), ALL)]
        assert run(tmp_path, asks, "--permission", "rules") == ["no", "no"]

    def test_no_setting_and_no_variable_allows_everything(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        words = ("yolo", "dangerously-skip-permissions", "everything", "rules")
        write_own_config("\n".join(f"{word} = true" for word in words) + '\npermission = "yolo"\n')
        for word in (*words, "permission"):
            monkeypatch.setenv(f"ACP_TUI_{word.upper().replace('-', '_')}", "1")
        assert run(tmp_path, [(runs("make"), ALL)]) == ["no"]
        assert run(tmp_path, [(runs("make"), ALL)], "--permission", "rules") == ["no"]

    def test_a_policy_is_that_file_alone(self, tmp_path: Path) -> None:
        own_rules(cargo(tmp_path), readers=True)
        file = write_rules(tmp_path / "ci.toml", 'allow = "pytest"\nmore = true')
        asks = [(runs("pytest -q"), ALL), (runs("cargo test"), ALL), (runs("ls"), ALL)]
        assert run(tmp_path, asks, "--policy", str(file)) == ["once", "no", "no"]

    @pytest.mark.parametrize("text", [None, "[[rules", "[[rules]]\nallow = 7\n", "[[rule]]\nallow = 'ls'\n"])
    def test_a_policy_that_cannot_be_used_ends_the_run_before_the_agent_starts(
        self, tmp_path: Path, text: str | None
    ) -> None:
        file, script = tmp_path / "ci.toml", asking(tmp_path, [(runs("ls"), ALL)])
        if text is not None:
            file.write_text(text)
        ended = run_script(script, "--policy", str(file))
        assert (ended.code, ended.out) == (2, "")
        assert "ci.toml" in ended.err
        assert not script.record.exists()


class TestMistakes:
    def test_a_file_with_a_mistake_has_no_rules_and_that_is_said(self, tmp_path: Path) -> None:
        path = own_rules(cargo(tmp_path), 'allow = "cargo build"\npattern = "*"', readers=True)
        ended = run_script(asking(tmp_path, [(runs("cargo test"), ALL), (runs("ls"), ALL)]), "--permission", "rules")
        assert sent(ended) == ["no", "no"]
        assert path.name in ended.err


class TestCommands:
    HOSTILE = (
        "cargo test; touch x",
        "cargo test && rm -rf src",
        "cargo test\ntouch x",
        "cargo test | sh",
        "cargo test $(touch x)",
        "cargo test `touch x`",
        "cargo test > x",
        "cargo test & touch x",
        "cargo test -- ../../etc/passwd",
        "cargo test --manifest-path=/etc/Cargo.toml",
        "X=1 cargo test",
        "cargo build",
        "cargo testing",
        "ls -la .. && cargo test",
        ["cargo", "test", "\n", "rm"],
        ["sh", "-c", "cargo test; touch x"],
    )

    def test_what_a_rule_does_not_say_is_not_answered_by_it(self, tmp_path: Path) -> None:
        own_rules(cargo(tmp_path), readers=True)
        asks = [(runs(command), ALL) for command in (*self.HOSTILE, "cargo test -p core && ls")]
        assert run(tmp_path, asks, "--permission", "rules") == ["no"] * len(self.HOSTILE) + ["once"]

    def test_fields_that_disagree_are_not_answered(self, tmp_path: Path) -> None:
        own_rules(cargo(tmp_path), readers=True)
        asks = [
            (runs("cargo test", title="rm -rf src"), ALL),
            (runs("cargo test", rawInput={"command": "cargo test", "commands": ["rm -rf src"]}), ALL),
            (runs("cargo test", rawInput={"command": "cargo test", "cwd": "/etc"}), ALL),
            (runs("cargo test", rawInput={"command": "cargo test", "afterwards": "rm -rf src"}), ALL),
            (runs("cargo test", locations=[{"path": "/etc/passwd"}]), ALL),
            (runs("cargo test", content=[{"type": "diff", "path": "/etc/x", "oldText": "", "newText": "x"}]), ALL),
        ]
        found = run(tmp_path, [*asks, (runs("cargo test"), ALL)], "--permission", "rules")
        assert found == ["no"] * len(asks) + ["once"]


class TestNothingSilent:
    def test_both_reports_say_by_which_rule(self, tmp_path: Path) -> None:
        own_rules(cargo(tmp_path))
        script = asking(tmp_path, [(runs("cargo test -p core"), ALL), (runs("make"), ALL)])
        ended = run_script(script, "--permission", "rules")
        rejected, allowed = ended.err.splitlines()[1:]
        assert rejected == "[$ make: rejected: no rule allows it]"
        assert allowed == "[$ cargo test -p core: not finished, allowed by rule cargo test … (this project)]"
        events = map(json.loads, run_script(script, "--permission", "rules", "--format", "json").out.splitlines())
        by_type = {event["type"]: event for event in events}
        assert by_type["permission_ruled"]["option_id"] == "once"
        assert by_type["permission_ruled"]["reason"] == "cargo test … (this project)"
        assert by_type["permission_settled"]["option_id"] == "no"

    def test_everything_is_named_by_its_word(self, tmp_path: Path) -> None:
        ended = run_script(asking(tmp_path, [(runs("make"), ALL), (DECISIONS[0], ALL)]), "--yolo")
        rejected, allowed = ended.err.splitlines()[1:]
        assert rejected == "[Ready to code?: rejected: --yolo does not answer this]"
        assert allowed == "[$ make: not finished, allowed by --yolo]"
