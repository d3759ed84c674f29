"""A session as plain JSON data, field by field, so that a new field of the state is exported by itself.

Only the bookkeeping of views is left out: versions, generations, and how text was split into chunks.
"""

import base64
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from pydantic.alias_generators import to_camel, to_snake

from acp_tui.protocol.base import Model, Unknown
from acp_tui.session.entries import Entry, TextPart
from acp_tui.session.state import Session
from acp_tui.session.terminal import Terminal

_LEFT_OUT = frozenset({"clock", "index", "family", "version", "generation"})
_LAST = ("sealed", "started_at", "finished_at")  # of entries, whose first fields are those of every kind
_DISCRIMINATORS = frozenset({"type", "session_update"})


def to_json(session: Session) -> dict[str, Any]:
    """Everything in the session as JSON data: words of the protocol as they are on the wire, our own in snake_case.

    Bytes are text where they are UTF-8 and `{"base64": ...}` elsewhere. Times are seconds of the session's clock.
    `subagents` has those of all depths beside each other by their ids, each with the id of its `parent` and those of
    its own `subagents`, since an agent may nest them more deeply than JSON is read.
    """
    children = {
        child.id: {"parent": parent.id, **_dataclass(child), "subagents": list(child.subagents)}
        for parent, child in descendants(session)
    }
    return {**_dataclass(session), "subagents": children}


def descendants(session: Session) -> Iterator[tuple[Session, Session]]:
    """The subagents of a session with their parents: each after its parent, those of one parent in their order."""
    left = [(session, child) for child in reversed(session.subagents.values())]
    while left:
        parent, child = left.pop()
        yield parent, child
        left += [(child, one) for one in reversed(child.subagents.values())]


def plain(value: Any) -> Any:
    """Any piece of a session as JSON data; raises RecursionError for what is nested beyond Python's depth."""
    match value:
        case TextPart():
            return {"type": "text", "text": value.text}
        case Session():
            return None  # its place is beside the others
        case Unknown():
            return value.raw
        case Model():
            return _model(value)
        case bytes():
            return _bytes(value)
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
    return _dataclass(value) if is_dataclass(value) else value


def _dataclass(value: Any) -> dict[str, Any]:
    data: dict[str, Any] = {}
    members = list(fields(value))
    if isinstance(value, Entry):
        members.sort(key=lambda each: each.name in _LAST)
        data["type"] = to_snake(type(value).__name__.removesuffix("Entry"))
    for field in members:
        if field.name not in _LEFT_OUT and not field.name.startswith("_") and field.metadata.get("written", True):
            data[field.name] = plain(getattr(value, field.name))
    if isinstance(value, Terminal):
        data["output"] = _bytes(b"".join(value.chunks))
        del data["chunks"]
    return data


def _model(model: Model) -> dict[str, Any]:
    known = {
        field.alias or to_camel(name): plain(getattr(model, name))
        for name, field in type(model).model_fields.items()
        if name in model.model_fields_set or name in _DISCRIMINATORS
    }
    return known | {name: plain(value) for name, value in (model.model_extra or {}).items()}


def _bytes(data: bytes) -> str | dict[str, str]:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}
