"""Child sessions: announced, patched, filled by their own events, disconnected."""

import pytest

from acp_tui.protocol.base import read
from acp_tui.protocol.vocabulary.elicitation import FormElicitation
from acp_tui.protocol.vocabulary.session_updates import (
    MessageChunk,
    SessionMessage,
    SessionMessageChunk,
    StateUpdate,
    SubagentUpdate,
    UsageUpdate,
)
from acp_tui.protocol.vocabulary.tool_calls import BackgroundWork, ToolCallUpdate
from acp_tui.session.changes import Change, EntryAdded, EntryChanged, SubagentChanged
from acp_tui.session.entries import MessageEntry, SubagentEntry, TextPart
from acp_tui.session.facts import (
    AgentGone,
    AgentReturned,
    CancelRequested,
    ElicitationReceived,
    FileWritten,
    SessionLoaded,
    SubagentEvent,
)
from acp_tui.session.folds.subagents import SessionMessageEntry
from acp_tui.session.state import Event, Session
from acp_tui.session.tools.running_work import WorkItem, background_work, can_be_cancelled, separate_work


def announced(session_id: str = "child", **members: object) -> SubagentUpdate:
    return read(SubagentUpdate, {"sessionId": session_id, **members})


def chunk(text: str) -> MessageChunk:
    content = {"type": "text", "text": text}
    told = {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": content}
    return read(MessageChunk, told)


def told(*events: Event) -> Session:
    session = Session("root", "/project")
    for event in events:
        session.apply(event)
    return session


def row(session: Session) -> SubagentEntry:
    (entry,) = (each for each in session.entries if isinstance(each, SubagentEntry))
    return entry


def test_an_announcement_is_a_row_of_the_parent_and_a_session_of_its_own() -> None:
    session = told(announced(title="Explore", description="Find the tests", capabilities={"cancel": {}}))
    assert (row(session).title, row(session).description, row(session).cancellable) == (
        "Explore",
        "Find the tests",
        True,
    )
    assert row(session).state is None, "an announcement alone says nothing of work"
    assert session.subagents["child"] is session.family["child"].session
    assert session.subagents["child"].cwd == "/project"


def test_what_happens_in_a_child_is_in_its_own_transcript() -> None:
    session = told(announced(), SubagentEvent("child", chunk("found")), SubagentEvent("child", chunk(" it")))
    (message,) = session.subagents["child"].entries
    assert isinstance(message, MessageEntry)
    assert [part.text for part in message.parts if isinstance(part, TextPart)] == ["found it"]
    assert len(session.entries) == 1


def test_what_is_omitted_stays_and_null_clears() -> None:
    session = told(announced(title="A", capabilities={"cancel": {}}), announced(description="B"))
    assert (row(session).title, row(session).description, row(session).cancellable) == ("A", "B", True)
    session.apply(announced(title=None, capabilities=None))
    assert (row(session).title, row(session).description, row(session).cancellable) == (None, "B", False)


@pytest.mark.parametrize(
    ("state", "said", "active"),
    [
        ({"state": "running"}, "running", True),
        ({"state": "idle", "stopReason": "end_turn"}, "idle", False),
        (None, None, False),
    ],
)
def test_the_state_of_a_child_is_its_turn(state: object, said: str | None, active: bool) -> None:
    session = told(announced(state={"state": "running"}), announced(state=state))
    assert (row(session).state, session.subagents["child"].turn.active) == (said, active)


def test_children_have_children() -> None:
    session = told(
        announced(), SubagentEvent("child", announced("grandchild")), SubagentEvent("grandchild", chunk("x"))
    )
    assert session.family["grandchild"].parent is session.subagents["child"]
    assert len(session.subagents["child"].subagents["grandchild"].entries) == 1


def test_an_event_of_a_child_that_was_never_announced_changes_nothing() -> None:
    session = told(SubagentEvent("stranger", chunk("x")))
    assert (session.entries, session.family) == ([], {})


def test_a_lost_connection_leaves_children_disconnected_and_not_failed() -> None:
    session = told(announced(state={"state": "running"}), announced("done", state={"state": "idle"}))
    session.apply(AgentGone("The agent exited"))
    (working, done, _notice) = session.entries
    assert isinstance(working, SubagentEntry)
    assert isinstance(done, SubagentEntry)
    assert (working.disconnected, done.disconnected) == (True, False)
    assert not session.subagents["child"].turn.active
    assert session.subagents["child"].turn.stop_reason is None


def test_text_that_grows_does_not_have_the_row_drawn_anew() -> None:
    session = told(announced(), SubagentEvent("child", chunk("a")))
    heard: list[Change] = []
    session.subscribe(heard.append)
    session.apply(SubagentEvent("child", chunk("b")))
    assert heard == []
    session.apply(announced(state={"state": "running"}))
    assert SubagentChanged("child") in heard
    assert any(isinstance(each, EntryChanged) for each in heard)


def test_sessions_speak_to_each_other() -> None:
    message = read(SessionMessage, {"messageId": "1", "senderSessionId": "root", "recipientSessionId": "child"})
    content = {"type": "text", "text": "look"}
    grown = read(SessionMessageChunk, {"messageId": "1", "content": content})
    session = told(announced(), SubagentEvent("child", grown), SubagentEvent("child", message))
    (entry,) = session.subagents["child"].entries
    assert isinstance(entry, SessionMessageEntry)
    assert (entry.sender, entry.recipient) == ("root", "child")
    assert [part.text for part in entry.parts if isinstance(part, TextPart)] == ["look"]


RUNNING = {"state": "running"}


def test_a_state_that_is_told_twice_is_told_once() -> None:
    idle = StateUpdate(state="idle", stop_reason="cancelled")
    session = told(announced(state=RUNNING), SubagentEvent("child", StateUpdate(state="running")))
    before = session.subagents["child"].turn
    session.apply(announced(state=RUNNING))
    assert session.subagents["child"].turn is before
    session.apply(SubagentEvent("child", idle))
    session.apply(announced(state={"state": "idle"}))
    assert (row(session).state, row(session).stop_reason) == ("idle", "cancelled")
    session.apply(announced(state=RUNNING))
    assert (row(session).stop_reason, row(session).finished_at, row(session).sealed) == (None, None, False)


@pytest.mark.parametrize("state", ["unknown", "_custom", "newer"])
def test_a_state_that_is_new_is_kept_as_it_is(state: str) -> None:
    session = told(announced(state={"state": state}))
    assert row(session).state == state


@pytest.mark.parametrize("event", [SessionLoaded(), AgentReturned()])
def test_after_a_replay_nothing_of_a_child_is_confirmed_until_it_is_announced_again(event: Event) -> None:
    working = announced(state=RUNNING, capabilities={"cancel": {}})
    session = told(working, announced("done", state={"state": "idle", "stopReason": "end_turn"}))
    session.apply(SubagentEvent("child", chunk("half")))
    session.apply(event)
    rows = [entry for entry in session.entries if isinstance(entry, SubagentEntry)]
    assert [(each.state, each.cancellable, each.sealed) for each in rows] == [(None, False, True)] * 2
    assert rows[1].stop_reason == "end_turn", "what was known last may still be shown"
    assert not session.subagents["child"].turn.active
    assert all(entry.sealed for entry in session.subagents["child"].entries)
    session.apply(working)
    assert (rows[0].state, rows[0].cancellable, len(session.entries)) == ("running", True, 2)


def test_an_agent_that_forgot_the_session_means_other_children_by_their_ids() -> None:
    session = told(announced(title="Before", state=RUNNING), AgentGone("gone"), AgentReturned(forgotten=True))
    session.apply(announced(title="After", state=RUNNING))
    assert [entry.title for entry in session.entries if isinstance(entry, SubagentEntry)] == ["Before", "After"]
    assert session.family["child"].entry.title == "After"


def test_another_process_counts_the_messages_of_a_child_anew() -> None:
    session = told(announced(), SubagentEvent("child", chunk("before")), AgentGone("gone"), AgentReturned())
    assert session.family["child"].entry.state is None
    session.apply(announced(state=RUNNING))
    session.apply(SubagentEvent("child", chunk("after")))
    assert len(session.subagents["child"].entries) == 2
    assert not session.family["child"].entry.disconnected


def test_the_end_of_the_parents_turn_ends_nothing_of_a_child() -> None:
    listed = [BackgroundWork(type="subagent", session_id="child")]
    call = ToolCallUpdate(tool_call_id="call", title="Look", status="in_progress")
    session = told(StateUpdate(state="running"), announced(title="Explore", state=RUNNING))
    session.apply(SubagentEvent("child", call))
    session.apply(StateUpdate(state="idle", stop_reason="end_turn", background=listed))
    assert (row(session).state, row(session).sealed) == ("running", False)
    assert session.subagents["child"].turn.active
    assert not session.subagents["child"].index.tool_calls["call"].sealed
    assert background_work(session) == [WorkItem("subagent", "child", "Explore", cancellable=False, background=True)]


def test_a_child_that_outlives_a_cancelled_turn_works_and_so_do_its_calls() -> None:
    call = ToolCallUpdate(tool_call_id="call", title="Look", status="in_progress")
    session = told(StateUpdate(state="running"), announced(state=RUNNING), SubagentEvent("child", call))
    session.apply(CancelRequested())
    session.apply(SubagentEvent("child", CancelRequested()))
    child = session.subagents["child"]
    assert (child.turn.cancel_requested_at is None, child.index.tool_calls["call"].status) == (False, "cancelled")
    session.apply(StateUpdate(state="idle", stop_reason="cancelled"))
    assert (child.turn.cancel_requested_at, child.turn.active) == (None, True)
    session.apply(SubagentEvent("child", call))
    assert child.index.tool_calls["call"].status == "in_progress"


def test_a_child_that_was_cancelled_by_itself_is_until_it_says_otherwise() -> None:
    clock = iter(range(100))
    session = Session("root", "/project", clock=lambda: float(next(clock)))
    for event in (StateUpdate(state="running"), announced(state=RUNNING), SubagentEvent("child", CancelRequested())):
        session.apply(event)
    session.apply(CancelRequested())
    session.apply(StateUpdate(state="idle", stop_reason="cancelled"))
    assert session.subagents["child"].turn.cancel_requested_at is not None


def test_children_that_can_be_cancelled_are_listed_while_they_work() -> None:
    session = told(announced(title="Explore", state=RUNNING, capabilities={"cancel": {}}))
    session.apply(SubagentEvent("child", announced("below", state=RUNNING, capabilities={"cancel": {}})))
    first, second = separate_work(session)
    assert (first.type, first.id, first.title, first.cancellable) == ("subagent", "child", "Explore", True)
    assert second.id == "below"
    session.apply(announced(state={"state": "idle"}))
    assert not can_be_cancelled(session, first)
    assert can_be_cancelled(session, second)


def test_a_change_in_the_depth_reaches_one_row_above_it_and_no_more() -> None:
    session = told(announced("0"))
    for depth in range(300):
        session.apply(SubagentEvent(str(depth), announced(str(depth + 1))))
    versions = {name: child.entry.version for name, child in session.family.items()}
    call = ToolCallUpdate(tool_call_id="call", title="Look")
    session.apply(SubagentEvent("300", call))
    changed = [name for name, child in session.family.items() if child.entry.version != versions[name]]
    assert changed == ["300"]


def test_what_a_child_writes_is_known_to_the_session_that_the_user_talks_to() -> None:
    session = told(announced())
    session.apply(FileWritten("/project/a", 1, 0, 1, created=True))
    session.apply(SubagentEvent("child", FileWritten("/project/a", 2, 1, 1)))
    assert session.index.writes["/project/a"] == FileWritten("/project/a", 3, 1, 1, created=True)
    assert session.subagents["child"].index.writes["/project/a"].added == 2


def test_the_usage_of_a_child_is_its_own() -> None:
    session = told(announced(), UsageUpdate(used=5, size=10))
    session.apply(SubagentEvent("child", UsageUpdate(used=7, size=10)))
    assert session.usage == UsageUpdate(used=5, size=10)


def test_a_form_of_a_child_stands_in_the_parent_and_looks_at_the_childs_call() -> None:
    asked = {"mode": "form", "message": "Which?", "sessionId": "child", "toolCallId": "call", "requestedSchema": {}}
    session = told(announced(), SubagentEvent("child", ToolCallUpdate(tool_call_id="call", title="Look")))
    session.apply(ToolCallUpdate(tool_call_id="call", title="Another of that name"))
    versions = session.subagents["child"].index.tool_calls["call"].version, session.index.tool_calls["call"].version
    session.apply(ElicitationReceived(1, read(FormElicitation, asked)))
    after = session.subagents["child"].index.tool_calls["call"].version, session.index.tool_calls["call"].version
    assert after == (versions[0] + 1, versions[1])
    assert session.entries[-1] is session.elicitations[0].entry
    assert list(session.subagents["child"].index.questions) == ["call"]
    assert session.index.questions == {}


def test_a_row_is_shown_with_all_that_was_announced() -> None:
    session, shown = Session("root", "/project"), []

    def heard(change: Change) -> None:
        if isinstance(change, EntryAdded | EntryChanged) and isinstance(change.entry, SubagentEntry):
            shown.append((type(change), change.entry.title, change.entry.state))

    session.subscribe(heard)
    session.apply(announced(title="Explore", state=RUNNING))
    assert shown == [(EntryAdded, "Explore", "running"), (EntryChanged, "Explore", "running")]
