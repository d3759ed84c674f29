"""One message of the traffic as the user looks at it, and which messages the user wants to see."""

from dataclasses import dataclass, field
from typing import Any, Literal

from acp_tui.host.recording.traffic import Direction
from acp_tui.session.entries import Origin
from acp_tui.wire.jsonrpc import Malformed, Request, Response
from acp_tui.wire.jsonrpc import Message as Decoded

Kind = Literal["request", "notification", "answer", "error", "noise", "stderr", "start"]
NAMES = frozenset({"toolCallId", "messageId", "terminalId", "sessionId", "elicitationId", "compactionId", "planId"})
DEPTH = 3  # levels in which names are looked for
SLACK = 0.25  # seconds before an entry began in which its first message may have passed
_WAYS = {"->": "sent to the agent", "<-": "received from the agent", "err": "stderr", "start": "start"}


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
    if isinstance(decoded, Malformed):
        return "noise"
    if isinstance(decoded, Response):
        return "error" if decoded.error is not None else "answer"
    return "request" if isinstance(decoded, Request) else "notification"


def names_in(value: Any, depth: int = DEPTH) -> frozenset[str]:
    if isinstance(value, list) and depth:
        return frozenset().union(*(names_in(item, depth) for item in value[:20]))
    if not isinstance(value, dict):
        return frozenset()
    named = frozenset(item for name, item in value.items() if name in NAMES and isinstance(item, str))
    return named.union(*(names_in(item, depth - 1) for item in value.values() if depth))


def told_in(method: str, params: Any) -> str:
    """The method, and for updates what is updated: `session/update agent_message_chunk`."""
    update = params.get("update") if isinstance(params, dict) else None
    kind = update.get("sessionUpdate") if isinstance(update, dict) else None
    return f"{method} {kind}" if isinstance(kind, str) else method


def _made(origin: Origin, message: Message) -> bool:
    """Whether a message is one of those that made an entry."""
    if origin.name:
        return origin.name in message.names
    return origin.kind in message.method and origin.since - SLACK <= message.at <= origin.until


@dataclass(frozen=True, slots=True)
class Selection:
    """A filter: all `words` (any case) stand in the message or in what is said of it."""

    words: str = ""
    problems: bool = False
    origin: Origin | None = None

    @property
    def all(self) -> bool:
        return not (self.words.strip() or self.problems or self.origin)

    def has(self, message: Message) -> bool:
        if self.problems and not message.problem and message.kind != "error":
            return False
        if self.origin is not None and not _made(self.origin, message):
            return False
        about = f"{message.direction} {_WAYS[message.direction]} {message.kind} {message.method} {message.problem}"
        missing = [word for word in self.words.lower().split() if word not in about.lower()]
        if not missing:
            return True
        line = message.line.lower()
        return all(word.encode("utf-8", "surrogatepass") in line for word in missing)
