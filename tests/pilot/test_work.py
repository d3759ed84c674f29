"""What only the newer protocol shows: work beside the turn, states of other names, commands of other kinds."""

import pytest

from acp_tui.protocol.vocabulary.session_updates import AvailableCommand, AvailableCommandsUpdate, StateUpdate
from acp_tui.protocol.vocabulary.tool_calls import BackgroundWork, TerminalUpdate, ToolCallUpdate, WorkCapabilities
from acp_tui.session.state import Session
from acp_tui.session.tools.running_work import WorkItem
from tests.pilot.driver import user

pytestmark = pytest.mark.anyio

CANCEL = WorkCapabilities(cancel=True)


def background(session: Session) -> None:
    """A cancellable tool call and a terminal that is not, both in the background of an idle session."""
    session.apply(StateUpdate(state="running"))
    session.apply(ToolCallUpdate(tool_call_id="c", title="Index [all]", status="in_progress", capabilities=CANCEL))
    session.apply(TerminalUpdate(terminal_id="t", command="make all"))
    work = [BackgroundWork(type="tool_call", tool_call_id="c"), BackgroundWork(type="terminal", terminal_id="t")]
    session.apply(StateUpdate(state="idle", stop_reason="end_turn", background=work))


async def test_background_work_is_named_while_the_session_is_idle() -> None:
    async with user(prepare=background) as someone:
        await someone.wait_for("In the background: Index [all] and 1 more")
        assert someone.sees("^X k list")
        someone.session.apply(StateUpdate(state="idle", background=[]))
        await someone.wait_until(lambda: not someone.sees("In the background"), "an idle line")


async def test_one_piece_of_work_is_cancelled_from_the_list() -> None:
    async with user(prepare=background) as someone:
        await someone.press("ctrl+x", "k")
        await someone.wait_for("tool call · ")
        assert someone.sees("s · cannot be cancelled")
        assert someone.sees("enter open")
        await someone.press("X")
        await someone.wait_for('Cancel "Index [all]"?')
        assert someone.acts("work") == []
        await someone.press("down", "enter")
        assert someone.acts("work") == [(WorkItem("tool_call", "c", "Index [all]", cancellable=True, background=True),)]


async def test_enter_opens_the_tool_call_in_the_transcript() -> None:
    async with user(prepare=background) as someone:
        await someone.press("ctrl+x", "k", "enter")
        transcript = someone.conversation.transcript
        await someone.wait_until(lambda: transcript.current_entry is not None, "the cursor")
        assert transcript.has_focus
        assert transcript.current_entry is someone.session.index.tool_calls["c"]
        assert someone.acts("work") == []
        await someone.press("escape", "ctrl+x", "k", "down", "enter")
        await someone.wait_for("This does not appear in the transcript")


async def test_what_cannot_be_cancelled_says_so() -> None:
    async with user(prepare=background) as someone:
        await someone.press("ctrl+x", "k", "down", "X")
        await someone.wait_for("The agent cannot cancel this")
        assert someone.acts("work") == []


async def test_what_has_ended_while_the_list_was_open_is_not_cancelled() -> None:
    async with user(prepare=background) as someone:
        await someone.press("ctrl+x", "k")
        await someone.wait_for("tool call · ")
        someone.session.apply(ToolCallUpdate(tool_call_id="c", status="completed", capabilities=None))
        await someone.press("delete")
        await someone.wait_for("It has ended")
        assert someone.acts("work") == []


async def test_the_list_goes_on_while_it_is_open() -> None:
    async with user(prepare=background) as someone:
        await someone.press("ctrl+x", "k", "down")
        await someone.wait_for("tool call · ")
        someone.session.apply(ToolCallUpdate(tool_call_id="c", status="completed", capabilities=None))
        someone.session.apply(StateUpdate(state="idle", background=[]))
        await someone.wait_for("ended")
        await someone.press("X")
        await someone.wait_for("The agent cannot cancel this")


async def test_where_there_is_none_that_is_said() -> None:
    async with user() as someone:
        await someone.press("ctrl+x", "k")
        await someone.wait_for("No background work")


async def test_states_of_other_names_are_shown() -> None:
    async with user(prepare=lambda session: session.apply(StateUpdate(state="_dreaming"))) as someone:
        await someone.wait_for("_dreaming · ")
        someone.session.apply(StateUpdate(state="requires_action"))
        await someone.wait_for("Agent is waiting for an action")


async def test_the_header_says_what_is_spoken() -> None:
    async with user() as someone:
        assert not someone.sees("ACP 2")
        someone.client.connection.spoken = "ACP 2"
        someone.conversation.connection_changed()
        await someone.wait_for("OpenCode 1.18 · ACP 2 · ")


async def test_commands_of_other_kinds_are_not_offered_as_slash_commands() -> None:
    commands = [
        AvailableCommand(name="play", description="Plays"),
        AvailableCommand(type="_button", name="plot", description="Presses"),
    ]
    tell = AvailableCommandsUpdate(available_commands=commands)
    async with user(prepare=lambda session: session.apply(tell)) as someone:
        await someone.type("/pl")
        await someone.wait_for("Plays")
        assert not someone.sees("Presses")
