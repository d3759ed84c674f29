"""Units: an entry is a drawing of units, a unit gives rows of cells.

The view knows heights, scrolling, selection and painting, and nothing of what an entry means. Whoever draws a
kind of entry gives it a `Drawing`: a list of units, of which all but the last few never change again while the
entry grows. Only units near the viewport are ever asked for rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from rich.segment import Segment
from rich.style import Style

from acp_tui.ui.render.palette import Palette

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.content import ContentBlock

# Keys in the meta of a segment's style, for clicks.
FOLD = "fold"  # in any segment of a row: folds the row's entry
FOLDS = Style.from_meta({FOLD: True})
OPEN = "open"  # opens the block of the segment's unit (`Opens`)
LINK = "link"  # opens the address that is the key's value
CHANGES = "changes"  # opens the changes of the turn that is the key's value, of the session for 0
SUBAGENT = "subagent"  # opens the transcript of the subagent that the key's value names


StandIn = tuple[int, int, str]
"""Characters of a logical line that are drawn for others, from `[0]` to `[1]`; `[2]` is copied in their place."""


@dataclass(slots=True, frozen=True)
class Row:
    """One row of cells.

    `line` numbers the logical line within the unit and `offset` the character of that line with which this
    row begins, so that a selection survives another width; `gutter` is the number of leading characters that
    are decoration and never copied (accent bars, line numbers). `wrapped` tells that the line goes on in the
    next row; characters between the two were blanks. `tail` is the number of trailing characters that are
    decoration (a wash that reaches the margin) and never copied. The `stand_ins` are those of the whole line.
    """

    segments: Sequence[Segment]
    line: int
    offset: int = 0
    gutter: int = 0
    wrapped: bool = False
    tail: int = 0
    stand_ins: Sequence[StandIn] = ()


def text_of(row: Row) -> str:
    """The characters of a row as they are shown, decoration included."""
    return "".join(segment.text for segment in row.segments if not segment.control)


def copied(text: str, stand_ins: Sequence[StandIn], start: int = 0, end: int = -1) -> str:
    """A part of a logical line as it is in its source; to its end, if that is -1. A stand-in begins in it or not."""
    end = len(text) if end < 0 else min(end, len(text))
    parts: list[str] = []
    at = start
    for first, last, source in stand_ins:
        if first >= end and not first == last == len(text):
            break
        if first >= start:
            parts += text[at:first], source
        at = max(at, last)
    return "".join(parts) + text[at:end]


class Unit(Protocol):
    """A piece of an entry that is laid out by itself: a paragraph, a fence, a diff, a heading line."""

    @property
    def version(self) -> int:
        """Bumped when the unit's rows would come out differently."""

    def estimate(self, width: int) -> int:
        """About how many rows; must be cheap: it is asked for units that were never on screen."""

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        """The rows at `width` cells, none wider. Called for units near the viewport only; the view caches."""


@runtime_checkable
class Ticks(Protocol):
    """A unit that may tell how long something goes on: while it `ticks`, it is looked at each second."""

    @property
    def ticks(self) -> bool:
        """Whether it does now."""


@runtime_checkable
class Opens(Protocol):
    """A unit that stands for one content block, which can be opened, saved or copied."""

    @property
    def block(self) -> ContentBlock:
        """That block."""


class Drawing(Protocol):
    """How one entry is drawn. `units` may be replaced from any index on; earlier ones stay as they are."""

    @property
    def folded(self) -> bool | None:
        """Whether it is folded now; None where nothing folds."""

    @property
    def units(self) -> Sequence[Unit]:
        """All units, in order; an entry draws a blank separator row as part of its own units."""

    def update(self) -> int:
        """Look at the entry again (its version changed); the index of the first unit that changed."""

    def toggle(self) -> int | None:
        """Fold or unfold; the index of the first unit that changed, or None where nothing folds."""


@runtime_checkable
class ReadsAhead(Protocol):
    """A drawing whose entry may grow faster than one `update` should take over."""

    def read_ahead(self, until: Callable[[], bool]) -> bool:
        """Take over some of what is new before the next `update`; whether `until` ended that too early."""
