"""Rows of subagents, where they stand, and what sessions say to each other."""

from collections.abc import Iterator
from typing import Any

import pytest
from rich.cells import cell_len

from acp_tui.protocol.base import read
from acp_tui.protocol.vocabulary.session_updates import MessageChunk, SessionMessage, SubagentUpdate
from acp_tui.protocol.vocabulary.tool_calls import PermissionRequest, ToolCallUpdate
from acp_tui.session.facts import AgentGone, PermissionReceived, SessionLoaded, SubagentEvent
from acp_tui.session.state import Session
from acp_tui.ui.entries.drawings import draw
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render.wrap import SUBAGENT, Drawing, Ticks, text_of

PALETTE = palette_for(DARK)


class Clock:
    """Stands still until it is moved."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def child(session_id: str = "kid", **members: object) -> SubagentUpdate:
    return read(SubagentUpdate, {"sessionId": session_id, "title": "Explore", **members})


RUNNING, DONE = {"state": "running"}, {"state": "idle", "stopReason": "end_turn"}


def call(title: str, call_id: str = "c", **members: Any) -> ToolCallUpdate:
    return read(
        ToolCallUpdate, {"toolCallId": call_id, "title": title, "kind": "read", "status": "in_progress", **members}
    )


def says(text: str, kind: str = "agent_message_chunk") -> MessageChunk:
    return read(MessageChunk, {"sessionUpdate": kind, "messageId": kind, "content": {"type": "text", "text": text}})


def refers(*ids: str) -> dict[str, Any]:
    return {"content": [{"type": "session", "sessionId": each} for each in ids]}


@pytest.fixture
def session() -> Session:
    return Session("root", "/project", clock=Clock())


def in_kid(session: Session, *events: object) -> None:
    for event in events:
        session.apply(SubagentEvent("kid", event))


def drawn(session: Session, width: int = 80) -> list[str]:
    return list(_rows(session, width))


def _rows(session: Session, width: int) -> Iterator[str]:
    for entry in session.entries:
        yield from rows(draw(entry, session), width)


def rows(drawing: Drawing, width: int = 80) -> list[str]:
    return [text_of(row).rstrip() for unit in drawing.units for row in unit.rows(width, PALETTE)]


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (RUNNING, "◐ Subagent Explore  # running"),
        ({"state": "requires_action"}, "◑ Subagent Explore  # waiting"),
        (DONE, "✓ Subagent Explore  # done"),
        ({"state": "idle", "stopReason": "cancelled"}, "⊘ Subagent Explore  # cancelled"),
        ({"state": "idle", "stopReason": "refusal"}, "✗ Subagent Explore  # refused"),
        ({"state": "idle", "stopReason": "_odd"}, "· Subagent Explore  # stopped: _odd"),
        ({"state": "unknown"}, "◌ Subagent Explore  # not confirmed"),
        (None, "◌ Subagent Explore  # not confirmed"),
        ({"state": "_dreaming"}, "· Subagent Explore  # _dreaming"),
    ],
)
def test_the_state_is_told_by_sign_and_word(session: Session, state: object, said: str) -> None:
    session.apply(child(state=state))
    beginning, ending = said.split("  # ")
    (row,) = drawn(session)
    assert row.strip().startswith(beginning)
    assert row.endswith(ending)


def test_how_it_ended_is_told_when_nothing_newer_is_confirmed(session: Session) -> None:
    session.apply(child(state=DONE))
    session.apply(SessionLoaded())
    assert drawn(session)[0].endswith("done")


def test_a_lost_connection_is_told_and_is_no_failure(session: Session) -> None:
    session.apply(child(state=RUNNING))
    session.apply(AgentGone("gone"))
    assert drawn(session)[0].endswith("disconnected")


def test_the_second_row_tells_the_last_thing_done(session: Session) -> None:
    session.apply(child(description="Find the tests", state=RUNNING))
    assert drawn(session)[1].strip() == "Find the tests"
    in_kid(session, says("hm", "agent_thought_chunk"))
    assert drawn(session)[1].strip() == "Thinking"
    in_kid(session, call("Read a.py"))
    assert drawn(session)[1].strip() == "Read a.py"
    in_kid(session, says("First.\nIt is **here**."))
    assert drawn(session)[1].strip() == "Writing an answer"
    session.apply(child(state=DONE))
    assert drawn(session)[1].strip() == "It is here."


def test_time_passes_while_it_works_and_no_longer(session: Session) -> None:
    clock = session.clock
    assert isinstance(clock, Clock)
    session.apply(child(state=RUNNING))
    (unit,) = draw(session.entries[0], session).units
    assert isinstance(unit, Ticks)
    before = unit.version
    clock.now = 12.4
    assert unit.ticks
    assert unit.version != before
    assert text_of(unit.rows(80, PALETTE)[0]).endswith("running · 12 s")
    session.apply(child(state=DONE))
    assert not unit.ticks
    clock.now = 99.0
    assert text_of(unit.rows(80, PALETTE)[0]).endswith("done · 12 s")


def test_a_question_is_told_until_it_is_answered(session: Session) -> None:
    session.apply(child(state=RUNNING))
    asked = {"sessionId": "kid", "title": "May I?", "options": []}
    drawing = draw(session.entries[0], session)
    version = drawing.units[0].version
    session.apply(PermissionReceived(1, read(PermissionRequest, asked)))
    assert rows(drawing)[0].endswith("waiting for you")
    assert drawing.units[0].version != version


@pytest.mark.parametrize("width", [120, 80, 60, 30])
def test_nothing_is_wider_than_its_place(session: Session, width: int) -> None:
    session.apply(child(title="工" * 100, description="x" * 300, state=RUNNING))
    in_kid(session, call("Read " + "long " * 80))
    assert all(cell_len(row) <= width for row in drawn(session, width))
    assert len(drawn(session, width)) == 2


def test_what_the_agent_writes_is_only_text(session: Session) -> None:
    session.apply(child(title="\x1b[31mred\u202e[/]\nsecond", description="\x1b]52;c;AAAA\x07", state=RUNNING))
    assert not {"\x1b", "\u202e", "\x07"} & set("".join(drawn(session)))


def test_it_stands_below_the_call_that_refers_to_it_first(session: Session) -> None:
    for event in (call("One", "a"), call("Two", "b"), child(state=RUNNING), call("One", "a", **refers("kid"))):
        session.apply(event)
    session.apply(call("Two", "b", **refers("kid")))
    told = [" ".join(row.split()[1:3]) for row in drawn(session) if row]
    assert told == ["Read One", "Subagent Explore", "Read Two", 'Session "Explore"']


def test_what_follows_a_call_that_shows_one_stands_apart(session: Session) -> None:
    for event in (call("One", "a"), child(state=RUNNING), call("One", "a", **refers("kid"))):
        session.apply(event)
    together = drawn(session)
    session.apply(says("and now"))
    assert drawn(session)[: len(together) + 1] == [*together, ""]


def test_a_call_that_only_started_one_is_told_by_its_rows(session: Session) -> None:
    for event in (
        call("One", "a", kind="think"),
        child(state=RUNNING),
        call("One", "a", kind="think", **refers("kid")),
    ):
        session.apply(event)
    session.apply(call("One", "a", kind="think", status="completed"))
    assert not any("One" in row for row in drawn(session))
    assert "Subagent" in drawn(session)[0]
    session.apply(call("One", "a", kind="think", status="failed"))
    assert any("One" in row for row in drawn(session))


def test_it_stays_there_when_the_content_is_replaced(session: Session) -> None:
    for event in (call("One", "a"), says("hm"), child(state=RUNNING), call("One", "a", **refers("kid"))):
        session.apply(event)
    session.apply(call("One", "a", status="completed", content=[]))
    assert "Subagent" in drawn(session)[1]
    assert sum("Subagent" in row for row in drawn(session)) == 1


def test_a_reference_to_a_session_that_is_no_child_moves_nothing(session: Session) -> None:
    session.apply(child(state=RUNNING))
    in_kid(session, call("Look", **refers("root", "stranger", "kid")))
    kid = session.subagents["kid"]
    assert [row.strip() for row in drawn(kid)[1:]] == [
        '→ Session "root"',
        '→ Session "stranger"',
        '→ Session "Explore"',
    ]
    assert drawn(session)[0].strip().startswith("◐ Subagent Explore")


def test_a_click_on_either_row_opens_it(session: Session) -> None:
    session.apply(child(description="Find", state=RUNNING))
    (unit,) = draw(session.entries[0], session).units
    for row in unit.rows(80, PALETTE):
        styles = [segment.style for segment in row.segments]
        assert all(style is not None and style.meta[SUBAGENT] == "kid" for style in styles)


def message(text: str, **members: object) -> SessionMessage:
    content = [{"type": "text", "text": text}]
    return read(SessionMessage, {"messageId": "m", "content": content, **members})


def test_who_speaks_to_whom_is_told_by_name(session: Session) -> None:
    session.apply(child())
    in_kid(session, message("Look **here**", senderSessionId="root", recipientSessionId="kid"))
    session.apply(message("Found", senderSessionId="kid", recipientSessionId="root"))
    kid = session.subagents["kid"]
    assert drawn(kid)[:2] == [" » From the session", "   Look here"]
    assert rows(draw(session.entries[-1], session))[:2] == [' » From subagent "Explore"', "   Found"]
    in_kid(session, message("Back", senderSessionId="kid", recipientSessionId="root"))
    assert drawn(kid)[0] == " » To the session"


def test_a_long_message_is_folded(session: Session) -> None:
    session.apply(
        message("\n".join(f"line {n}" for n in range(40)), senderSessionId="root", recipientSessionId="other")
    )
    drawing = draw(session.entries[0], session)
    assert rows(drawing)[0] == " ▸ To another session  line 0 (40 lines)"
    assert len(rows(drawing)) == 2
    drawing.toggle()
    assert "line 39" in "\n".join(rows(drawing))
