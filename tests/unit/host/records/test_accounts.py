"""Accounts are in no line that the inspector or a record gets, however they are written."""

import json
from typing import Any

import pytest

from acp_tui.host.records.inspection import Inspection
from acp_tui.host.records.redaction import TrafficLines
from acp_tui.host.records.traffic import Direction, Traffic, TrafficChunk
from tests.rows import each_of

ANN = {"label": "Claude Max", "email": "ann@example.com", "name": "Ann", "_meta": {"id": "ann"}}
STATUS = {"state": "authenticated", "accounts": [ANN, ANN], "_meta": {"who": "ann"}, "who": "ann"}
PUSHED = {"authStatus": {"kind": "account", "label": "ann", "detail": "ann", "account": {"email": "ann"}}}
HIDDEN = {"state": "authenticated", "accounts": [{"label": "•••"}, {"label": "•••"}]}


def cleaned(*told: tuple[Direction, Any]) -> list[Any]:
    lines = TrafficLines()
    raw = [(way, each if isinstance(each, bytes) else json.dumps(each).encode()) for way, each in told]
    found = [one.line for way, line in raw for one in lines.feed(TrafficChunk(0, way, line + b"\n"))]
    assert all(isinstance(line, bytes) and b"ann" not in line.lower() for line in found)
    return [json.loads(line) if isinstance(line, bytes) and line.startswith((b"{", b"[")) else line for line in found]


def test_what_is_told_keeps_its_state() -> None:
    standard = {"jsonrpc": "2.0", "method": "auth/status_update", "params": STATUS}
    theirs = {"jsonrpc": "2.0", "method": "_auth/status_update", "params": PUSHED}
    first, second, batch = cleaned(("<-", standard), ("<-", theirs), ("<-", [standard, 5]))
    assert first["params"] == HIDDEN
    assert second["params"] == {"authStatus": {"kind": "account", "label": "•••"}}
    assert batch[0]["params"] == HIDDEN


@each_of(
    "answer",
    [
        {"id": 3.0, "error": {"code": 1, "message": "ann"}},
        {"id": 3.0, "result": {"accounts": [ANN]}},
        {"id": 3, "error": None, "result": STATUS},
        {"id": 3, "error": "ann", "result": STATUS},
        {"id": 3, "result": {"state": "unknown"}, "_meta": {"who": "ann"}},
        {"id": 3, "result": {"state": "ann_of_example"}},
        rb'{"id":3,"result":{"st\u0061te":"x","acco\u0075nts":[{"label":"ann \xff"}]}}'.replace(rb"\xff", b"\xff"),
        b'\xef\xbb\xbf\xef\xbb\xbf{"id":3,"result":{"accounts":[{"label":"ann"}]}}',
    ],
)
def test_an_answer_has_none_however_odd_it_is(answer: Any) -> None:
    _, found = cleaned(("->", {"jsonrpc": "2.0", "id": 3, "method": "auth/status"}), ("<-", answer))
    assert found["id"] == 3


@pytest.mark.parametrize("answer", [{"result": STATUS}, {"result": {**STATUS, "accounts": "ann"}}, {"result": "ann"}])
def test_an_answer_is_known_by_its_request(answer: dict[str, Any]) -> None:
    request = {"jsonrpc": "2.0", "id": 7, "method": "auth/status", "params": {}}
    other = {"jsonrpc": "2.0", "id": 6, "result": {"sessionId": "s"}}
    *_, untouched, found = cleaned(("->", request), ("<-", other), ("<-", {"id": "7", **answer}))
    assert untouched == other
    assert found["id"] == "7"


def test_a_refusal_tells_its_code_alone() -> None:
    error = {"code": -32603, "message": "ann is locked", "data": "ann"}
    *_, found = cleaned(("->", {"id": 1, "method": "auth/status"}), ("<-", {"id": 1, "error": error}))
    assert found["error"] == {"code": -32603, "message": "•••"}


def test_an_answer_whose_request_nobody_saw_is_known_by_its_members() -> None:
    assert cleaned(("<-", {"id": 9, "result": STATUS}))[0]["result"] == HIDDEN


@pytest.mark.parametrize(
    "line",
    [
        rb'{"method":"_auth\/status_update","params":{"authStatus":{"label":"ann"}}}',
        rb'{"method":"\u005fauth\u002fstatus_update","params":{"authStatus":{"label":"ann"}}}',
        b'{"method":"_auth/status_update","params":"ann"}',
        b'{"method":"auth/status_update","params":{"state":"ann@example.com"}}',
        b'{"method":"auth/status_update","params":{"state":"unknown","accounts":[{"label":"ann"',
        b'{"method":"auth/status_update","params":{"x":"\xff","accounts":[{"label":"ann"}]}}',
        b'{"id":1,"result":{"state":"unknown","accounts":[{"label":"ann"',
    ],
)
def test_however_it_is_written(line: bytes) -> None:
    cleaned(("<-", line))


@pytest.mark.parametrize(
    "line",
    [
        b'{"method":"session/update","params":{"text":"auth/status_update of a state"}}',
        b'{"id":1, "result":{"accounts":[]}}',
        b'{"id":1, "result":{"text":"\\u00e9"}}',
        b"no JSON \\u00e9",
    ],
)
def test_any_other_line_is_left_as_it_is(line: bytes) -> None:
    assert [one.line for one in TrafficLines().feed(TrafficChunk(0, "<-", line + b"\n"))] == [line]


def test_ours_are_left_as_they_are_whatever_they_say() -> None:
    for line in (b'{"method":"session/prompt","params":"auth/status"}', b"auth/status"):
        assert [one.line for one in TrafficLines().feed(TrafficChunk(0, "->", line + b"\n"))] == [line]


def test_the_inspector_knows_them_and_has_no_accounts() -> None:
    traffic = Traffic()
    inspection = Inspection(traffic)
    for way, message in (
        ("->", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}),
        ("<-", {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}),
        ("->", {"jsonrpc": "2.0", "id": 1, "method": "auth/status", "params": {}}),
        ("<-", {"jsonrpc": "2.0", "id": 1, "result": STATUS}),
        ("<-", {"jsonrpc": "2.0", "method": "_auth/status_update", "params": PUSHED}),
        ("<-", {"jsonrpc": "2.0", "method": "auth/status_update", "params": {"accounts": [ANN]}}),
    ):
        direction: Direction = "->" if way == "->" else "<-"
        traffic.passes(direction, json.dumps(message).encode() + b"\n")
    inspection.work(lambda: False)
    messages = list(inspection.messages)
    assert not any(b"ann" in message.line.lower() for message in messages)
    assert [message.problem for message in messages] == ["", "", "", "", "", "rejected: state: a string is required"]
