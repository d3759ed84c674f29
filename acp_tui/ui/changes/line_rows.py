"""Rows of units of which some show lines of a diff or a plan, with what stands below these lines."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from acp_tui.frozen import Frozen
from acp_tui.ui.entries.base_units import FixedUnit
from acp_tui.ui.entries.diff_units import HunkUnit
from acp_tui.ui.kit.list_panel import AHEAD, UnitsView
from acp_tui.ui.kit.theme import palette_of
from acp_tui.ui.render.diff import DiffLine
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.wrap import Row, Unit, blank_row, text_of

ENDS = 16  # letters and digits at either end of a line that is looked for in its source
PLAN = "Plan"


class LineSpot(Frozen):
    """A logical line that the cursor can stand on: the lines before and after the change that it shows.

    `group` is all that a selection may reach: the lines of its hunk, or of its plan. `path` is as it is shown, `starts`
    the cells at which its old and its new side begin.
    """

    path: str
    group: Sequence[DiffLine]
    old: Sequence[DiffLine] = ()
    new: Sequence[DiffLine] = ()
    plan: bool = False
    starts: tuple[int, int] = (0, 0)

    def lines(self, *, old: bool) -> Sequence[DiffLine]:
        """Its lines of the wanted side, else of the other one."""
        unchanged = self.old == self.new
        return self.old if self.old and not unchanged and (old or not self.new) else self.new


def spots_of(unit: Unit, rows: Sequence[Row], width: int) -> Iterator[tuple[int, LineSpot]]:
    """The spots of a unit whose rows were made last at this width, each with the number of its logical line."""
    if isinstance(unit, HunkUnit):
        starts = unit.number_cells(width, old=True).start, unit.number_cells(width, old=False).start
        for number, (old, new) in enumerate(unit.sides(width)):
            if old or new:
                sides = (old,) if old else (), (new,) if new else ()
                yield number, LineSpot(unit.file.path, unit.hunk.lines, *sides, starts=starts)
    elif isinstance(unit, PlanUnit):
        yield from unit.spots(rows)


class PlanText:
    """A plan's source; what is drawn of it is found there again by its letters and digits."""

    def __init__(self, text: str, name: str = PLAN) -> None:
        self.name = name
        self.lines = [DiffLine(" ", number, number, line) for number, line in enumerate(text.split("\n"), 1)]
        self._letters = "".join(_letters(line.text) for line in self.lines)
        self._owners = [at for at, line in enumerate(self.lines) for _ in _letters(line.text)]

    def find(self, drawn: str, start: int) -> tuple[range, int] | None:
        """The lines, as indices, that a drawn one shows, looked for from a place in the source; and where that ends."""
        wanted = _letters(drawn)
        if not wanted:
            return None
        begin = self._letters.find(wanted[:ENDS], start)
        if begin < 0:
            return None
        end = self._letters.find(wanted[-ENDS:], begin + max(0, len(wanted) - ENDS))
        stop = begin + len(wanted[:ENDS]) if end < 0 else end + len(wanted[-ENDS:])
        return range(self._owners[begin], self._owners[stop - 1] + 1), stop


def _letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


class PlanUnit:
    """A unit of a plan that is drawn; its logical lines are found in the source, after those of the unit `above`."""

    def __init__(self, unit: Unit, source: PlanText, above: "PlanUnit | None") -> None:
        self._unit, self._source, self._above = unit, source, above
        self._end = 0

    @property
    def version(self) -> int:
        return self._unit.version

    @property
    def end(self) -> int:
        """Where in the source what it shows ends."""
        return self._end or (self._above.end if self._above else 0)

    def estimate(self, width: int) -> int:
        return self._unit.estimate(width)

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        return self._unit.rows(width, palette)

    def spots(self, rows: Sequence[Row]) -> Iterator[tuple[int, LineSpot]]:
        source, place = self._source, self._above.end if self._above else 0
        drawn: dict[int, str] = {}
        for row in rows:
            text = text_of(row)
            drawn[row.line] = drawn.get(row.line, "") + text[row.gutter : len(text) - row.tail]
        for number, text in drawn.items():
            found = source.find(text, place)
            if found is not None:
                span, place = found
                lines = tuple(source.lines[span.start : span.stop])
                yield number, LineSpot(source.name, source.lines, lines, lines, plan=True)
        self._end = place


def plan_units(units: Sequence[Unit], text: str, name: str = PLAN) -> list[Unit]:
    """The units that a plan is drawn with, as ones whose lines are known."""
    source, found = PlanText(text, name), list[PlanUnit]()
    for unit in units:
        found.append(PlanUnit(unit, source, found[-1] if found else None))
    return list(found)


Below = Callable[[int, LineSpot], Sequence[Unit]]


class ReservedRows(FixedUnit):
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
        self._spots: list[LineSpot] = []
        self._extents: list[range] = []  # the rows of each
        self._owners: dict[int, int] = {}  # row → spot
        self._numbers: dict[int, HunkUnit] = {}  # spot → its unit
        self._marks: set[int] = set()  # rows that have a mark
        self._held: dict[int, tuple[Unit, Sequence[Row], dict[int, LineSpot]]] = {}
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
        if isinstance(unit, ReservedRows):
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

    def _add_spot(self, spot: LineSpot, unit: Unit, end: int, height: int) -> None:
        number = len(self._spots)
        self._spots.append(spot)
        self._extents.append(range(end - height, end))
        self._owners.update(dict.fromkeys(self._extents[-1], number))
        if isinstance(unit, HunkUnit):
            self._numbers[number] = unit

    def _rows_below(self, number: int, first: int, palette: Palette) -> list[Row]:
        found: list[Row] = []
        for unit in self._below(number, self._spots[number]):
            if isinstance(unit, ReservedRows):
                self.place = first + len(found)
            found += unit.rows(max(1, self._width - self.MARGIN), palette)
        self._owners.update(dict.fromkeys(range(first, first + len(found)), number))
        return found
