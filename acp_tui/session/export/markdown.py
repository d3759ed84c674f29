"""A session as Markdown for people: the conversation in order, then plans and terminals that stand alone.

After it come its subagents of all depths, each a part of its own, to which its row links.
"""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.elicitation import UrlElicitation
from acp_tui.protocol.vocabulary.plans import Plan
from acp_tui.protocol.vocabulary.tool_calls import (
    ContentItem,
    Diff,
    FileChange,
    SessionReference,
    TerminalReference,
    ToolCallContent,
    UnknownToolCallContent,
)
from acp_tui.session import entries
from acp_tui.session.export.json import descendants, plain
from acp_tui.session.export.text import (
    block_markdown,
    closed,
    fence,
    fenced_json,
    one_line,
    parts_markdown,
    quote,
    unified_diff,
)
from acp_tui.session.forms.fields import fields_of
from acp_tui.session.state import Session
from acp_tui.session.terminal import Terminal
from acp_tui.session.text.carried_blocks import own_parts
from acp_tui.session.text.secret_masking import without_secrets
from acp_tui.session.text.words import NOT_SENT, counted, exit_number, link_words, taken_back_words, turn_words
from acp_tui.session.tools.diffs import is_written_here, told_diffs
from acp_tui.session.tools.input import only_member
from acp_tui.session.tools.subject import subject_of, told_line

_SIGNS = {"completed": "x", "cancelled": "-", "in_progress": "~"}
_OUTCOMES = {None: "not answered", "accept": "accepted", "decline": "declined", "cancel": "cancelled"}
_SPEAKERS = {"user": "User", "agent": "Agent"}


def to_markdown(session: Session) -> str:
    """All of the conversation as a Markdown document, without terminal escapes and secrets."""
    return "\n\n".join(map(without_secrets, _document(session))) + "\n"


def entry_markdown(entry: entries.Entry, session: Session, *, head_only: bool = False) -> str:
    """One entry as it stands in the document; only its heading costs little, however long a tool call is."""
    return "\n\n".join(islice(_entry(session, entry, {}), 1 if head_only else None))


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
    """What was said and done; `links` go to the parts of subagents, by the subagents' ids."""
    for entry in session.entries:
        yield from _entry(session, entry, links)
    for plan in session.plans.values():
        yield from _plan(plan)
    for terminal in session.terminals.values():
        if not session.index.terminal_references.get(terminal.id):
            yield "## Terminal"
            yield _terminal(terminal)


def _entry(session: Session, entry: entries.Entry, links: Mapping[str, str]) -> Iterator[str]:
    match entry:
        case entries.MessageEntry(role="thought"):
            seconds = "" if entry.finished_at is None else f" for {entry.finished_at - entry.started_at:.0f} s"
            yield quote(f"*Thought{seconds}*\n\n{parts_markdown(entry.parts)}")
        case entries.MessageEntry(role="injected"):
            yield quote(f"*{NOT_SENT}*\n\n{parts_markdown(entry.parts)}")
        case entries.MessageEntry():
            yield f"## {_SPEAKERS[entry.role]}"
            own = list(own_parts(entry.parts))
            if len(own) < len(entry.parts):
                yield quote("*With the conversation so far, for the agent.*")
            yield parts_markdown(own)
        case entries.ToolCallEntry():
            yield from _tool_call(entry, session, links)
        case entries.NoticeEntry():
            yield _notice(entry)
        case entries.CompactionEntry():
            yield f"### Context compacted ({one_line(entry.status)})"
            yield quote(parts_markdown(entry.summary) + (f"\n\n{closed(entry.error)}" if entry.error else ""))
        case entries.ElicitationEntry():
            yield from _elicitation(entry)
        case entries.SubagentEntry():
            yield from _subagent(entry, links)
        case entries.SessionMessageEntry():
            yield f"### Message from {_name(entry.sender, links)} to {_name(entry.recipient, links)}"
            yield quote(parts_markdown(entry.parts))
        case entries.HandOverEntry():
            yield quote(f"**{one_line(link_words(entry))}**")
        case entries.TurnEntry():
            yield quote("\n".join((f"**{one_line(' · '.join(turn_words(entry)))}**", *map(one_line, entry.gaps))))
        case entries.TakenBackEntry():
            yield quote(f"**{one_line(' · '.join(taken_back_words(entry)))}**")
        case entries.UnknownEntry():
            yield f"### {one_line(entry.kind)}{_times(entry.count)}"
            for raw in (entry.raw, *entry.repeats):
                yield fenced_json(raw)


def _subagent(entry: entries.SubagentEntry, links: Mapping[str, str]) -> Iterator[str]:
    state = "disconnected" if entry.disconnected else one_line(entry.stop_reason or entry.state or "not confirmed")
    seconds = "" if entry.finished_at is None else f", {entry.finished_at - entry.started_at:.1f} s"
    yield f"### Subagent: {_name(entry.id, links)} ({state}{seconds})"
    if entry.description:
        yield quote(closed(entry.description))


def _name(session_id: str | None, links: Mapping[str, str]) -> str:
    return links.get(session_id or "") or one_line(session_id or "?")


def _notice(entry: entries.NoticeEntry) -> str:
    told = "\n".join(text for text in (entry.message, entry.hint) if text)
    head = f"**{one_line(entry.severity)}: {one_line(entry.title)}**{_times(entry.count)}"
    return quote(f"{head}\n\n{closed(told)}" if told else head)


def _times(count: int) -> str:
    return f" ({count} times)" if count > 1 else ""


def _plan(plan: Plan) -> Iterator[str]:
    yield "## Plan"
    if plan.entries:
        yield "\n".join(f"- [{_SIGNS.get(step.status, ' ')}] {one_line(step.content)}" for step in plan.entries)
    elif plan.content or plan.uri:
        yield closed(plan.content or "") or f"<{one_line(plan.uri or '')}>"
    elif plan.type not in plan.known:
        yield fenced_json(plain(plan))


def _elicitation(entry: entries.ElicitationEntry) -> Iterator[str]:
    visit = isinstance(entry.request, UrlElicitation)
    outcome = _OUTCOMES.get(entry.action) or one_line(entry.action or "")
    if visit and entry.action == "accept":
        outcome = "opened, completed" if entry.completed else "opened"
    yield f"### Question from the agent ({outcome})"
    yield quote(closed(entry.request.message))
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


def _tool_call(entry: entries.ToolCallEntry, session: Session, links: Mapping[str, str]) -> Iterator[str]:
    terminals = session.terminals
    seconds = "" if entry.finished_at is None else f", {entry.finished_at - entry.started_at:.1f} s"
    subject = subject_of(entry, session)
    told = one_line(told_line(subject, session.cwd, described=False))
    yield f"### {one_line(entry.kind)}: {told} ({one_line(entry.status)}{seconds})"
    if subject.description:
        yield one_line(subject.description)
    if subject.places:
        places = ((one_line(place.path), place.line) for place in subject.places)
        yield "\n".join(f"- {path}" if line is None else f"- {path}:{line}" for path, line in places)
    if is_written_here(entry):
        yield from ("Written to disk:", *(_content(item, terminals, links) for item in entry.written))
    again = [item for item in entry.content if not (entry.earlier_diffs and isinstance(item, Diff))]
    for item in (*entry.earlier_diffs, *again):
        yield _content(item, terminals, links)
    patches = [patch.text for patch in subject.patches] if told_diffs(entry) is entry.patches else []
    yield from (fence(patch, "diff") for patch in patches)
    output = None if entry.content else entry.raw_output  # the content tells the same for people
    for name, value in (("Input", entry.raw_input), ("Output", output)):
        if value is not None and value != {} and only_member(value) not in patches:
            yield f"{name}:\n\n{fenced_json(value)}"


def _terminal(terminal: Terminal) -> str:
    lines = [] if terminal.command is None else [f"$ {one_line(terminal.command)}\n"]
    if terminal.dropped:
        lines.append(f"[{counted(terminal.dropped, 'byte')} of earlier output omitted]\n")
    lines.append(b"".join(terminal.chunks).decode(errors="replace"))
    return f"{fence(''.join(lines), 'console')}\n\n{_ending(terminal)}"


def _ending(terminal: Terminal) -> str:
    status = terminal.exit_status
    if status is None:
        return "Not finished."
    if status.signal is not None:
        return f"Terminated by {one_line(status.signal)}."
    code = status.exit_code
    return f"Exit code {exit_number(code) if code is not None else '?'}."


def _content(item: ToolCallContent, terminals: dict[str, Terminal], links: Mapping[str, str]) -> str:
    match item:
        case ContentItem(content=TextContent() as content):
            return fence(content.text)
        case ContentItem():
            return block_markdown(item.content)
        case Diff():
            return fence(_diff(item), "diff")
        case TerminalReference():
            terminal = terminals.get(item.terminal_id)
            return _terminal(terminal) if terminal else f"(terminal {one_line(item.terminal_id)}: no output)"
        case SessionReference():
            return f"Subagent: {_name(item.session_id, links)}"
        case UnknownToolCallContent():
            return fenced_json(item.raw)
    return fenced_json(item)


def _diff(diff: Diff) -> str:
    """A patch, and whatever the agent changed that the patch does not tell; the older form is compared here."""
    if diff.path is not None:
        return unified_diff(one_line(diff.path), diff.old_text or "", diff.new_text or "")
    patch = diff.patch.text if diff.patch is not None else ""
    untold = "".join(_change(change) for change in diff.changes or [] if change.path.lstrip("/") not in patch)
    return f"{untold}{patch}"


def _change(change: FileChange) -> str:
    """`move a → b (binary)`."""
    source = f"{one_line(change.old_path)} → " if change.old_path else ""
    kind = f" ({one_line(change.file_type)})" if change.file_type not in (None, "text") else ""
    return f"{one_line(change.operation)} {source}{one_line(change.path)}{kind}\n"
