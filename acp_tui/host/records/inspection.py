"""All messages that passed lately, for as long as somebody looks.

Nothing is done while lines pass but putting them aside; `work` makes messages of them, when there is time for it.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal

from acp_tui.host.records.redaction import PassedLine, TrafficLines
from acp_tui.host.records.traffic import Direction, Traffic, TrafficChunk
from acp_tui.host.system.workspace import SERVICES
from acp_tui.protocol.base import noting_salvages, read
from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.negotiation import choose
from acp_tui.protocol.session_setup import Call
from acp_tui.protocol.vocabulary.elicitation import ElicitationComplete, read_elicitation
from acp_tui.protocol.vocabulary.initialization import (
    AUTH_READERS,
    AUTH_STATUS,
    SessionStatus,
    SessionTitle,
    read_auth_status,
)
from acp_tui.protocol.vocabulary.session_updates import RejectedUpdate, UnknownUpdate
from acp_tui.session.entries import Origin
from acp_tui.wire.jsonrpc import Malformed, Notification, OversizedLine, Request, RequestId, Response, decode
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


MESSAGES = 5_000
BYTES = 16 * 1024 * 1024  # of the messages that are held; the oldest go
BACKLOG = 16 * 1024 * 1024  # bytes that wait to be read; what is more is left out, and said
SETUPS = frozenset({"session/new", "session/load", "session/resume", "session/fork"})


class Inspection:
    """The messages of one agent's traffic, oldest first. `gone` counts those that were dropped since the beginning.

    `late` tells that some passed before; `left_out` counts bytes that came too fast to be read.
    """

    def __init__(self, traffic: Traffic) -> None:
        self.messages: deque[Message] = deque()
        self.gone = 0
        self.left_out = 0
        self.late = traffic.lost
        self.began = traffic.recent[0].at if traffic.recent else inf  # until the first message
        self._judge = Judge()
        self._calls: dict[tuple[Direction, str], tuple[Call, float]] = {}
        self._number = self._size = self._backlog_size = 0
        self._backlog: deque[TrafficChunk] = deque()
        self._lines = TrafficLines(put_in=traffic.put_in)
        if traffic.lost:
            self._introduce(traffic.opening)
        for piece in traffic.recent:
            self._set_aside(piece)
        self._look_away = traffic.subscribe(self._set_aside)

    def close(self) -> None:
        self._look_away()

    def work(self, enough: Callable[[], bool]) -> bool:
        """Make messages of what passed, until all is done or `enough` says so; whether there are new ones."""
        before = self._number
        while self._backlog and not enough():
            piece = self._backlog.popleft()
            self._backlog_size -= len(piece.data)
            for passed in self._lines.feed(piece):
                for message in self._messages(passed):
                    self._add(message)
        return self._number != before

    def _set_aside(self, piece: TrafficChunk) -> None:
        self._backlog.append(piece)
        self._backlog_size += len(piece.data)
        while self._backlog_size > BACKLOG:
            lost = self._backlog.popleft()
            self._backlog_size -= len(lost.data)
            self.left_out += len(lost.data)
            self._lines.tear()

    def _introduce(self, opening: list[TrafficChunk]) -> None:
        """How the agent introduced itself is known even if it is gone from what is held."""
        for piece in opening:
            for passed in self._lines.feed(piece):
                list(self._messages(passed))
        self._number = 0
        self._lines.tear()

    def _messages(self, passed: PassedLine) -> Iterator[Message]:
        if passed.direction == "start":
            self._calls.clear()
            yield self._message(passed, "start", method="agent started")
        elif isinstance(passed.line, OversizedLine):
            yield self._message(passed, "noise", problem=f"{passed.line.excess}, not read")
        elif passed.direction == "err":
            yield self._message(passed, "stderr", method=passed.line[:400].decode("utf-8", "replace"))
        else:
            for decoded in decode(passed.line):
                yield self._decoded(passed, decoded)

    def _decoded(self, passed: PassedLine, decoded: Decoded) -> Message:
        message = self._message(passed, kind_of(decoded))
        call: Call | None = None
        if isinstance(decoded, Request | Notification):
            message.method = told_in(decoded.method, decoded.params)
            message.names = names_in(decoded.params)
            if isinstance(decoded, Request):
                params = decoded.params if isinstance(decoded.params, dict) else {}
                self._calls[passed.direction, _key(decoded.id)] = (Call(decoded.method, params), passed.at)
        elif isinstance(decoded, Response):
            other: Direction = "->" if passed.direction == "<-" else "<-"
            call, asked_at = self._calls.pop((other, _key(decoded.id)), (None, 0.0))
            if call is not None:
                message.method, message.latency = call.method, passed.at - asked_at
                message.names = names_in(call.params) | names_in(decoded.result)
        if passed.direction == "<-":
            message.problem = self._judge.problem_of(decoded, call)
        return message

    def _message(self, passed: PassedLine, kind: Kind, *, method: str = "", problem: str = "") -> Message:
        self._number += 1
        line = b"" if isinstance(passed.line, OversizedLine) else passed.line
        return Message(self._number, passed.at, passed.direction, kind, line, passed.size, method, problem=problem)

    def _add(self, message: Message) -> None:
        self.began = min(self.began, message.at)
        self.messages.append(message)
        self._size += len(message.line)
        while len(self.messages) > MESSAGES or (self._size > BYTES and len(self.messages) > 1):
            self._size -= len(self.messages.popleft().line)
            self.gone += 1


def _key(request_id: RequestId) -> str:
    """Ids as text: some agents send a number back as a string."""
    return str(int(request_id)) if isinstance(request_id, float) and request_id.is_integer() else str(request_id)


class Judge:
    """What is wrong with the messages of one agent, judged in their order by the readers that the client has.

    It reads every message a second time, with a dialect of its own, when somebody looks.
    """

    def __init__(self) -> None:
        self._dialect: Dialect | None = None

    def problem_of(self, message: Decoded, call: Call | None) -> str:
        """What is wrong, in words; empty if nothing is. `call` is the request that an answer belongs to."""
        if isinstance(message, Malformed):
            return f"noise: {message.reason}"
        with noting_salvages() as salvages:
            try:
                wrong = self._read(message, call)
            except ProtocolFault as fault:
                wrong = "rejected: " + (": ".join(filter(None, (fault.path, fault.reason))) or str(fault))
        return wrong or (f"salvaged: {salvages[0]}" if salvages else "")

    def _read(self, message: Request | Notification | Response, call: Call | None) -> str:
        if isinstance(message, Response):
            return self._read_answer(message, call)
        if isinstance(message, Notification):
            return self._read_notification(message)
        if message.method == "session/request_permission" and self._dialect is not None:
            self._dialect.read_permission(message.params)
        elif message.method in SERVICES:
            read(SERVICES[message.method].model, message.params)
        elif message.method == "elicitation/create":
            read_elicitation(message.params)
        elif self._dialect is not None:
            return "unknown method"
        return ""

    def _read_notification(self, message: Notification) -> str:
        if message.method == "session/update":
            updates = self._dialect.read_update(message.params)[1] if self._dialect is not None else []
            return next(filter(None, map(_wrong, updates)), "")
        if message.method == "elicitation/complete":
            read(ElicitationComplete, message.params)
        elif message.method in AUTH_READERS:
            AUTH_READERS[message.method](message.params)
        elif not message.method.startswith("$/"):
            return "unknown method"
        return ""

    def _read_answer(self, message: Response, call: Call | None) -> str:
        if call is None:
            return "a response to no known request"
        if message.error is not None:
            return ""
        if call.method == "initialize":
            self._dialect = choose(message.result, "auto")[0]
        elif self._dialect is not None:
            return self._read_result(self._dialect, call, message.result)
        return ""

    def _read_result(self, dialect: Dialect, call: Call, result: Any) -> str:
        with suppress(LookupError):  # a request of ours that names no session is nobody's fault here
            if call.method in SETUPS:
                dialect.read_session_setup(call, result)
            elif call.method == "session/list":
                dialect.read_session_page(result)
            elif call.method == "session/set_title":
                read(SessionTitle, result)
            elif call.method == "session/status":
                read(SessionStatus, result)
            elif call.method == AUTH_STATUS:
                read_auth_status(result)
            elif call.method == "session/prompt":
                return next(filter(None, map(_wrong, dialect.prompt_answered(call, result))), "")
        return ""


def _wrong(update: object) -> str:
    if isinstance(update, RejectedUpdate):
        return f"rejected: {update.path}: {update.reason}" if update.path else f"rejected: {update.reason}"
    return "unknown update" if isinstance(update, UnknownUpdate) else ""
