"""A tool call as Markdown: what it was, how it went, and everything that came of it."""

from collections.abc import Iterator

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.tool_calls import (
    ContentItem,
    Diff,
    FileChange,
    TerminalReference,
    ToolCallContent,
    UnknownToolCallContent,
)
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.export.text import block_markdown, fence, fenced_json, one_line, unified_diff
from acp_tui.session.state import Session
from acp_tui.session.terminal import Terminal
from acp_tui.session.tools.diffs import is_written_here
from acp_tui.session.tools.subject import subject_of, told_line


def tool_call_markdown(entry: ToolCallEntry, session: Session) -> Iterator[str]:
    """The paragraphs of a tool call."""
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
        yield from ("As it was written:", *(_content(item, terminals) for item in entry.written))
    again = [item for item in entry.content if not (entry.earlier_diffs and isinstance(item, Diff))]
    for item in (*entry.earlier_diffs, *again):
        yield _content(item, terminals)
    output = None if entry.content else entry.raw_output  # the content tells the same for people
    for name, value in (("Input", entry.raw_input), ("Output", output)):
        if value is not None and value != {}:
            yield f"{name}:\n\n{fenced_json(value)}"


def terminal_markdown(terminal: Terminal) -> str:
    """A terminal's command, its output without escapes, and how it ended."""
    lines = [] if terminal.command is None else [f"$ {one_line(terminal.command)}\n"]
    if terminal.dropped:
        lines.append(f"[{terminal.dropped} bytes of earlier output were dropped]\n")
    lines.append(b"".join(terminal.chunks).decode(errors="replace"))
    return f"{fence(''.join(lines), 'console')}\n\n{_ending(terminal)}"


def _ending(terminal: Terminal) -> str:
    status = terminal.exit_status
    if status is None:
        return "Not finished."
    if status.signal is not None:
        return f"Ended by {one_line(status.signal)}."
    return f"Exit code {status.exit_code}."


def _content(item: ToolCallContent, terminals: dict[str, Terminal]) -> str:
    match item:
        case ContentItem(content=TextContent() as content):
            return fence(content.text)
        case ContentItem():
            return block_markdown(item.content)
        case Diff():
            return fence(_diff(item), "diff")
        case TerminalReference():
            terminal = terminals.get(item.terminal_id)
            return terminal_markdown(terminal) if terminal else f"(terminal {one_line(item.terminal_id)}: no output)"
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
