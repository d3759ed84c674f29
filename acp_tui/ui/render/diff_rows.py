"""Hunks to rows: unified or side by side, coloured by language, changed words marked; must not know entries.

Every line has its number and its sign, so that nothing is told by colour alone; both are gutter and are not
copied.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import Literal

from rich.segment import Segment
from rich.style import Style

from acp_tui.ui.render.code import Highlighter, lexer_for_path, styled
from acp_tui.ui.render.diff import DiffLine, FileDiff, Hunk, shown
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.render.wrap import Line, Run, slice_runs, wrap
from acp_tui.ui.transcript.unit import Row

Layout = Literal["unified", "split"]
SIGNS = {" ": " ", "+": "+", "-": "−"}
NARROWEST_SPLIT = 60  # cells; below that two columns hold too little
_FAR = 1 << 30


class HunkText:
    """One hunk's lines as they are shown, coloured by the file's language no further than somebody looked."""

    def __init__(self, file: FileDiff, hunk: Hunk) -> None:
        self.file, self.hunk = file, hunk

    @cached_property
    def _sides(self) -> tuple[Highlighter, Highlighter, list[int]]:
        """Both sides, and each line's place in its own; unchanged lines are read from the new side."""
        old: list[str] = []
        new: list[str] = []
        places: list[int] = []
        for line in self.hunk.lines:
            text = shown(line.text)
            places.append(len(old) if line.sign == "-" else len(new))
            if line.sign != "+":
                old.append(text)
            if line.sign != "-":
                new.append(text)
        lexer = lexer_for_path(self.file.path)
        return Highlighter(old, lexer), Highlighter(new, lexer), places

    def runs(self, index: int, palette: Palette) -> list[Run]:
        """A line coloured by language, washed by its sign, with its changed words marked."""
        line = self.hunk.lines[index]
        if palette.text_only:
            return [(shown(line.text), palette.text)]
        old, new, places = self._sides
        wash, word = washes(line, palette)
        runs = styled((old if line.sign == "-" else new).line(places[index]), palette, wash)
        if line.sign == " ":
            return runs
        marked: list[Run] = []
        end = 0
        for start, stop in self.hunk.words(index):
            marked += slice_runs(runs, end, start)
            marked += ((text, style + word) for text, style in slice_runs(runs, start, stop))
            end = stop
        return marked + slice_runs(runs, end, _FAR) if end else runs


class HunkPainter:
    """Draws lines of one hunk with their numbers and signs."""

    def __init__(self, text: HunkText, palette: Palette, indent: int = 0) -> None:
        self._text, self._hunk, self._palette = text, text.hunk, palette
        self._indent = indent
        self._digits = text.file.digits

    def unified(self, start: int, end: int, width: int) -> list[Row]:
        rows: list[Row] = []
        for index in range(start, end):
            line = self._hunk.lines[index]
            number = line.old if line.sign == "-" else line.new
            rows += wrap(self._line(index, number, self._indent), width, index - start)
        return rows

    def split(self, start: int, end: int, width: int) -> list[Row]:
        half = (width - self._indent - 1) // 2
        rows: list[Row] = []
        for count, (left, right) in enumerate(side_by_side(self._hunk, start, end)):
            sides = [list(wrap(self._side(index, old), half, count)) for index, old in ((left, True), (right, False))]
            rows += self._beside(sides[0], sides[1], half, count)
        return rows

    def _side(self, index: int | None, old: bool) -> Line:
        if index is None:
            return Line((), fill=self._palette.text)
        line = self._hunk.lines[index]
        return self._line(index, line.old if old else line.new, 0)

    def _beside(self, left: Sequence[Row], right: Sequence[Row], half: int, line: int) -> Iterator[Row]:
        palette = self._palette
        margin, border = Segment(" " * self._indent, palette.text), Segment("│", palette.border)
        blank = Row([Segment(" " * half, palette.text)], line)
        for one, other in zip_longest(left, right, fillvalue=blank):
            gutter = self._indent + one.gutter
            yield Row([margin, *one.segments, border, *other.segments], line, one.offset, gutter)

    def _line(self, index: int, number: int | None, indent: int) -> Line:
        palette, line = self._palette, self._hunk.lines[index]
        wash, _ = washes(line, palette)
        runs = self._text.runs(index, palette)
        ink = {"+": palette.success, "-": palette.error}.get(line.sign, palette.faint)
        margin = (" " * indent, palette.text)
        digits = f"{number or '':>{self._digits}}"
        gutter = [margin, (f" {digits} ", palette.line_number + wash), (f"{SIGNS[line.sign]} ", ink + wash)]
        hang = [margin, (" " * (self._digits + 4), palette.line_number + wash)]
        if line.ending:
            runs = [*runs, (f" {line.ending}", palette.muted + wash)]
        return Line(runs, gutter, hang, fill=palette.text + wash)


def washes(line: DiffLine, palette: Palette) -> tuple[Style, Style]:
    """The backgrounds of a line and of its changed words."""
    if line.sign == "+":
        return palette.added, palette.added_word
    return (palette.removed, palette.removed_word) if line.sign == "-" else (Style.null(), Style.null())


def side_by_side(hunk: Hunk, start: int, end: int) -> Iterator[tuple[int | None, int | None]]:
    """Which lines stand beside each other, as indices; a replaced block's lines are paired from the top."""
    index = start
    while index < end:
        if hunk.lines[index].sign == " ":
            yield index, index
            index += 1
            continue
        removed = _run_of("-", hunk, index, end)
        added = _run_of("+", hunk, index + len(removed), end)
        yield from zip_longest(removed, added)
        index += len(removed) + len(added)


def _run_of(sign: str, hunk: Hunk, start: int, end: int) -> range:
    stop = start
    while stop < end and hunk.lines[stop].sign == sign:
        stop += 1
    return range(start, stop)


def gap_row(hunk: Hunk, palette: Palette, indent: int, width: int) -> Row | None:
    """What stands between two hunks: how many lines are not shown, and where one is; None at the file's beginning."""
    if not hunk.skipped and not hunk.heading:
        return None
    lines = f"{hunk.skipped:,} unchanged line{'' if hunk.skipped == 1 else 's'}" if hunk.skipped else ""
    text = " · ".join(part for part in (lines, sanitise_line(hunk.heading, 80)) if part)
    return Row([Segment(" " * indent + f" ⋯ {text}"[: max(0, width - indent)], palette.muted)], 0, gutter=indent + 3)
