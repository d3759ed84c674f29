"""Finding rows in a layout, and keeping one where the reader looks at it while everything around it changes height.

To *settle* is to measure what lies within a margin of the viewport, find the anchor's row again, and say
at which row the viewport begins. Within the margin heights are exact, so that a page up or down lands
where it should.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from acp_tui.ui.render.unit import Row, Unit
from acp_tui.ui.transcript.layout import Layout

MARGIN = 60  # rows


class Spot(NamedTuple):
    """A row of the transcript: the entry's place, the unit's index in it, the row's index in that."""

    place: int
    unit: int
    row: int


class Shown(NamedTuple):
    """A row together with where it belongs."""

    place: int
    unit: int
    row: Row


def top_of(layout: Layout, spot: Spot) -> int:
    """The row of the transcript at which a spot lies."""
    return layout.heights.before(spot.place) + layout.open(spot.place).heights.before(spot.unit) + spot.row


def locate(layout: Layout, row: int) -> Spot | None:
    """The spot at a row of the transcript (the last one past the end), None if there are no rows at all."""
    place, rest = layout.heights.at(max(0, row))
    if place < len(layout.entries):
        unit, rest = layout.open(place).heights.at(rest)
    else:
        unit = 0
    spot = near(layout, place, unit)
    if spot is None or spot[:2] != (place, unit):
        return spot
    return spot._replace(row=min(rest, len(layout.measure(place, unit)) - 1))


def last(layout: Layout) -> Spot | None:
    """The last row."""
    for number, index in layout.units_before(len(layout.entries), 0):
        if count := len(layout.measure(number, index)):
            return Spot(number, index, count - 1)
    return None


def near(layout: Layout, place: int, unit: int) -> Spot | None:
    """The first row at or after a unit, else the last row before it."""
    for number, index in layout.units_from(place, unit):
        if layout.measure(number, index):
            return Spot(number, index, 0)
    return last(layout)


def rows_of_entry(layout: Layout, place: int, enough: int) -> int:
    """How many rows the entry at a place has, counted until there are `enough`."""
    rows = 0
    for number, index in layout.units_from(place, 0):
        if number != place or rows >= enough:
            break
        rows += len(layout.measure(number, index))
    return rows


def rows_from(layout: Layout, spot: Spot, count: int) -> list[Shown]:
    """Up to `count` rows from a spot on."""
    found: list[Shown] = []
    start = spot.row
    for place, unit in layout.units_from(spot.place, spot.unit):
        rows = layout.measure(place, unit)
        stop = min(len(rows), start + count - len(found))
        found.extend(Shown(place, unit, rows[index]) for index in range(start, stop))
        if len(found) >= count:
            break
        start = 0
    return found


@dataclass(frozen=True, slots=True)
class Anchor:
    """A row that stays where it is on the screen: `below` rows under the viewport's top.

    `line` and `offset` name a character, so that the row is found again at another width.
    """

    spot: Spot
    line: int
    offset: int
    below: int = 0

    def moved(self, spot: Spot) -> "Anchor":
        """This anchor at another row, whose character is not known yet."""
        return replace(self, spot=spot, line=-1)


def anchor_at(layout: Layout, spot: Spot | None, below: int = 0) -> Anchor | None:
    """An anchor for the row at a spot."""
    if spot is None:
        return None
    row = layout.measure(spot.place, spot.unit)[spot.row]
    return Anchor(spot, row.line, row.offset, below)


def settle_end(layout: Layout, height: int) -> int:
    """Settle with the last row at the viewport's bottom; the viewport's top row."""
    end = (len(layout.entries), 0)
    first = _measure_up(layout, *end, height + max(MARGIN, height))
    layout.forget_beyond(first, len(layout.entries))
    return max(0, layout.total - height)


def settle(layout: Layout, anchor: Anchor, height: int) -> tuple[int, Anchor | None]:
    """Settle around an anchor; the viewport's top row and the anchor as it is now."""
    found = _find(layout, _renew(layout, anchor))
    if found is None:
        return settle_end(layout, height), None
    spot = found.spot
    margin = max(MARGIN, height)
    last = _measure_down(layout, spot, height - found.below + margin)
    first = _measure_up(layout, spot.place, spot.unit, margin + found.below - spot.row)
    layout.forget_beyond(first, last)
    top = top_of(layout, spot) - found.below
    return max(0, min(top, layout.total - height)), found


@dataclass(frozen=True, slots=True)
class Trail:
    """What is remembered of a spot while its entry changes: its unit, and its depth below the entry's top."""

    spot: Spot
    unit: Unit | None
    depth: int

    @classmethod
    def of(cls, layout: Layout, spot: Spot) -> "Trail":
        """Remember a spot; asks for nothing and draws nothing."""
        opened = layout.held(spot.place)
        if opened is None:
            return cls(spot, None, spot.row)
        unit = opened.units[spot.unit] if spot.unit < len(opened.units) else None
        return cls(spot, unit, opened.heights.before(min(spot.unit, len(opened.units))) + spot.row)

    def follow(self, layout: Layout, first: int | None) -> Spot:
        """Where the row is after its entry's units from `first` on changed: in its unit, else as deep as before."""
        place, unit, row = self.spot
        if first is None or unit < first:
            return self.spot
        opened = layout.open(place)
        same = unit < len(opened.units) and opened.units[unit] is self.unit
        if same and row < len(layout.measure(place, unit)):
            return self.spot
        rest = self.depth - opened.heights.before(min(first, len(opened.units)))
        index, count = first, 0
        for index in range(first, len(opened.units)):
            count = len(layout.measure(place, index))
            if rest < count:
                return Spot(place, index, max(0, rest))
            rest -= count
        return Spot(place, index, max(0, count - 1))


def _renew(layout: Layout, anchor: Anchor) -> Anchor:
    """The anchor after its entry was brought up to date."""
    trail = Trail.of(layout, anchor.spot)
    moved = trail.follow(layout, layout.update(anchor.spot.place))
    return anchor if moved == anchor.spot else anchor.moved(moved)


def _find(layout: Layout, anchor: Anchor) -> Anchor | None:
    """The anchor with the row it has now; a neighbour's where its own entry has no rows any more."""
    place, unit, row = anchor.spot
    if place < len(layout.entries) and layout.entries[place] is not None and unit < len(layout.open(place).units):
        rows = layout.measure(place, unit)
        if rows:
            if anchor.line < 0:
                return anchor_at(layout, Spot(place, unit, min(row, len(rows) - 1)), anchor.below)
            return replace(anchor, spot=Spot(place, unit, _row_of(rows, anchor)))
    return anchor_at(layout, near(layout, place, unit), anchor.below)


def _row_of(rows: Sequence[Row], anchor: Anchor) -> int:
    row = anchor.spot.row
    if row < len(rows) and (rows[row].line, rows[row].offset) == (anchor.line, anchor.offset):
        return row
    return max(0, bisect_right(rows, (anchor.line, anchor.offset), key=lambda row: (row.line, row.offset)) - 1)


def _measure_down(layout: Layout, spot: Spot, wanted: int) -> int:
    """Measure from a spot down until `wanted` rows are exact; the last place that was met."""
    rows, last = -spot.row, spot.place
    for place, unit in layout.units_from(spot.place, spot.unit):
        last = place
        rows += len(layout.measure(place, unit))
        if rows >= wanted:
            break
    return last


def _measure_up(layout: Layout, place: int, unit: int, wanted: int) -> int:
    """Measure the units before one until `wanted` rows are exact; the first place that was met."""
    rows, first = 0, place
    if wanted <= 0:
        return first
    for number, index in layout.units_before(place, unit):
        first = number
        rows += len(layout.measure(number, index))
        if rows >= wanted:
            break
    return first
