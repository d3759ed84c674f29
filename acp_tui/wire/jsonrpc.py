"""JSON-RPC 2.0 messages from a stream of bytes cut into lines, and messages as lines.

A line may arrive in thousands of reads: its pieces are joined once, so that the cost stays linear, and its values
(brackets and commas outside strings) are counted meanwhile, so that a line of millions is refused unparsed. Whatever a
line holds, decoding never raises: what is no message is `Malformed`. Batches are read and never written.
"""

import json
import re
from collections.abc import Iterator
from itertools import chain, islice
from math import isfinite
from typing import Any

from acp_tui.frozen import Frozen

DEFAULT_CAP = 64 * 1024 * 1024
VALUES_CAP = 100_000
"""Values of a line. The slowest kinds take 0.4 µs each to parse, long floats 1 µs: 100 ms at most (measured)."""
VALUE_SIZE = 20
"""Bytes outside strings that count as one value: numbers of thousands of digits take 22 ns a byte to parse."""
HEAD_SIZE = 512
"""Bytes of a refused line that are kept: its id is mostly in them."""


class OversizedLine(Frozen):
    """A line that was refused and thrown away up to its newline.
    `size`: bytes, without the newline; `head`: the first `HEAD_SIZE` at most; `excess`: of what there was too much.
    """

    size: int
    head: bytes
    excess: str


Line = bytes | OversizedLine


class LineFramer:
    """Cuts a stream into lines. Blank lines vanish; a carriage return before the newline is dropped.

    A line may have `cap` bytes and `values_cap` JSON values; without the latter, values are not counted.
    """

    def __init__(self, cap: int = DEFAULT_CAP, values_cap: int | None = VALUES_CAP) -> None:
        self._cap = cap
        self._values_cap = cap if values_cap is None else values_cap
        self._short = min(self._cap, self._values_cap)  # a value has at least a byte
        self._begin()

    def feed(self, data: bytes) -> list[Line]:
        """Take the next bytes of the stream; gives the lines that they complete."""
        head, *rest = data.split(b"\n")
        self._grow(head)
        if not rest:
            return []
        first, last = self._take(), rest.pop()
        lines = [first, *(self._whole(line) for line in rest)]
        self._grow(last)
        return [line for line in lines if not _is_blank(line)]

    def finish(self) -> list[Line]:
        """The stream has ended; gives the last line, if it had no newline."""
        line = self._take()
        return [] if _is_blank(line) else [line]

    def _begin(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0
        self._count: ValueCount | None = None
        self._refused = False

    def _grow(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._refused:
            self._keep_head(piece)
            return
        if piece:
            self._pieces.append(piece)
        if self._size > self._short and (self._size > self._cap or self._count_values(piece) > self._values_cap):
            self._refused = True
            pieces, self._pieces = self._pieces, []
            for held in pieces:
                self._keep_head(held)

    def _whole(self, line: bytes) -> Line:
        """A line that came in one piece, while none other is being collected."""
        if len(line) <= self._short:
            return _without_return(line)
        self._grow(line)
        return self._take()

    def _count_values(self, piece: bytes) -> int:
        if self._count is None:
            self._count = ValueCount()
            for held in self._pieces:
                self._count.feed(held)
        else:
            self._count.feed(piece)
        return self._count.values

    def _keep_head(self, piece: bytes) -> None:
        """Of a refused line one piece is held, until it is as long as a head."""
        head = self._pieces[0] if self._pieces else b""
        if len(head) < HEAD_SIZE:
            self._pieces = [(head + piece[:HEAD_SIZE])[:HEAD_SIZE]]

    def _take(self) -> Line:
        pieces, size, refused = self._pieces, self._size, self._refused
        self._begin()
        if not refused:
            return _without_return(b"".join(pieces))
        excess = f"{self._values_cap:,} values" if size <= self._cap else f"{self._cap:,} bytes"
        return OversizedLine(size, b"".join(pieces), f"more than {excess}")


def _without_return(line: bytes) -> bytes:
    return line[:-1] if line.endswith(b"\r") else line


def _is_blank(line: Line) -> bool:
    return isinstance(line, bytes) and (not line or line.isspace())


class ValueCount:
    """Counts the values of a JSON text in its pieces: the brackets that open and the commas, outside strings.

    Works at 200 MB/s and more, whatever the text. Of a text that is no JSON the count says nothing.
    """

    __slots__ = ("_bytes", "_escape", "_in_string", "_marks")

    def __init__(self) -> None:
        self._marks = self._bytes = self._in_string = 0
        self._escape = b""

    @property
    def values(self) -> int:
        """How many so far, rounded up where numbers are long."""
        return max(self._marks, self._bytes // VALUE_SIZE)

    def feed(self, piece: bytes) -> None:
        """Take the next piece, which may begin and end anywhere."""
        text, self._escape = self._escape + piece, b""
        if b"\\" in text:
            text = text.replace(rb"\\", b"")  # pairs first: what is left of a run of backslashes is one at most
            self._escape = b"\\" if text.endswith(b"\\") else b""
            text = text.replace(rb"\"", b"")
        parts = text.split(b'"')
        outside = b"".join(parts[self._in_string :: 2])
        self._in_string ^= len(parts) % 2 == 0
        self._marks += outside.count(b",") + outside.count(b"[") + outside.count(b"{")
        self._bytes += len(outside) + len(parts) - 1


INVALID_REQUEST = -32600
INTERNAL_ERROR = -32603

DEPTH_CAP = 128
"""Levels of nesting; what is deeper would overflow the stack of whoever walks it later."""

ANSWERS_TRIED = 8
"""Places of a line at which an answer may begin."""

RequestId = int | str | float | None

_TEXT_MEMBERS = rb'((?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*)*)'
_BEGINNING = re.compile(
    rb"\s*\{\s*"
    + _TEXT_MEMBERS
    + rb'"id"\s*:\s*(-?\d{1,18}|"[^"\\]*")\s*,\s*'
    + _TEXT_MEMBERS
    + rb'"(params|result|error)"\s*:'
)

_ANSWER = re.compile(rb'\{\s*"(?:jsonrpc|id|result|error)"\s*:')

_decode = json.JSONDecoder().decode
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Error(Frozen):
    """Why a request failed."""

    code: int
    message: str
    data: Any = None


class Request(Frozen):
    """A request, which is owed exactly one answer."""

    id: RequestId
    method: str
    params: Any = None


class Notification(Frozen):
    """A message that is owed nothing."""

    method: str
    params: Any = None


class Response(Frozen):
    """An answer: a result, or an error. `named`: it says which request it answers."""

    id: RequestId
    result: Any = None
    error: Error | None = None
    named: bool = True


class Malformed(Frozen):
    """No message. `reply`: the error answer that a request is owed; `empty`: it may also be an answer without words."""

    reason: str
    reply: Response | None = None
    empty: bool = False


Message = Request | Notification | Response | Malformed


def decode(line: bytes) -> list[Message]:
    """The messages of one line: one, or one for each entry of a batch."""
    try:
        value = _decode(line.decode("utf-8", "replace").lstrip("\ufeff"))
        if b"\\ud" in line or b"\\uD" in line:
            value = _without_lone_surrogates(value)
    except ValueError as fault:
        meant = line.lstrip().startswith(b"{")  # else it is most likely a log
        return [Malformed(f"not JSON: {fault}" if meant else "not JSON")]
    except RecursionError:
        return [Malformed("nested too deeply")]
    if line.count(b"[") + line.count(b"{") > DEPTH_CAP and _depth(value) > DEPTH_CAP:
        return [_too_deep(value)]
    if type(value) is dict:
        return [_message(value)]
    if type(value) is list:
        return [_entry(item) for item in value] or [_invalid("an empty batch")]
    return [Malformed("a bare value, not a message")]


def answers_in(line: bytes, reason: str) -> Iterator[Response]:
    """Answers in a line that is no message: those that are all the rest of it behind some text, which may be a log that
    was written without its newline; then those that only begin well, as errors for which `reason` is given.
    """
    rests = [line[found.start() :] for found in islice(_ANSWER.finditer(line), ANSWERS_TRIED)]
    whole = (message for rest in rests for message in decode(rest))
    begun = (decode_head(rest[:HEAD_SIZE], f"the answer is {reason}") for rest in rests)
    yield from (message for message in chain(whole, begun) if isinstance(message, Response))


def decode_head(head: bytes, reason: str) -> Response | Malformed:
    """What is left of a line of which only the first bytes are known; `reason` says why.

    An answer still ends the waiting for it and a request is still owed one, where its id comes before `params`,
    `result` and `error`.
    """
    found = _BEGINNING.match(head)
    if found is None:
        return Malformed(reason)
    try:
        request_id = _decode(found[2].decode("utf-8", "replace"))
    except ValueError:  # `007`, or a control character in the text
        return Malformed(reason)
    return _unread(request_id, reason, is_answer=b'"method"' not in found[1] + found[3] and found[4] != b"params")


def parse(text: str) -> Any:
    """The value of JSON text that came inside a message, within the limits of a line. Raises ValueError."""
    if len(text) > VALUES_CAP:  # a value has at least a character
        count = ValueCount()
        count.feed(text.encode("utf-8", "replace"))
        if count.values > VALUES_CAP:
            raise ValueError(f"more than {VALUES_CAP:,} values")
    try:
        value = _decode(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if _depth(value) > DEPTH_CAP:
        raise ValueError(f"nested deeper than {DEPTH_CAP} levels")
    return value


def encode(message: Request | Notification | Response) -> bytes:
    """One line, with its newline. Lone surrogates are replaced, for UTF-8 cannot hold them."""
    text = _encode(_members(message))
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return _replace_surrogates(text).encode() + b"\n"


def _members(message: Request | Notification | Response) -> dict[str, Any]:
    members: dict[str, Any] = {"jsonrpc": "2.0"}
    if not isinstance(message, Notification):
        members["id"] = message.id
    if not isinstance(message, Response):
        return members | {"method": message.method, "params": message.params}
    if message.error is None:
        return members | {"result": message.result}
    error = {"code": message.error.code, "message": message.error.message}
    if message.error.data is not None:
        error["data"] = message.error.data
    return members | {"error": error}


def _message(value: dict[str, Any]) -> Message:
    method = value.get("method")
    if type(method) is str:
        if "id" not in value:
            return Notification(method, value.get("params"))
        request_id = value["id"]
        return Request(request_id, method, value.get("params")) if _is_id(request_id) else _invalid("an invalid id")
    if "method" not in value and ("result" in value or "error" in value):
        return _response(value)
    if "jsonrpc" in value or "id" in value:
        reason, request_id = "neither a request nor an answer", value.get("id")
        owed = _invalid(reason, request_id)
        return Malformed(reason, owed.reply, "method" not in value and _is_id(request_id))
    return Malformed("an object, but not a message")


def _response(value: dict[str, Any]) -> Response:
    named = "id" in value and _is_id(value["id"])
    response_id = value["id"] if named else None
    if value.get("error") is None:
        return Response(response_id, value.get("result"), named=named)
    return Response(response_id, error=_error(value["error"]), named=named)


def _error(value: Any) -> Error:
    if not isinstance(value, dict):
        return Error(INTERNAL_ERROR, value if isinstance(value, str) else "", value)
    code, message = value.get("code"), value.get("message")
    return Error(
        code if type(code) is int else INTERNAL_ERROR,
        message if isinstance(message, str) else "",
        value.get("data"),
    )


def _entry(item: Any) -> Message:
    """One entry of a batch; there, unlike on a line of its own, anything that is no object is owed an error."""
    if not isinstance(item, dict):
        return _invalid("an invalid entry in a batch")
    message = _message(item)
    if isinstance(message, Malformed) and message.reply is None:
        return _invalid(message.reason)
    return message


def _invalid(reason: str, request_id: Any = None) -> Malformed:
    request_id = request_id if _is_id(request_id) else None
    return Malformed(reason, Response(request_id, error=Error(INVALID_REQUEST, f"Invalid Request: {reason}")))


def _is_id(value: Any) -> bool:
    return value is None or type(value) in (int, str) or (type(value) is float and isfinite(value))


def _too_deep(value: Any) -> Message:
    """What is left of a message that nests too deeply: an answer still ends the waiting for it."""
    reason = f"nested deeper than {DEPTH_CAP} levels"
    if not isinstance(value, dict) or "id" not in value:
        return Malformed(reason)
    is_answer = "method" not in value and _is_id(value["id"])
    return _unread(value["id"], f"the answer is {reason}" if is_answer else reason, is_answer=is_answer)


def _unread(request_id: Any, reason: str, *, is_answer: bool) -> Response | Malformed:
    return Response(request_id, error=Error(INTERNAL_ERROR, reason)) if is_answer else _invalid(reason, request_id)


def _depth(value: Any) -> int:
    """How deep lists and objects nest, found without recursion; one over the cap ends the search."""
    level, depth = [value], 0
    while depth <= DEPTH_CAP:
        level = [item for item in level if isinstance(item, dict | list)]
        if not level:
            break
        depth += 1
        level = [child for item in level for child in (item.values() if isinstance(item, dict) else item)]
    return depth


def _without_lone_surrogates(value: Any) -> Any:
    """The same JSON value with U+FFFD for each half of a surrogate pair."""
    text = _encode(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        return _decode(_replace_surrogates(text))
    return value


def _replace_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
