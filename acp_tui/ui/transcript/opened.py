"""One entry that was drawn: its units, their heights, and the rows of those that were measured."""

from collections.abc import Sequence

from acp_tui.ui.render.palette import Palette
from acp_tui.ui.transcript.heights import Heights
from acp_tui.ui.transcript.unit import Drawing, Foldable, Row, Unit


class OpenEntry:
    """A drawing with the height of each unit: exact where `rows_of` is held, an estimate elsewhere.

    `epoch` names the width and palette that the held rows belong to; `stale` says that the entry changed
    since the drawing last looked.
    """

    __slots__ = ("_measured", "drawing", "epoch", "heights", "stale", "units")

    def __init__(self, drawing: Drawing, width: int, epoch: int) -> None:
        self.drawing = drawing
        self.units: list[Unit] = []
        self.heights = Heights()
        self.epoch = epoch
        self.stale = False
        self._measured: list[tuple[int, Sequence[Row]] | None] = []
        self.sync(0, width)

    def sync(self, first: int, width: int) -> None:
        """Take over the drawing's units from index `first` on; a unit that is the same keeps its rows."""
        units = self.drawing.units
        held = len(self.units)
        for index in range(first, len(units)):
            unit = units[index]
            if index >= held:
                self.units.append(unit)
                self._measured.append(None)
                self.heights.append(max(0, unit.estimate(width)))
            elif unit is not self.units[index]:
                self.units[index] = unit
                self._measured[index] = None
                self.heights.set(index, max(0, unit.estimate(width)))
            else:
                self._check(index)
        del self.units[len(units) :], self._measured[len(units) :]
        self.heights.truncate(len(self.units))

    def update(self, width: int) -> int:
        """Let the drawing look at its entry again; the index of the first unit that changed."""
        self.stale = False
        first = min(self.drawing.update(), len(self.units))
        self.sync(first, width)
        return first

    def toggle(self, width: int) -> int | None:
        """Fold or unfold; the index of the first unit that changed, None where nothing folds."""
        first = self.drawing.toggle()
        if first is not None:
            first = min(first, len(self.units))
            self.sync(first, width)
        return first

    def fold(self, folded: bool, width: int) -> int | None:
        """Bring to the wanted state a drawing that says whether it is folded; turn over any other."""
        if isinstance(self.drawing, Foldable) and self.drawing.folded in (folded, None):
            return None
        return self.toggle(width)

    def rows_of(self, unit: int) -> Sequence[Row] | None:
        """The rows of a unit if it was measured and its height is exact."""
        measured = self._measured[unit]
        return None if measured is None else measured[1]

    def measure(self, unit: int, width: int, palette: Palette) -> Sequence[Row]:
        version = self.units[unit].version
        rows = self.units[unit].rows(width, palette)
        self._measured[unit] = (version, rows)
        self.heights.set(unit, len(rows))
        return rows

    def look_again(self) -> None:
        """Drop the rows of units that have another version; their heights stay, as estimates."""
        for index in range(len(self.units)):
            self._check(index)

    def forget(self) -> None:
        self._measured = [None] * len(self.units)

    def _check(self, unit: int) -> None:
        measured = self._measured[unit]
        if measured is not None and measured[0] != self.units[unit].version:
            self._measured[unit] = None
