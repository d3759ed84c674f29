import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.wire.jsonrpc import VALUES_CAP, Error, Notification, Request, Response, encode
from acp_tui.wire.peer import EXCERPT, AnsweredCall, Event, Peer, StrayMessage


def hear(peer: Peer, *values: Any) -> list[Event]:
    data = b"".join(json.dumps(value).encode() + b"\n" for value in values)
    return list(peer.feed(data))


def noise(events: list[Event]) -> StrayMessage:
    [event] = events
    assert isinstance(event, StrayMessage)
    return event


def ignore(response: Response) -> None:
    """A waiter that waits for nothing."""


def asking(count: int = 1) -> Peer:
    peer = Peer()
    for _ in range(count):
        peer.request("m", {}, ignore)
    return peer


def test_requests_are_numbered() -> None:
    peer = Peer()
    lines = [json.loads(peer.request("m", {"a": 1}, ignore)) for _ in range(3)]
    assert [line["id"] for line in lines] == [0, 1, 2]
    assert lines[0] == {"jsonrpc": "2.0", "id": 0, "method": "m", "params": {"a": 1}}


def test_an_answer_comes_with_its_waiter() -> None:
    peer = asking()
    assert hear(peer, {"id": 0, "result": 5}) == [AnsweredCall(Response(0, 5), ignore)]


def test_an_error_answer_comes_with_its_waiter() -> None:
    peer = asking()
    assert hear(peer, {"id": 0, "error": {"code": 1, "message": "no"}}) == [
        AnsweredCall(Response(0, error=Error(1, "no")), ignore)
    ]


def test_ids_that_come_back_as_text_or_floats_match() -> None:
    assert [type(event) for event in hear(asking(2), {"id": "1", "result": 0}, {"id": 0.0, "result": 0})] == [
        AnsweredCall,
        AnsweredCall,
    ]


def test_answers_may_come_in_any_order() -> None:
    peer = asking(3)
    answers = hear(peer, *({"id": request_id, "result": request_id} for request_id in (2, 0, 1)))
    assert [event.response.id for event in answers if isinstance(event, AnsweredCall)] == [2, 0, 1]


def test_a_second_answer_is_a_duplicate() -> None:
    peer = asking()
    hear(peer, {"id": 0, "result": 1})
    assert noise(hear(peer, {"id": "0", "result": 1})).kind == "duplicate"


def test_answers_to_nothing_are_unasked() -> None:
    for bad_id in (1, 5, -1, "5", "x", "", None, 0.5, "9" * 5000, "٣", "²"):
        assert noise(hear(asking(), {"id": bad_id, "result": 1})).kind == "unasked"


def test_messages_come_in_order() -> None:
    peer = asking()
    events = hear(peer, {"method": "a"}, {"id": 0, "result": 1}, {"method": "b", "id": "x"})
    assert events == [Notification("a"), AnsweredCall(Response(0, 1), ignore), Request("x", "b")]


def test_a_malformed_line_is_told_with_an_excerpt() -> None:
    peer = Peer()
    event = noise(list(peer.feed(b"starting\xff up\n")))
    assert event.kind == "malformed"
    assert event.excerpt == "starting\ufffd up"
    assert event.reply is None


def test_an_excerpt_says_how_much_is_missing() -> None:
    event = noise(list(Peer().feed(b"x" * 5000 + b"\n")))
    assert event.excerpt == "x" * EXCERPT + "… (5,000 bytes)"


def test_an_empty_batch_is_owed_a_reply() -> None:
    reply = noise(hear(Peer(), [])).reply
    assert reply is not None
    assert json.loads(reply)["error"]["code"] == -32600
    assert json.loads(reply)["id"] is None


def test_an_oversized_line_is_told_and_the_next_one_read() -> None:
    peer = Peer(cap=50)
    events = list(peer.feed(b"x" * 60 + b'\n{"method":"a"}\n'))
    assert isinstance(events[0], StrayMessage)
    assert (events[0].kind, "60 bytes" in events[0].reason) == ("oversized", True)
    assert events[1] == Notification("a")


@pytest.mark.parametrize(
    "line", [b'{"id":0,"result":[' + b"[]," * VALUES_CAP + b"0]}", b'{"id":0,"result":"' + b"x" * 10**6]
)
def test_an_answer_that_is_refused_still_ends_the_waiting_for_it(line: bytes) -> None:
    peer = Peer(cap=900_000)
    peer.request("m", {}, ignore)
    [event] = peer.feed(line + b"\n")
    assert isinstance(event, AnsweredCall)
    assert event.response.error is not None
    assert f"a line of {len(line):,} bytes with more than" in event.response.error.message


def test_a_request_that_is_refused_is_answered_and_told() -> None:
    line = b'{"id":7,"method":"a","params":[' + b"[]," * VALUES_CAP + b"0]}\n"
    event = noise(list(Peer().feed(line)))
    assert (event.kind, "100,000 values" in event.reason) == ("oversized", True)
    assert event.excerpt.startswith('{"id":7,"method":"a"')
    assert event.reply is not None
    assert json.loads(event.reply)["id"] == 7


def test_a_last_line_without_newline_is_read_at_the_end() -> None:
    peer = Peer()
    assert list(peer.feed(b'{"method":"a"}')) == []
    assert list(peer.finish()) == [Notification("a")]


def test_answers_to_the_other_side_echo_its_id() -> None:
    assert json.loads(encode(Response("x"))) == {"jsonrpc": "2.0", "id": "x", "result": None}
    assert json.loads(encode(Response(3, error=Error(-32601, "no")))) == {
        "jsonrpc": "2.0",
        "id": 3,
        "error": {"code": -32601, "message": "no"},
    }


@given(st.binary(max_size=200))
def test_nothing_that_is_fed_raises(data: bytes) -> None:
    peer = asking()
    events = [*peer.feed(data), *peer.finish()]
    assert all(isinstance(event, StrayMessage | Notification | Request | AnsweredCall) for event in events)


ANSWER = encode(Response(1, {"stopReason": "end_turn"}))


@pytest.mark.parametrize(
    "text",
    [b"npm notice ", b"[INFO] {done} ", b"\r\x1b[2K", b'{"jsonrpc":"2.0","method":"cut', b"x" * 100_000 + b"{[("],
)
def test_an_answer_behind_a_text_ends_the_waiting_for_it(text: bytes) -> None:
    told, answered = asking(2).feed(text + ANSWER)
    assert answered == AnsweredCall(Response(1, {"stopReason": "end_turn"}), ignore)
    assert isinstance(told, StrayMessage)
    assert told.kind == "malformed"


@pytest.mark.parametrize(
    "line",
    [
        b"npm notice " + encode(Response(7, {})),  # nobody asked
        b"npm notice " + encode(Request(1, "fs/read_text_file")),
        b"npm notice " + encode(Notification("session/update")),
    ],
)
def test_what_else_is_behind_a_text_is_noise(line: bytes) -> None:
    assert noise(list(asking(2).feed(line))).kind == "malformed"


@pytest.mark.parametrize(
    "line",
    [
        ANSWER[:-4] + b"\n",
        b"npm notice " + ANSWER[:-1] + b" done\n",
        b'{"jsonrpc":"2.0","id":1}\n',
        b'{"jsonrpc":"2.0","id":1,"result":' + b"[" * 100_000 + b"\n",
    ],
)
def test_an_answer_that_cannot_be_read_ends_the_waiting_for_it(line: bytes) -> None:
    answered = list(asking(2).feed(line))[-1]
    assert isinstance(answered, AnsweredCall)
    assert answered.response.error is not None
    assert answered.response.id == 1


@pytest.mark.parametrize("odd", [{}, {"id": []}, {"id": {"id": 0}}])
def test_an_answer_that_names_no_request_is_that_of_the_only_one(odd: dict[str, Any]) -> None:
    (answered,) = hear(asking(), {**odd, "result": 5})
    assert isinstance(answered, AnsweredCall)
    assert answered.response.result == 5
    assert noise(hear(asking(2), {**odd, "result": 5})).kind == "unasked"
    assert noise(hear(Peer(), {**odd, "error": {"code": 1}})).kind == "unasked"


def test_an_answer_behind_a_text_counts_once() -> None:
    peer = asking(2)
    assert [type(event) for event in peer.feed(b"a " + ANSWER + b"b " + ANSWER)] == [
        StrayMessage,
        AnsweredCall,
        StrayMessage,
    ]
