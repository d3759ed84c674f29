"""Subagents by keys and by the mouse: rows, transcripts that grow, the tree, questions, cancelling."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.records.record_info import RecordInfo
from acp_tui.host.sessions.children import _question
from acp_tui.protocol.base import read
from acp_tui.protocol.vocabulary.elicitation import FormElicitation
from acp_tui.protocol.vocabulary.session_updates import MessageChunk, StateUpdate, SubagentUpdate
from acp_tui.protocol.vocabulary.tool_calls import PermissionRequest, ToolCallUpdate
from acp_tui.session.facts import ElicitationReceived, PermissionReceived, SubagentEvent
from acp_tui.session.state import Event, Session
from acp_tui.ui.conversation_screen import ConversationScreen
from acp_tui.ui.kit.picker import Picker
from acp_tui.ui.sessions.past_session_actions import HistoryScreen
from acp_tui.ui.sessions.subagents_screen import SubagentScreen
from tests.pilot.driver import User, user
from tests.pilot.questions import answerable

pytestmark = pytest.mark.anyio
RUNNING, DONE = {"state": "running"}, {"state": "idle", "stopReason": "end_turn"}
CANCEL: dict[str, object] = {"cancel": {}}


def child(session_id: str, **members: object) -> SubagentUpdate:
    return read(SubagentUpdate, {"sessionId": session_id, **members})


def says(text: str, message_id: str = "m") -> MessageChunk:
    told = {"sessionUpdate": "agent_message_chunk", "messageId": message_id, "content": {"type": "text", "text": text}}
    return read(MessageChunk, told)


def call(title: str, call_id: str = "c", **members: Any) -> ToolCallUpdate:
    return read(ToolCallUpdate, {"toolCallId": call_id, "title": title, "kind": "read", "status": "pending", **members})


def inside(session: Session, session_id: str, *events: Event) -> None:
    for event in events:
        session.apply(SubagentEvent(session_id, event))


def one(session: Session) -> None:
    """One that works, in a turn."""
    session.apply(StateUpdate(state="running"))
    session.apply(says("I have it explored.", "intro"))
    session.apply(child("kid", title="Explore", state=RUNNING))
    inside(session, "kid", says("Looking around"))


def three(session: Session) -> None:
    """Three, one of them another one's."""
    one(session)
    session.apply(child("two", title="Review", state=DONE))
    inside(session, "kid", child("grandkid", title="Dig", state=RUNNING, capabilities=CANCEL))


def asks(session: Session, session_id: str = "kid", key: int = 1, title: str = "Edit notes.md") -> None:
    tool_call = {"toolCallId": f"w{key}", "title": title, "kind": "edit", "status": "pending"}
    diff = {"type": "diff", "path": "/home/someone/project/notes.md", "oldText": "old\n", "newText": "brand new\n"}
    allow = {"optionId": "yes", "name": "Allow once", "kind": "allow_once"}
    options = [allow, {"optionId": "no", "name": "Reject", "kind": "reject_once"}]
    update = read(ToolCallUpdate, {**tool_call, "content": [diff]})
    subject = {"type": "tool_call", "toolCall": tool_call}
    asked = {"sessionId": session_id, "title": title, "subject": subject, "options": options}
    inside(session, session_id, update)
    session.apply(PermissionReceived(key, read(PermissionRequest, asked)))


async def opened(someone: User) -> SubagentScreen:
    return await someone.opened(SubagentScreen)


async def back(someone: User) -> None:
    await someone.press("escape")
    await someone.opened(ConversationScreen)


async def test_the_only_one_is_opened_by_the_leader_and_left_by_escape() -> None:
    async with user(prepare=one) as someone:
        await someone.wait_for("Subagent Explore")
        await someone.press("ctrl+x", "down")
        await opened(someone)
        await someone.wait_for("Subagent   Explore")
        assert someone.sees("of this session · read-only")
        assert someone.sees("Looking around")
        assert not someone.sees("I have it explored.")
        await back(someone)
        assert someone.focused == "editor"


async def test_time_passes_on_its_row_while_nothing_else_happens() -> None:
    async with user(prepare=one) as someone:
        await someone.wait_for("running · 1 s")
        someone.session.apply(child("kid", state=DONE))
        await someone.wait_for("✓ Subagent Explore")
        timer = someone.conversation.transcript._seconds
        assert timer is not None
        assert not timer._active.is_set(), "no timer runs while nothing does"


async def test_its_transcript_grows_while_it_is_looked_at() -> None:
    async with user(prepare=one) as someone:
        await someone.press("ctrl+x", "down")
        await opened(someone)
        inside(someone.session, "kid", says(" in every corner"), call("Read a.py"))
        await someone.wait_for("Looking around in every corner")
        await someone.wait_for("Read     a.py")
        assert someone.sees("running")
        someone.session.apply(child("kid", state=DONE))
        await someone.wait_for("✓ done")


async def test_one_of_several_is_chosen_from_the_tree() -> None:
    async with user(prepare=three) as someone:
        await someone.press("ctrl+x", "down")
        await someone.opened(Picker)
        names = [row.split()[1] for row in someone.picker_rows()]
        assert names == ["Explore", "Dig", "Review"]
        await someone.press("down", "enter")
        await opened(someone)
        await someone.wait_for("Subagent   Dig")
        assert someone.sees('of subagent "Explore" · read-only')


async def test_the_list_names_who_waits_for_the_user_while_it_is_open() -> None:
    async with user(prepare=three) as someone:
        await someone.press("ctrl+x", "down")
        await someone.opened(Picker)
        assert someone.sees("enter open")
        asks(someone.session)
        await someone.wait_for("△ Explore")
        assert "waiting for you" in someone.picker_rows()[0]


async def test_the_leader_goes_up_to_the_parent_whatever_was_shown_before() -> None:
    async with user(prepare=three) as someone:
        await someone.press("ctrl+x", "down", "down", "enter")
        await someone.wait_for("Subagent   Dig")
        await someone.press("ctrl+x", "up")
        await someone.wait_for("Subagent   Explore")
        await someone.press("ctrl+x", "down")
        await someone.wait_for("Subagent   Dig")
        await someone.press("ctrl+x", "up")
        await someone.wait_for("Subagent   Explore")
        await someone.press("ctrl+x", "up")
        await someone.opened(ConversationScreen)
        assert len(someone.app.screen_stack) == 1


async def test_enter_on_its_row_opens_it_and_the_place_is_kept() -> None:
    async with user(prepare=one) as someone:
        await someone.press("ctrl+x", "up", "enter")
        await opened(someone)
        await back(someone)
        assert someone.focused == "transcript"
        assert someone.conversation.transcript.current_entry is someone.session.entries[-1]


async def test_enter_on_the_call_that_shows_it_opens_it() -> None:
    async with user(prepare=one) as someone:
        for event in (
            call("Task", "t"),
            says("x", "later"),
            call("Task", "t", content=[{"type": "session", "sessionId": "kid"}]),
        ):
            someone.session.apply(event)
        someone.session.apply(call("Task", "t", raw_input={"prompt": "explore all"}))
        await someone.wait_for("Subagent Explore")
        await someone.press("ctrl+x", "up", "up", "space")
        await someone.wait_for("explore all")
        await someone.press("enter")
        await opened(someone)


async def test_a_click_opens_it() -> None:
    async with user(prepare=one) as someone:
        await someone.wait_for("Subagent Explore")
        at = next(y for y, row in enumerate(someone.rows()) if "Subagent Explore" in row)
        await someone.pilot.click(offset=(20, at))
        await opened(someone)


async def test_there_is_none() -> None:
    async with user() as someone:
        await someone.press("ctrl+x", "down")
        await someone.wait_for("No subagents")


async def test_it_is_searched_copied_and_unfolded_as_any_transcript() -> None:
    async with user(prepare=one) as someone:
        inside(someone.session, "kid", says("\n\nThe needle is here", "m"))
        await someone.press("ctrl+x", "down")
        await opened(someone)
        await someone.press("ctrl+f")
        await someone.type("needle")
        await someone.wait_for("1 / 1")
        await someone.press("escape", "up", "y")
        assert "The needle is here" in someone.app.clipboard
        await back(someone)


async def test_a_question_is_never_lost_behind_a_transcript() -> None:
    async with user(prepare=three) as someone:
        await someone.press("ctrl+x", "down", "down", "enter")
        await opened(someone)
        asks(someone.session)
        await someone.wait_for('△ Subagent "Explore" needs an answer')
        await someone.press("alt+a")
        await someone.opened(ConversationScreen)
        await someone.wait_for("Allow once")
        assert someone.focused == "permission"


async def test_back_from_a_transcript_the_question_is_asked() -> None:
    async with user(prepare=one) as someone:
        await someone.press("ctrl+x", "down")
        await opened(someone)
        asks(someone.session)
        await someone.wait_for('△ Subagent "Explore" needs an answer')
        await back(someone)
        await someone.wait_for("Allow once")


async def test_a_click_on_the_line_goes_to_the_question() -> None:
    async with user(prepare=one) as someone:
        await someone.press("ctrl+x", "down")
        await opened(someone)
        asks(someone.session)
        await someone.wait_for("needs an answer")
        row = next(y for y, row in enumerate(someone.rows()) if "needs an answer" in row)
        await someone.pilot.click(offset=(12, row))
        await someone.opened(ConversationScreen)
        await someone.wait_for("Allow once")


async def test_back_by_way_of_the_parent_the_question_is_asked_too() -> None:
    async with user(prepare=three) as someone:
        await someone.press("ctrl+x", "down", "down", "enter")
        await someone.wait_for("Subagent   Dig")
        asks(someone.session)
        await someone.press("ctrl+x", "up")
        await someone.wait_for("Subagent   Explore")
        await back(someone)
        await someone.wait_for("Allow once")
        assert someone.focused == "permission"


async def test_one_is_cancelled_by_itself_where_that_is_allowed() -> None:
    async with user(prepare=three) as someone:
        await someone.press("ctrl+x", "down", "enter")
        await someone.wait_for("Subagent   Explore")
        assert not someone.sees("cancel this subagent")
        await someone.press("X")
        await someone.wait_for("does not let you cancel")
        assert someone.acts("work") == []
        await someone.press("ctrl+x", "down")
        await someone.wait_for("Subagent   Dig")
        assert someone.sees("X cancel this subagent")
        await someone.press("X")
        ((work,),) = someone.acts("work")
        assert getattr(work, "id", "") == "grandkid"
        assert someone.acts("cancel") == []


async def test_a_question_says_whose_it_is_and_shows_all_that_it_is_about() -> None:
    async with user(prepare=one) as someone:
        someone.session.apply(call("Something of the parent", "w1"))
        await someone.type("a draft")
        asks(someone.session)
        await someone.wait_for('△ Subagent "Explore" needs an answer')
        await someone.press("alt+a")
        await someone.wait_for('△ Subagent "Explore" needs permission')
        assert someone.sees("Edit notes.md")
        assert someone.sees("brand new")
        assert any("Subagent Explore" in row and "waiting for you" in row for row in someone.rows())


async def test_a_long_name_hides_neither_what_is_needed_nor_how_to_get_there() -> None:
    async with user(prepare=one, size=(60, 20)) as someone:
        someone.session.apply(child("kid", title="Explore [b]the whole of a very large project, every corner of it"))
        await someone.type("a draft")
        asks(someone.session)
        asks(someone.session, "kid", 2)
        await someone.wait_for('△ Subagent "Explore [b…" needs an answer (alt+a)')
        await someone.wait_for("Waiting for you · 2 questions · subagen")
        await someone.press("ctrl+x", "down")
        await opened(someone)
        await someone.wait_for('△ Subagent "Explore [b…" needs an answer (alt+a)')
        await someone.press("alt+a")
        await someone.opened(ConversationScreen)
        await someone.wait_for('△ Subagent "Explore [b…" needs permission  1 of 2')


async def test_in_its_transcript_the_call_that_asks_waits() -> None:
    async with user(prepare=one) as someone:
        await someone.press("ctrl+x", "down")
        await opened(someone)
        asks(someone.session)
        await someone.wait_for("△ Edit     notes.md")
        someone.client.of(someone.session).questions.answer_permission(1, "yes")
        await someone.wait_for("◐ Edit     notes.md")


async def test_a_folder_that_is_asked_for_is_told_by_its_path() -> None:
    asked = _question("kid", "Explore", "/srv/shared/docs")
    async with user(prepare=one) as someone:
        someone.session.apply(PermissionReceived(7, asked))
        await someone.wait_for('Let the subagent "Explore" use this folder?')
        assert someone.sees("/srv/shared/docs")
        assert someone.sees("Allow for this session")
        assert [option.kind for option in asked.options] == ["reject_once", "allow_once"]  # it stands on the first


async def test_a_form_says_whose_it_is() -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    form = {"mode": "form", "sessionId": "kid", "message": "Which one?", "requestedSchema": schema}
    async with user(prepare=one) as someone:
        someone.session.apply(ElicitationReceived(3, read(FormElicitation, form)))
        await someone.wait_for('△ Subagent "Explore" needs your input')


async def test_the_status_line_counts_those_that_work() -> None:
    async with user(prepare=three) as someone:
        someone.session.apply(call("Read a.py", "own", status="in_progress"))
        await someone.wait_for("Reading a.py · 0 s · 2 subagents")
        someone.session.apply(StateUpdate(state="idle", stop_reason="end_turn"))
        await someone.wait_for("In the background: 2 subagents · ")
        assert someone.sees("^X ↓ open")
        assert someone.sees("◐ working")
        inside(someone.session, "kid", child("grandkid", state=DONE))
        someone.session.apply(child("kid", state=DONE))
        await someone.wait_until(lambda: not someone.sees("In the background"), "an idle line")
        assert someone.sees("● ready")


async def test_the_tree_stands_in_the_sidebar_and_a_click_opens_one() -> None:
    async with user(prepare=three) as someone:
        await someone.press("ctrl+x", "b")
        await someone.wait_for("2 working")
        assert someone.sees("  ◐ Explore")
        assert someone.sees("    ◐ Dig")
        assert someone.sees("✓ Review")
        row = next(y for y, row in enumerate(someone.rows()) if "◐ Dig" in row)
        await someone.pilot.click(offset=(someone.rows()[row].index("Dig"), row))
        await opened(someone)
        await someone.wait_for("Subagent   Dig")


async def test_the_tab_of_another_session_shows_that_its_subagents_work() -> None:
    async with user() as someone:
        first = someone.session
        await someone.press("ctrl+n")
        await someone.wait_for("1 new session   2 new session 2")
        first.apply(child("kid", state=RUNNING))
        await someone.wait_for("1 new session ◐")
        first.apply(child("kid", state=DONE))
        await someone.wait_for("1 new session   2")


async def test_files_that_a_subagent_changes_are_changed_files() -> None:
    edit: dict[str, Any] = {
        "status": "completed",
        "content": [{"type": "diff", "path": "/home/someone/project/a.py", "newText": "x\n"}],
    }
    async with user(prepare=one) as someone:
        inside(someone.session, "kid", call("Edit", "e1", **edit))
        await someone.press("ctrl+x", "b")
        await someone.wait_for("a.py")
        edit["content"][0]["path"] = "/home/someone/project/b.py"
        inside(someone.session, "kid", call("Edit", "e2", **edit))
        await someone.wait_for("b.py")


async def test_a_reason_names_the_subagent() -> None:
    async with user(prepare=one) as someone:
        asks(someone.session)
        await answerable(someone)
        await someone.press("tab")
        await someone.type("keep it")
        await someone.press("enter")
        await someone.wait_until(lambda: bool(someone.acts("submit")), "the reason")
        assert someone.acts("submit") == [('To subagent "Explore": keep it',)]


async def test_the_list_of_background_work_has_those_that_can_be_cancelled() -> None:
    async with user(prepare=three) as someone:
        await someone.press("ctrl+x", "k")
        await someone.wait_for("X cancel it")
        assert someone.sees("Background work")
        assert not someone.sees("Enter cancels")
        assert not someone.sees("in this turn")
        assert len([row for row in someone.rows() if "subagent · " in row]) == 1
        await someone.press("X")
        await someone.wait_for('Cancel "Dig"?')
        await someone.press("down", "enter")
        ((work,),) = someone.acts("work")
        assert getattr(work, "id", "") == "grandkid"


async def test_one_is_cancelled_on_its_row() -> None:
    async with user(prepare=one) as someone:
        someone.session.apply(child("kid", capabilities=CANCEL))
        await someone.press("ctrl+x", "up", "X")
        assert len(someone.acts("work")) == 1
        await someone.press("escape", "escape")
        assert someone.acts("cancel") == [()]


async def test_the_transcripts_of_the_past_have_their_subagents() -> None:
    session = Session("one", "/home/someone/project", agent_name="OpenCode")
    three(session)
    now = datetime.now(UTC)
    info = RecordInfo(Path("one"), "one", "OpenCode", "/home/someone/project", "Earlier", now, now, 1)
    async with user() as someone:
        someone.app.push_screen(HistoryScreen(session, info))
        await someone.wait_for("History   Earlier")
        await someone.press("ctrl+x", "down", "enter")
        await opened(someone)
        await someone.wait_for("Looking around")
        asks(someone.session)
        assert not someone.sees("needs an answer")
        await someone.press("X", "alt+a")
        assert someone.acts("work") == []
        await someone.press("escape")
        await someone.opened(HistoryScreen)
