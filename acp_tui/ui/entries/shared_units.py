"""Units and drawings that several kinds of entry share: a blank row, an entry of one unit."""

from bisect import bisect_left
from collections.abc import Sequence

from acp_tui.session.entries import Entry, SubagentEntry, ToolCallEntry
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.unit import Row, Unit
from acp_tui.ui.render.wrap import blank_row


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


def in_a_group(entry: Entry, entries: Sequence[Entry]) -> bool:
    """Whether a tool call or a subagent comes after this one, or nothing yet: those stand together."""
    return isinstance(_following(entry, entries), ToolCallEntry | SubagentEntry | None)


def _following(entry: Entry, entries: Sequence[Entry]) -> Entry | None:
    """The entry after this one; entries are in the order in which they began."""
    if entries and entries[-1] is entry:
        return None
    index = bisect_left(entries, entry.started_at, key=lambda other: other.started_at)
    return next((entries[at + 1] for at in range(index, len(entries) - 1) if entries[at] is entry), None)
