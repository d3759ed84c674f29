"""Where the agent compacted its context: a quiet rule across the page, and the summary when unfolded."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.style import Style

from acp_tui.session.entries import CompactionEntry, MessageEntry
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.render.wrap import LEFT, block_edge, one_line
from acp_tui.ui.transcript.body import Body
from acp_tui.ui.transcript.prose import BlankUnit
from acp_tui.ui.transcript.unit import FOLD, FoldRow, Row, Unit

_WORDS = {
    "in_progress": "Compacting the context …",
    "completed": "Context compacted",
    "failed": "Compaction failed",
    "cancelled": "Compaction cancelled",
}


class CompactionRule(FoldRow[CompactionEntry]):
    """One row: what happened, on a rule."""

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        entry = self._entry
        failed = entry.status == "failed"
        sign = " " if not entry.summary else "▸" if self.folded else "▾"
        style = palette.error if failed else palette.muted
        if entry.summary:
            style += Style.from_meta({FOLD: True})
        said = _WORDS.get(entry.status) or f"Compaction: {sanitise_line(entry.status, 40)}"
        if entry.error:
            said = f"{said}: {sanitise_line(entry.error)}"
        room = max(1, block_edge(width) - LEFT)
        said = cut(said, room)
        rule = " " + "─" * (room - cell_len(said) - 1)
        return [one_line([(f" {sign} ", style), (said, style), (rule if len(rule) > 3 else "", palette.border)])]


class CompactionDrawing:
    """The rule, and the summary as the agent's muted text."""

    def __init__(self, entry: CompactionEntry) -> None:
        self._entry = entry
        self._rule = CompactionRule(entry)
        self._blank = BlankUnit()
        self._text = MessageEntry(entry.id, "thought", entry.summary)
        self._body = Body(self._text)

    @property
    def folded(self) -> bool | None:
        return self._rule.folded if self._entry.summary else None

    @property
    def units(self) -> Sequence[Unit]:
        if self._rule.folded or not self._body.units:
            return [self._rule, self._blank]
        return [self._rule, *self._body.units]

    def update(self) -> int:
        self._text.parts = self._entry.summary
        self._text.sealed = self._entry.sealed
        if not self._rule.folded:
            self._body.update()
        return 0

    def toggle(self) -> int | None:
        if not self._entry.summary:
            return None
        self._rule.folded = not self._rule.folded
        return self.update()
