"""Where words that are looked for lie in the rows of the transcript."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from textual.strip import Strip

from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.unit import Row
from acp_tui.ui.transcript.layout import Layout
from acp_tui.ui.transcript.paint import cells_between, highlight
from acp_tui.ui.transcript.selection import lines_of

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
