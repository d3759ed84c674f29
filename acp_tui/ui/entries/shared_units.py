"""Units and drawings that several kinds of entry share: a blank row, an entry of one unit, one that folds."""

from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

from rich.style import Style

from acp_tui.session.entries import Entry
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise
from acp_tui.ui.render.unit import Row, Unit
from acp_tui.ui.render.wrap import Line, blank_row, expand_tabs, page_line

E = TypeVar("E", bound=Entry)
MESSAGE_LINES = 12  # of a message; more is counted, not shown


class FixedUnit:
    """A unit that never comes out differently; one row, where it does not say otherwise."""

    __slots__ = ()
    version = 0

    def estimate(self, width: int) -> int:  # noqa: ARG002 - the unit's contract
        return 1


class BlankUnit(FixedUnit):
    """The blank row after an entry."""

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:  # noqa: ARG002 - the unit's contract
        return [blank_row()]


def message_lines(message: str, style: Style, palette: Palette) -> Iterator[Line]:
    """The first lines of a message; the rest is counted."""
    lines = sanitise(message).strip("\n").split("\n")
    for line in lines[:MESSAGE_LINES]:
        yield page_line([(expand_tabs(line), style)])
    if len(lines) > MESSAGE_LINES:
        yield page_line([(f"… {len(lines) - MESSAGE_LINES} more lines", palette.faint)])


class EntryUnit(Generic[E]):
    """A unit that is drawn anew whenever its entry changes."""

    def __init__(self, entry: E) -> None:
        self._entry = entry

    @property
    def version(self) -> int:
        return self._entry.version

    def estimate(self, width: int) -> int:  # noqa: ARG002 - the unit's contract
        return 2  # it is drawn as soon as its entry is


class NeverFolds:
    """A drawing of which nothing folds."""

    folded = None

    def toggle(self) -> None:
        pass


class OneUnit(NeverFolds):
    """The drawing of an entry that is one unit, which sees for itself what changed."""

    def __init__(self, unit: Unit) -> None:
        self.units: Sequence[Unit] = [unit]

    def update(self) -> int:
        return 0


class Folding(Generic[E]):
    """The drawing of an entry that is one row until somebody unfolds it, and its own first unit: that row."""

    def __init__(self, entry: E) -> None:
        self._entry = entry
        self._folded = True
        self._blank = BlankUnit()
        self._inside: Sequence[Unit] = ()

    @property
    def folded(self) -> bool | None:
        return self._folded

    @property
    def units(self) -> Sequence[Unit]:
        return [self, *(self._inside or [self._blank])]

    @property
    def version(self) -> int:
        return 2 * self._entry.version + self._folded

    def estimate(self, width: int) -> int:  # noqa: ARG002 - the unit's contract
        return 1

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        """The row that is always there."""
        raise NotImplementedError

    def inside(self) -> Sequence[Unit]:
        """What unfolds below it, as the entry is now; asked for while it is unfolded only."""
        raise NotImplementedError

    def update(self) -> int:
        self._inside = () if self._folded else self.inside()
        return 0

    def toggle(self) -> int | None:
        if self.folded is None:
            return None
        self._folded = not self._folded
        return self.update()

    @property
    def _sign(self) -> str:
        return f" {'▸' if self._folded else '▾'} "
