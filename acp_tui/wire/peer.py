"""One end of a JSON-RPC connection: the ids of requests, and who waits for which answer.

It does no input or output: bytes go in, events come out, and what is to be sent is given back as bytes.
Nothing that the other side writes makes it raise.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.wire.jsonrpc import (
    DEFAULT_CAP,
    INTERNAL_ERROR,
    Error,
    Line,
    LineFramer,
    Malformed,
    Notification,
    OversizedLine,
    Request,
    RequestId,
    Response,
    answers_in,
    decode,
    decode_head,
    encode,
)

EXCERPT = 200
"""Bytes of a bad line that are kept to show what it was."""

Waiter = Callable[[Response], None]


class AnsweredCall(Frozen):
    """An answer to a request of ours; `waiter` is what was given when it was asked."""

    response: Response
    waiter: Waiter


class StrayMessage(Frozen):
    """Something that is no part of the conversation.

    `kind` is `malformed`, `oversized`, `duplicate` (answered before) or `unasked` (never asked), `reply` the
    bytes that it is owed.
    """

    kind: str
    reason: str
    excerpt: str = ""
    reply: bytes | None = None


Event = Request | Notification | AnsweredCall | StrayMessage


class Peer:
    """Our end of the conversation."""

    def __init__(self, cap: int = DEFAULT_CAP) -> None:
        self._framer = LineFramer(cap)
        self._waiters: dict[int, Waiter] = {}
        self._next_id = 0

    @property
    def next_id(self) -> int:
        return self._next_id

    def request(self, method: str, params: Any, waiter: Waiter) -> bytes:
        """The bytes of a new request; `waiter` comes back with its answer."""
        line = encode(Request(self._next_id, method, params))
        self.expect(self._next_id, waiter)
        return line

    def expect(self, request_id: int, waiter: Waiter) -> None:
        """The same for a request that was sent otherwise; the last waiter of an id counts."""
        self._waiters[request_id] = waiter
        self._next_id = max(self._next_id, request_id + 1)

    def feed(self, data: bytes) -> Iterator[Event]:
        """Take the next bytes; gives what they say, line by line, decoded only when asked for."""
        return self._events(self._framer.feed(data))

    def finish(self) -> Iterator[Event]:
        """The stream has ended; gives what a last line without newline says."""
        return self._events(self._framer.finish())

    def _events(self, lines: list[Line]) -> Iterator[Event]:
        lines.reverse()
        while lines:
            line = lines.pop()  # a line of megabytes is not held while what it says is folded
            if isinstance(line, OversizedLine):
                yield self._refused(line)
                continue
            messages = decode(line)
            if isinstance(messages[0], Malformed) and messages[0].reply is None:
                awaited = (each for each in answers_in(line, messages[0].reason) if self._awaits(each))
                messages += islice(awaited, 1)
            size, line = len(line), line[:EXCERPT]
            messages.reverse()
            while messages:
                message = messages.pop()
                if isinstance(message, Response):
                    yield self._match(message, line, size)
                elif isinstance(message, Malformed) and message.empty and message.reply and self._awaits(message.reply):
                    empty = Error(INTERNAL_ERROR, "the answer has neither a result nor an error")
                    yield self._match(Response(message.reply.id, error=empty), line, size)
                elif isinstance(message, Malformed):
                    yield StrayMessage("malformed", message.reason, _excerpt(line, size), _reply(message))
                else:
                    yield message

    def _awaits(self, response: Response) -> bool:
        return self._own_id(response.id) in self._waiters

    def _refused(self, line: OversizedLine) -> Event:
        message = decode_head(line.head, f"a line of {line.size:,} bytes with {line.excess} was dropped")
        if isinstance(message, Response):
            return self._match(message, line.head[:EXCERPT], line.size)
        return StrayMessage("oversized", message.reason, _excerpt(line.head[:EXCERPT], line.size), _reply(message))

    def _match(self, response: Response, line: bytes, size: int) -> Event:
        request_id = self._own_id(response.id)
        if not response.named and len(self._waiters) == 1:  # the only request that it can be about
            request_id = next(iter(self._waiters))
        waiter = self._waiters.pop(request_id, None) if request_id is not None else None
        if waiter is not None:
            return AnsweredCall(response, waiter)
        if request_id is not None and 0 <= request_id < self._next_id:
            return StrayMessage("duplicate", f"request {request_id} was already answered", _excerpt(line, size))
        return StrayMessage(
            "unasked", f"an answer to request {response.id!r:.40}, which was never sent", _excerpt(line, size)
        )

    def _own_id(self, response_id: RequestId) -> int | None:
        """The id as we gave it; some agents send it back as a string or a float."""
        if isinstance(response_id, str):
            # A longer run of digits cannot be ours, and int() of thousands of them raises.
            short = len(response_id) <= 18 and response_id.isascii()
            return int(response_id) if short and response_id.isdigit() else None
        if isinstance(response_id, float):
            return int(response_id) if response_id.is_integer() else None
        return response_id


def _reply(message: Malformed) -> bytes | None:
    return encode(message.reply) if message.reply else None


def _excerpt(beginning: bytes, size: int) -> str:
    text = beginning.decode("utf-8", "replace")
    return f"{text}… ({size:,} bytes)" if size > EXCERPT else text
