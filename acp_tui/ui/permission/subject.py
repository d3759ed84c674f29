"""Everything that a permission is about, as units: nothing that a person agrees to is cut or left out.

It must not know the panel. Raw input is shown where neither a command nor a diff tells what will happen.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.style import Style

from acp_tui.protocol.permissions import PermissionSubject
from acp_tui.protocol.tool_calls import (
    ContentItem,
    Diff,
    TerminalReference,
    ToolCallContent,
    ToolCallLocation,
    ToolCallUpdate,
)
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.permissions import PendingPermission
from acp_tui.session.state import Session
from acp_tui.ui.render.code import Highlighter, lexer_for, styled
from acp_tui.ui.render.diff_rows import Layout
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise, sanitise_line
from acp_tui.ui.render.wrap import Line, expand_tabs, rows_of
from acp_tui.ui.transcript.diff import LazyDiffs, diff_units
from acp_tui.ui.transcript.page import edge
from acp_tui.ui.transcript.prose import BlankUnit
from acp_tui.ui.transcript.terminal import Screen, TerminalTail
from acp_tui.ui.transcript.tool_output import MOST_CHARACTERS, data_output, whole
from acp_tui.ui.transcript.tool_text import block_units
from acp_tui.ui.transcript.tool_words import command_of, place
from acp_tui.ui.transcript.unit import Row, Unit

INDENT = 1


@dataclass(slots=True)
class Subject:
    """What is asked, whichever way the agent told it."""

    title: str
    description: str = ""
    command: str | None = None
    cwd: str | None = None
    content: Sequence[ToolCallContent] = ()
    locations: Sequence[ToolCallLocation] = ()
    raw: Any = None
    raw_label: str = "Input"
    kind: str = "other"

    @property
    def diffs(self) -> list[Diff]:
        """All diffs."""
        return [item for item in self.content if isinstance(item, Diff)]


def subject_of(pending: PendingPermission, session: Session) -> Subject:
    """Read the request together with what the session knows of its tool call."""
    request = pending.request
    found = Subject(request.title, request.description or "")
    entry = session.index.tool_calls.get(pending.tool_call_id or "")
    if request.subject is not None:
        _add(found, request.subject)
    if entry is not None:
        _complete(found, entry)
    if found.command is None and (entry is None or entry.kind in ("execute", "other")):
        found.command = command_of(found.raw)
    if found.command is not None and found.cwd is None:
        raw = found.raw if isinstance(found.raw, dict) else {}
        given = raw.get("cwd", raw.get("workdir"))
        found.cwd = given if isinstance(given, str) and given else session.cwd
    return found


def _add(found: Subject, subject: PermissionSubject) -> None:
    """What the request itself tells of its subject."""
    found.command, found.cwd = subject.command, subject.cwd
    call: ToolCallUpdate | None = subject.tool_call
    if call is not None:
        found.content, found.locations, found.raw = call.content or (), call.locations or (), call.raw_input
        found.kind = call.kind or found.kind
    elif subject.type not in ("tool_call", "command"):
        found.raw, found.raw_label = subject.raw, f"Subject of the unknown type {sanitise_line(subject.type, 60)}"


def _complete(found: Subject, entry: ToolCallEntry) -> None:
    """What the session knows of the tool call: what its request told and what came since, or was told before."""
    found.title = found.title.strip() or entry.title
    found.content = entry.content or found.content
    if not found.diffs:
        found.content = [*entry.earlier_diffs, *found.content]
    found.locations = entry.locations or found.locations
    found.raw = entry.raw_input or found.raw
    found.kind = entry.kind


def subject_units(found: Subject, session: Session, layout: Layout, *, roomy: bool = True) -> list[Unit]:
    """The whole subject, top to bottom; where it is not `roomy`, without blank rows."""
    return [unit for unit in _units(found, session, layout) if roomy or not isinstance(unit, BlankUnit)]


def _units(found: Subject, session: Session, layout: Layout) -> Iterator[Unit]:
    if found.title.strip() not in {diff.path for diff in found.diffs}:  # which stands above the diff
        yield Words(found.title or "The agent asks for permission", "title")
    if found.description:
        yield Words(found.description, "muted")
    if found.command is not None:
        if found.command.strip() != found.title.strip().strip("`"):
            yield BlankUnit()
            yield Words(found.command, "command")
        yield Words(f"in {place(found.cwd or session.cwd, None, '')}", "muted")
    elif not found.diffs:
        for location in found.locations:
            path = place(location.path, location.line, session.cwd)
            if path not in found.title:
                yield Words(path, "muted")
    if found.diffs:
        yield BlankUnit()
        yield from diff_units(LazyDiffs(found.diffs), INDENT, layout)
    for item in found.content:
        if isinstance(item, ContentItem):
            yield from block_units(item.content, found.kind, INDENT, loud=True)
        elif isinstance(item, TerminalReference):
            terminal = session.terminals.get(item.terminal_id)
            if terminal is not None and terminal.chunks:
                yield TerminalTail(Screen(terminal), INDENT)
        elif not isinstance(item, Diff):
            yield from whole(data_output(item.raw, ""), INDENT)
    if found.raw not in (None, {}, [], "") and not found.diffs and not _told(found):
        yield from whole(data_output(found.raw, found.raw_label), INDENT)


def _told(found: Subject) -> bool:
    """Whether the command is all that the raw input says."""
    silent = {"command", "cmd", "cwd", "workdir", "description", "timeout"}
    return found.command is not None and isinstance(found.raw, dict) and set(found.raw) <= silent


class Words:
    """Text in full: a title, a description, or a command with its `$`."""

    version = 0

    def __init__(self, text: str, tone: str) -> None:
        if (cut := len(text) - MOST_CHARACTERS) > 0:
            text = f"{text[:MOST_CHARACTERS]}\n… {cut:,} more characters"
        self._lines = [expand_tabs(line) for line in sanitise(text).strip("\n").split("\n")]
        self._tone = tone

    def estimate(self, width: int) -> int:
        """About how many rows, by the lengths of the lines."""
        return sum(1 + len(line) // max(1, width - INDENT) for line in self._lines)

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        """Every line, wrapped."""
        margin, hang = " " * INDENT, " " * INDENT
        highlighter = Highlighter(self._lines, lexer_for("bash") if self._tone == "command" else None)
        ink = palette.muted if self._tone == "muted" else palette.text + Style(bold=True)
        lines: list[Line] = []
        for index, text in enumerate(self._lines):
            if self._tone == "command":
                gutter = [(margin + ("$ " if index == 0 else "  "), palette.accent)]
                runs = styled(highlighter.line(index), palette, Style.null())
                lines.append(Line(runs, gutter, [(hang + "  ", palette.accent)]))
            else:
                lines.append(Line([(text, ink)], [(margin, ink)], [(hang, ink)]))
        return rows_of(lines, edge(width))
