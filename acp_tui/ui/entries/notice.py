"""Notices: something that a user must be told, by sign and word and not by colour alone."""

from collections.abc import Sequence

from rich.style import Style

from acp_tui.session.entries import NoticeEntry
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.entries.shared_units import EntryUnit, message_lines
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.render.unit import Row
from acp_tui.ui.render.wrap import (
    blank_row,
    block_edge,
    page_line,
    rows_of,
)

SIGNS = {"info": "•", "warning": "!", "error": "✗"}
WORDS = {"info": "Note", "warning": "Warning", "error": "Error"}
_COMMANDS = {"stderr": "show_stderr"}  # the command that shows what a notice points to


class NoticeUnit(EntryUnit[NoticeEntry]):
    """Sign, severity and title, then the message and the hint."""

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        entry = self._entry
        style = severity_style(entry.severity, palette)
        sign, word = sign_and_word(entry.severity)
        title = [(f"{word}  ", style), (sanitise_line(entry.title, 400), palette.text), (times(entry), palette.muted)]
        lines = [page_line(title, sign, style)]
        if entry.message.strip():
            lines += message_lines(entry.message, palette.muted, palette)
        if entry.hint:
            key = f"  {first_way(_COMMANDS[entry.see])}" if entry.see else ""
            hint = [("→ ", palette.faint), (sanitise_line(entry.hint, 400), palette.muted), (key, palette.text)]
            lines.append(page_line(hint))
        return [*rows_of(lines, block_edge(width)), blank_row()]


def sign_and_word(severity: str) -> tuple[str, str]:
    """How a severity is told; one that is not known by its own name."""
    word = WORDS.get(severity) or sanitise_line(severity, 20).capitalize() or "Notice"
    return SIGNS.get(severity, "·"), word


def times(entry: NoticeEntry) -> str:
    """How often it was reported, if more than once: ` ×3`."""
    return f" ×{entry.count:,}" if entry.count > 1 else ""


def severity_style(severity: str, palette: Palette) -> Style:
    """An error is an error; a warning does not wait on the user, so it gets weight and no warning colour."""
    if severity == "error":
        return palette.error
    return palette.text + Style(bold=True) if severity == "warning" else palette.muted
