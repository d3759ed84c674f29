"""The lines of a record: what happened in a session, as JSON lines `{"t": seconds, "kind": …, "data": …}`.

Words of the protocol are written as they are on the wire (so that omitted, null and a value stay apart), facts by
their fields. Bytes are text where they are UTF-8, `{"base64": ...}` elsewhere. Lines that cannot be read (torn by a
crash, damaged) are left out.
"""

import base64
import json
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from pydantic import TypeAdapter

from acp_tui.frozen import made
from acp_tui.host.store.json_file import json_object
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.terminals import TerminalOutputChunk, TerminalUpdate
from acp_tui.protocol.vocabulary.updates import MessageChunk, Update
from acp_tui.session.export.json import plain
from acp_tui.session.facts import Fact, PermissionReceived
from acp_tui.session.folds.table import FOLDS
from acp_tui.session.state import Event, HistoryTold

LINE_CAP = 64 * 1024 * 1024  # bytes of one line; what is longer is damage
_HEAD = 100  # bytes of a line in which its kind stands
JOINED = 32 * 1024  # characters of a growing text, or bytes of an output, that one line holds, more or less

Timed = tuple[float, Update | Fact]

KINDS = {kind.__name__: kind for kind in FOLDS if kind is not HistoryTold}  # that is another record: see `earlier`
_BYTES = {TerminalUpdate.__name__: "output", TerminalOutputChunk.__name__: "data"}

_CHUNK = frozenset({"session_update", "message_id", "content"})
_TEXT = frozenset({"type", "text"})
_OUTPUT = frozenset({"session_update", "terminal_id", "data"})
_dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


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
    with path.open("rb") as file:
        while line := file.readline(LINE_CAP):
            value = json_object(line)
            if value is not None:
                yield value


def holds(path: Path, words: bytes) -> bool:
    """Whether a line of a record has these words as they are written there; raises OSError."""
    with path.open("rb") as file:
        while line := file.readline(LINE_CAP):
            if words in line:
                return True
    return False


def said_in(path: Path, kinds: Collection[str]) -> Iterator[Update | Fact]:
    """The events of some kinds in a record, without reading what else is in it; raises OSError."""
    signs = [f'"kind":"{kind}"'.encode() for kind in kinds]
    with path.open("rb") as file:
        while line := file.readline(LINE_CAP):
            if not any(sign in line[:_HEAD] for sign in signs):
                continue
            value = json_object(line) or {}
            with suppress(ValueError):
                event = decode(str(value.get("kind")), value.get("data")) if value.get("kind") in kinds else None
                if event is not None:
                    yield event


class Growing:
    """Text or output that grows piece by piece until the thread that writes takes it; how it was cut means nothing."""

    def __init__(self, first: Any, what: tuple[str, str]) -> None:
        self._first, self._what = first, what
        self._pieces, self._size = [_piece(first)], len(_piece(first))
        self._taken, self._lock = False, Lock()

    def grow(self, event: Any, what: tuple[str, str] | None) -> bool:
        """Whether there was time and room for an event that makes `what` grow."""
        if what != self._what or self._size > JOINED:
            return False
        piece = _piece(event)
        with self._lock:
            if self._taken:
                return False
            self._pieces.append(piece)
        self._size += len(piece)
        return True

    def take(self) -> Update:
        """All of it as one event; it grows no more."""
        with self._lock:
            self._taken = True
        data = self._pieces[0][:0].join(self._pieces)
        update = {"data": data}
        if type(self._first) is MessageChunk:
            update = {"content": TextContent.model_construct(_fields_set={"type", "text"}, type="text", text=data)}
        whole: Update = self._first.model_copy(update=update)
        return whole


def growth(event: Event) -> tuple[str, str] | None:
    """What an event makes grow, if it does nothing else."""
    if type(event) is MessageChunk:
        return (event.session_update, event.message_id) if _is_plain(event) else None
    if type(event) is TerminalOutputChunk and event.model_fields_set <= _OUTPUT:
        return "terminal", event.terminal_id
    return None


def _piece(event: Any) -> Any:
    return event.data if type(event) is TerminalOutputChunk else event.content.text


def _is_plain(chunk: MessageChunk) -> bool:
    content = chunk.content
    return type(content) is TextContent and content.model_fields_set <= _TEXT and chunk.model_fields_set <= _CHUNK


def _cut(event: Update | Fact) -> Iterator[Update | Fact]:
    """A text of megabytes in pieces, since a line of it takes several times its size while it is made."""
    content = event.content if type(event) is MessageChunk and _is_plain(event) else None
    if not isinstance(event, MessageChunk) or not isinstance(content, TextContent) or len(content.text) <= 2 * JOINED:
        yield event
        return
    for start in range(0, len(content.text), JOINED):
        piece = content.model_copy(update={"text": content.text[start : start + JOINED]})
        yield event.model_copy(update={"content": piece})


def encode(event: Update | Fact) -> tuple[str, dict[str, Any]]:
    """The event's kind and its data."""
    kind, data = type(event).__name__, plain(event)
    # Markers are objects on the wire and booleans in the vocabulary.
    told = data
    if kind == PermissionReceived.__name__:
        told = (data["request"].get("subject") or {}).get("toolCall") or {}
    given = told.get("capabilities")
    if isinstance(given, dict) and isinstance(given.get("cancel"), bool):
        told["capabilities"] = {**given, "cancel": {} if given["cancel"] else None}
    return kind, data


def decode(kind: str, data: Any) -> Update | Fact | None:
    """The event again; None for a kind that is not known here. Raises ValueError for data that does not fit."""
    if kind not in KINDS:
        return None
    member = _BYTES.get(kind)
    if member is not None and isinstance(data, dict) and member in data:
        data = {**data, member: _bytes(data[member])}
    event: Update | Fact = _adapter(kind).validate_python(data)
    return event


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    return TypeAdapter(made(KINDS[kind]))


def _bytes(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, dict) and isinstance(value.get("base64"), str):
        return base64.b64decode(value["base64"])
    return value
