"""Child sessions: announced, patched, filled by their own events, disconnected."""

import pytest

from acp_tui.protocol.reading import read
from acp_tui.protocol.vocabulary.updates import MessageChunk, SessionMessage, SessionMessageChunk, SubagentUpdate
from acp_tui.session.changes import Change, EntryChanged, SubagentChanged
from acp_tui.session.entries import MessageEntry, SessionMessageEntry, SubagentEntry, TextPart
from acp_tui.session.facts import AgentGone, SubagentEvent
from acp_tui.session.state import Event, Session


def announced(session_id: str = "child", **members: object) -> SubagentUpdate:
    return read(SubagentUpdate, {"sessionId": session_id, **members})


def chunk(text: str) -> MessageChunk:
    content = {"type": "text", "text": text}
    told = {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": content}
    return read(MessageChunk, told)


def told(*events: Event) -> Session:
    session = Session("root", "/work")
    for event in events:
        session.apply(event)
    return session


def row(session: Session) -> SubagentEntry:
    (entry,) = session.entries
    assert isinstance(entry, SubagentEntry)
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
    assert session.subagents["child"].cwd == "/work"


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
