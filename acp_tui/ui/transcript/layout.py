"""The layout of a transcript: where every entry, unit and row lies.

Heights are exact where a unit was measured and estimates elsewhere. Only this room measures, because
positions rot silently when a height changes behind the tree's back.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from acp_tui.session.entries import Entry, MessageEntry, TextPart
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.wrap import Drawing, ReadsAhead, Row, Unit


class Heights:
    """A growing list of heights (rows) that answers "where does i begin" and "what lies at row y".

    What begins where is known up to the first height that changed since, and added up from there when it is asked
    for: what changes and what is asked for lie near each other, mostly at the end.
    """

    __slots__ = ("_rows", "_starts", "total")

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._rows = list(heights)
        self._starts = [0]
        self.total = sum(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> int:
        return self._rows[index]

    def append(self, height: int) -> None:
        """Add an entry at the end; False if it is there already."""
        self._rows.append(height)
        self.total += height

    def set(self, index: int, height: int) -> None:
        self.total += height - self._rows[index]
        if height != self._rows[index]:
            self._rows[index] = height
            del self._starts[index + 1 :]

    def truncate(self, count: int) -> None:
        self.total -= sum(self._rows[count:])
        del self._rows[count:], self._starts[count + 1 :]

    def before(self, index: int) -> int:
        starts = self._starts
        if index >= len(starts):
            starts += accumulate(self._rows[len(starts) : index], initial=starts[-1] + self._rows[len(starts) - 1])
        return starts[index]

    def at(self, row: int) -> tuple[int, int]:
        """Which index covers `row`, and how many rows into it; past the end it is `(len, rows past the end)`."""
        while self._starts[-1] <= row and len(self._starts) <= len(self._rows):
            self.before(min(2 * len(self._starts), len(self._rows)))
        index = bisect_right(self._starts, row) - 1
        return index, row - self._starts[index]


ROWS_HELD = 4_000  # measured rows before those far from the viewport are forgotten; one takes up to 2.7 KB
FOLDED_ROWS = 2  # a heading and the blank row before it
TYPICAL_LINE = 60  # characters: lines of prose and code rarely fill a wide screen


class HeldRows:
    """How many measured rows a layout's entries hold together."""

    __slots__ = ("rows",)

    def __init__(self) -> None:
        self.rows = 0


class OpenEntry:
    """A drawing with the height of each unit: exact where `rows_of` is held, an estimate elsewhere."""

    __slots__ = ("_held", "_measured", "drawing", "heights", "units")

    def __init__(self, drawing: Drawing, width: int, held: HeldRows) -> None:
        self.drawing = drawing
        self._held = held
        self.units: list[Unit] = []
        self.heights = Heights()
        self._measured: list[tuple[int, Sequence[Row]] | None] = []
        self.sync(0, width)

    def sync(self, first: int, width: int) -> int:
        """Take over the drawing's units from index `first` on; a unit that is the same keeps its rows."""
        units = self.drawing.units
        held = len(self.units)
        first = min(first, held)
        for index in range(first, len(units)):
            unit = units[index]
            if index >= held:
                self.units.append(unit)
                self._measured.append(None)
                self.heights.append(max(0, unit.estimate(width)))
            elif unit is not self.units[index]:
                self.units[index] = unit
                self._drop(index)
                self.heights.set(index, max(0, unit.estimate(width)))
        for index in range(len(units), held):
            self._drop(index)
        del self.units[len(units) :], self._measured[len(units) :]
        self.heights.truncate(len(self.units))
        return first

    def toggle(self, width: int) -> int | None:
        first = self.drawing.toggle()
        return None if first is None else self.sync(first, width)

    def fold(self, folded: bool, width: int) -> int | None:
        return self.toggle(width) if self.drawing.folded is (not folded) else None

    def rows_of(self, unit: int) -> Sequence[Row] | None:
        """The rows of a unit if they were asked for and have not changed since; its height is exact then."""
        measured = self._measured[unit]
        return measured[1] if measured is not None and measured[0] == self.units[unit].version else None

    def measure(self, unit: int, width: int, palette: Palette) -> Sequence[Row]:
        version = self.units[unit].version
        rows = self.units[unit].rows(width, palette)
        self._drop(unit)
        self._measured[unit] = (version, rows)
        self._held.rows += len(rows)
        self.heights.set(unit, len(rows))
        return rows

    def forget(self) -> None:
        for index in range(len(self.units)):
            self._drop(index)

    def _drop(self, unit: int) -> None:
        measured = self._measured[unit]
        if measured is not None:
            self._measured[unit] = None
            self._held.rows -= len(measured[1])


def estimate_rows(entry: Entry, width: int) -> int:
    """About the rows of `entry` at `width` cells, without drawing it; right enough for a scrollbar, and O(parts)."""
    if not isinstance(entry, MessageEntry) or entry.role in ("thought", "injected"):
        return FOLDED_ROWS
    length = sum(part.length if isinstance(part, TextPart) else TYPICAL_LINE for part in entry.parts)
    return FOLDED_ROWS + length // max(1, min(width, TYPICAL_LINE))


class Layout:
    """All entries at one width and palette.

    A *place* is an entry's number in order of arrival; it never changes, a removed entry leaves an empty
    place of no height. An entry is *opened* (drawn) when it first comes near the viewport.
    """

    def __init__(self, draw: Callable[[Entry], Drawing], width: int = 0, palette: Palette | None = None) -> None:
        self.width = width
        self.palette = palette
        self._draw = draw
        self._plain: tuple[Palette, Palette] | None = None  # a palette, and the same for reading
        self.load(())

    def load(self, entries: Iterable[Entry]) -> None:
        self.entries: list[Entry | None] = []
        self.heights = Heights()
        self._places: dict[int, int] = {}
        self._opened: dict[int, OpenEntry] = {}
        self._stale: dict[int, None] = {}  # places of drawn entries that changed and were not looked at since
        self._held = HeldRows()
        self._left = 0  # rows that were held after others were forgotten
        self._folding: tuple[bool, int] | None = None
        for entry in entries:
            self.append(entry)

    @property
    def total(self) -> int:
        return self.heights.total

    def place_of(self, entry: Entry) -> int | None:
        return self._places.get(id(entry))

    def append(self, entry: Entry) -> bool:
        if id(entry) in self._places:
            return False
        self._disturb(len(self.entries))
        self._places[id(entry)] = len(self.entries)
        self.entries.append(entry)
        self.heights.append(estimate_rows(entry, self.width))
        return True

    def remove(self, entry: Entry) -> None:
        place = self._places.pop(id(entry), None)
        if place is None:
            return
        self.entries[place] = None
        if (opened := self._opened.pop(place, None)) is not None:
            opened.forget()
        self._stale.pop(place, None)
        self.heights.set(place, 0)
        self._disturb(place)

    def _disturb(self, place: int) -> None:
        """Have the entry before a place looked at again: its drawing may depend on what follows it."""
        before = next((number for number in range(place - 1, -1, -1) if self.entries[number] is not None), -1)
        if before in self._opened:
            self._stale[before] = None

    def change(self, entry: Entry) -> None:
        """Note that an entry changed; it is looked at again when it comes near the viewport or `catch_up` is called."""
        place = self._places.get(id(entry))
        if place is None:
            return
        if place in self._opened:
            self._stale[place] = None
        else:
            self.heights.set(place, estimate_rows(entry, self.width))

    def read_ahead(self, entry: Entry, until: Callable[[], bool]) -> bool:
        """Let an entry's drawing take over some of what is new; whether there is more for which there was no time."""
        opened = self._opened.get(self._places.get(id(entry), -1))
        return opened is not None and isinstance(opened.drawing, ReadsAhead) and opened.drawing.read_ahead(until)

    @property
    def stale(self) -> bool:
        return bool(self._stale)

    def catch_up(self, until: Callable[[], bool]) -> None:
        while self._stale and not until():
            self.update(next(iter(self._stale)))

    def reshape(self, width: int, palette: Palette | None) -> None:
        """Take another width or palette: all rows are asked for again, heights remain as estimates."""
        if not self.width:  # what was estimated without a width is worthless
            self.heights = Heights(0 if entry is None else estimate_rows(entry, width) for entry in self.entries)
        self.width, self.palette = width, palette
        for opened in self._opened.values():
            opened.forget()

    def open(self, place: int) -> OpenEntry:
        """The drawn entry at a place, up to date with its entry; an empty place has none (`LookupError`)."""
        opened = self._opened.get(place)
        if opened is None:
            opened = self._open(place)
        elif place in self._stale:
            self.update(place)
        return opened

    def update(self, place: int) -> int | None:
        """Let the drawing at a place look at its entry again; the first unit that changed, None if none did."""
        if place not in self._stale:
            return None
        del self._stale[place]
        opened = self._opened[place]
        first = opened.sync(opened.drawing.update(), self.width)
        self.heights.set(place, opened.heights.total)
        return first

    def toggle(self, place: int) -> int | None:
        opened = self.open(place)
        first = opened.toggle(self.width)
        self.heights.set(place, opened.heights.total)
        return first

    def fold_all(self, folded: bool, watched: int = -1) -> int | None:
        """Fold or unfold all entries: those drawn now, the others when they are.

        The result tells about the entry at place `watched`: the first unit that changed, None if none did.
        """
        self._folding = (folded, len(self.entries))
        result = None
        for place, opened in self._opened.items():
            first = opened.fold(folded, self.width)
            self.heights.set(place, opened.heights.total)
            if place == watched:
                result = first
        return result

    def measure(self, place: int, unit: int) -> Sequence[Row]:
        """The rows of a unit; its height is exact from now on."""
        opened = self.open(place)
        rows = opened.rows_of(unit)
        if rows is None:
            if self.palette is None:
                raise LookupError("no palette was given yet")
            rows = opened.measure(unit, self.width, self.palette)
            self.heights.set(place, opened.heights.total)
        return rows

    def units_from(self, place: int, unit: int) -> Iterator[tuple[int, int]]:
        """Places and units from one on, downward; entries are drawn as they are met."""
        for number in range(place, len(self.entries)):
            if self.entries[number] is not None:
                for index in range(unit if number == place else 0, len(self.open(number).units)):
                    yield number, index

    def units_before(self, place: int, unit: int) -> Iterator[tuple[int, int]]:
        """Places and units before one, upward; entries are drawn as they are met."""
        for number in range(min(place, len(self.entries) - 1), -1, -1):
            if self.entries[number] is not None:
                count = len(self.open(number).units)
                for index in range((min(unit, count) if number == place else count) - 1, -1, -1):
                    yield number, index

    def read(self, place: int) -> Iterator[tuple[int, Sequence[Row]]]:
        """The units of an entry by index with their rows, for their text; what was not measured yet is not kept."""
        if self.entries[place] is None or self.palette is None:
            return
        opened = self.open(place) if place in self._opened else self._drawn(place)
        if self._plain is None or self._plain[0] is not self.palette:
            self._plain = self.palette, replace(self.palette, text_only=True)
        for index, unit in enumerate(opened.units):
            rows = opened.rows_of(index)
            yield index, unit.rows(self.width, self._plain[1]) if rows is None else rows

    def held_rows(self, place: int, unit: int) -> Sequence[Row] | None:
        opened = self._opened.get(place)
        return opened.rows_of(unit) if opened is not None and unit < len(opened.units) else None

    def forget_beyond(self, first: int, last: int) -> None:
        """Where too many rows are held, drop those of entries outside the places `first` to `last`.

        All opened entries are looked at then, so it is not done again before as many rows have come to what remained.
        """
        self._left = min(self._left, self._held.rows)
        if self._held.rows - self._left <= ROWS_HELD:
            return
        for place, opened in self._opened.items():
            if not first <= place <= last:
                opened.forget()
        self._left = self._held.rows

    def _open(self, place: int) -> OpenEntry:
        opened = self._opened[place] = self._drawn(place)
        self.heights.set(place, opened.heights.total)
        return opened

    def _drawn(self, place: int) -> OpenEntry:
        entry = self.entries[place]
        if entry is None:
            raise LookupError(f"the entry at place {place} was removed")
        opened = OpenEntry(self._draw(entry), self.width, self._held)
        if self._folding and place < self._folding[1]:
            opened.fold(self._folding[0], self.width)
        return opened
