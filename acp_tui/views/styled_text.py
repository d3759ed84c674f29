"""Text with tones: what a view gives a front end to paint or to print.

A view limits foreign text in characters (`one_line`). A front end makes it safe, measures it in cells and cuts it.
"""

from collections.abc import Iterable

Tone = str
"""`muted`, `faint`, `user`, `agent`, `key`, `success`, `warning`, `error`, with `bold` or without; empty for none.

A front end gives each a colour; what is said must be understood without it.
"""
Span = tuple[str, Tone]
StyledText = list[Span]
SEPARATOR = " · "


def plain(text: Iterable[Span]) -> str:
    """The text without its tones."""
    return "".join(words for words, _ in text)


def joined(parts: Iterable[StyledText], separator: Span = (SEPARATOR, "muted")) -> StyledText:
    """The parts that are not empty in one text, with the separator between two."""
    whole: StyledText = []
    for part in parts:
        if plain(part):
            whole += [separator, *part] if whole else part
    return whole
