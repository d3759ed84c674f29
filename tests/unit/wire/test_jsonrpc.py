import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.wire.jsonrpc import (
    DEPTH_CAP,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    Error,
    Malformed,
    Message,
    Notification,
    Request,
    Response,
    decode,
    decode_head,
    encode,
)
from tests.rows import each_of


def only(line: bytes) -> Message:
    [message] = decode(line)
    return message


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


@each_of(
    ("line", "message"),
    [
        (b'{"jsonrpc":"2.0","method":"a"}', Notification("a")),
        (b'{"jsonrpc":"2.0","method":"a","params":{"b":1}}', Notification("a", {"b": 1})),
        (b'{"method":"a","id":1}', Request(1, "a")),
        (b'{"method":"a","id":"1"}', Request("1", "a")),
        (b'{"method":"a","id":null}', Request(None, "a")),
        (b'{"method":"a","id":1.5}', Request(1.5, "a")),
        (b'{"id":1,"result":null}', Response(1)),
        (b'{"id":1,"result":[2],"error":null}', Response(1, [2])),
        (b'{"id":1,"error":{"code":-1,"message":"m","data":[3]}}', Response(1, error=Error(-1, "m", [3]))),
        (b'{"id":1,"error":"broken"}', Response(1, error=Error(INTERNAL_ERROR, "broken", "broken"))),
        (b'{"id":1,"error":{"code":"x","message":5}}', Response(1, error=Error(INTERNAL_ERROR, ""))),
        (b'\xef\xbb\xbf {"method":"a"}\r', Notification("a")),
    ],
)
def test_messages_are_read(line: bytes, message: Message) -> None:
    assert only(line) == message


@each_of(
    "line",
    [
        b"INFO starting up",
        b"[INFO] starting up",
        b"1",
        b'"text"',
        b"null",
        b"true",
        b'{"level":30,"msg":"a log line in JSON"}',
        b'{"method":"a"',
        b"\xff\xfe\x00",
        b"1" * 5000,
        b'{"method":"a","params":' + b"9" * 5000 + b"}",
        nested(100_000),
        b'{"method":"a","params":' + nested(DEPTH_CAP) + b"}",
    ],
)
def test_what_is_no_message_is_malformed_and_owed_nothing(line: bytes) -> None:
    message = only(line)
    assert isinstance(message, Malformed)
    assert message.reason
    assert message.reply is None


@pytest.mark.parametrize(
    ("line", "reply_id"),
    [
        (b"[]", None),
        (b'{"jsonrpc":"2.0","method":1}', None),
        (b'{"id":7,"method":1}', 7),
        (b'{"id":[],"method":"a"}', None),
        (b'{"id":true,"method":"a"}', None),
        (b'{"id":8}', 8),
        (b'{"id":9,"method":"a","params":' + nested(DEPTH_CAP) + b"}", 9),
    ],
)
def test_what_looks_like_a_request_is_owed_an_error(line: bytes, reply_id: int | None) -> None:
    message = only(line)
    assert isinstance(message, Malformed)
    assert message.reply is not None
    assert message.reply.id == reply_id
    assert message.reply.error is not None
    assert message.reply.error.code == INVALID_REQUEST


def test_a_batch_is_its_entries() -> None:
    line = b'[{"method":"a"},{"method":"b","id":1},{"id":2,"result":3},4]'
    first, second, third, fourth = decode(line)
    assert (first, second, third) == (Notification("a"), Request(1, "b"), Response(2, 3))
    assert isinstance(fourth, Malformed)
    assert fourth.reply is not None
    assert fourth.reply.id is None


def test_each_bad_entry_of_a_batch_is_owed_its_own_error() -> None:
    messages = decode(b"[1,2,[],{}]")
    assert all(isinstance(message, Malformed) and message.reply is not None for message in messages)
    assert len(messages) == 4


def test_an_answer_that_nests_too_deeply_is_an_error_for_its_waiter() -> None:
    message = only(b'{"id":3,"result":' + nested(DEPTH_CAP) + b"}")
    assert isinstance(message, Response)
    assert message.id == 3
    assert message.error is not None
    assert str(DEPTH_CAP) in message.error.message


def test_wide_is_not_deep() -> None:
    line = b'{"method":"a","params":[' + b",".join([b"[]"] * 1000) + b"]}"
    assert isinstance(only(line), Notification)


def test_lone_surrogates_are_replaced_and_pairs_are_joined() -> None:
    line = rb'{"method":"\ud800","params":["\uD83D\ude00", "\udc00x", {"\ud801": 1}]}'
    assert only(line) == Notification("\ufffd", ["\U0001f600", "\ufffdx", {"\ufffd": 1}])


def test_an_escaped_backslash_is_no_surrogate() -> None:
    assert only(rb'{"method":"a","params":["\\ud800"]}') == Notification("a", ["\\ud800"])


def test_invalid_utf8_is_replaced() -> None:
    assert only(b'{"method":"a","params":["\xff\xc3"]}') == Notification("a", ["\ufffd\ufffd"])


REASON = "a line was dropped"


@pytest.mark.parametrize(
    ("head", "response_id"),
    [
        (b'{"jsonrpc":"2.0","id":3,"result":{"a":[[],[]', 3),
        (b' { "id" : "x" , "jsonrpc" : "2.0" , "result" : [', "x"),
        (b'{"id":3,"error":{"code":1,"data":[[],', 3),
    ],
)
def test_an_answer_of_which_the_beginning_is_known_is_an_error_for_its_waiter(
    head: bytes, response_id: int | str
) -> None:
    assert decode_head(head, REASON) == Response(response_id, error=Error(INTERNAL_ERROR, REASON))


@pytest.mark.parametrize(
    "head",
    [
        b'{"jsonrpc":"2.0","id":3,"method":"a","params":[[],',
        b'{"jsonrpc":"2.0","method":"a","id":3,"params":{"result":1,',
        b'{"id":3,"jsonrpc":"2.0","params":{"id":4,',
    ],
)
def test_a_request_of_which_the_beginning_is_known_is_owed_an_error(head: bytes) -> None:
    message = decode_head(head, REASON)
    assert isinstance(message, Malformed)
    assert message.reply is not None
    assert message.reply.id == 3


@each_of(
    "head",
    [
        b"",
        b"[],[],",
        b'[{"id":3,"result":1},',
        b'{"jsonrpc":"2.0","method":"a","params":{"id":3,"result":[',
        b'{"result":{"id":3,"result":1},',
        b'{"id":3,"id":4,"result":1',
        b'{"id":' + b"9" * 5000 + b',"result":1',
        b'{"id":3',
        b'{"id":007,"result":[',
        b'{"id":"\x01","result":[',
    ],
)
def test_a_beginning_without_an_id_of_its_own_is_owed_nothing(head: bytes) -> None:
    assert decode_head(head, REASON) == Malformed(REASON)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_decoding_never_raises(line: bytes) -> None:
    assert decode(line)


@given(st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error"]), JSON))
def test_decoding_any_object_gives_one_message(value: dict[str, Any]) -> None:
    assert len(decode(json.dumps(value).encode())) == 1


@given(st.text(), JSON)
def test_what_is_written_is_one_line_and_reads_back(method: str, params: Any) -> None:
    for message in (Request(1, method, params), Notification(method, params)):
        line = encode(message)
        assert line.count(b"\n") == 1
        assert only(line) == message


def test_answers_read_back() -> None:
    for message in (
        Response(1, {"a": 1}),
        Response("x"),
        Response(None, error=Error(-1, "m")),
        Response(2, error=Error(-1, "m", 0)),
    ):
        assert only(encode(message)) == message


def test_what_is_written_is_compact_and_plain_utf8() -> None:
    assert encode(Notification("a", ["é\n"])) == '{"jsonrpc":"2.0","method":"a","params":["é\\n"]}\n'.encode()


def test_lone_surrogates_that_we_send_are_replaced() -> None:
    assert only(encode(Notification("a", ["x\ud800", "\U0001f600"]))) == Notification("a", ["x\ufffd", "\U0001f600"])
