"""What happened in a session as JSON data, and back without loss; must not know files.

Words of the protocol are written as they are on the wire (so that omitted, null and a value stay apart), facts by
their fields. Bytes are text where they are UTF-8, `{"base64": ...}` elsewhere.
"""

import base64
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from acp_tui.protocol.terminals import TerminalOutputChunk, TerminalUpdate
from acp_tui.protocol.updates import Update
from acp_tui.session.export.json import plain
from acp_tui.session.facts import Fact, HistoryTold, PermissionReceived
from acp_tui.session.folds import FOLDS

KINDS = {kind.__name__: kind for kind in FOLDS if kind is not HistoryTold}  # that is another record: see `earlier`
_BYTES = {TerminalUpdate.__name__: "output", TerminalOutputChunk.__name__: "data"}


def encode(event: Update | Fact) -> tuple[str, dict[str, Any]]:
    """The event's kind and its data."""
    kind, data = type(event).__name__, plain(event)
    return kind, _with_markers(kind, data)


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
    return TypeAdapter(KINDS[kind])


def _bytes(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, dict) and isinstance(value.get("base64"), str):
        return base64.b64decode(value["base64"])
    return value


def _with_markers(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    """Markers are objects on the wire and booleans in the vocabulary."""
    told = data
    if kind == PermissionReceived.__name__:
        told = (data["request"].get("subject") or {}).get("toolCall") or {}
    given = told.get("capabilities")
    if isinstance(given, dict) and isinstance(given.get("cancel"), bool):
        told["capabilities"] = {**given, "cancel": {} if given["cancel"] else None}
    return data
