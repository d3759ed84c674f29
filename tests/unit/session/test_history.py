"""A session that begins with what was said in another one: all of it is there, and neither reaches into the other."""

from hypothesis import given

from acp_tui.protocol.vocabulary.session_updates import Plan, PlanUpdate, SubagentUpdate
from acp_tui.protocol.vocabulary.tool_calls import TerminalOutputChunk, TerminalReference, ToolCallUpdate
from acp_tui.session import facts
from acp_tui.session.entries import MessageEntry, NoticeEntry, TextPart, ToolCallEntry
from acp_tui.session.export import to_json
from acp_tui.session.facts import SubagentEvent
from acp_tui.session.folds.tool_calls import is_own
from acp_tui.session.state import CopiedHistory, Session
from tests.examples import THOROUGH
from tests.unit.session.folds.test_invariants import EVENTS
from tests.unit.session.speech import Told, idle, running, say, told, user


def begun(one: Told) -> Session:
    session = Session("new", "/project", clock=one.clock)
    session.apply(CopiedHistory(one.session, "why"))
    return session


@THOROUGH
@given(EVENTS)
def test_everything_is_there_finished_and_marked(events: list[facts.Fact]) -> None:
    one = told()
    one.apply(*events)
    before = to_json(one.session)
    session = begun(one)
    assert all(entry.sealed for entry in session.entries)
    *history, last = to_json(session)["entries"] or [None]
    assert len(history) == len(one.session.entries)
    if last is not None:
        assert last["title"] == "Restored from a local record"
    assert [entry.get("id") for entry in history] == [entry.get("id") for entry in before["entries"]]
    assert not session.turn.active
    assert [*session.permissions, *session.elicitations, *session.queue] == []
    assert to_json(one.session) == before


def test_what_goes_on_in_one_does_not_reach_the_other() -> None:
    one = told()
    call = ToolCallUpdate(tool_call_id="t", title="T", status="in_progress")
    one.apply(user("go"), running(), say("I am"), call)
    one.apply(ToolCallUpdate(tool_call_id="t", content=[TerminalReference(terminal_id="x")]))
    one.apply(TerminalOutputChunk(terminal_id="x", data=b"one"))
    session = begun(one)
    one.apply(say(" here"), TerminalOutputChunk(terminal_id="x", data=b"two"))
    one.apply(ToolCallUpdate(tool_call_id="t", status="completed"))
    session.apply(say("mine"))
    session.apply(ToolCallUpdate(tool_call_id="t", title="Another"))
    messages = [entry for entry in session.entries if isinstance(entry, MessageEntry)]
    words = ["".join(part.text for part in entry.parts if isinstance(part, TextPart)) for entry in messages]
    assert words == ["go", "I am", "mine"]
    calls = [entry for entry in session.entries if isinstance(entry, ToolCallEntry)]
    assert [(entry.title, entry.status) for entry in calls] == [("T", "in_progress"), ("Another", "pending")]
    assert calls[0].finished_at is not None
    session.apply(TerminalOutputChunk(terminal_id="x", data=b"of a terminal of its own"))
    [shown] = [item.terminal_id for item in calls[0].content if isinstance(item, TerminalReference)]
    assert session.terminals[shown].chunks == [b"one"]
    assert session.terminals[shown].id == shown


def test_own_commands_stay_one_s_own_and_notices_get_other_names() -> None:
    one = told()
    one.apply(facts.OwnCommandRun("c", "ls", "/"), facts.OwnCommandEnded("c"), facts.Noticed("info", "First"))
    session = begun(one)
    session.apply(facts.Noticed("info", "Second"))
    assert is_own(session, session.entries[0])
    assert len({entry.id for entry in session.entries}) == len(session.entries)


def test_where_nothing_was_said_nothing_is_said_of_it() -> None:
    assert begun(told()).entries == []
    assert not any(isinstance(entry, NoticeEntry) for entry in begun(told()).entries)


def test_what_was_said_after_a_prompt_is_left_out_with_all_that_belongs_to_it() -> None:
    one = told()
    for number in "12":
        one.apply(user(number, f"u{number}"), running())
        one.apply(SubagentUpdate(session_id=f"child {number}"))
        shown = [TerminalReference(terminal_id=f"x{number}")]
        one.apply(ToolCallUpdate(tool_call_id=number, title="T", content=shown))
        one.apply(TerminalOutputChunk(terminal_id=f"x{number}", data=b"one"))
        one.apply(SubagentEvent(f"child {number}", say("of a child")), say("answer", f"a{number}"), idle())
    one.apply(PlanUpdate(plan=Plan(plan_id="p", type="items")))
    for prompts, kept in ((0, ""), (1, "1"), (2, "12"), (3, "12"), (None, "12")):
        session = Session("new", "/project", clock=one.clock)
        session.apply(CopiedHistory(one.session, "", prompts))
        messages = [entry.id for entry in session.entries if isinstance(entry, MessageEntry)]
        assert messages == [f"{who}{number}" for number in kept for who in "ua"]
        assert list(session.terminals) == [f"x{number} (before 1)" for number in kept]
        assert list(session.subagents) == [f"child {number}" for number in kept]
        assert bool(session.plans) is (kept == "12")
        assert not any(isinstance(entry, NoticeEntry) for entry in session.entries)
