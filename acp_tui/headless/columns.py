"""Columns of text for a terminal or a file; must not know what stands in them."""

import shutil
import sys
from collections.abc import Sequence

from acp_tui.safe_text import one_line

GAP = "  "


def width() -> int:
    """How many characters fit on a line; plenty where standard output is no terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 1000


def in_columns(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    """One line for each row, every column but the last as wide as `widths` says; what is longer is cut with `…`."""
    lines: list[str] = []
    for row in rows:
        cells = [one_line(cell, size).ljust(size) for cell, size in zip(row, widths, strict=False)]
        rest = [one_line(cell, 1000) for cell in row[len(widths) :]]
        lines.append(GAP.join([*cells, *rest]).rstrip())
    return lines


def widest(texts: Sequence[str], most: int) -> int:
    """The width of a column that holds these texts, `most` at most."""
    return min(most, max((len(one_line(text)) for text in texts), default=0))
