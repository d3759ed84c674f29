"""Columns of text for a terminal or a file; must not know what stands in them."""

import os
import shutil
import sys
from collections.abc import Sequence

from acp_tui.errors import Fault
from acp_tui.headless.safe_text import safe_line

GAP = "  "


def width() -> int:
    """How many characters fit on a line; plenty where standard output is no terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 1000


def in_columns(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    """One line for each row, every column but the last as wide as `widths` says; what is longer is cut with `…`."""
    lines: list[str] = []
    for row in rows:
        cells = [safe_line(cell, size).ljust(size) for cell, size in zip(row, widths, strict=False)]
        rest = [safe_line(cell, 1000) for cell in row[len(widths) :]]
        lines.append(GAP.join([*cells, *rest]).rstrip())
    return lines


def widest(texts: Sequence[str], most: int) -> int:
    """The width of a column that holds these texts, `most` at most."""
    return min(most, max((len(safe_line(text)) for text in texts), default=0))


def say(text: str) -> None:
    """Print to standard output, whatever its encoding can show.

    A reader that went away has read enough: that raises `SystemExit`. Raises `Fault` if it cannot be written at all.
    """
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding) + "\n")
        sys.stdout.flush()
    except OSError as error:
        # What is left in the buffer is written once more when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise SystemExit(1) from None
        raise Fault("Standard output cannot be written", error.strerror or str(error)) from error
