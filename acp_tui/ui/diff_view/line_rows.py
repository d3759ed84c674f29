"""Rows of units of which some show lines of a diff or a plan, with what stands below these lines."""

from collections.abc import Callable, Sequence
from itertools import groupby

from acp_tui.ui.diff_view.spots import Spot, spots_of
from acp_tui.ui.entries.shared_units import FixedUnit
from acp_tui.ui.entries.tool_calls.diff import HunkUnit
from acp_tui.ui.kit.theme import palette_of
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.unit import Row, Unit
from acp_tui.ui.render.wrap import blank_row
from acp_tui.ui.transcript.units_view import AHEAD, UnitsView

Below = Callable[[int, Spot], Sequence[Unit]]


class Place(FixedUnit):
    """Rows that are left free for a widget that lies over them."""

    def __init__(self, height: int) -> None:
        self.height = height

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:  # noqa: ARG002 - the unit's contract
        return [blank_row() for _ in range(self.height)]


class LineRows(UnitsView):
    """`below` gives the units that stand below a spot, by its number and itself; `is_read` whether a unit is marked."""

    MARGIN = 2  # cells: the cursor's bar, and the mark

    def __init__(self, below: Below, is_read: Callable[[Unit], bool], id: str | None = None) -> None:  # noqa: A002
        super().__init__(id)
        self._below, self._is_read = below, is_read
        self._spots: list[Spot] = []
        self._extents: list[range] = []  # the rows of each
        self._owners: dict[int, int] = {}  # row → spot
        self._numbers: dict[int, HunkUnit] = {}  # spot → its unit
        self._marks: set[int] = set()  # rows that have a mark
        self._held: dict[int, tuple[Unit, Sequence[Row], dict[int, Spot]]] = {}
        self.place: int | None = None  # the row of the `Place` that was seen last

    def _reaches(self, at: int) -> bool:
        """Measure until there is a spot of this number; whether there is one."""
        while at >= len(self._spots) and self._measured < len(self._units) and self._width:
            self._measure(len(self._rows) + AHEAD)
        self._place()
        return at < len(self._spots)

    def notify_style_update(self) -> None:
        if palette_of(self.app) is not self._palette:
            self._held.clear()
        super().notify_style_update()

    def _begin(self, width: int) -> None:
        if width != self._width:
            self._held.clear()
        self._spots, self._extents, self._owners, self._numbers = [], [], {}, {}
        self._marks, self.place = set(), None
        super()._begin(width)

    def _rows_of(self, unit: Unit, palette: Palette) -> Sequence[Row]:
        width = max(1, self._width - self.MARGIN)
        held = self._held.get(id(unit))
        if held is None:
            rows = super()._rows_of(unit, palette)
            held = self._held[id(unit)] = unit, rows, dict(spots_of(unit, rows, width))
        _, rows, spots = held
        if isinstance(unit, Place):
            self.place = len(self._rows)
        if self._is_read(unit):
            self._marks.add(len(self._rows))
        found: list[Row] = []
        for number, group in groupby(rows, lambda row: row.line):
            own = list(group)
            found += own
            spot = spots.get(number)
            if spot is not None:
                self._add_spot(spot, unit, len(self._rows) + len(found), len(own))
                found += self._rows_below(len(self._spots) - 1, len(self._rows) + len(found), palette)
        return found

    def _add_spot(self, spot: Spot, unit: Unit, end: int, height: int) -> None:
        number = len(self._spots)
        self._spots.append(spot)
        self._extents.append(range(end - height, end))
        self._owners.update(dict.fromkeys(self._extents[-1], number))
        if isinstance(unit, HunkUnit):
            self._numbers[number] = unit

    def _rows_below(self, number: int, first: int, palette: Palette) -> list[Row]:
        found: list[Row] = []
        for unit in self._below(number, self._spots[number]):
            if isinstance(unit, Place):
                self.place = first + len(found)
            found += unit.rows(max(1, self._width - self.MARGIN), palette)
        self._owners.update(dict.fromkeys(range(first, first + len(found)), number))
        return found
