"""Finding rows in a layout, and keeping one where the reader looks at it while everything around it changes height.

To *settle* is to measure what lies within a margin of the viewport, find the anchor's row again, and say
at which row the viewport begins. Within the margin heights are exact, so that a page up or down lands
where it should.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from acp_tui.frozen import Frozen
from acp_tui.ui.render.wrap import Row, Unit
from acp_tui.ui.transcript.layout import Layout

MARGIN = 60  # rows


class RowPosition(NamedTuple):
    """A row of the transcript: the entry's place, the unit's index in it, the row's index in that."""

    place: int
    unit: int
    row: int


class LocatedRow(NamedTuple):
    """A row together with where it belongs."""

    place: int
    unit: int
    row: Row


def top_of(layout: Layout, spot: RowPosition) -> int:
    """The row of the transcript at which a spot lies."""
    return layout.heights.before(spot.place) + _depth(layout, spot)


def _depth(layout: Layout, spot: RowPosition) -> int:
    return layout.open(spot.place).heights.before(spot.unit) + spot.row


def locate(layout: Layout, row: int) -> RowPosition | None:
    """The spot at a row of the transcript (the last one past the end), None if there are no rows at all."""
    place, rest = layout.heights.at(max(0, row))
    unit, rest = layout.open(place).heights.at(rest) if place < len(layout.entries) else (0, rest)
    spot = near(layout, place, unit)
    if spot is None or spot[:2] != (place, unit):
        return spot
    return spot._replace(row=min(rest, len(layout.measure(place, unit)) - 1))


def near(layout: Layout, place: int, unit: int) -> RowPosition | None:
    """The first row at or after a unit, else the last row before it."""
    for number, index in layout.units_from(place, unit):
        if layout.measure(number, index):
            return RowPosition(number, index, 0)
    for number, index in layout.units_before(place, unit):
        if count := len(layout.measure(number, index)):
            return RowPosition(number, index, count - 1)
    return None


def rows_from(layout: Layout, spot: RowPosition, count: int) -> list[LocatedRow]:
    """Up to `count` rows from a spot on."""
    found: list[LocatedRow] = []
    start = spot.row
    for place, unit in layout.units_from(spot.place, spot.unit):
        rows = layout.measure(place, unit)
        stop = min(len(rows), start + count - len(found))
        found.extend(LocatedRow(place, unit, rows[index]) for index in range(start, stop))
        if len(found) >= count:
            break
        start = 0
    return found


class ScrollAnchor(Frozen):
    """A row that stays where it is on the screen: `below` rows under the viewport's top.

    `line` and `offset` name a character, so that the row is found again at another width. The `unit` itself and the
    `depth` below the entry's top find it again when the entry changed.
    """

    spot: RowPosition
    line: int
    offset: int
    unit: Unit
    depth: int
    below: int = 0


def anchor_at(layout: Layout, spot: RowPosition | None, below: int = 0) -> ScrollAnchor | None:
    if spot is None:
        return None
    row = layout.measure(spot.place, spot.unit)[spot.row]
    return ScrollAnchor(
        spot, row.line, row.offset, layout.open(spot.place).units[spot.unit], _depth(layout, spot), below
    )


def settle_end(layout: Layout, height: int) -> int:
    """Settle with the last row at the viewport's bottom; the viewport's top row."""
    measure_end(layout, height, lambda: False)
    return max(0, layout.total - height)


def show_end(layout: Layout, height: int) -> int:
    """The same without a margin, which nobody needs before the reader scrolls: `measure_end` has it measured.

    Where less than a margin seems to lie above, it is measured here: by estimates that are too low a page up would
    reach the beginning, and be taken for a way to it.
    """
    count = len(layout.entries)
    layout.forget_beyond(_measure(layout, layout.units_before(count, 0), height, count), count)
    if layout.total < height + max(MARGIN, height):
        return settle_end(layout, height)
    return max(0, layout.total - height)


def measure_end(layout: Layout, height: int, until: Callable[[], bool]) -> bool:
    """Measure what lies above the end; whether all of the margin is, or `until` came first."""
    count = len(layout.entries)
    wanted = height + max(MARGIN, height)
    for place, unit in layout.units_before(count, 0):
        wanted -= len(layout.measure(place, unit))
        if wanted <= 0:
            layout.forget_beyond(place, count)
            break
        if until():
            return False
    return True


def settle(layout: Layout, anchor: ScrollAnchor, height: int) -> tuple[int, ScrollAnchor | None]:
    """Settle around an anchor; the viewport's top row and the anchor as it is now."""
    renewed = renew(layout, anchor, layout.update(anchor.spot.place))
    found = renewed and _find(layout, renewed)
    if found is None:
        return settle_end(layout, height), None
    place, unit, row = found.spot
    margin = max(MARGIN, height)
    last = _measure(layout, layout.units_from(place, unit), height - found.below + margin + row, place)
    first = _measure(layout, layout.units_before(place, unit), margin + found.below - row, place)
    layout.forget_beyond(first, last)
    top = top_of(layout, found.spot) - found.below
    return max(0, min(top, layout.total - height)), replace(found, depth=_depth(layout, found.spot))


def renew(layout: Layout, anchor: ScrollAnchor, first: int | None) -> ScrollAnchor | None:
    """The anchor after its entry's units from `first` on changed: in its unit, else as deep as before."""
    place, unit, row = anchor.spot
    if first is None or unit < first:
        return anchor
    opened = layout.open(place)
    same = unit < len(opened.units) and opened.units[unit] is anchor.unit
    if same and row < len(layout.measure(place, unit)):
        return anchor
    rest = anchor.depth - opened.heights.before(min(first, len(opened.units)))
    spot = None
    for index in range(first, len(opened.units)):
        if count := len(layout.measure(place, index)):
            spot = RowPosition(place, index, max(0, min(rest, count - 1)))
        if rest < count:
            break
        rest -= count
    return anchor_at(layout, spot or near(layout, place, first), anchor.below)


def _find(layout: Layout, anchor: ScrollAnchor) -> ScrollAnchor | None:
    place, unit, _ = anchor.spot
    if place < len(layout.entries) and layout.entries[place] is not None and unit < len(layout.open(place).units):
        rows = layout.measure(place, unit)
        if rows:
            return replace(anchor, spot=RowPosition(place, unit, _row_of(rows, anchor)))
    return anchor_at(layout, near(layout, place, unit), anchor.below)


def _row_of(rows: Sequence[Row], anchor: ScrollAnchor) -> int:
    row = anchor.spot.row
    if row < len(rows) and (rows[row].line, rows[row].offset) == (anchor.line, anchor.offset):
        return row
    return max(0, bisect_right(rows, (anchor.line, anchor.offset), key=lambda row: (row.line, row.offset)) - 1)


def _measure(layout: Layout, units: Iterable[tuple[int, int]], wanted: int, place: int) -> int:
    """Measure units in their order until `wanted` rows are exact; the last place that was met, at first `place`."""
    for number, unit in units:
        place = number
        wanted -= len(layout.measure(number, unit))
        if wanted <= 0:
            break
    return place
