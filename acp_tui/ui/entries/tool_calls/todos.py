"""A todo list below its tool call, step by step as a plan is."""

from collections.abc import Sequence

from acp_tui.protocol.vocabulary.plans import PlanEntry
from acp_tui.ui.entries.shared_units import FixedUnit
from acp_tui.ui.entries.tool_calls.diff import more_row
from acp_tui.ui.entries.tool_calls.words import STATUSES
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.render.unit import Row
from acp_tui.ui.render.wrap import LEFT, Line, edge, rows_of

LONGEST_STEP = 400
SIGNS = STATUSES | {"completed": ("✓", "success")}


class TodoUnit(FixedUnit):
    """The steps; of more than `most` those around the one that is at hand."""

    def __init__(self, steps: Sequence[PlanEntry], most: int | None) -> None:
        self._steps, self._most = steps, most or len(steps)

    def estimate(self, width: int) -> int:  # noqa: ARG002 - the unit's contract
        return min(self._most, len(self._steps)) + (self._most < len(self._steps))

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        at_hand = next((at for at, step in enumerate(self._steps) if step.status == "in_progress"), 0)
        first = max(0, min(at_hand - self._most // 2, len(self._steps) - self._most))
        rows = rows_of((_line(step, palette) for step in self._steps[first : first + self._most]), edge(width))
        hidden = len(self._steps) - self._most
        return [*rows, more_row(hidden, palette, LEFT)] if hidden > 0 else rows


def _line(step: PlanEntry, palette: Palette) -> Line:
    sign, ink = SIGNS.get(step.status, SIGNS["pending"])
    words = palette.text if step.status in ("pending", "in_progress") else palette.muted
    lead = [(" " * LEFT, palette.text), (f"{sign} ", getattr(palette, ink))]
    return Line([(sanitise_line(step.content, LONGEST_STEP), words)], lead, [(" " * (LEFT + 2), palette.text)])
