"""The line that is printed at the end: right, for a shell, and without secrets; or none."""

import shlex
from dataclasses import replace

import pytest
from hypothesis import given

from acp_tui.host.catalog.launch_plan import AgentCommand
from acp_tui.host.catalog.resume_commands import continue_line
from tests.rows import each_of
from tests.strategies import nasty_texts

WRITTEN = AgentCommand(("my-agent", "two words"))
NAMED = AgentCommand(("npx", "x"), name="claude")


def line(
    command: AgentCommand = WRITTEN, session_id: str = "s-1", folder: str = "/p", *, can_resume: bool = True
) -> str:
    return continue_line(command, session_id, folder, "/p", can_resume=can_resume)


def test_a_session_that_the_agent_brings_back_is_named() -> None:
    assert line() == "acp-tui --resume s-1 -- my-agent 'two words'"
    assert line(NAMED) == "acp-tui --resume s-1 --agent claude"
    assert line(NAMED, folder="/a b") == "acp-tui -C '/a b' --resume s-1 --agent claude"
    assert line(replace(NAMED, protocol="2")) == "acp-tui --resume s-1 --protocol 2 --agent claude"
    assert line(AgentCommand(("a",), protocol="2")) == "acp-tui --resume s-1 --protocol 2 -- a"


def test_else_it_is_what_was_recorded_last() -> None:
    assert line(can_resume=False, session_id="$(x)") == "acp-tui --continue -- my-agent 'two words'"
    assert line(NAMED, can_resume=False) == "acp-tui --continue --agent claude"


@each_of("odd", ["", "-x", "a b", "$(x)", "a\nb", "`x`", "é", "\x1b[2J"])
def test_an_id_that_is_no_plain_word_is_not_repeated(odd: str) -> None:
    assert line(session_id=odd) == ""


@pytest.mark.parametrize("argv", [("agent", "--api-key", "hunter2"), ("env", "API_KEY=hunter2", "agent"), ()])
def test_a_command_with_a_secret_is_not_repeated(argv: tuple[str, ...]) -> None:
    assert line(AgentCommand(argv)) == ""


@given(nasty_texts)
def test_whatever_a_command_or_folder_is_called_a_shell_reads_it_as_it_was(text: str) -> None:
    for made in (line(AgentCommand(("a", text))), line(NAMED, folder=f"/{text}")):
        assert not made or shlex.split(made)[0] == "acp-tui"
        assert not made or (made.isprintable() and text in shlex.split(made)[-1] + shlex.split(made)[2])
