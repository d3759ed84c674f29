"""What happened, as lines and back: nothing is lost, however it was cut."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.config.state_files import json_object
from acp_tui.host.records.event_codec import KINDS, decode, encode, line_of, lines_of
from acp_tui.protocol.base import read
from acp_tui.protocol.vocabulary.session_updates import Update
from acp_tui.protocol.vocabulary.tool_calls import PermissionRequest, PermissionSubject, ToolCallUpdate
from acp_tui.session.entries import MessageEntry, TextPart
from acp_tui.session.export import to_json
from acp_tui.session.facts import Fact, PermissionAnsweredByRule, PermissionReceived
from acp_tui.session.state import Session
from tests.examples import THOROUGH, times
from tests.rows import each_of
from tests.unit.session.folds.test_invariants import EVENTS, FACTS, UPDATES
from tests.unit.session.speech import say


@each_of("strategy", [*UPDATES, *FACTS])
def test_every_kind_survives(strategy: st.SearchStrategy[Update | Fact]) -> None:
    @times(0.5)
    @given(strategy)
    def survives(event: Update | Fact) -> None:
        kind, data = encode(event)
        line = json_object(line_of({"data": data}))
        assert line is not None
        assert decode(kind, line["data"]) == event

    survives()


def test_unknown_kinds_are_none() -> None:
    assert decode("SomethingNewer", {}) is None
    assert "MessageChunk" in KINDS
    assert "AgentGone" in KINDS


def test_what_does_not_fit_is_said() -> None:
    with pytest.raises(ValueError, match="messageId"):
        decode("MessageChunk", {"content": {}})


def test_markers_and_unknown_members_survive() -> None:
    told = {"sessionUpdate": "tool_call_update", "toolCallId": "1", "capabilities": {"cancel": {}}, "extra": {"a": 1}}
    update = read(ToolCallUpdate, told | {"rawInput": {"capabilities": {"cancel": True}}, "_meta": {"x": None}})
    kind, data = encode(update)
    assert decode(kind, json.loads(json.dumps(data))) == update


@pytest.mark.parametrize("fact", [PermissionReceived, PermissionAnsweredByRule])
def test_markers_of_a_call_that_is_asked_about_survive(fact: type[Fact]) -> None:
    call = read(ToolCallUpdate, {"toolCallId": "1", "capabilities": {"cancel": {}}})
    subject = PermissionSubject(type="tool_call", tool_call=call)
    asked = PermissionRequest(session_id="s", title="Run it?", subject=subject, options=[])
    event = fact(1, asked, *(["once", "cargo test …", ("r1",)] if fact is PermissionAnsweredByRule else []))
    kind, data = encode(event)
    assert data["request"]["subject"]["toolCall"]["capabilities"] == {"cancel": {}}
    assert decode(kind, json.loads(json.dumps(data))) == event


def whole(events: Sequence[Update | Fact]) -> Session:
    session = Session("s", "/", clock=lambda: 1.0)
    for event in events:
        session.apply(event)
    return session


@THOROUGH
@given(EVENTS)
def test_a_session_told_again_from_its_lines_is_the_same(events: list[Update | Fact]) -> None:
    again: list[Update | Fact] = []
    for _, line in lines_of([(1.0, event) for event in events]):
        value = json_object(line)
        assert value is not None
        event = decode(value["kind"], value["data"])
        assert event is not None
        again.append(event)
    assert to_json(whole(again)) == to_json(whole(events))


def test_lone_surrogates_survive() -> None:
    line = line_of({"data": "\ud800 é"})
    assert json_object(line) == {"data": "\ud800 é"}


def test_what_is_no_line_is_none() -> None:
    assert json_object(b'{"t": 1, "kin') is None
    assert json_object(b"\xff\xfe\n") is None
    assert json_object(b"[1]\n") is None
    assert json_object(b"[" * 100_000) is None


def test_a_text_of_megabytes_goes_in_pieces_that_are_the_same_text() -> None:
    text = "".join(f"{number} äöü 語\n" for number in range(100_000))
    lines = [line for _, line in lines_of([(0.0, say(text))])]
    assert len(lines) > 10
    assert max(map(len, lines)) < 256 * 1024
    session = Session("s", "/")
    for line in lines:
        told = json_object(line)
        assert told is not None
        event = decode(told["kind"], told["data"])
        assert event is not None
        session.apply(event)
    [entry] = session.entries
    assert isinstance(entry, MessageEntry)
    [part] = entry.parts
    assert isinstance(part, TextPart)
    assert part.text == text
