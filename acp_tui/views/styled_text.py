"""Text with tones: what a view gives a front end to paint or to print.

A view limits foreign text in characters (`one_line`). A front end makes it safe, measures it in cells and cuts it.
"""

from collections.abc import Iterable
from typing import NamedTuple

from acp_tui.safe_text import one_line

Tone = str
"""`muted`, `faint`, `user`, `agent`, `key`, `success`, `warning`, `error`, and `bold`, `italic`, `strike`; or nothing.

A front end gives each a colour; what is said must be understood without it.
"""
Span = tuple[str, Tone]
StyledText = list[Span]
SEPARATOR = " · "
ELLIPSIS = "…"


class SplitRow(NamedTuple):
    """A row whose `text` gives way to what stands at its right; of a path the end says more than the beginning.

    `value` is the id of what a click on it opens, if anything.
    """

    lead: StyledText
    text: str
    right: StyledText
    value: str = ""
    is_path: bool = False


def plain(text: Iterable[Span]) -> str:
    """The text without its tones."""
    return "".join(words for words, _ in text)


def brief(text: str, limit: int) -> str:
    """Foreign text on one line in at most so many characters, with `…` where it was cut."""
    most = 8 * limit + 80  # of which it may lose what is not shown
    line = one_line(text if len(text) <= most else text[:most] + ELLIPSIS)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + ELLIPSIS


def brief_path(path: str, limit: int) -> str:
    """A path of one line in at most so many characters, cut in the middle: how it begins, and the file's name."""
    folder, _, name = path.rpartition("/")
    room = limit - len(name) - len("…/")
    if len(path) <= limit:
        return path
    return f"{folder[:room]}{ELLIPSIS}/{name}" if room > 0 else ELLIPSIS + path[1 - limit :]


def joined(parts: Iterable[StyledText], separator: Span = (SEPARATOR, "muted")) -> StyledText:
    """The parts that are not empty in one text, with the separator between two."""
    whole: StyledText = []
    for part in parts:
        if plain(part):
            whole += [separator, *part] if whole else part
    return whole
