"""Which request of a record is which of ours: a replay may count its requests otherwise. It must not know methods."""

import json
from collections import deque
from typing import Any

from acp_tui.wire.jsonrpc import RequestId, parse

Message = dict[str, Any]


class Requests:
    """Requests of the record paired with those that the client sends now, by method and in order."""

    def __init__(self) -> None:
        self._recorded: dict[str, deque[RequestId]] = {}
        self._actual: dict[RequestId, RequestId] = {}
        self._dropped: set[RequestId] = set()

    def expect(self, method: str, recorded: RequestId) -> None:
        """The client is about to send what the record has under this id."""
        self._recorded.setdefault(method, deque()).append(recorded)

    def drop(self, recorded: RequestId) -> None:
        """Nobody will send this one: its answer means nothing."""
        self._dropped.add(recorded)
        for waiting in self._recorded.values():
            if recorded in waiting:
                waiting.remove(recorded)

    def sent(self, method: str, actual: RequestId) -> bool:
        """The client sent a request; whether one was expected."""
        waiting = self._recorded.get(method)
        if not waiting:
            return False
        self._actual[waiting.popleft()] = actual
        return True

    def is_sent(self, recorded: RequestId) -> bool:
        """Whether the client has sent what the record has under this id."""
        return recorded in self._actual

    def is_dropped(self, recorded: RequestId) -> bool:
        """Whether the answer to this request is to be left out."""
        return recorded in self._dropped

    def answer(self, message: Message) -> bytes | None:
        """A recorded answer with the id that its request has now; None while its request was not sent."""
        recorded = message.get("id")
        if recorded not in self._actual:
            return None
        return dumped({**message, "id": self._actual[recorded]})


def dumped(message: Message) -> bytes:
    """A message as a line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def loaded(line: bytes) -> Message | None:
    """A line as a message; None if it is none (a batch, noise, what has no proper id or method)."""
    try:
        value = parse(line.decode("utf-8", "replace"))
    except ValueError:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("method", ""), str):
        return None
    return None if isinstance(value.get("id"), list | dict) else value
