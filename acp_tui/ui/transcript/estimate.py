"""About how many rows an entry takes before it was ever drawn; right enough for a scrollbar, and O(parts)."""

from acp_tui.session.entries import Entry, MessageEntry, TextPart

FOLDED_ROWS = 2  # a heading and the blank row before it
TYPICAL_LINE = 60  # characters: lines of prose and code rarely fill a wide screen


def estimate_rows(entry: Entry, width: int) -> int:
    """About the rows of `entry` at `width` cells, without drawing it."""
    if not isinstance(entry, MessageEntry) or entry.role == "thought":
        return FOLDED_ROWS
    length = sum(part.length if isinstance(part, TextPart) else TYPICAL_LINE for part in entry.parts)
    return FOLDED_ROWS + length // max(1, min(width, TYPICAL_LINE))
