"""A session as plain JSON data, and as Markdown for people: the proof that all of it is in the state.

The data is made field by field, so that a new field of the state is exported by itself. Only the bookkeeping of views
is left out: versions, generations, and how text was split into chunks. Markdown has the conversation in order, then
plans and terminals that stand alone; after it come its subagents of all depths, each a part of its own, to which its
row links.
"""

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from itertools import islice
from typing import Any

from pydantic.alias_generators import to_camel, to_snake

from acp_tui.protocol.base import Model, UnknownMember
from acp_tui.protocol.vocabulary.session_updates import Plan
from acp_tui.session.entries import Entry, TextPart
from acp_tui.session.folds.messages import parts_markdown
from acp_tui.session.folds.table import markdown_of
from acp_tui.session.folds.terminals import terminal_markdown
from acp_tui.session.state import Session, Terminal
from acp_tui.session.text.markdown import closed, fenced_json, one_line
from acp_tui.startup import late

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
        case UnknownMember():
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


SIGNS = {"completed": "x", "cancelled": "-", "in_progress": "~"}


def to_markdown(session: Session) -> str:
    """All of the conversation as a Markdown document, without terminal escapes and secrets."""
    without_secrets: Callable[[str], str] = late("acp_tui.session.text.secret_masking").without_secrets
    return "\n\n".join(map(without_secrets, _document(session))) + "\n"


def entry_markdown(entry: Entry, session: Session, *, head_only: bool = False) -> str:
    """One entry as it stands in the document; only its heading costs little, however long a tool call is."""
    return "\n\n".join(islice(markdown_of(entry, session, {}), 1 if head_only else None))


def _document(session: Session) -> Iterator[str]:
    family = list(descendants(session))
    links = {child.id: _link(child, number) for number, (_, child) in enumerate(family, 1)}
    yield f"# {one_line(session.title or '') or 'Session'}"
    about = (("Agent", session.agent_name), ("Folder", session.cwd), ("Updated", session.updated_at))
    yield "\n".join(f"- {name}: {one_line(value)}" for name, value in about if value)
    yield from _conversation(session, links)
    for queued in session.queue:
        yield "## User (queued)"
        yield parts_markdown(queued.blocks)
    for number, (parent, child) in enumerate(family, 1):
        yield f'<a id="subagent-{number}"></a>'
        yield f"# Subagent {number}: {_title(child)}"
        yield f"- Subagent of: {links.get(parent.id, 'the session')}\n- Folder: {one_line(child.cwd)}"
        yield from _conversation(child, links)


def _link(child: Session, number: int) -> str:
    title = re.sub(r"([][\\])", r"\\\1", _title(child))
    return f"[{title}](#subagent-{number})"


def _title(child: Session) -> str:
    return one_line(child.title or child.id)


def _conversation(session: Session, links: Mapping[str, str]) -> Iterator[str]:
    for entry in session.entries:
        yield from markdown_of(entry, session, links)
    for plan in session.plans.values():
        yield from _plan(plan)
    for terminal in session.terminals.values():
        if not session.index.terminal_references.get(terminal.id):
            yield "## Terminal"
            yield terminal_markdown(terminal)


def _plan(plan: Plan) -> Iterator[str]:
    yield "## Plan"
    if plan.entries:
        yield "\n".join(f"- [{SIGNS.get(step.status, ' ')}] {one_line(step.content)}" for step in plan.entries)
    elif plan.content or plan.uri:
        yield closed(plan.content or "") or f"<{one_line(plan.uri or '')}>"
    elif plan.type not in plan.known:
        yield fenced_json(plain(plan))
