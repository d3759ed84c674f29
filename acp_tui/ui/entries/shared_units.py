"""What several kinds of entry share: how one is shown, a blank row, an entry of one unit."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, NamedTuple

from acp_tui.session.entries import Entry, SubagentEntry, ToolCallEntry
from acp_tui.session.state import Session
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.unit import Drawing, Row, Unit
from acp_tui.ui.render.wrap import blank_row


class Appearance(NamedTuple):
    """How entries of a kind are shown. Each file of drawings has a table `DRAWS` of its kinds.

    `text` is what is found in one by its words, and `version` another one whenever that may be another.
    """

    draw: Callable[[Any, Session], Drawing]
    text: Callable[[Any, Session], str] = lambda entry, _session: str(entry.plain())
    version: Callable[[Any, Session], tuple[int, ...]] = lambda entry, _session: (entry.version,)


Draws = dict[type[Entry], Appearance]


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


def in_a_group(entry: Entry, session: Session) -> bool:
    """Whether a tool call or a subagent comes after this one, or nothing yet: those stand together."""
    return isinstance(_following(entry, session), ToolCallEntry | SubagentEntry | None)


def _following(entry: Entry, session: Session) -> Entry | None:
    """The entry that is seen after this one; entries are in the order in which they began.

    A subagent that a tool call shows is not seen where it was announced.
    """
    entries, anchors = session.entries, session.index.anchors
    if entries and entries[-1] is entry:
        return None
    index = bisect_left(entries, entry.started_at, key=lambda other: other.started_at)
    after = next((at + 1 for at in range(index, len(entries)) if entries[at] is entry), len(entries))
    seen = (
        each for each in islice(entries, after, None) if not isinstance(each, SubagentEntry) or each.id not in anchors
    )
    return next(seen, None)
