"""Units of a message's text: Markdown, fenced code, and plain lines as the user wrote them.

While a fence is open each of its units is coloured by itself; a flood of lines stays plain until it calms. When it
closes it is coloured anew as a whole, no further than somebody looks.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from acp_tui.session.entries import Speaker
from acp_tui.ui.entries.base_units import FixedUnit
from acp_tui.ui.render.blocks import Highlighter, lexer_for, styled
from acp_tui.ui.render.markdown import Inlines, lines_of
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import Lines, Piece, sanitise_line
from acp_tui.ui.render.wrap import (
    LEFT,
    MEASURE,
    Line,
    Row,
    Run,
    Wrapped,
    blank_row,
    block_edge,
    edge,
    expand_tabs,
    half_row,
    margin,
    rows_of,
    tabs_in,
)

_ITALIC = Style(italic=True)
USER_BAR = "▌"
BAR = "│ "  # before what a tool brought
UNIT_LINES = 32
FLOOD = 2 * UNIT_LINES  # new lines at once
PADDING = 2  # cells between the wash's edge and the code


class Live:
    """What was laid out of the piece that grows, for its next state: texts that were parsed, lines that were wrapped.

    The units of one text share it, so that it holds one piece. `end` drops it; units then lay out without it.
    """

    def __init__(self) -> None:
        self._inlines: Inlines | None = None
        self._wrapped: Wrapped | None = Wrapped()

    def end(self) -> None:
        self._inlines = self._wrapped = None

    def inlines(self, palette: Palette) -> Inlines:
        if self._wrapped is None:
            return Inlines(palette)
        if self._inlines is None or self._inlines.palette != palette:
            self._inlines = Inlines(palette, kept=True)
        self._inlines.next_state()
        return self._inlines

    @property
    def rows_of(self) -> Callable[..., list[Row]]:
        return self._wrapped.rows_of if self._wrapped else rows_of


ENDED = Live()
ENDED.end()


class ProseUnit(FixedUnit):
    """One piece of Markdown; `spaced` puts a blank row before it. A tool's stands behind a `bar`, so many cells in.

    A piece that grows has a unit for each state, and `live` for what they have in common.
    """

    __slots__ = ("_bar", "_live", "_piece", "_role", "_spaced")

    def __init__(
        self,
        piece: Piece,
        role: Speaker | Literal["tool"],
        *,
        spaced: bool,
        bar: int | None = None,
        live: Live | None = None,
    ) -> None:
        self._piece, self._role, self._spaced, self._bar, self._live = piece, role, spaced, bar, live or ENDED

    def estimate(self, width: int) -> int:
        return text_height(self._piece, min(MEASURE, width - LEFT) - self._piece.indent) + self._spaced

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        piece, inside = self._piece, self._spaced and self._bar is not None
        base = {"thought": palette.muted + _ITALIC, "tool": palette.muted}.get(self._role, palette.text)
        before = margin() if self._bar is None else [(" " * self._bar + BAR, palette.border)]
        lead = [*before, (" " * piece.indent, base)]
        room = max(1, edge(width) - sum(len(text) for text, _ in lead))
        lines = lines_of(piece, palette, base, room, self._live.inlines(palette))
        if inside:  # the bar goes on
            lines = [Line(()), *lines]
        measure = max(1, MEASURE - piece.indent)
        rows = self._live.rows_of(lines, edge(width), margin=lead, measure=measure, first=0 if inside else 1)
        return [blank_row(), *rows] if self._spaced and not inside else rows


class PlainUnit(FixedUnit):
    """Lines exactly as the user wrote them, on the user's wash behind the user's bar; above the first half a row."""

    __slots__ = ("_first", "_piece")

    def __init__(self, piece: Piece, *, first: bool) -> None:
        self._piece, self._first = piece, first

    def estimate(self, width: int) -> int:
        return text_height(self._piece, min(MEASURE, width - LEFT)) + self._first

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        lines = [Line([(expand_tabs(line), palette.text)], stand_ins=tabs_in(line)) for line in self._piece.lines]
        rows = user_rows(lines, width, palette)
        return [user_edge(width, palette, top=True), *rows] if self._first else rows


class UserEdge(FixedUnit):
    """The wash ends half a row below the user's text; the other half parts the message from what follows."""

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        return [user_edge(width, palette, top=False)]


def text_height(piece: Piece, cells: int) -> int:
    """About how many rows: one for every line, and one for every full row of characters."""
    lines = piece.lines
    characters = lines.characters if isinstance(lines, Lines) else sum(map(len, lines))
    return len(lines) + characters // max(10, cells)


def user_bar(palette: Palette) -> list[Run]:
    return [(" ", Style.null()), (USER_BAR, palette.user), (" ", palette.user_background)]


def user_rows(lines: Sequence[Line], width: int, palette: Palette) -> list[Row]:
    wash, bar = palette.user_background, user_bar(palette)
    washed = [
        Line([(text, style + wash) for text, style in line.runs], bar, bar, wash, wide=True, stand_ins=line.stand_ins)
        for line in lines
    ]
    blank = Segment(" ", wash)
    rows = rows_of(washed, block_edge(width) - 1)
    return [replace(row, segments=[*row.segments, blank], tail=row.tail + 1) for row in rows]


def user_edge(width: int, palette: Palette, *, top: bool) -> Row:
    """The half row above or below the user's wash."""
    return half_row(palette.user_background, 1, max(0, block_edge(width) - 2), top=top, bar=palette.user)


class Fence:
    """One fence and its units; the lines only ever grow until it is closed, and are read then when somebody looks."""

    __slots__ = (
        "_closed",
        "_whole",
        "count",
        "indent",
        "joined",
        "language",
        "lines",
        "plain",
        "source",
        "units",
        "version",
        "wide",
    )

    def __init__(self, piece: Piece) -> None:
        self.language = sanitise_line(piece.info, 40)
        self.indent = piece.indent
        self.joined = piece.joined
        self.lines: list[str] = []
        self.source: Sequence[str] = ()
        self.count = 0
        self.wide = False
        self.version = 0
        self.units: list[CodeUnit] = []
        self.plain = False
        self._closed: Sequence[str] | None = None
        self._whole: Highlighter | None = None

    def show(self, piece: Piece, *, goes_on: bool) -> list["CodeUnit"]:
        """Take over the piece's lines; with `goes_on` the next piece is the rest of a giant line: no wash ends."""
        if self._closed is not None:
            return self.units
        known = max(0, self.count - 1)  # the last may have been unfinished
        self.count, self.source = len(piece.lines), piece.lines
        if piece.closed:
            self._closed, self.lines, self.plain = piece.lines, [], False
            self.version += 1
        else:
            self._grow(piece, known)
        full, count = known // UNIT_LINES, max(1, -(-self.count // UNIT_LINES))
        del self.units[full:]
        self.units += [
            CodeUnit(self, index, last=index == count - 1 and not goes_on) for index in range(len(self.units), count)
        ]
        return self.units

    def _grow(self, piece: Piece, known: int) -> None:
        flood = self.count - len(self.lines) > FLOOD
        self.lines = [*self.lines[:known], *map(expand_tabs, piece.lines[known:])]
        wide = self.wide or _any_wide(self.lines[known:])
        if wide != self.wide or (self.plain and not flood):
            self.version += 1
        self.wide, self.plain = wide, flood

    def read(self) -> None:
        """Before rows are asked for: take what a closed fence has."""
        if self._closed is not None and self._whole is None:
            self.lines = [expand_tabs(line) for line in self._closed]
            self.wide = self.wide or _any_wide(self.lines)
            self._whole = Highlighter(self.lines, lexer_for(self.language))

    def highlighter(self, start: int, end: int) -> tuple[Highlighter, int]:
        """What colours the lines, and how far its first line is from theirs."""
        if self._whole is not None:
            return self._whole, 0
        lexer = None if self.plain else lexer_for(self.language)
        return Highlighter(list(self.lines[start:end]), lexer), start


def _any_wide(lines: Sequence[str]) -> bool:
    return any(cell_len(line) > MEASURE - 2 * PADDING for line in lines)


class CodeUnit:
    """Some lines of a fence; the first has half a row of wash above it and the language's name, the last half below."""

    __slots__ = ("_base", "_fence", "_index", "_last")

    def __init__(self, fence: Fence, index: int, *, last: bool) -> None:
        self._fence, self._index, self._last = fence, index, last
        self._base = fence.version

    @property
    def version(self) -> int:
        return self._fence.version - self._base

    @property
    def _span(self) -> tuple[int, int]:
        start = self._index * UNIT_LINES
        return start, min(start + UNIT_LINES, self._fence.count)

    def estimate(self, width: int) -> int:  # noqa: ARG002 - the unit's contract
        start, end = self._span
        return end - start + (self._index == 0 and not self._fence.joined) + self._last

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        fence, wash = self._fence, palette.code_block
        fence.read()
        indent = LEFT + fence.indent
        right = max(indent + 1, edge(width) if fence.wide else block_edge(width))
        start, end = self._span
        highlighter, shift = fence.highlighter(start, end)
        inside: list[Run] = [(" " * fence.indent, Style.null()), self._padding(palette)]
        tokens = (highlighter.line(number - shift, plain=palette.text_only) for number in range(start, end))
        shown = [(styled(line, palette, wash), tabs_in(fence.source[start + at])) for at, line in enumerate(tokens)]
        lines = (Line(runs, inside, inside, wash, wide=True, stand_ins=tabs) for runs, tabs in shown or [([], ())])
        rows = rows_of(lines, right, margin=margin(), first=1)
        if self._index == 0 and not fence.joined:
            if rows:
                rows[0] = self._labelled(rows[0], palette)
            rows.insert(0, half_row(wash, indent, right - indent, top=True))
        if self._last:
            rows.append(half_row(wash, indent, right - indent, top=False))
        return rows

    def _padding(self, palette: Palette) -> Run:
        """Where a theme has no wash, a bar tells what is code."""
        if palette.code_block.bgcolor is None:
            return "│" + " " * (PADDING - 1), palette.border
        return " " * PADDING, palette.code_block

    def _labelled(self, row: Row, palette: Palette) -> Row:
        label = f"{self._fence.language} "
        if len(label) < 2 or row.tail < len(label) + 2 or row.wrapped:
            return row
        style = palette.faint + palette.code_block
        *segments, fill = row.segments
        segments += [Segment(fill.text[: row.tail - cell_len(label)], fill.style), Segment(label, style)]
        tail = row.tail - cell_len(label) + len(label)
        return replace(row, segments=segments, tail=tail)
