"""Commands of the user in the transcript."""

from acp_tui.protocol.vocabulary.tool_calls import TerminalExitStatus, TerminalOutputChunk, TerminalUpdate
from acp_tui.session.changes import EntryAdded, EntryChanged
from acp_tui.session.entries import MessageEntry, ToolCallEntry
from acp_tui.session.facts import OwnCommandEnded, OwnCommandRun
from acp_tui.session.folds.tool_calls import is_own
from tests.unit.session.speech import idle, running, say, told, tool

RUN = OwnCommandRun("own-1", "ls", "/project")


def ended(code: int) -> TerminalUpdate:
    return TerminalUpdate(terminal_id="own-1", exit_status=TerminalExitStatus(exit_code=code))


def test_a_command_is_an_entry_with_its_terminal() -> None:
    one = told()
    one.apply(RUN, TerminalOutputChunk(terminal_id="own-1", data=b"a"), ended(0), OwnCommandEnded("own-1"), after=1)
    (entry,) = one.session.entries
    assert isinstance(entry, ToolCallEntry)
    assert (entry.title, entry.kind, entry.status, entry.sealed) == ("ls", "execute", "completed", True)
    assert is_own(one.session, entry)
    assert one.session.terminals["own-1"].cwd == "/project"
    assert len(one.all(EntryAdded)) == 1
    assert one.all(EntryChanged)


def test_it_fails_and_is_stopped() -> None:
    one, other = told(), told()
    one.apply(RUN, ended(2), OwnCommandEnded("own-1"), OwnCommandEnded("own-1", stopped=True))
    other.apply(RUN, ended(130), OwnCommandEnded("own-1", stopped=True))
    assert [each.session.entries[0].status for each in (one, other)] == ["failed", "cancelled"]  # type: ignore[attr-defined]


def test_what_could_not_begin_has_failed() -> None:
    one = told()
    one.apply(RUN, OwnCommandEnded("own-1"))
    assert one.session.entries[0].sealed


def test_it_neither_ends_a_message_nor_ends_with_the_turn() -> None:
    one = told()
    one.apply(running(), say("hel"), RUN, say("lo"), idle("cancelled"))
    message, command, _ = one.session.entries
    assert isinstance(message, MessageEntry)
    assert isinstance(command, ToolCallEntry)
    assert "".join(part.text for part in message.parts if hasattr(part, "text")) == "hello"
    assert command.status == "in_progress"
    assert not command.sealed


def test_an_agents_tool_call_of_the_same_name_is_the_agents() -> None:
    one = told()
    one.apply(running(), RUN, tool("own-1"))
    assert [is_own(one.session, entry) for entry in one.session.entries] == [True, False]


def test_the_same_command_is_not_shown_twice() -> None:
    one = told()
    one.apply(RUN, RUN)
    assert len(one.session.entries) == 1
