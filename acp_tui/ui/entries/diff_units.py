"""Diffs in the transcript: units that compare and colour only when they come near the viewport."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import pairwise, zip_longest
from operator import is_
from typing import Literal

from rich.segment import Segment
from rich.style import Style

from acp_tui.protocol.vocabulary.tool_calls import Diff, ToolCallLocation
from acp_tui.session.text.phrases import counted
from acp_tui.session.tools.title import CREATE
from acp_tui.ui.entries.base_units import FixedUnit, place
from acp_tui.ui.render.blocks import Highlighter, lexer_for_path, styled
from acp_tui.ui.render.diff import MAX_COLUMNS, DiffLine, DrawnLine, FileDiff, Hunk, paired_lines
from acp_tui.ui.render.diff_files import file_diffs, first_lines, line_count
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.render.wrap import FOLDS, LEFT, Line, Row, Run, Unit, edge, rows_of, slice_runs, wrap

Layout = Literal["unified", "split"]
HANG = 2  # cells by which a wrapped line goes on further in
SIGNS = {" ": " ", "+": "+", "-": "−"}
NARROWEST_SPLIT = 60  # cells; below that two columns hold too little
_FAR = 1 << 30
UNIT_LINES = 40
PREVIEW_LINES = 10


class HunkText:
    """One hunk's lines with number and sign, so that nothing is told by colour alone; coloured when looked at.

    `whole`: long lines are not cut, and have no colours but those of their side.
    """

    def __init__(self, file: FileDiff, hunk: Hunk, *, whole: bool = False) -> None:
        self.file, self.hunk, self.whole = file, hunk, whole

    def _shown(self, index: int) -> DrawnLine:
        return self.hunk.whole(index) if self.whole else self.hunk.shown[index]

    @cached_property
    def _sides(self) -> tuple[Highlighter, Highlighter, dict[int, int]]:
        """Both sides, and each line's place in its own; unchanged lines are read from the new side."""
        lines, shown, lexer = self.hunk.lines, self.hunk.shown, lexer_for_path(self.file.path)
        old = [n for n, line in enumerate(lines) if line.sign != "+"]
        new = [n for n, line in enumerate(lines) if line.sign != "-"]
        places = {n: place for place, n in enumerate(old)} | {n: place for place, n in enumerate(new)}
        before, after = ([shown[n].text for n in side] for side in (old, new))
        return Highlighter(before, lexer), Highlighter(after, lexer), places

    def runs(self, index: int, palette: Palette) -> list[Run]:
        line = self.hunk.lines[index]
        if palette.text_only:
            return [(self._shown(index).text, palette.text)]
        old, new, places = self._sides
        wash, word = washes(line, palette)
        if self.whole and len(line.text) > MAX_COLUMNS:
            return [(self._shown(index).text, palette.text + wash)]
        runs = styled((old if line.sign == "-" else new).line(places[index]), palette, wash)
        marked: list[Run] = []
        end = 0
        for start, stop in self.hunk.words(index):
            marked += slice_runs(runs, end, start)
            marked += ((text, style + word) for text, style in slice_runs(runs, start, stop))
            end = stop
        return marked + slice_runs(runs, end, _FAR) if end else runs

    def unified(self, span: range, width: int, palette: Palette, indent: int = 0) -> list[Row]:
        signs = ((n, self.hunk.lines[n].sign == "-") for n in span)
        return rows_of((self._line(n, palette, width, indent, old=old) for n, old in signs), width)

    def split(self, span: range, width: int, palette: Palette, indent: int = 0) -> Iterator[Row]:
        half = (width - indent - 1) // 2
        margin, border = Segment(" " * indent, palette.text), Segment("│", palette.border)
        for count, (left, right) in enumerate(paired_lines(self.hunk, span.start, span.stop)):
            before = wrap(self._line(left, palette, half, old=True), half, count)
            after = wrap(self._line(right, palette, half, old=False), half, count)
            blank = Row([Segment(" " * half, palette.text)], count)
            for one, other in zip_longest(before, after, fillvalue=blank):
                segments = [margin, *one.segments, border, *other.segments]
                yield Row(segments, count, one.offset, indent + one.gutter, stand_ins=one.stand_ins)

    def _line(self, index: int | None, palette: Palette, width: int, indent: int = 0, *, old: bool) -> Line:
        """A line of at most so many cells; its further rows stand behind its own indent, as far as there is room."""
        if index is None:
            return Line((), fill=palette.text)
        line, shown, digits = self.hunk.lines[index], self._shown(index), self.file.digits
        number = line.old if old else line.new
        wash, _ = washes(line, palette)
        runs = self.runs(index, palette)
        ink = {"+": palette.success, "-": palette.error}.get(line.sign, palette.faint)
        margin = (" " * indent, palette.text)
        told = f" {number or '':>{digits}} "
        gutter = [margin, (told, palette.line_number + wash), (f"{SIGNS[line.sign]} ", ink + wash)]
        own = len(shown.text) - len(shown.text.lstrip(" ")) + HANG
        behind = max(0, min(own, (width - indent - digits - 4) // 2))
        hang = [margin, (" " * (digits + 4 + behind), palette.line_number + wash)]
        if line.ending:
            runs = [*runs, (f" {line.ending}", palette.muted + wash)]
            length = len(shown.text)
            shown = shown._replace(stand_ins=(*shown.stand_ins, (length, length + 1 + len(line.ending), "")))
        return Line(runs, gutter, hang, palette.text + wash, stand_ins=shown.stand_ins)


def washes(line: DiffLine, palette: Palette) -> tuple[Style, Style]:
    if line.sign == "+":
        return palette.added, palette.added_word
    return (palette.removed, palette.removed_word) if line.sign == "-" else (Style.null(), Style.null())


def gap_row(hunk: Hunk, palette: Palette, indent: int, width: int) -> Row | None:
    """What stands between two hunks: how many lines are not shown, and where one is; None at the file's beginning."""
    if not hunk.skipped and not hunk.heading:
        return None
    lines = counted(hunk.skipped, "unchanged line") if hunk.skipped else ""
    text = " · ".join(filter(None, (lines, sanitise_line(hunk.heading, 80))))
    return Row([Segment(" " * indent + f" ⋯ {text}"[: max(0, width - indent)], palette.muted)], 0, gutter=indent + 3)


class LazyDiffs:
    """The file diffs of a tool call's content, compared when first asked for; paths are told relative to `cwd`.

    The `locations` of the call tell where in its file a diff begins that holds only the lines around a change.
    """

    def __init__(self, diffs: Sequence[Diff], cwd: str = "", locations: Sequence[ToolCallLocation] = ()) -> None:
        self._diffs, self._cwd, self._locations = diffs, cwd, locations

    def __bool__(self) -> bool:
        return bool(self._diffs)

    def are(self, diffs: Sequence[Diff], locations: Sequence[ToolCallLocation]) -> bool:
        """Whether these are the same ones, which need not be compared again."""
        same = len(diffs) == len(self._diffs) and all(map(is_, diffs, self._diffs))
        return same and (not diffs or locations == self._locations)

    @cached_property
    def files(self) -> list[FileDiff]:
        told = partial(place, line=None, cwd=self._cwd) if self._cwd else str
        starts = first_lines(self._diffs, self._locations)
        pairs = zip(self._diffs, starts, strict=True)
        return [file for diff, start in pairs for file in file_diffs(diff, told, start)]

    def estimate(self) -> int:
        if "files" in self.__dict__:
            return sum(sum(len(hunk.lines) for hunk in file.hunks) or 1 for file in self.files)
        return sum(line_count(diff) for diff in self._diffs)

    def counts(self) -> tuple[int, int]:
        return sum(file.added for file in self.files), sum(file.removed for file in self.files)


class DiffPreview(FixedUnit):
    """The first lines of the diffs, and a row that says how many more there are."""

    def __init__(self, diffs: LazyDiffs) -> None:
        self._diffs = diffs

    def estimate(self, width: int) -> int:
        return min(self._diffs.estimate(), PREVIEW_LINES + 1) * (1 if width > 2 * LEFT else 2)

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        rows: list[Row] = []
        room = PREVIEW_LINES
        for file in self._diffs.files:
            if room > 0 and len(self._diffs.files) > 1:
                rows += FileHead(file, LEFT).rows(width, palette)
            room -= not file.hunks
            for hunk in file.hunks:
                shown = min(room, len(hunk.lines))
                gap = gap_row(hunk, palette, LEFT, edge(width)) if shown and room < PREVIEW_LINES else None
                rows += [gap] if gap else []
                rows += HunkText(file, hunk).unified(range(shown), edge(width), palette, LEFT)
                room -= shown
        hidden = self._diffs.estimate() - PREVIEW_LINES
        if hidden > 0:
            rows.append(more_row(hidden, palette, LEFT))
        return renumbered(rows)


class HunkUnit(FixedUnit):
    """A stretch of one hunk; the first one tells what lies between it and the hunk before."""

    def __init__(self, text: HunkText, span: range, indent: int, layout: Layout) -> None:
        self.text, self.hunk, self._span, self._indent, self._layout = text, text.hunk, span, indent, layout

    @property
    def first_change(self) -> range | None:
        """The first logical lines of its rows that are no unchanged lines, in either layout."""
        signs = [self.hunk.lines[n].sign for n in self._span]
        changed = next((at for at, sign in enumerate(signs) if sign != " "), None)
        if changed is None:
            return None
        end = next((at for at, sign in enumerate(signs) if at > changed and sign == " "), len(signs))
        return range(changed + self._after_gap, end + self._after_gap)

    def first_changed(self, line: int, width: int) -> int:
        """The first changed character of a logical line of its rows; 0 where all of it changed, or in columns."""
        words = () if self._is_split(width) else self.hunk.words(self._span[line - self._after_gap])
        return words[0][0] if words else 0

    @property
    def _after_gap(self) -> bool:
        """How much lies before the first hunk its numbers tell."""
        later = self.hunk is not self.text.file.hunks[0]
        return self._span.start == 0 and bool(self.hunk.heading or (later and self.hunk.skipped))

    def estimate(self, width: int) -> int:
        room = max(1, edge(width) - self._indent - 8)
        return sum(1 + len(self.hunk.lines[n].text) // room for n in self._span) + self._after_gap

    @property
    def file(self) -> FileDiff:
        return self.text.file

    @property
    def is_first(self) -> bool:
        """Whether its hunk begins with it."""
        return self._span.start == 0

    def whole(self) -> "Sequence[HunkUnit]":
        """It without cuts, as units of bounded length."""
        lengths = [len(self.hunk.lines[n].text) for n in self._span]
        if max(lengths, default=0) <= MAX_COLUMNS:
            return [self]
        text = HunkText(self.file, self.hunk, whole=True)
        ends = [n + 1 for n, length in zip(self._span, lengths, strict=True) if length > MAX_COLUMNS]
        spans = pairwise(sorted({self._span.start, *ends, self._span.stop}))
        return [HunkUnit(text, range(*span), self._indent, self._layout) for span in spans]

    def sides(self, width: int) -> list[tuple[DiffLine | None, DiffLine | None]]:
        """What each logical line of its rows shows: a line before and one after the change, the same if unchanged."""
        lines = self.hunk.lines
        found: list[tuple[DiffLine | None, DiffLine | None]] = [(None, None)] * self._after_gap
        if self._is_split(width):
            pairs = paired_lines(self.hunk, self._span.start, self._span.stop)
            found += ((None if a is None else lines[a], None if b is None else lines[b]) for a, b in pairs)
        else:
            for n in self._span:
                line = lines[n]
                found.append((None if line.sign == "+" else line, None if line.sign == "-" else line))
        return found

    def number_cells(self, width: int, *, old: bool) -> range:
        """The cells of a line's number, of the wanted side where both stand beside each other."""
        digits = self.file.digits + 2
        half = self._indent + (edge(width) - self._indent - 1) // 2 + 1
        start = half if self._is_split(width) and not old else self._indent
        return range(start, start + digits)

    def _is_split(self, width: int) -> bool:
        return self._layout == "split" and edge(width) >= NARROWEST_SPLIT and not self.hunk.one_sided

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        split, width = self._is_split(width), edge(width)
        rows = (self.text.split if split else self.text.unified)(self._span, width, palette, self._indent)
        gap = gap_row(self.hunk, palette, self._indent, width) if self._after_gap else None
        return [gap, *(replace(row, line=row.line + 1) for row in rows)] if gap else list(rows)


class FileHead(FixedUnit):
    """The line above a file's hunks: its path, counts and notes; with a `verb` it is the title of what is asked."""

    def __init__(self, file: FileDiff, indent: int, verb: str = "") -> None:
        self.file, self._indent, self.verb = file, indent, verb
        self.notes = [note for note in file.notes if verb != CREATE or note != "new file"]

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        """`path  +12 −3 · new file`; the path wrapped, never cut: it is what a user agrees to."""
        file = self.file
        ink = palette.text + Style(bold=True) if self.verb else palette.text
        runs = [(f"{self.verb} {sanitise_line(file.path, 1_000)}".lstrip(), ink)]
        if file.added or file.removed:
            runs += [("  ", palette.text), *count_runs(file.added, file.removed, palette)]
        if self.notes:
            runs.append(("  " + " · ".join(sanitise_line(note, 200) for note in self.notes), palette.muted))
        return rows_of([Line(runs)], edge(width), margin=[(" " * self._indent, palette.text)])


def diff_units(
    diffs: LazyDiffs, indent: int, layout: Layout = "unified", *, heads: bool = True, verb: str = ""
) -> list[Unit]:
    """All of the diffs; `heads` puts a line with path and counts above each file, after the `verb`."""
    units: list[Unit] = []
    for file in diffs.files:
        if heads or len(diffs.files) > 1 or not file.hunks:
            units.append(FileHead(file, indent, verb))
        for hunk in file.hunks:
            text = HunkText(file, hunk)
            for start in range(0, len(hunk.lines), UNIT_LINES):
                span = range(start, min(start + UNIT_LINES, len(hunk.lines)))
                units.append(HunkUnit(text, span, indent, layout))
    return units


def has_sides(units: Iterable[Unit]) -> bool:
    """Whether two columns would show more than one."""
    return any(isinstance(unit, HunkUnit) and not unit.hunk.one_sided for unit in units)


def count_runs(added: int, removed: int, palette: Palette) -> list[tuple[str, Style]]:
    """`+12 −3`."""
    more = [(f"+{added:,}", palette.success)]
    return more if added and not removed else [*more, (" ", palette.text), (f"−{removed:,}", palette.error)]


def more_row(count: int, palette: Palette, indent: int, which: str = "more") -> Row:
    """`… 42 more lines`, which unfolds the entry when it is clicked."""
    text = f"{' ' * indent}… {counted(count, f'{which} line')}"
    return Row([Segment(text, palette.muted + FOLDS)], 0, gutter=len(text))


def renumbered(rows: Sequence[Row]) -> list[Row]:
    """Rows of several sources as one unit: logical lines numbered through."""
    number, last, found = -1, -1, []
    for row in rows:
        number += row.line != last or row.offset == 0
        last = row.line
        found.append(replace(row, line=number))
    return found
