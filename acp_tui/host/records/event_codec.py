"""The lines of a record: what happened in a session, as JSON lines `{"t": seconds, "kind": …, "data": …}`.

Words of the protocol are written as they are on the wire (so that omitted, null and a value stay apart), facts by
their fields. What happened in a subagent has a kind and data of its own in the line's data. Bytes are text where they
are UTF-8, `{"base64": ...}` elsewhere. Lines that cannot be read (torn by a crash, damaged) are left out.

Text and output that come piece by piece are joined until the thread that writes takes them; how they were cut means
nothing. What happens in subagents comes between: each session of the family has a text of its own that goes on growing,
since what is said in one of them has no place among the words of another. Without that, 100 children that stream in
turns have a line of 280 bytes for each word: six times the record at 40 words a second each, eleven times in a flood.
"""

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from pydantic import TypeAdapter

from acp_tui.frozen import made
from acp_tui.host.config.state_files import json_object
from acp_tui.host.system.paths import open_regular
from acp_tui.protocol.base import Model
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageChunk, StateUpdate, SubagentUpdate, Update
from acp_tui.protocol.vocabulary.tool_calls import TerminalOutputChunk, TerminalUpdate
from acp_tui.session.export import plain
from acp_tui.session.facts import Fact, PermissionAnsweredByRule, PermissionReceived, SubagentEvent
from acp_tui.session.folds.table import FOLDS
from acp_tui.session.state import CopiedHistory

LINE_CAP = 64 * 1024 * 1024  # bytes of one line; what is longer is damage

HEAD = 80  # bytes of a line that hold its time and its kind

K = TypeVar("K", bound=Fact | Model)
Timed = tuple[float, Update | Fact]

KINDS = {kind.__name__: kind for kind in FOLDS if kind is not CopiedHistory}  # that is another record: see `earlier`
_BYTES = {TerminalUpdate.__name__: "output", TerminalOutputChunk.__name__: "data"}

_dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

JOINED = 32 * 1024  # characters of a growing text, or bytes of an output, that one line holds, more or less
JOINED_IN_CHILD = 4 * 1024  # the same for subagents, of which thousands may grow at once
OPEN = 1_000  # texts that grow at once

_CHUNK = frozenset({"session_update", "message_id", "content"})
_TEXT = frozenset({"type", "text"})
_OUTPUT = frozenset({"session_update", "terminal_id", "data"})


def line_of(value: dict[str, Any]) -> bytes:
    """One line with its newline; lone surrogates survive."""
    return _dump(value).encode("utf-8", "surrogatepass") + b"\n"


def lines_of(batch: Iterable[Timed]) -> Iterator[tuple[Update | Fact, bytes]]:
    """The lines of what happened, each with what it says."""
    for seconds, whole in batch:
        for event in _cut(whole):
            kind, data = encode(event)
            yield event, line_of({"t": round(seconds, 3), "kind": kind, "data": data})


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a record as JSON objects; raises OSError."""
    with open_regular(path) as file:
        while line := file.readline(LINE_CAP):
            value = json_object(line)
            if value is not None:
                yield value


def said_in(path: Path, *kinds: type[K], counts: Callable[[bytes], bool] = bool) -> Iterator[K]:
    """The events of some kinds that a record holds, without a look at the rest; raises OSError.

    `counts` says of a line of these kinds whether it is worth being read.
    """
    names = "|".join(kind.__name__ for kind in kinds)
    sign = re.compile(f'"kind":"(?:{names})"'.encode())
    with open_regular(path) as file:
        while line := file.readline(LINE_CAP):
            if sign.search(line, 0, HEAD) is None or not counts(line):
                continue
            told = json_object(line) or {}
            event = None
            with suppress(ValueError):
                event = decode(str(told.get("kind")), told.get("data"))
            if isinstance(event, kinds):
                yield event


def holds(path: Path, words: bytes) -> bool:
    """Whether a line of a record has these words as they are written there; raises OSError."""
    with open_regular(path) as file:
        while line := file.readline(LINE_CAP):
            if words in line:
                return True
    return False


def _cut(event: Update | Fact) -> Iterator[Update | Fact]:
    """A text of megabytes in pieces, since a line of it takes several times its size while it is made."""
    child_id, chunk = whose(event)
    content = chunk.content if type(chunk) is MessageChunk and is_plain(chunk) else None
    if not isinstance(content, TextContent) or len(content.text) <= 2 * JOINED:
        yield event
        return
    for start in range(0, len(content.text), JOINED):
        piece = content.model_copy(update={"text": content.text[start : start + JOINED]})
        part = chunk.model_copy(update={"content": piece})
        yield SubagentEvent(child_id, part) if child_id else part


def encode(event: Update | Fact) -> tuple[str, dict[str, Any]]:
    if isinstance(event, SubagentEvent):
        kind, data = encode(event.event)
        return SubagentEvent.__name__, {"session_id": event.session_id, "kind": kind, "event": data}
    kind, data = type(event).__name__, plain(event)
    # Markers are objects on the wire and booleans in the vocabulary.
    told = data
    if kind in (PermissionReceived.__name__, PermissionAnsweredByRule.__name__):
        told = (data["request"].get("subject") or {}).get("toolCall") or {}
    given = told.get("capabilities")
    if isinstance(given, dict) and isinstance(given.get("cancel"), bool):
        told["capabilities"] = {**given, "cancel": {} if given["cancel"] else None}
    return kind, data


def decode(kind: str, data: Any) -> Update | Fact | None:
    """The event again; None for a kind that is not known here. Raises ValueError for data that does not fit."""
    if kind == SubagentEvent.__name__:
        return _in_child(data)
    if kind not in KINDS:
        return None
    member = _BYTES.get(kind)
    if member is not None and isinstance(data, dict) and member in data:
        data = {**data, member: _bytes(data[member])}
    event: Update | Fact = _adapter(kind).validate_python(data)
    return event


def _in_child(data: Any) -> SubagentEvent | None:
    """What happened in a subagent; it is told to the session that is recorded, so that none is within another."""
    given = data if isinstance(data, dict) else {}
    child_id, kind = given.get("session_id"), given.get("kind")
    if not isinstance(child_id, str) or not isinstance(kind, str) or kind == SubagentEvent.__name__:
        raise ValueError("what happened in a subagent needs its id and its kind")
    event = decode(kind, given.get("event"))
    return None if event is None else SubagentEvent(child_id, event)


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    return TypeAdapter(made(KINDS[kind]))


def _bytes(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, dict) and isinstance(value.get("base64"), str):
        return base64.b64decode(value["base64"])
    return value


class GrowingText:
    """Text or output of one session, `child_id` if it is a subagent's, until it is taken."""

    def __init__(self, first: Any, what: tuple[str, str], child_id: str = "") -> None:
        self._first, self._what, self._child_id = first, what, child_id
        self._pieces, self._size = [_piece(first)], len(_piece(first))
        self._taken, self._lock = False, Lock()
        self.room = JOINED_IN_CHILD if child_id else JOINED

    def grow(self, event: Any, what: tuple[str, str] | None) -> bool:
        """Whether there was time and room for an event that makes `what` grow."""
        if what != self._what or self._size > self.room:
            return False
        piece = _piece(event)
        with self._lock:
            if self._taken:
                return False
            self._pieces.append(piece)
        self._size += len(piece)
        return True

    def take(self) -> Update | Fact:
        """All of it as one event; it grows no more."""
        with self._lock:
            self._taken = True
        data = self._pieces[0][:0].join(self._pieces)
        update = {"data": data}
        if type(self._first) is MessageChunk:
            update = {"content": TextContent.model_construct(_fields_set={"type", "text"}, type="text", text=data)}
        whole: Update = self._first.model_copy(update=update)
        return SubagentEvent(self._child_id, whole) if self._child_id else whole


class TextCoalescer:
    """What grows in one recorded session and its subagents, until the thread that writes takes it.

    Where each read brings one chunk, as models write, the connection has nothing to join: without this a record has 34
    times the lines and 6.5 times the bytes, for 2.4 times the CPU.
    """

    def __init__(self) -> None:
        self._open: dict[str, GrowingText] = {}  # by the ids of subagents; the recorded session's own has none

    def take(self, event: Update | Fact) -> Update | Fact | GrowingText | None:
        """What is to be written for an event; None where it is part of what waits to be written."""
        child_id, inner = whose(event)
        what = growth(inner)
        growing = self._open.get(child_id)
        if growing is not None and growing.grow(inner, what):
            return None
        self._end(child_id, inner)
        if what is None:
            return event
        if len(self._open) >= OPEN:
            del self._open[next(iter(self._open))]
        growing = self._open[child_id] = GrowingText(inner, what, child_id)
        return growing

    def stop(self) -> None:
        self._open.clear()

    def _end(self, child_id: str, event: Update | Fact) -> None:
        """An event ends what grows in its session, and all of it where it may touch the others."""
        self._open.pop(child_id, None)
        if isinstance(event, SubagentUpdate):
            self._open.pop(event.session_id, None)
        elif not child_id and isinstance(event, Fact | StateUpdate):
            self.stop()


def whose(event: Update | Fact) -> tuple[str, Any]:
    """The id of the subagent in which it happened, empty if in none, and what happened."""
    return (event.session_id, event.event) if type(event) is SubagentEvent else ("", event)


def growth(event: Update | Fact) -> tuple[str, str] | None:
    """What an event makes grow, if it does nothing else."""
    if type(event) is MessageChunk:
        return (event.session_update, event.message_id) if is_plain(event) else None
    if type(event) is TerminalOutputChunk and event.model_fields_set <= _OUTPUT:
        return "terminal", event.terminal_id
    return None


def is_plain(chunk: MessageChunk) -> bool:
    """Whether there is nothing to a chunk but its text."""
    content = chunk.content
    return type(content) is TextContent and content.model_fields_set <= _TEXT and chunk.model_fields_set <= _CHUNK


def _piece(event: Any) -> Any:
    return event.data if type(event) is TerminalOutputChunk else event.content.text
