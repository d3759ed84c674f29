"""Rows to strips: base colours underneath, highlights on top, links only where they are safe; and the selection.

What is selected is named so that it survives resizing, scrolling and growth. Textual's selections are offsets (x, y).
Here y is a *key*: place, unit and logical line packed into one ordered integer; x is the character within that line.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset
from textual.selection import Selection
from textual.strip import Strip

from acp_tui.session.entries import Entry
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import opens
from acp_tui.ui.render.wrap import CHANGES, FOLD, LINK, OPEN, SUBAGENT, Row, StandIn, copied, text_of
from acp_tui.ui.transcript.layout import Layout

BITS = 24  # of the unit's index, and of the line's number
Written = Callable[[Entry], str | None]
_WORD = re.compile(r"""[^\s"'`()\[\]{}<>|,;]+""")  # paths and addresses are one word


def key_of(place: int, unit: int, line: int) -> int:
    """Place, unit and line as one number in the order of the transcript."""
    return (place << BITS | unit) << BITS | line


def place_and_unit(key: int) -> tuple[int, int]:
    return key >> 2 * BITS, key >> BITS & (1 << BITS) - 1


def lines_of(rows: Sequence[Row]) -> Iterator[tuple[int, str]]:
    """The logical lines of a unit with their numbers: wrapped rows joined again, decoration left out."""
    pieces: list[str] = []
    for index, row in enumerate(rows):
        text = text_of(row)
        text = text[row.gutter : len(text) - row.tail]
        if row.wrapped and index + 1 < len(rows):
            length = max(0, rows[index + 1].offset - row.offset)
            pieces.append(text[:length].ljust(length))  # blanks were dropped at the break
        else:
            yield row.line, "".join(pieces) + text
            pieces.clear()


def copied_lines(rows: Sequence[Row]) -> Iterator[tuple[int, str, Sequence[StandIn]]]:
    stand_ins = {row.line: row.stand_ins for row in rows if row.stand_ins}
    return ((line, text, stand_ins.get(line, ())) for line, text in lines_of(rows))


def selected_text(layout: Layout, selection: Selection, written: Written = lambda _entry: None) -> str:
    """The selected text; a selection without a start or end reaches to the transcript's.

    An entry that is selected as a whole is what `written` says, where it says something, and is not drawn then.
    """
    start, end = selection
    first = 0 if start is None else start.y >> 2 * BITS
    last = len(layout.entries) - 1 if end is None else end.y >> 2 * BITS
    found: list[str] = []
    for place in range(first, min(last + 1, len(layout.entries))):
        entry = layout.entries[place]
        whole = (place > first or start is None) and (place < last or end is None)
        text = written(entry) if whole and entry is not None else None
        if text is None:
            found += _selected_lines(layout, place, selection)
        elif text:
            found += (text, "")
    return "\n".join(found)


def _selected_lines(layout: Layout, place: int, selection: Selection) -> Iterator[str]:
    for unit, rows in layout.read(place):
        for line, text, stand_ins in copied_lines(rows):
            span = selection.get_span(key_of(place, unit, line))
            if span is not None:
                yield copied(text, stand_ins, *span)


def around(layout: Layout, key: int, character: int, *, word: bool) -> Selection:
    """The word or the whole logical line at a character."""
    place, unit = place_and_unit(key)
    line = key & (1 << BITS) - 1
    text = next((text for number, text in lines_of(layout.measure(place, unit)) if number == line), "")
    start, end = 0, len(text)
    if word:
        found = (match.span() for match in _WORD.finditer(text))
        start, end = next((span for span in found if span[0] <= character < span[1]), (character, character + 1))
    return Selection(Offset(start, key), Offset(end, key))


def entry_text(layout: Layout, place: int) -> str:
    """The text of one entry as it is drawn, without decoration and surrounding blank lines."""
    return "\n".join(
        copied(text, stand_ins) for _unit, rows in layout.read(place) for _line, text, stand_ins in copied_lines(rows)
    ).strip("\n")


Spans = list[tuple[int, int]]
UNITS_HELD = 400


class Match(NamedTuple):
    """One match: the characters from `start` to before `end` of a logical line."""

    place: int
    unit: int
    line: int
    start: int
    end: int


class Marks:
    """What is marked in a view: all that `spans` finds in a line, and one match as the current one."""

    def __init__(self, spans: Callable[[str], Spans]) -> None:
        self.spans = spans
        self.current: Match | None = None
        self._held: dict[int, tuple[Sequence[Row], dict[int, Spans]]] = {}  # by identity of the rows

    def paint(self, strip: Strip, shown: tuple[int, int, Row], rows: Sequence[Row], palette: Palette) -> Strip:
        place, unit, row = shown
        for start, end in self.on_line(rows, row.line):
            current = self.current is not None and self.current[:4] == (place, unit, row.line, start)
            style = palette.current_match if current else palette.match
            strip = highlight(strip, *cells_between(row, start, end), style)
        return strip

    def on_line(self, rows: Sequence[Row], line: int) -> Spans:
        held = self._held.get(id(rows))
        if held is None or held[0] is not rows:
            if len(self._held) >= UNITS_HELD:
                self._held.clear()
            found = {number: spans for number, text in lines_of(rows) if (spans := self.spans(text))}
            held = self._held[id(rows)] = rows, found
        return held[1].get(line, [])


def matches_in(layout: Layout, place: int, spans: Callable[[str], Spans]) -> list[Match]:
    """All matches that are to be seen in an entry as it is folded now; draws it, but keeps nothing of it."""
    return [
        Match(place, unit, line, start, end)
        for unit, rows in layout.read(place)
        for line, text in lines_of(rows)
        for start, end in spans(text)
    ]


def row_of(rows: Sequence[Row], match: Match) -> int:
    """Which row of its unit shows the beginning of a match."""
    before = [index for index, row in enumerate(rows) if row.line == match.line and row.offset <= match.start]
    return before[-1] if before else 0


STRIPS_HELD = 1_000
CURSOR = "▎"


def cell_edges(text: str) -> list[int]:
    """The cell at which each character begins, and the end; joined characters share a cell."""
    if text.isascii():
        return list(range(len(text) + 1))
    if "\u200d" not in text and "\ufe0f" not in text:
        return list(accumulate(map(cell_len, text), initial=0))
    return [cell_len(text[:index]) for index in range(len(text) + 1)]


class Painter:
    """Makes strips `width` cells wide on a base style, and holds those made last."""

    def __init__(self, base: Style, width: int) -> None:
        self.base = base
        self.width = width
        self.blank = Strip.blank(width, base)
        self._strips: dict[int, tuple[Row, Strip]] = {}  # by identity; holding the row keeps its id its own

    def strip(self, row: Row) -> Strip:
        held = self._strips.get(id(row))
        if held is not None:
            return held[1]
        if len(self._strips) >= STRIPS_HELD:
            self._strips.clear()
        strip = self.paint(row)
        self._strips[id(row)] = (row, strip)
        return strip

    def paint(self, row: Row) -> Strip:
        """A new strip, for a row that is not shown again."""
        segments = [
            Segment(text, self.base if style is None else self.base + harmless(style))
            for text, style, control in row.segments
            if text and not control
        ]
        return Strip(segments).adjust_cell_length(self.width, self.base)


def harmless(style: Style) -> Style:
    """The style without links that are unsafe and without meta that is not ours (Textual runs `@click`)."""
    link, meta = style.link, style.meta
    kept = {key: meta[key] for key in (CHANGES, FOLD, LINK, OPEN, SUBAGENT) if key in meta}
    if len(kept) == len(meta) and (link is None or opens(link)):
        return style
    safe = Style(link=link if link and opens(link) else None, meta=kept or None)
    return style.clear_meta_and_links() + safe


def highlight(strip: Strip, start: int, end: int, style: Style) -> Strip:
    """The strip with `style` laid over the cells from `start` to before `end`."""
    if start >= end:
        return strip
    middle = Strip(Segment.apply_style(strip.crop(start, end), post_style=style))
    return Strip.join([strip.crop(0, start), middle, strip.crop(end)])


def under_cursor(strip: Strip, base: Style, palette: Palette) -> Strip:
    """The strip as a row of the entry under the cursor: a bar at the edge, another ground where it has no colours."""
    ground = Style(bgcolor=palette.panel_background.bgcolor)
    plain = {None, base.bgcolor, palette.user_background.bgcolor}
    laid = [Segment(CURSOR, base + ground + palette.accent)]
    for text, style, _ in strip.crop(1):
        own = style or base
        laid.append(Segment(text, own + ground if own.bgcolor in plain else own))
    return Strip(laid, strip.cell_length)


def cells_between(row: Row, start: int, end: int) -> tuple[int, int]:
    """The cells of a row that show its line's characters from `start` to before `end` (-1: to the line's end)."""
    edges = cell_edges(text_of(row))
    last = max(0, len(edges) - 1 - row.tail)
    first_shown = min(row.gutter, last)
    begin = min(last, max(first_shown, start - row.offset + row.gutter))
    stop = last if end < 0 else min(last, max(first_shown, end - row.offset + row.gutter))
    return edges[begin], edges[stop]


def characters_under(row: Row, width: int) -> list[int]:
    """For each cell of a row the character of its line that lies there.

    A cell of the gutter stands for the row's first character, both cells of a wide one for the same, and what
    lies right of the text for the place after the line's last character (for the last, if the line goes on).
    """
    text = text_of(row)
    edges = cell_edges(text)
    stop = len(text) - row.tail
    found: list[int] = []
    for index in range(stop):
        found.extend([row.offset + max(0, index - row.gutter)] * (edges[index + 1] - edges[index]))
    length = max(0, stop - row.gutter)
    beyond = row.offset + (max(0, length - 1) if row.wrapped else length)
    return found + [beyond] * (width - len(found))


def hit_strip(row: Row, key: int, width: int) -> Strip:
    """A strip for finding what lies under the mouse: one segment per cell, told to Textual by its offset meta."""
    offsets = characters_under(row, width)
    return Strip([Segment(" ", Style.from_meta({"offset": Offset(offset, key)})) for offset in offsets])
