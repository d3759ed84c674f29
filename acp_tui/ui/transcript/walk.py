"""Finding rows in a layout: what lies at a row, at or after a unit, at the end. Measures what it meets."""

from typing import NamedTuple

from acp_tui.ui.transcript.layout import Layout
from acp_tui.ui.transcript.unit import Row


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
