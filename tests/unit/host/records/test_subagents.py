"""What happens in subagents is recorded with the session that the user talks to, and read again as it was."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given

from acp_tui.host.config.state_files import json_object
from acp_tui.host.records.event_codec import (
    JOINED_IN_CHILD,
    OPEN,
    GrowingText,
    TextCoalescer,
    decode,
    encode,
    line_of,
    lines_of,
    read_lines,
)
from acp_tui.host.records.records import Records
from acp_tui.host.records.session_recording import SessionRecording
from acp_tui.protocol.vocabulary.session_updates import StateUpdate, SubagentUpdate, Update
from acp_tui.protocol.vocabulary.tool_calls import SessionReference, TerminalOutputChunk, WorkCapabilities
from acp_tui.session import facts
from acp_tui.session.entries import MessageEntry, NoticeEntry, SubagentEntry, TextPart, ToolCallEntry
from acp_tui.session.export import to_json
from acp_tui.session.state import CopiedHistory, Session
from acp_tui.session.tools.running_work import shown_in
from tests.examples import THOROUGH
from tests.unit.session.folds.test_invariants import EVENTS
from tests.unit.session.speech import Clock, idle, running, say, tool, user

Event = Update | facts.Fact
FAMILY: list[Event] = [
    SubagentUpdate(session_id="1", title="One"),
    facts.SubagentEvent("1", SubagentUpdate(session_id="2", title="Two")),
    facts.SubagentEvent("2", SubagentUpdate(session_id="3", title="Three")),
]
WORKS = StateUpdate(state="running")


def inside(child_id: str, *events: Event) -> list[Event]:
    return [facts.SubagentEvent(child_id, event) for event in events]


def joined(*events: Event) -> list[Event]:
    """What is written of events that came faster than lines are."""
    joining = TextCoalescer()
    waiting = [one for one in map(joining.take, events) if one is not None]
    return [one.take() if isinstance(one, GrowingText) else one for one in waiting]


def said(session: Session) -> list[str]:
    messages = [entry for entry in session.entries if isinstance(entry, MessageEntry)]
    return ["".join(part.text for part in entry.parts if isinstance(part, TextPart)) for entry in messages]


def whole(*events: Event | CopiedHistory) -> Session:
    session = Session("s", "/", clock=lambda: 1.0)
    for event in events:
        session.apply(event)
    return session


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Records]:
    records = Records(tmp_path / "records")
    yield records
    records.close()


def recorded(records: Records, name: str, *events: Event, told: Session | None = None) -> Session:
    session = Session(name, f"/{name}", agent_name="Scripted", clock=Clock())
    records.record(session)
    if told is not None:
        session.apply(CopiedHistory(told, "why"))
    for event in events:
        session.apply(event)
    return session


def again(records: Records, name: str) -> Session:
    records.close()
    [info] = Records(records.folder).list(f"/{name}")
    return Records(records.folder).load(info.path)


def row(session: Session, child_id: str) -> SubagentEntry:
    return session.family[child_id].entry


@pytest.mark.parametrize(
    "update",
    [
        SubagentUpdate(session_id="2", capabilities=WorkCapabilities(cancel=True), state=WORKS),
        SubagentUpdate(session_id="2", capabilities=WorkCapabilities(cancel=False), title=None),
        TerminalOutputChunk(terminal_id="t", data=b"\xff"),
        tool("1", capabilities=WorkCapabilities(cancel=True)),
    ],
)
def test_what_happens_in_a_subagent_is_read_as_it_was_written(update: Update) -> None:
    event = facts.SubagentEvent("1", update)
    kind, data = encode(event)
    assert (data["session_id"], data["kind"]) == ("1", type(update).__name__)
    line = json_object(line_of({"data": data}))
    assert line is not None
    assert decode(kind, line["data"]) == event


def test_markers_stand_as_on_the_wire() -> None:
    capabilities = WorkCapabilities(cancel=True)
    _, data = encode(facts.SubagentEvent("1", SubagentUpdate(session_id="2", capabilities=capabilities)))
    assert data["event"]["capabilities"] == {"cancel": {}}


def test_a_newer_kind_in_a_subagent_is_none_and_what_does_not_fit_is_said() -> None:
    assert decode("SubagentEvent", {"session_id": "1", "kind": "Newer", "event": {}}) is None
    nested = {"session_id": "1", "kind": "SubagentEvent", "event": {"session_id": "1"}}
    odd: list[object] = [{}, []]
    for damaged in (*odd, {"session_id": 1, "kind": "MessageChunk"}, nested, {"session_id": "1", "kind": "Noticed"}):
        with pytest.raises(ValueError, match=r".+"):
            decode("SubagentEvent", damaged)


@THOROUGH
@given(EVENTS)
def test_a_family_told_again_from_its_lines_is_the_same(events: list[Event]) -> None:
    happened = [*FAMILY, *events, *inside("3", say("deep"))]
    lines = [json_object(line) for _, line in lines_of((1.0, event) for event in happened)]
    told = [decode(line["kind"], line["data"]) for line in lines if line is not None]
    assert to_json(whole(*(event for event in told if event is not None))) == to_json(whole(*happened))


@THOROUGH
@given(EVENTS)
def test_a_family_whose_words_were_joined_is_the_same(events: list[Event]) -> None:
    happened = [*FAMILY]
    for event in events:
        happened += [say("r"), *inside("1", say("a")), event, *inside("3", say("b"))]
    assert to_json(whole(*joined(*happened))) == to_json(whole(*happened))


def test_subagents_that_stream_in_turns_have_a_line_each() -> None:
    children = [str(number) for number in range(100)]
    turns = [event for _ in range(50) for child in children for event in inside(child, say("word "))]
    lines = joined(*turns)
    assert len(lines) == len(children)
    announced = [SubagentUpdate(session_id=child) for child in children]
    assert to_json(whole(*announced, *lines)) == to_json(whole(*announced, *turns))


def test_what_happens_in_one_subagent_ends_its_own_line_only() -> None:
    one, other = inside("1", say("a")), inside("2", say("b"))
    assert len(joined(*one, *other, *inside("1", tool()), *one, *other)) == 4
    assert len(joined(*one, *other, SubagentUpdate(session_id="1"), *one, *other)) == 4
    assert len(joined(*one, *other, *inside("3", SubagentUpdate(session_id="1")), *one, *other)) == 4
    assert len(joined(*one, *other, tool(), *one, *other)) == 3
    assert len(joined(*one, *other, facts.AgentGone("gone"), *one, *other)) == 5


def test_lines_of_subagents_are_bounded_in_length_and_in_number() -> None:
    flood = inside("1", *[say("x" * 24) for _ in range(1_000)])
    assert len(joined(*flood)) == pytest.approx(24 * 1_000 / JOINED_IN_CHILD, abs=2)
    joining = TextCoalescer()
    for number in range(OPEN + 10):
        joining.take(facts.SubagentEvent(str(number), say("x")))
    assert joining.take(facts.SubagentEvent("0", say("x"))) is not None
    assert joining.take(facts.SubagentEvent(str(OPEN), say("x"))) is None


def test_a_record_has_its_subagents(records: Records) -> None:
    session = recorded(records, "s", user("go"), *FAMILY, *inside("3", say("deep"), say("er")), say("done"))
    retold = again(records, "s")
    assert said(retold) == ["go", "done"]
    assert said(retold.family["3"].session) == ["deeper"]
    assert list(retold.subagents["1"].subagents["2"].subagents) == ["3"]
    assert [row(retold, child).title for child in "123"] == [row(session, child).title for child in "123"]
    assert [info.title for info in records.list()] == ["go"], "what is said to a subagent is no title"


def test_no_title_is_taken_from_a_subagent(records: Records) -> None:
    recorded(records, "s", *FAMILY, *inside("1", user("to the child")), say("hello"), user("mine"))
    records.close()
    assert [info.title for info in records.list()] == ["mine"]


def test_subagents_at_work_when_the_record_ends_are_disconnected_and_not_failed(records: Records) -> None:
    recorded(records, "s", user("go"), running(), *FAMILY, *inside("2", WORKS, tool()), idle())
    retold = again(records, "s")
    assert (row(retold, "2").disconnected, row(retold, "1").disconnected) == (True, False)
    children = [child.session for child in retold.family.values()]
    assert not any(child.turn.active for child in children)
    assert all(entry.sealed for child in (retold, *children) for entry in child.entries)


def test_damaged_lines_of_subagents_are_left_out(records: Records) -> None:
    recorded(records, "s", user("go"), *FAMILY, *inside("1", say("a")))
    records.close()
    [path] = records.folder.glob("*.jsonl")
    with path.open("ab") as file:
        for data in ({"session_id": "1", "kind": "Newer", "event": {}}, {"session_id": "1", "kind": "MessageChunk"}):
            file.write(line_of({"t": 1.0, "kind": "SubagentEvent", "data": data}))
        file.write(line_of({"t": 1.0, "kind": "SubagentEvent", "data": encode(*inside("1", say("b", "m2")))[1]}))
    session = again(records, "s")
    assert said(session.subagents["1"]) == ["a", "b"]
    assert [entry.message for entry in session.entries if isinstance(entry, NoticeEntry)] == ["2 lines"]


def test_the_output_of_subagents_counts_and_is_left_out_like_any_other(tmp_path: Path) -> None:
    recording = SessionRecording(tmp_path, lambda: {"session_id": "s"}, cap=8_000)
    output = TerminalOutputChunk(terminal_id="t", data=b"x" * 1_000)
    recording.write([(0.0, event) for event in (user("go"), *FAMILY, *inside("1", *[output] * 5))])
    recording.write([(0.0, event) for event in inside("1", output, say("kept"))])
    recording.close()
    assert [notice.title for notice in recording.notices] == ["Terminal output is no longer recorded"]
    assert recording.path is not None
    last = list(read_lines(recording.path))[-1]
    assert last["data"]["kind"] == "MessageChunk"


def test_a_fork_has_the_subagents_of_before_and_of_now(records: Records) -> None:
    root = recorded(records, "root", user("1"), *FAMILY, *inside("1", WORKS, say("one")), *inside("3", say("three")))
    fork = recorded(records, "fork", user("2"), *FAMILY[:1], *inside("1", say("another")), told=root)
    for session in (fork, again(records, "fork")):
        assert said(session.family["1 (before 1)"].session) == ["one"]
        assert said(session.family["3"].session) == ["three"]
        assert said(session.subagents["1"]) == ["another"]
        assert row(session, "1 (before 1)").sealed
    assert said(root.subagents["1"]) == ["one"]


def test_the_call_below_which_a_subagent_stood_is_told_again_and_a_call_of_its_name_is_another(
    records: Records,
) -> None:
    shows = [tool("c", content=[SessionReference(session_id="1")])]
    root = recorded(records, "root", user("1"), *FAMILY[:1], *shows)
    fork = recorded(records, "fork", user("2"), tool("c"), told=root)
    for session in (fork, again(records, "fork")):
        before, now = [entry for entry in session.entries if isinstance(entry, ToolCallEntry)]
        assert (shown_in(before, session), shown_in(now, session)) == (["1"], [])
    for event in (*FAMILY[:1], *shows):
        fork.apply(event)
    before, now = [entry for entry in fork.entries if isinstance(entry, ToolCallEntry)]
    assert (shown_in(before, fork), shown_in(now, fork)) == (["1 (before 1)"], ["1"])
    assert fork.family["1 (before 1)"].session.root is fork


def test_what_happens_in_one_session_does_not_reach_the_subagents_of_its_fork() -> None:
    root = whole(user("1"), *FAMILY, *inside("1", WORKS, say("one")))
    fork = whole(CopiedHistory(root, "why"))
    root.apply(facts.SubagentEvent("1", say("more")))
    fork.apply(facts.SubagentEvent("1", say("stray")))
    assert said(fork.subagents["1"]) == ["one"]
    assert not row(fork, "1").cancellable
