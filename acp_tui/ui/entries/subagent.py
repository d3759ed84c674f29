"""Subagents in the transcript of their parent, and what sessions say to each other."""

from collections.abc import Sequence

from acp_tui.session.entries import SessionMessageEntry, SubagentEntry
from acp_tui.session.folds.messages import text_of
from acp_tui.ui.entries.notice import EntryUnit, message_lines
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.render.unit import Row
from acp_tui.ui.render.wrap import blank_row, block_edge, page_line, rows_of


class SubagentUnit(EntryUnit[SubagentEntry]):
    """Title and state."""

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        entry = self._entry
        state = "disconnected" if entry.disconnected else sanitise_line(entry.state or "not confirmed", 40)
        title = sanitise_line(entry.title or "", 200) or "Subagent"
        line = page_line([(f"{title}  ", palette.text), (state, palette.muted)], "◇", palette.muted)
        return [*rows_of([line], block_edge(width)), blank_row()]


class SessionMessageUnit(EntryUnit[SessionMessageEntry]):
    """What was said between sessions."""

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        head = page_line([("Message", palette.muted)], "✉", palette.muted)
        lines = [head, *message_lines(text_of(self._entry.parts), palette.text, palette)]
        return [*rows_of(lines, block_edge(width)), blank_row()]
