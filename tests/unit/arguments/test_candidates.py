"""What can be completed: from the parsers, for half-written lines of any kind."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.arguments.help_texts import COMMANDS, WORDS
from acp_tui.arguments.parsers import parser
from acp_tui.arguments.suggestions import answer, wanted, words_of
from tests.rows import each_of


def offered(*words: str) -> list[str]:
    return [word for word, _ in wanted(words).rows]


def test_commands_come_first() -> None:
    assert wanted([""]).rows == tuple(COMMANDS.items())
    assert offered("--demo", "") == list(COMMANDS)


@each_of("command", WORDS)
def test_all_shown_options_of_a_command_are_offered(command: str) -> None:
    told = offered(*([command] if command else []), "-")
    shown = re.findall(r"^  (-.*?)(?:  |$)", parser(command).format_help(), re.MULTILINE)
    spelled = {word.strip(",") for line in shown for word in line.split() if word.startswith("-")}
    assert "--help" in spelled <= {*told}
    assert "--complete" not in told


def test_an_option_is_offered_once_unless_it_can_be_repeated() -> None:
    told = offered("--demo", "--add-dir", "x", "-m", "y", "--")
    assert "--demo" not in told
    assert {"--add-dir", "--model", "--mode"} <= {*told}


def test_options_that_exclude_each_other() -> None:
    assert not {"--resume", "--continue"} & {*offered("-c", "--")}
    assert "--schema" not in offered("config", "--print", "--")
    told = {*offered("--system-prompt", "x", "--append-system-prompt", "y", "--")}
    assert {"--append-system-prompt", "--append-system-prompt-file"} <= told
    assert not {"--system-prompt-file", "--no-system-prompt"} & told


def test_a_prompt_is_followed_by_options() -> None:
    assert "--permission" in offered("run", "fix it", "")
    assert "--permission" in offered("-p", "fix it", "--")
    assert "--permission" not in offered("--")
    assert offered("run", "fi") == offered("run", "")  # the shell chooses those that fit: none


@each_of(
    ("words", "kind"),
    [
        (["--agent", ""], "agents"),
        (["--agent="], "agents"),
        (["run", "--agent", "o"], "agents"),
        (["-r", ""], "sessions"),
        (["--resume", "x"], "sessions"),
        (["-C", "."], "folders"),
        (["--add-dir="], "folders"),
        (["--mcp", ""], "files"),
        (["--append-system-prompt-file", ""], "files"),
        (["run", "--system-prompt-file="], "files"),
        (["replay", ""], "files"),
        (["agents", "status", ""], "agents"),
        ([""], "starts"),
        (["-c", "cl"], "starts"),
        (["--demo", ""], "words"),
        (["--agent", "kimi", ""], "words"),
        (["replay", "--no-mouse", ""], "files"),
        (["--demo", "--", ""], "command"),
        (["--", "opencode", "acp", "--"], "command"),
    ],
)
def test_kinds_of_values(words: list[str], kind: str) -> None:
    assert wanted(words).kind == kind


def test_words_of_an_option() -> None:
    assert offered("run", "--permission", "") == ["reject", "allow-once", "allow-always", "rules"]
    found = wanted(["run", "--format=j"])
    assert (found.written, found.before) == ("j", "--format=")
    assert offered("completion", "") == ["bash", "zsh", "fish"]
    assert offered("agents", "") == ["update", "status"]


def test_a_value_that_is_free_has_no_words() -> None:
    assert wanted(["--model", ""]).rows == ()
    assert wanted(["--unknown", ""]).rows == tuple(COMMANDS.items())


@pytest.mark.parametrize("words", [["-C", "/x", "-r", ""], ["--cwd=/x", "--resume", ""], ["run", "-C", "/x", "-r", ""]])
def test_sessions_are_those_of_the_folder(words: list[str]) -> None:
    assert wanted(words).folder == "/x"


def test_after_an_optional_value_another_option_may_come() -> None:
    assert "--demo" in offered("--resume", "-")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("acp-tui ", [""]),
        ("acp-tui --ag", ["--ag"]),
        ("acp-tui -C 'my fol", ["-C", "my fol"]),
        ('acp-tui -C "my ', ["-C", "my "]),
        ("acp-tui -C my\\ folder ", ["-C", "my folder", ""]),
        ("", [""]),
    ],
)
def test_the_words_of_a_line(line: str, words: list[str]) -> None:
    assert words_of(line) == words


def test_bash_gets_what_comes_after_its_word_breaks() -> None:
    rows = [("s:12", "Fix"), ("s:2", ""), ("x", "")]
    assert [*answer("bash", wanted(["-r", "s:"]), rows)] == ["words", "12", "2"]
    assert [*answer("zsh", wanted(["-r", "s:"]), rows)] == ["words", "s\\:12:Fix", "s\\:2", "x"]
    assert [*answer("fish", wanted(["--resume=s:"]), rows)] == [
        "words",
        "--resume=s:12\tFix",
        "--resume=s:2\t",
        "--resume=x\t",
    ]


WRITTEN = st.sampled_from(
    ["", "-", "--", "-p", "-cr", "-C", "--agent", "--agent=", "--x=", "=", "run", "replay", "a b", "'"]
)


@given(st.lists(WRITTEN, max_size=6), st.sampled_from(["bash", "zsh", "fish"]))
def test_no_line_is_too_wrong_to_be_completed(words: list[str], shell: str) -> None:
    found = wanted(words)
    assert next(answer(shell, found, found.rows))
    wanted(words_of(" ".join(words)))
