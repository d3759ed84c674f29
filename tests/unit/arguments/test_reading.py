"""What the words of a command line come to."""

import pytest

from acp_tui.arguments.command_line import CommandLine, read_arguments
from acp_tui.errors import UserFault
from tests.rows import each_of


def read(line: str) -> CommandLine:
    return read_arguments(line.split())


@each_of(
    ("line", "command", "argv"),
    [
        ("", "", []),
        ("-- opencode acp", "", ["opencode", "acp"]),
        ("-- agent --flag -- run", "", ["agent", "--flag", "--", "run"]),
        ("--demo", "", []),
        ("-c", "", []),
        ("--agent", "", []),
        ("run hi -- agent", "run", ["agent"]),
        ("--cwd /x run hi", "run", []),
        ("--permission allow-once run hi", "run", []),
        ("-C /x config --print", "config", []),
        ("agents", "agents", []),
        ("search run agents", "search", []),
        ("replay wire.jsonl --no-mouse", "replay", []),
    ],
)
def test_the_command_is_the_first_plain_word(line: str, command: str, argv: list[str]) -> None:
    given = read(line)
    assert (given.command, given.argv) == (command, argv)


@each_of(
    "line",
    [
        "-p hi",
        "--print hi",
        "hi -p",
        "-p --format json hi",
        "--format json -p hi",
        "--permission=allow-once -p hi --demo",
        "--demo hi --print",
        "-cp hi",
        "-p -m opus hi",
        "-mopus -p hi",
        "run -p hi",
        "-p hi -- agent run",
    ],
)
def test_a_printed_prompt_is_a_run(line: str) -> None:
    given = read(line)
    assert (given.command, given.options.prompt) == ("run", "hi")


def test_a_prompt_may_have_the_name_of_a_command() -> None:
    assert read("-p search").options.prompt == "search"


def test_a_printed_prompt_may_come_on_standard_input() -> None:
    given = read("-p --demo")
    assert (given.command, given.options.prompt, given.options.demo) == ("run", None, True)


@pytest.mark.parametrize("before", ["", "run hi "])
def test_usual_forms_are_what_there_is(before: str) -> None:
    short = read(f"{before}-C /x -c -m opus --mode plan --set a=b=c")
    long = read(f"{before}--cwd /x --continue --model opus --mode plan --set a=b=c")
    assert vars(short.options) == vars(long.options)
    assert short.options.settings == [("model", "opus"), ("mode", "plan"), ("a", "b=c")]
    assert (short.options.cwd, short.options.resume) == ("/x", "latest")
    assert read(f"{before}-r id").options.resume == "id"


def test_settings_of_one_line_are_not_those_of_the_next() -> None:
    assert read("-m opus").options.settings == [("model", "opus")]
    assert read("-c").options.settings == []


def test_a_word_that_nothing_has_leads_to_the_help() -> None:
    with pytest.raises(UserFault) as raised:
        read("no-such-word")
    assert raised.value.hint == "See: acp-tui --help\nTo start an agent: acp-tui -- no-such-word"


@pytest.mark.parametrize("name", ["--format", "--output-format"])
@pytest.mark.parametrize(("written", "meant"), [("text", "text"), ("json", "json"), ("stream-json", "json")])
def test_the_format_has_the_names_that_others_use(name: str, written: str, meant: str) -> None:
    assert read(f"run hi {name} {written}").options.format == meant


MEANT = {
    ("my-agent", "--acp"): "acp-tui -- my-agent --acp",
    ("env",): "acp-tui -- env",
    ("help",): "acp-tui --help",
    ("sessions",): "acp-tui -r",
    ("update",): "acp-tui agents update",
    ("--cwd", "/x", "demo"): "acp-tui --cwd /x --demo",
    (".",): "acp-tui -C .",
    ("--cwd", "/a b", "my-agent", "--acp"): "acp-tui --cwd '/a b' -- my-agent --acp",
    ("-c", "env", "acp", "$HOME"): "acp-tui -c -- env acp '$HOME'",
    ("codx",): "acp-tui codex",
    ("Claude", "-c"): "acp-tui claude -c",
    ("-m", "opus", "cladue-code", "fix it"): "acp-tui -m opus claude-code 'fix it'",
    ("our-agnt",): "acp-tui our-agent",
    ("runn", "hi", "--", "kimi", "acp"): "acp-tui run hi -- kimi acp",
    ("serch", "x"): "acp-tui search x",
    ("agent",): "acp-tui agents",
    ("--demo", "serch"): "acp-tui --demo search",
    ("run", "claude", "fix", "it"): "acp-tui run --agent claude 'fix it'",
    ("-p", "fix it", "claude"): "acp-tui run --agent claude 'fix it'",
    ("run", "hi", "opencode", "acp"): "acp-tui run hi -- opencode acp",
    ("run", "opencode", "acp", "fix it"): "acp-tui run 'fix it' -- opencode acp",
    ("run", "fix", "it", "--", "kimi", "acp"): "acp-tui run 'fix it' -- kimi acp",
}


@each_of("words", MEANT)
def test_what_was_most_likely_meant_is_said(words: tuple[str, ...]) -> None:
    with pytest.raises(UserFault) as raised:
        read_arguments(words, lambda: ["our-agent"])
    assert raised.value.hint.splitlines()[0] == f"Did you mean: {MEANT[words]}"


@each_of(
    ("line", "told"),
    [
        ("--nonsense", "Unknown option: --nonsense"),
        ("--nonsense x", "Unknown option: --nonsense"),
        ("--traec x", "Did you mean: --trace"),
        ("run hi --nonsense", "See: acp-tui run --help"),
        ("--format json", "--format only works without the TUI"),
        ("run hi --format xml", "--format: 'xml' is not one of text or json"),
        ("-m", "--model: needs a value"),
        ("-c -r x", "--resume: cannot be combined with -c/--continue"),
        ("--set x", "'x' is not NAME=VALUE"),
        ("--protocol 3", "'3' is not one of 1, 2 or auto"),
        ("search", "Missing WORD"),
        ("config x", "Unexpected word: x"),
        ("changes --turn 0", "must be 1 or greater, not '0'"),
        ("replay x --cast y.cast", "--cast no longer exists"),
        ("replay x --speed=2", "--speed no longer exists"),
        ("replay x --step", "--step no longer exists"),
        ("replay x --size 80x24", "--size no longer exists: a trace is shown as it ended"),
        ("config --step", "Unknown option: --step"),
        ("x\x1b[2J", "Unknown command or agent: x␛[2J"),
    ],
)
def test_what_is_wrong_is_said_without_the_parser_s_words(line: str, told: str) -> None:
    with pytest.raises(UserFault) as raised:
        read_arguments(line.split(" "))
    said = str(raised.value)
    assert told in said
    assert "argument" not in said
    assert "invalid choice" not in said


@pytest.mark.parametrize(
    ("line", "kept"), [("--demo", False), ("--no-mouse --demo", True), ("replay f.jsonl --no-mouse", True)]
)
def test_the_mouse_is_left_to_the_terminal_where_that_is_said(line: str, kept: bool) -> None:
    assert read(line).options.no_mouse is kept
