"""Agent text made safe for a terminal: the one gate that every foreign string passes; knows no markup and no layout.

What passes is printable, as `acp_tui.safe_text` says; here it is also cut to cells, which can be counted one by one.
"""

from collections.abc import Iterable

from rich.cells import cell_len, get_character_cell_size
from textual.content import Content
from textual.style import Style

from acp_tui.safe_text import in_place, one_line, sanitise

__all__ = ["cut", "cut_left", "in_place", "safe", "safe_line", "sanitise", "sanitise_line"]

ELLIPSIS = "…"


def sanitise_line(text: str, limit: int = 200) -> str:
    """The text as one line of at most `limit` cells: newlines become `⏎`, tabs blanks, a cut shows as `…`."""
    if len(text) <= limit and text.isascii() and text.isprintable():  # most names are, and lists have hundreds
        return text.strip()
    if len(text) > 8 * limit + 80:
        text = text[: 8 * limit + 80] + ELLIPSIS  # shown even if what is left needs no further cut
    return cut(one_line(text), limit)


def cut(text: str, width: int) -> str:
    """The sanitised one-line `text` in at most `width` cells, ending in `…` where something was cut."""
    if (len(text) <= width and text.isascii()) or cell_len(text) <= width:
        return text
    if width <= 0:
        return ""
    return text[: _fitting(text, width - 1)].rstrip() + ELLIPSIS


def cut_left(path: str, width: int) -> str:
    """A path in at most `width` cells: its end says more than its beginning."""
    if cell_len(path) <= width:
        return path
    return ELLIPSIS + path[len(path) - _fitting(reversed(path), max(1, width - 1)) :]


def _fitting(text: Iterable[str], width: int) -> int:
    """How many leading characters fit into `width` cells."""
    cells = count = 0
    for character in text:
        cells += get_character_cell_size(character)
        if cells > width:
            break
        count += 1
    return count


def safe(text: str, style: str | Style = "") -> Content:
    """Sanitised text as `Content`, which no widget parses as markup."""
    return Content.styled(sanitise(text), style)


def safe_line(text: str, limit: int = 200, style: str | Style = "") -> Content:
    """`sanitise_line` as `Content`."""
    return Content.styled(sanitise_line(text, limit), style)
