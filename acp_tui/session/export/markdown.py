"""A session as Markdown for people: the conversation in order, then plans and terminals that stand alone."""

import json
from collections.abc import Iterator

from acp_tui.protocol.plans import Plan
from acp_tui.session.entries import (
    CompactionEntry,
    ElicitationEntry,
    Entry,
    MessageEntry,
    NoticeEntry,
    ToolCallEntry,
    UnknownEntry,
)
from acp_tui.session.export.content import parts_markdown
from acp_tui.session.export.elicitation import elicitation_markdown
from acp_tui.session.export.json import plain
from acp_tui.session.export.text import fence, one_line, quote
from acp_tui.session.export.tool_call import terminal_markdown, tool_call_markdown
from acp_tui.session.state import Session

_SIGNS = {"completed": "x", "cancelled": "-", "in_progress": "~"}
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
            yield quote(f"*Thought{_seconds(entry)}*\n\n{parts_markdown(entry.parts)}")
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
            yield from elicitation_markdown(entry)
        case UnknownEntry():
            yield f"### {one_line(entry.kind)}{_times(entry.count)}"
            for raw in (entry.raw, *entry.repeats):
                yield fence(json.dumps(raw, indent=2, ensure_ascii=False, default=str), "json")


def _seconds(entry: MessageEntry) -> str:
    return "" if entry.finished_at is None else f" for {entry.finished_at - entry.started_at:.0f} s"


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
        yield fence(json.dumps(plain(plan), indent=2, ensure_ascii=False, default=str), "json")
