"""A session as Markdown for people: the conversation in order, then plans and terminals that stand alone."""

import json
from collections.abc import Iterator

from acp_tui.protocol.vocabulary.elicitation import UrlElicitation
from acp_tui.protocol.vocabulary.plans import Plan
from acp_tui.session.entries import (
    CompactionEntry,
    ElicitationEntry,
    Entry,
    MessageEntry,
    NoticeEntry,
    ToolCallEntry,
    UnknownEntry,
)
from acp_tui.session.export.json import plain
from acp_tui.session.export.text import fenced_json, one_line, parts_markdown, quote
from acp_tui.session.export.tool_call import terminal_markdown, tool_call_markdown
from acp_tui.session.forms.fields import fields_of
from acp_tui.session.state import Session

_SIGNS = {"completed": "x", "cancelled": "-", "in_progress": "~"}
_OUTCOMES = {None: "not answered", "accept": "accepted", "decline": "declined", "cancel": "cancelled"}
_SPEAKERS = {"user": "User", "agent": "Agent"}


def to_markdown(session: Session) -> str:
    """All of the conversation as a Markdown document, without terminal escapes."""
    return "\n\n".join(_document(session)) + "\n"


def _document(session: Session) -> Iterator[str]:
    yield f"# {one_line(session.title or '') or 'Session'}"
    about = (("Agent", session.agent_name), ("Folder", session.cwd), ("Updated", session.updated_at))
    yield "\n".join(f"- {name}: {one_line(value)}" for name, value in about if value)
    for entry in session.entries:
        yield from _entry(session, entry)
    for plan in session.plans.values():
        yield from _plan(plan)
    for terminal in session.terminals.values():
        if not session.index.terminal_references.get(terminal.id):
            yield "## Terminal"
            yield terminal_markdown(terminal)
    for queued in session.queue:
        yield "## User (queued)"
        yield parts_markdown(queued.blocks)


def _entry(session: Session, entry: Entry) -> Iterator[str]:
    match entry:
        case MessageEntry(role="thought"):
            seconds = "" if entry.finished_at is None else f" for {entry.finished_at - entry.started_at:.0f} s"
            yield quote(f"*Thought{seconds}*\n\n{parts_markdown(entry.parts)}")
        case MessageEntry():
            yield f"## {_SPEAKERS[entry.role]}"
            yield parts_markdown(entry.parts)
        case ToolCallEntry():
            yield from tool_call_markdown(entry, session)
        case NoticeEntry():
            yield _notice(entry)
        case CompactionEntry():
            yield f"### The context was compacted ({one_line(entry.status)})"
            yield quote(parts_markdown(entry.summary) + (f"\n{entry.error}" if entry.error else ""))
        case ElicitationEntry():
            yield from _elicitation(entry)
        case UnknownEntry():
            yield f"### {one_line(entry.kind)}{_times(entry.count)}"
            for raw in (entry.raw, *entry.repeats):
                yield fenced_json(raw)


def _notice(entry: NoticeEntry) -> str:
    told = "\n".join(text for text in (entry.message, entry.hint) if text)
    head = f"**{one_line(entry.severity)}: {one_line(entry.title)}**{_times(entry.count)}"
    return quote(f"{head}\n\n{told}" if told else head)


def _times(count: int) -> str:
    return f" ({count} times)" if count > 1 else ""


def _plan(plan: Plan) -> Iterator[str]:
    yield "## Plan"
    if plan.entries:
        yield "\n".join(f"- [{_SIGNS.get(step.status, ' ')}] {one_line(step.content)}" for step in plan.entries)
    elif plan.content or plan.uri:
        yield plan.content or f"<{one_line(plan.uri or '')}>"
    elif plan.type not in plan.known:
        yield fenced_json(plain(plan))


def _elicitation(entry: ElicitationEntry) -> Iterator[str]:
    """The question, and each value that was sent."""
    visit = isinstance(entry.request, UrlElicitation)
    outcome = _OUTCOMES.get(entry.action) or one_line(entry.action or "")
    if visit and entry.action == "accept":
        outcome = "opened, done" if entry.completed else "opened"
    yield f"### The agent asked ({outcome})"
    yield quote(entry.request.message)
    if isinstance(entry.request, UrlElicitation):
        yield f"<{one_line(entry.request.url)}>"
        return
    fields = {field.name: field for field in fields_of(entry.request.requested_schema)}
    told: list[str] = []
    for name, value in (entry.content or {}).items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        told.append(f"- {one_line(fields[name].title if name in fields else name)}: {one_line(text)}")
    if told:
        yield "\n".join(told)
