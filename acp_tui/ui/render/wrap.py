"""Word wrap of styled lines into rows of cells, and where text stands on the transcript's page.

Text must be sanitised (render/text.py): then the cells of a line are the sum of the cells of its characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from rich.cells import cell_len, get_character_cell_size
from rich.segment import Segment
from rich.style import Style

from acp_tui.ui.render.palette import Palette

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.content import ContentBlock

# Keys in the meta of a segment's style, for clicks.
FOLD = "fold"  # in any segment of a row: folds the row's entry
FOLDS = Style.from_meta({FOLD: True})
OPEN = "open"  # opens the block of the segment's unit (`Opens`)
LINK = "link"  # opens the address that is the key's value
CHANGES = "changes"  # opens the changes of the turn that is the key's value, of the session for 0
SUBAGENT = "subagent"  # opens the transcript of the subagent that the key's value names


StandIn = tuple[int, int, str]
"""Characters of a logical line that are drawn for others, from `[0]` to `[1]`; `[2]` is copied in their place."""


@dataclass(slots=True, frozen=True)
class Row:
    """One row of cells.

    `line` numbers the logical line within the unit and `offset` the character of that line with which this
    row begins, so that a selection survives another width; `gutter` is the number of leading characters that
    are decoration and never copied (accent bars, line numbers). `wrapped` tells that the line goes on in the
    next row; characters between the two were blanks. `tail` is the number of trailing characters that are
    decoration (a wash that reaches the margin) and never copied. The `stand_ins` are those of the whole line.
    """

    segments: Sequence[Segment]
    line: int
    offset: int = 0
    gutter: int = 0
    wrapped: bool = False
    tail: int = 0
    stand_ins: Sequence[StandIn] = ()


def text_of(row: Row) -> str:
    """The characters of a row as they are shown, decoration included."""
    return "".join(segment.text for segment in row.segments if not segment.control)


def copied(text: str, stand_ins: Sequence[StandIn], start: int = 0, end: int = -1) -> str:
    """A part of a logical line as it is in its source; to its end, if that is -1. A stand-in begins in it or not."""
    end = len(text) if end < 0 else min(end, len(text))
    parts: list[str] = []
    at = start
    for first, last, source in stand_ins:
        if first >= end and not first == last == len(text):
            break
        if first >= start:
            parts += text[at:first], source
        at = max(at, last)
    return "".join(parts) + text[at:end]


class Unit(Protocol):
    """A piece of an entry that is laid out by itself: a paragraph, a fence, a diff, a heading line."""

    @property
    def version(self) -> int:
        """Bumped when the unit's rows would come out differently."""

    def estimate(self, width: int) -> int:
        """About how many rows; must be cheap: it is asked for units that were never on screen."""

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        """The rows at `width` cells, none wider. Called for units near the viewport only; the view caches."""


@runtime_checkable
class Ticks(Protocol):
    """A unit that may tell how long something goes on: while it `ticks`, it is looked at each second."""

    @property
    def ticks(self) -> bool:
        """Whether it does now."""


@runtime_checkable
class Opens(Protocol):
    """A unit that stands for one content block, which can be opened, saved or copied."""

    @property
    def block(self) -> ContentBlock:
        """That block."""


class Drawing(Protocol):
    """How one entry is drawn. `units` may be replaced from any index on; earlier ones stay as they are."""

    @property
    def folded(self) -> bool | None:
        """Whether it is folded now; None where nothing folds."""

    @property
    def units(self) -> Sequence[Unit]:
        """All units, in order; an entry draws a blank separator row as part of its own units."""

    def update(self) -> int:
        """Look at the entry again (its version changed); the index of the first unit that changed."""

    def toggle(self) -> int | None:
        """Fold or unfold; the index of the first unit that changed, or None where nothing folds."""


@runtime_checkable
class ReadsAhead(Protocol):
    """A drawing whose entry may grow faster than one `update` should take over."""

    def read_ahead(self, until: Callable[[], bool]) -> bool:
        """Take over some of what is new before the next `update`; whether `until` ended that too early."""


Run = tuple[str, Style]
TAB = 4
MEASURE = 104  # cells of prose; longer rows are hard to read
EDGE = 132  # the last column of a conversation on wide screens: 119 characters of code with numbers and signs
LEFT = 3  # cells before text: a blank, the sign, a blank
RIGHT = 2  # cells after text
NEVER_FIRST = frozenset("、。，．：；！？）］｝」』】〉》’”…ー々ゝゞ!?,.:;)]}%")


@dataclass(slots=True)
class Line:
    """A logical line: `runs` are its text; `gutter` and `hang` decorate its first and its other rows.

    With `fill` each row is padded to the right edge in that style; `wide` lines may pass the measure of prose.
    The `stand_ins` say what is copied in the place of some characters.
    """

    runs: Sequence[Run]
    gutter: Sequence[Run] = ()
    hang: Sequence[Run] = ()
    fill: Style | None = None
    wide: bool = False
    stand_ins: Sequence[StandIn] = ()

    @property
    def text(self) -> str:
        """What is copied of it."""
        return "".join(text for text, _ in self.runs)


def cells_of(runs: Sequence[Run]) -> int:
    return sum(cell_len(text) for text, _ in runs)


def expand_tabs(text: str, column: int = 0) -> str:
    """The text with each tab as blanks up to the next stop; `column` is the cell in which it begins."""
    if "\t" not in text:
        return text
    parts: list[str] = []
    for part in text.split("\t"):
        parts.append(part)
        column += cell_len(part)
        stop = TAB - column % TAB
        parts.append(" " * stop)
        column += stop
    return "".join(parts[:-1])


def tabs_in(text: str, stop: int = TAB) -> tuple[StandIn, ...]:
    """Which of the blanks that `expand_tabs` makes of a line are tabs."""
    if "\t" not in text:
        return ()
    found: list[StandIn] = []
    length = column = 0
    for part in text.split("\t")[:-1]:
        length, column = length + len(part), column + cell_len(part)
        blanks = stop - column % stop
        found.append((length, length + blanks, "\t"))
        length, column = length + blanks, column + blanks
    return tuple(found)


def rows_of(
    lines: Iterable[Line], width: int, *, margin: Sequence[Run] = (), measure: int | None = None, first: int = 0
) -> list[Row]:
    narrow = width if measure is None else min(width, cells_of(margin) + measure)
    rows: list[Row] = []
    for number, line in enumerate(lines, first):
        framed = line
        if margin:
            framed = replace(line, gutter=(*margin, *line.gutter), hang=(*margin, *line.hang))
        rows.extend(wrap(framed, width if line.wide else narrow, number))
    return rows


class Wrapped:
    """Rows of lines that grow at their end: those that were there before keep their rows."""

    def __init__(self) -> None:
        self._shape: tuple[object, ...] = ()
        self._lines: list[Line] = []
        self._rows: list[list[Row]] = []

    def rows_of(
        self, lines: list[Line], width: int, *, margin: Sequence[Run] = (), measure: int | None = None, first: int = 0
    ) -> list[Row]:
        shape = width, tuple(margin), measure, first
        same = 0
        if shape == self._shape:
            known = min(len(lines), len(self._lines))
            same = next((index for index in range(known) if lines[index] != self._lines[index]), known)
        del self._rows[same:]
        self._rows += (
            rows_of((line,), width, margin=margin, measure=measure, first=number)
            for number, line in enumerate(lines[same:], first + same)
        )
        self._shape, self._lines = shape, lines
        return [row for rows in self._rows for row in rows]


def wrap(line: Line, width: int, number: int) -> Iterator[Row]:
    """The rows of one logical line; no row is wider than `width`, unless its gutter alone is."""
    runs = line.runs
    text = runs[0][0] if len(runs) == 1 else "".join(text for text, _ in runs)
    room = max(1, width - cells_of(line.gutter))
    if len(text) <= room and (text.isascii() or cell_len(text) <= room):
        yield _row(line, line.gutter, [run for run in runs if run[0]], (number, 0, False), width)
        return
    spans = break_text(text, room, max(1, width - cells_of(line.hang)))
    if (end := spans[-1][1]) < len(text):  # blanks at the end that hang over the edge
        kept = [each for each in line.stand_ins if each[0] < end]
        line = replace(line, stand_ins=(*kept, (end, end, copied(text, line.stand_ins, end))))
    for index, (start, end) in enumerate(spans):
        last = index == len(spans) - 1
        gutter = line.hang if index else line.gutter
        yield _row(line, gutter, slice_runs(runs, start, end), (number, start, not last), width)


def _row(line: Line, gutter: Sequence[Run], runs: Sequence[Run], place: tuple[int, int, bool], width: int) -> Row:
    number, start, wrapped = place
    segments = [Segment(text, style) for text, style in (*gutter, *runs)]
    tail = 0
    if line.fill is not None:
        tail = width - sum(segment.cell_length for segment in segments)
        if tail > 0:
            segments.append(Segment(" " * tail, line.fill))
    decoration = sum(len(text) for text, _ in gutter)
    return Row(segments, number, start, decoration, wrapped, max(0, tail), line.stand_ins)


def slice_runs(runs: Iterable[Run], start: int, end: int) -> list[Run]:
    sliced: list[Run] = []
    position = 0
    for text, style in runs:
        stop = position + len(text)
        if stop > start:
            if position >= end:
                break
            if piece := text[max(0, start - position) : end - position]:
                sliced.append((piece, style))
        position = stop
    return sliced


def break_text(text: str, first: int, rest: int) -> list[tuple[int, int]]:
    """Where rows of `first`, then `rest` cells start and end; what lies between two of them are blanks."""
    fit = _fit_ascii if text.isascii() else _fit_cells
    spans: list[tuple[int, int]] = []
    start, room, length = 0, first, len(text)
    while True:
        end = fit(text, start, room)
        if end >= length:
            spans.append((start, length))
            return spans
        following = end
        while following < length and text[following] == " ":
            following += 1
        if following == length:  # only blanks are left: they hang over the edge
            spans.append((start, end))
            return spans
        while end > start + 1 and text[end - 1] == " ":
            end -= 1
        spans.append((start, end))
        start, room = following, rest


def _fit_ascii(text: str, start: int, room: int) -> int:
    """Where a row that begins at `start` ends, if every character is one cell."""
    edge = start + room
    if edge >= len(text) or text[edge] == " ":
        return edge
    blank = text.rfind(" ", start, edge)
    if blank > start and not text[start:blank].isspace():
        return blank
    return edge


def _fit_cells(text: str, start: int, room: int) -> int:
    """Where a row that begins at `start` ends: wide characters may part anywhere but before closing signs."""
    edge = start
    cells = 0
    length = len(text)
    while edge < length:
        cells += get_character_cell_size(text[edge])
        if cells > room:
            break
        edge += 1
    edge = max(edge, start + 1)
    if edge >= length or text[edge] == " ":
        return edge
    for place in range(edge, start, -1):
        before, after = text[place - 1], text[place]
        if before == " ":
            return place if not text[start:place].isspace() else edge
        wide = get_character_cell_size(before) == 2 or get_character_cell_size(after) == 2
        if wide and get_character_cell_size(after) and after not in NEVER_FIRST:
            return place
    return edge


def edge(width: int) -> int:
    return max(LEFT + 1, width - RIGHT)


def block_edge(width: int) -> int:
    """The cell after the last of a washed block, in line with prose."""
    return min(edge(width), LEFT + MEASURE)


def blank_row() -> Row:
    return Row((), 0)


def margin(sign: str = "", style: Style | None = None) -> list[Run]:
    """The cells before text, with a one-cell sign in its column."""
    plain = Style.null()
    if not sign:
        return [(" " * LEFT, plain)]
    return [(" ", plain), (sign, style or plain), (" ", plain)]


def page_line(
    runs: Sequence[Run], sign: str = "", style: Style | None = None, stand_ins: Sequence[StandIn] = ()
) -> Line:
    """A line behind the margin, with a one-cell sign in its column."""
    return Line(runs, margin(sign, style), margin(), stand_ins=stand_ins)


def half_row(wash: Style, indent: int, cells: int, *, top: bool, bar: Style | None = None) -> Row:
    """A row of which half belongs to the washed block below (`top`) or above it: a margin of half a row."""
    if wash.bgcolor is None:
        return blank_row()
    ink = Style(color=wash.bgcolor)
    segments = [Segment(" " * indent)]
    if bar is not None:
        segments.append(Segment("▖" if top else "▘", bar))
    segments.append(Segment(("▄" if top else "▀") * cells, ink))
    return Row(segments, 0, gutter=sum(len(segment.text) for segment in segments))


def ends_a_wash(row: Row) -> bool:
    """Whether it is the half row below a washed block."""
    return row.gutter > 0 and text_of(row).strip()[-1:] == "▀" and row.gutter == len(text_of(row))


def one_line(runs: list[Run]) -> Row:
    """A row of runs that are known to fit, behind the margin."""
    return Row([Segment(text, style) for text, style in runs], 0, gutter=LEFT)
