"""The lines of a record: what happened in a session, as JSON lines `{"t": seconds, "kind": …, "data": …}`.

Words of the protocol are written as they are on the wire (so that omitted, null and a value stay apart), facts by
their fields. What happened in a subagent has a kind and data of its own in the line's data. Bytes are text where they
are UTF-8, `{"base64": ...}` elsewhere. Lines that cannot be read (torn by a
crash, damaged) are left out.
"""

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from acp_tui.frozen import made
from acp_tui.host.records.growing import JOINED, is_plain, whose
from acp_tui.host.store.json_file import json_object
from acp_tui.host.system.regular_files import open_regular
from acp_tui.protocol.base import Model
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.terminals import TerminalOutputChunk, TerminalUpdate
from acp_tui.protocol.vocabulary.updates import MessageChunk, Update
from acp_tui.session.export.json import plain
from acp_tui.session.facts import Fact, PermissionReceived, SubagentEvent
from acp_tui.session.folds.table import FOLDS
from acp_tui.session.state import HistoryTold

LINE_CAP = 64 * 1024 * 1024  # bytes of one line; what is longer is damage

HEAD = 80  # bytes of a line that hold its time and its kind

K = TypeVar("K", bound=Fact | Model)
Timed = tuple[float, Update | Fact]

KINDS = {kind.__name__: kind for kind in FOLDS if kind is not HistoryTold}  # that is another record: see `earlier`
_BYTES = {TerminalUpdate.__name__: "output", TerminalOutputChunk.__name__: "data"}

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
    """The event's kind and its data."""
    if isinstance(event, SubagentEvent):
        kind, data = encode(event.event)
        return SubagentEvent.__name__, {"session_id": event.session_id, "kind": kind, "event": data}
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
