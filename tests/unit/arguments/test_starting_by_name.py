"""An agent by its name, and the prompt of the command line: what a line of either means."""

import shlex

import pytest

from acp_tui.arguments.command_line import CommandLine, read_arguments
from acp_tui.arguments.suggestions import no_screen
from acp_tui.errors import UserFault
from acp_tui.host.catalog.agent_entries import KNOWN_AGENTS
from tests.rows import each_of

OWN = ("mine", "my agent")


def read(line: str) -> CommandLine:
    return read_arguments(shlex.split(line), lambda: OWN)


def agent_of(given: CommandLine) -> str:
    """Its name, its command after two dashes, `demo`, or nothing."""
    options = given.options
    command = " ".join(["--", *given.argv]) if given.argv else ""
    return str(options.agent or command or ("demo" if options.demo else ""))


@each_of(
    ("line", "agent", "prompt"),
    [
        ("claude", "claude", ""),
        ("claude-code", "claude-code", ""),
        ("claude-agent-acp", "claude-agent-acp", ""),
        ("gemini-cli", "gemini-cli", ""),
        ("cursor-agent", "cursor-agent", ""),
        ("mine", "mine", ""),
        ("'my agent'", "my agent", ""),
        ("claude 'fix the test'", "claude", "fix the test"),
        ("claude fix", "claude", "fix"),
        ("claude search", "claude", "search"),
        ("claude kimi", "claude", "kimi"),
        ("claude serch", "claude", "serch"),
        ("claude -c", "claude", ""),
        ("-c claude", "claude", ""),
        ("claude -m opus 'fix it' -C /x", "claude", "fix it"),
        ("-m opus claude 'fix it'", "claude", "fix it"),
        ("-mopus --no-mouse claude 'fix it'", "claude", "fix it"),
        ("claude --resume 4f2a 'and now'", "claude", "and now"),
        ("--hand-over latest claude", "claude", ""),
        ("claude /review", "claude", "/review"),
        ("claude /quit", "claude", "/quit"),
        ("claude '!rm -rf x'", "claude", "!rm -rf x"),
        ("claude '- a list'", "claude", "- a list"),
        ("claude '--agent is odd'", "claude", "--agent is odd"),
        ("claude '-m foo bar'", "claude", "-m foo bar"),
        ("claude '-c and then more'", "claude", "-c and then more"),
        ("claude '-p print this'", "claude", "-p print this"),
        ("claude '-remove the old files'", "claude", "-remove the old files"),
        ("'-p print this'", "", "-p print this"),
        ("'-r and more' -c", "", "-r and more"),
        ("-m '-x y' claude", "claude", ""),
        ("--mode 'a b' claude fix", "claude", "fix"),
        ("'--mode=a b' claude fix", "claude", "fix"),
        ("'-C/my project' claude fix", "claude", "fix"),
        ("opencode acp", "opencode", ""),
        ("opencode acp 'fix it'", "opencode", "fix it"),
        ("opencode acp -c", "opencode", ""),
        ("-c opencode acp", "opencode", ""),
        ("gemini --acp", "gemini", ""),
        ("gemini --acp -c fix", "gemini", "fix"),
        ("cursor acp", "cursor", ""),
        ("--agent opencode acp", "opencode", ""),
        ("-c --agent opencode acp", "opencode", ""),
        ("opencode 'acp please'", "opencode", "acp please"),
        ("-- opencode acp", "-- opencode acp", ""),
        ("-- claude 'fix it'", "-- claude fix it", ""),
        ("'fix it' -- opencode acp", "-- opencode acp", "fix it"),
        ("fix -- opencode acp", "-- opencode acp", "fix"),
        ("'fix the test'", "", "fix the test"),
        ("'fix\nit'", "", "fix\nit"),
        ("'- fix the test'", "", "- fix the test"),
        ("'--help me'", "", "--help me"),
        ("-c 'and now'", "", "and now"),
        ("'and now' -c", "", "and now"),
        ("-r 4f2a 'and now'", "", "and now"),
        ("--demo hello", "demo", "hello"),
        ("hello --demo", "demo", "hello"),
        ("--demo 'find out why'", "demo", "find out why"),
        ("--agent kimi 'fix it'", "kimi", "fix it"),
        ("--agent=kimi fix", "kimi", "fix"),
        ("'fix it' --agent kimi", "kimi", "fix it"),
    ],
)
def test_a_start_has_an_agent_and_a_prompt(line: str, agent: str, prompt: str) -> None:
    given = read(line)
    assert (given.command, agent_of(given), given.prompt) == ("", agent, prompt)


@each_of(
    ("line", "command", "agent", "prompt"),
    [
        ("claude -p 'fix it'", "run", "claude", "fix it"),
        ("claude 'fix it' -p", "run", "claude", "fix it"),
        ("-p claude 'fix it'", "run", "claude", "fix it"),
        ("claude -p", "run", "claude", None),
        ("-p '-c and then more'", "run", "", "-c and then more"),
        ("run '-m foo bar' --agent claude", "run", "claude", "-m foo bar"),
        ("-p claude", "run", "", "claude"),
        ("-p search", "run", "", "search"),
        ("-p opencode acp 'fix it'", "run", "opencode", "fix it"),
        ("gemini --acp -p fix", "run", "gemini", "fix"),
        ("hi -p", "run", "", "hi"),
        ("mine -p hi --permission reject", "run", "mine", "hi"),
        ("run hi --agent claude", "run", "claude", "hi"),
        ("run claude", "run", "", "claude"),
    ],
)
def test_a_name_before_a_printed_prompt_is_the_agent(line: str, command: str, agent: str, prompt: str | None) -> None:
    given = read(line)
    assert (given.command, agent_of(given), given.options.prompt) == (command, agent, prompt)


@each_of("command", ["run", "agents", "config", "changes", "snapshots"])
def test_our_commands_win_over_names(command: str) -> None:
    assert read_arguments([command], lambda: [command]).command == command


@each_of(
    ("line", "title"),
    [
        ("claude fix the test", 'Put the prompt in quotes: acp-tui claude "fix the test"'),
        ("claude fix it -c", 'Put the prompt in quotes: acp-tui claude -c "fix it"'),
        ("-m x claude fix x", 'Put the prompt in quotes: acp-tui -m x claude "fix x"'),
        ("claude 'fix the' '$x'", "Put the prompt in quotes: acp-tui claude 'fix the $x'"),
        ("opencode acp fix it", 'Put the prompt in quotes: acp-tui opencode acp "fix it"'),
        ("fix it -- opencode acp", 'Put the prompt in quotes: acp-tui "fix it" -- opencode acp'),
        ("'fix the' test", 'Put the prompt in quotes: acp-tui "fix the test"'),
        ("--demo fix it", 'Put the prompt in quotes: acp-tui --demo "fix it"'),
        ("claude ''", "The prompt is empty"),
        ("claude ' '", "The prompt is empty"),
        ("--hand-over latest claude 'fix it'", "--hand-over takes no prompt"),
        ("'fix it' -r", "--resume needs the ID of a session before a prompt"),
        ("-r 'and more'", "--resume needs the ID of a session before a prompt"),
        ("claude -r 'and more' -c", "--continue: cannot be combined with -r/--resume"),
        ("run fix -r 'and more'", "--resume needs the ID of a session before a prompt"),
        ("claude --agent kimi", "Use only one of NAME, --agent NAME, --demo and -- COMMAND"),
        ("claude --nonsense", "Unknown option: --nonsense"),
        ("claude --format json", "--format only works without the TUI"),
        ("fix the test", "Unknown command or agent: fix"),
        ("fix", "Unknown command or agent: fix"),
        ("-c fix", "Unknown command or agent: fix"),
    ],
)
def test_what_is_no_start_is_a_mistake_with_a_way_out(line: str, title: str) -> None:
    with pytest.raises(UserFault) as raised:
        read(line)
    assert raised.value.title == title


def test_words_of_a_prompt_without_quotes_are_put_in_quotes() -> None:
    with pytest.raises(UserFault) as raised:
        read("fix the test")
    first, second = (raised.value.hint or "").splitlines()
    assert first == 'Put the prompt in quotes: acp-tui "fix the test"'
    assert second == "To start an agent: acp-tui -- fix the test"


def test_own_names_are_read_only_if_no_known_one_is_meant() -> None:
    def never() -> list[str]:
        raise AssertionError

    for words in (["claude"], ["claude", "fix it"], ["run", "x"], ["-p", "x"], ["--demo"], ["-c"]):
        read_arguments(words, never)


def test_no_name_of_a_known_agent_is_another_ones_or_a_command_of_ours() -> None:
    names = [name for known in KNOWN_AGENTS for name in known.names]
    assert len(names) == len({*names})
    assert all(not read(f"'{name}'").command for name in names)


@each_of(
    ("line", "run"),
    [
        ("claude 'fix it'", 'acp-tui run --agent claude "fix it"'),
        ("-m opus claude", 'acp-tui run -m opus --agent claude "PROMPT"'),
        ("opencode acp fix", 'acp-tui run --agent opencode "fix"'),
        ("'fix it'", 'acp-tui run "fix it" -- AGENT'),
        ("--demo 'fix it'", 'acp-tui run --demo "fix it"'),
    ],
)
def test_without_a_terminal_the_same_is_a_run(line: str, run: str) -> None:
    given = read(line)
    assert no_screen(given.ours, given.argv, given.prompt).hint == f"In scripts, use: {run}"
