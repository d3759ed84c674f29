"""One line of the traffic as a person looks at it; must not know where it came from."""

from dataclasses import dataclass, field
from typing import Any, Literal

from acp_tui.host.traffic import Direction
from acp_tui.wire.jsonrpc import Malformed, Request, Response
from acp_tui.wire.jsonrpc import Message as Decoded

Kind = Literal["request", "notification", "answer", "error", "noise", "stderr", "start"]
NAMES = frozenset({"toolCallId", "messageId", "terminalId", "sessionId", "elicitationId", "compactionId", "planId"})
DEPTH = 3  # levels in which names are looked for


@dataclass(slots=True)
class Message:
    """A message; `at` is in monotonic seconds, `latency` the seconds that an answer took.

    `method` is that of the request for an answer, and what is updated for an update. `problem` says what is wrong
    with it, `names` the ids of what it is about. `line` is empty where it was too long to be kept.
    """

    number: int
    at: float
    direction: Direction
    kind: Kind
    line: bytes
    size: int
    method: str = ""
    latency: float | None = None
    problem: str = ""
    names: frozenset[str] = field(default_factory=frozenset)


def kind_of(decoded: Decoded) -> Kind:
    """What kind of message it is."""
    if isinstance(decoded, Malformed):
        return "noise"
    if isinstance(decoded, Response):
        return "error" if decoded.error is not None else "answer"
    return "request" if isinstance(decoded, Request) else "notification"


def names_in(value: Any, depth: int = DEPTH) -> frozenset[str]:
    """The ids of all that a message is about."""
    found: set[str] = set()
    _gather(value, depth, found)
    return frozenset(found)


def _gather(value: Any, depth: int, found: set[str]) -> None:
    if isinstance(value, list) and depth:
        for item in value[:20]:
            _gather(item, depth, found)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name in NAMES and isinstance(item, str):
                found.add(item)
            elif depth and isinstance(item, dict | list):
                _gather(item, depth - 1, found)


def told_in(method: str, params: Any) -> str:
    """The method, and for updates what is updated: `session/update agent_message_chunk`."""
    update = params.get("update") if isinstance(params, dict) else None
    kind = update.get("sessionUpdate") if isinstance(update, dict) else None
    return f"{method} {kind}" if isinstance(kind, str) else method
