"""Everything that a permission is about, as units: nothing that a user agrees to is cut or left out.

Raw input is shown where neither a command nor a diff tells what will happen.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, dropwhile
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from acp_tui.protocol.vocabulary.content import ContentBlock, TextContent
from acp_tui.protocol.vocabulary.tool_calls import (
    ContentItem,
    Diff,
    TerminalReference,
    UnknownToolCallContent,
)
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import counted
from acp_tui.session.tools.input import decoded
from acp_tui.session.tools.patches import change_verb
from acp_tui.ui.changes.line_rows import PLAN, plan_units
from acp_tui.ui.entries.base_units import BlankUnit, FixedUnit, place
from acp_tui.ui.entries.diff_units import FileHead, HunkUnit, Layout, LazyDiffs, count_runs, diff_units
from acp_tui.ui.entries.repeated_data import ShownCallData
from acp_tui.ui.entries.tool_output import (
    MOST_CHARACTERS,
    OutputUnit,
    TerminalScreen,
    TerminalTail,
    block_units,
    data_output,
    document_units,
    output_units,
)
from acp_tui.ui.render.diff import FileDiff
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.shell_text import command_rows
from acp_tui.ui.render.text import cut_path, sanitise, sanitise_line
from acp_tui.ui.render.wrap import Line, Row, Unit, edge, expand_tabs, rows_of
from acp_tui.views.permissions import BLANK, RequestSubject, facts_of, outside_of, title_of

INDENT = 1


def subject_units(found: RequestSubject, session: Session, layout: Layout, *, roomy: bool = True) -> list[Unit]:
    """The whole subject, top to bottom; where it is not `roomy`, without blank rows."""
    units = (unit for unit in _units(found, session, layout) if roomy or not _is_blank(unit))
    return list(dropwhile(_is_blank, units))


def _is_blank(unit: Unit) -> bool:
    return isinstance(unit, BlankUnit)


class Headline(NamedTuple):
    """What is asked about, and the lines that it adds and removes, in words; both are empty where nothing fits."""

    words: str = ""
    changed: tuple[str, ...] = ()


def in_one_line(found: RequestSubject, units: Sequence[Unit], cwd: str, room: int) -> Headline:
    """What is asked about in at most so many cells, or nothing: the files of its diffs, else its title."""
    files = [unit.file for unit in units if isinstance(unit, FileHead)]
    if not files:
        title = sanitise_line(title_of(found, found.about.places, cwd), MOST_CHARACTERS)
        return Headline(title if cell_len(title) <= room else "")
    added, removed = (sum(getattr(file, side) for file in files) for side in ("added", "removed"))
    changed = (f"  +{added:,}", *[f" −{removed:,}"] * bool(removed or not added))
    verb, room = change_verb(found.about.kind, found.diffs, found.title), room - sum(map(len, changed))
    if files[1:]:
        lead = f"{verb} {counted(len(files), 'file')}"
        return Headline(f"{lead}{_names(files, cwd, room - len(lead) - 2)}", changed)
    return Headline(f"{verb} {cut_path(place(files[0].path, None, cwd), max(1, room - len(verb) - 1))}", changed)


def _names(files: Sequence[FileDiff], cwd: str, room: int) -> str:
    """Two cells and the files, as many whole names as have room; of others that there are more, if that has room."""
    names = [sanitise_line(place(file.path, None, cwd), 1_000) for file in files]
    for many in range(len(names), 0, -1):
        told = ", ".join([*names[:many], *(["…"] if many < len(names) else [])])
        if cell_len(told) <= room:
            return f"  {told}"
    return ""


class FilesHead(FixedUnit):
    """The title above the diffs of several files: the verb, how many there are, all their names, and counts."""

    def __init__(self, verb: str, files: Sequence[FileDiff]) -> None:
        self._lead, self._files = f"{verb} {counted(len(files), 'file')}", files

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        names = ", ".join(sanitise_line(file.path, 1_000) for file in self._files)
        added, removed = (sum(getattr(file, side) for file in self._files) for side in ("added", "removed"))
        runs = [(self._lead, palette.text + Style(bold=True)), (f"  {names}  ", palette.text)]
        lines = [Line([*runs, *count_runs(added, removed, palette)])]
        return rows_of(lines, edge(width), margin=[(" " * INDENT, palette.text)])


def without_heading(units: Sequence[Unit], heading: str) -> Sequence[Unit]:
    """The units below a heading that names the whole subject already, a title or the one file of its diffs."""
    first, heads = units[0], [unit for unit in units if isinstance(unit, FileHead)]
    if isinstance(first, FilesHead):
        return units[1:]
    if isinstance(first, Words) and first.tone == "title" and not heads:
        return units[1:]
    alone = isinstance(first, FileHead) and first.verb and len(heads) == 1 and not first.notes
    return units[1:] if alone and sanitise_line(heads[0].file.path) in heading else units


def main_rows(units: Sequence[Unit], width: int, palette: Palette, room: int) -> range:
    """Which rows are agreed to before all: a command, or the first changed lines of a diff; none where neither is.

    Of a change that is longer than the `room` what is written comes before what is replaced, of which the end fills
    the room, and of a line that is longer its changed part.
    """
    main = next((at for at, unit in enumerate(units) if main_lines(unit) is not None), None)
    lines = None if main is None else main_lines(units[main])
    if main is None or lines is None:
        return range(0)
    before = sum(len(unit.rows(width, palette)) for unit in units[:main])
    rows = [(at, row) for at, row in enumerate(units[main].rows(width, palette), before) if row.line in lines]
    start = rows[0][0] if rows else before
    if len(rows) > room and isinstance(unit := units[main], HunkUnit):
        written = [line for line, (_, new) in enumerate(unit.sides(width)) if new is not None and new.sign == "+"]
        rows = [(at, row) for at, row in rows if row.line in written] or rows
        first = [row for _, row in rows if row.line == rows[0][1].line]
        changed = unit.first_changed(first[0].line, width)
        above = sum(row.offset <= changed for row in first) - 1
        rows = rows[max(0, min(above, len(first) - room)) :]
        start = max(start, rows[0][0] - max(0, room - len(rows)))
    found = [at for at, _ in rows] or [before]
    return range(min(start, found[0]), found[-1] + 1)


class LastRows(FixedUnit):
    """The last rows of a unit at this width, `cut` with a … where the others of them are out of sight."""

    def __init__(self, unit: Unit, count: int, width: int, *, cut: bool) -> None:
        self._unit, self._count, self._width, self._cut = unit, count, width, cut

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:  # noqa: ARG002 - as those above it are wrapped
        first, *rest = self._unit.rows(self._width, palette)[-self._count :]
        if self._cut:
            _, text = Segment.divide(first.segments, [first.gutter, 1 << 20])
            first = replace(first, segments=[Segment(" …".ljust(first.gutter), palette.warning), *text])
        return [first, *rest]


def last_command(units: Sequence[Unit], width: int, palette: Palette) -> tuple[Unit, range] | None:
    """The last command, and its rows among those of all units."""
    last = next((at for at in range(len(units) - 1, -1, -1) if main_lines(units[at]) == range(1)), None)
    if last is None or not isinstance(units[last], Words):
        return None
    ends = list(accumulate(len(unit.rows(width, palette)) for unit in units[: last + 1]))
    return units[last], range(ends[-2] if last else 0, ends[-1])


def line_start(units: Sequence[Unit], at: int, width: int, palette: Palette) -> int:
    """The first row from `at` on with which a line begins."""
    rows = [row for unit in units for row in unit.rows(width, palette)]
    return next((number for number, row in enumerate(rows[at:], at) if not row.offset), at)


class CutUnit(FixedUnit):
    """A unit whose row `at` is the first in sight, within a line: its margin is that of the line, with a …."""

    def __init__(self, unit: Unit, at: int) -> None:
        self._unit, self._at = unit, at

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        rows = list(self._unit.rows(width, palette))
        row = rows[self._at]
        head = next(each for each in rows if each.line == row.line)
        margin, _ = Segment.divide(head.segments, [max(0, head.gutter - 1), 1 << 20])
        _, sign, text = Segment.divide(row.segments, [max(0, row.gutter - 1), row.gutter, 1 << 20])
        ink = sign[0].style if sign else None
        rows[self._at] = replace(row, segments=[*margin, Segment("…", ink), *text], gutter=head.gutter)
        return rows


def cut_at(units: Sequence[Unit], first: int, width: int, palette: Palette) -> Sequence[Unit]:
    """The units with a … where their row `first`, the first in sight, is not the beginning of its line."""
    for number, unit in enumerate(units):
        rows = unit.rows(width, palette)
        if first < len(rows):
            return [*units[:number], CutUnit(unit, first), *units[number + 1 :]] if rows[first].offset else units
        first -= len(rows)
    return units


def cuts_line(units: Sequence[Unit]) -> bool:
    """Whether a line of these has more characters than they show, which the full screen does."""
    return any(unit.whole() != [unit] for unit in units if isinstance(unit, HunkUnit)) or any(
        unit.cuts_line for unit in units if isinstance(unit, OutputUnit)
    )


def main_lines(unit: Unit) -> range | None:
    """Which logical lines of a unit these are, if any."""
    if isinstance(unit, Words):
        return range(1) if unit.tone == "command" else None
    return unit.first_change if isinstance(unit, HunkUnit) else None


def _units(found: RequestSubject, session: Session, layout: Layout) -> Iterator[Unit]:
    diffs = LazyDiffs(found.diffs, session.cwd, found.locations)
    facts = list(facts_of(found, session.cwd, {file.path for file in diffs.files}))
    for fact in facts:
        yield BlankUnit() if fact is BLANK else Words(*fact)
    for number, plan in enumerate(found.plans, 1):
        yield BlankUnit()
        name = PLAN if len(found.plans) == 1 else f"{PLAN} {number}"
        yield from plan_units(document_units(plan, INDENT, loud=True), plan, name)
    if diffs:
        yield BlankUnit()
        named = any(fact.sort == "title" for fact in facts)
        verb, several = change_verb(found.about.kind, found.diffs, found.title), len(diffs.files) > 1
        if several:
            yield FilesHead(verb, diffs.files)
        yield from diff_units(diffs, INDENT, layout, verb="" if named or several else verb)
    kind, shown = found.about.kind, _told(found, session)
    for item in found.content:
        if isinstance(item, ContentItem):
            if not _repeats(item.content, shown, found):
                units = block_units(item.content, kind, INDENT, loud=True)
                plan = item.content.text if kind == "switch_mode" and isinstance(item.content, TextContent) else ""
                yield from plan_units(units, plan) if plan else units
        elif isinstance(item, TerminalReference):
            terminal = session.terminals.get(item.terminal_id)
            if terminal is not None and terminal.chunks:
                yield TerminalTail(TerminalScreen(terminal), INDENT)
        elif isinstance(item, UnknownToolCallContent):
            yield from output_units(data_output(item.raw, ""), INDENT)
    told = _told(found, session, content=True)
    for raw, label in found.raws:
        rest = told.rest(raw)
        if rest is not None:
            yield from output_units(data_output(rest, label), INDENT)


def _told(found: RequestSubject, session: Session, *, content: bool = False) -> ShownCallData:
    """What is shown above the content, or above the raw input with it; the description where it is the title."""
    about = found.about
    blocks = [item.content for item in found.content if isinstance(item, ContentItem)] if content else []
    texts = [block.text for block in blocks if isinstance(block, TextContent)]
    words = [found.description, about.folder or session.cwd if about.commands else ""]
    if not found.earlier_diffs and not any(isinstance(item, Diff) for item in found.content):
        texts += [patch.text for patch in about.patches]
    words += [title_of(found, about.places, session.cwd), found.title, *outside_of(found, session.cwd)]
    return ShownCallData(about, words, [*texts, *found.plans], found.diffs, strict=True)


def _repeats(block: ContentBlock, told: ShownCallData, found: RequestSubject) -> bool:
    """Whether a block says no more than what stands above it, or is the input again, which stands below."""
    if not isinstance(block, TextContent):
        return False
    return told.tells(block.text) or any(decoded(block.text) == raw for raw, _ in found.raws)


class Words(FixedUnit):
    """Text in full: a `title`, what is `named` (a file, an address), a `command` with its `$`, or what is `muted`."""

    def __init__(self, text: str, tone: str, *, in_parts: bool = False) -> None:
        self._source, self._in_parts = text, in_parts
        if (cut := len(text) - MOST_CHARACTERS) > 0:
            text = f"{text[:MOST_CHARACTERS]}\n… {counted(cut, 'more character')}"
        self._lines = [expand_tabs(line) for line in sanitise(text).strip("\n").split("\n")]
        self.tone = tone

    def estimate(self, width: int) -> int:
        return sum(1 + len(line) // max(1, width - INDENT) for line in self._lines)

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        if self.tone == "command":
            return command_rows(self._lines, edge(width), palette, INDENT, in_parts=self._in_parts)
        title = palette.text + Style(bold=True)
        ink = {"muted": palette.muted, "title": title}.get(self.tone, palette.text)
        return rows_of([Line([(text, ink)]) for text in self._lines], edge(width), margin=[(" " * INDENT, ink)])

    def whole(self) -> "Sequence[Words]":
        """It for a screen of its own, where each part of a command has a row."""
        return [Words(self._source, self.tone, in_parts=True)]
