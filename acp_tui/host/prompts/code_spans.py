"""Which parts of a Markdown text are code: fenced blocks, and spans between backticks."""

import re
from collections.abc import Callable, Iterator

_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`\n]*$)|~{3,})")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_TICKS = re.compile(r"\\`|`+")


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """The text with all that is not code as `change` has it."""
    return "".join(piece if is_code else change(piece) for piece, is_code in _pieces(text))


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of a text in order, and whether each is code. A span of code ends with its paragraph."""
    prose, fence = "", ""
    for line in _LINE.findall(text):
        if fence:
            yield line, True
            closing = line.strip(" \t>\n")
            if len(closing) >= len(fence) and set(closing) == {fence[0]}:
                fence = ""
            continue
        opening = _FENCE.match(line)
        if opening is None and line.strip():
            prose += line
            continue
        yield from _spans(prose)
        prose, fence = "", opening[1] if opening is not None else ""
        yield line, opening is not None
    yield from _spans(prose)


def _spans(prose: str) -> Iterator[tuple[str, bool]]:
    """The parts of a paragraph: code stands between two equally long rows of backticks."""
    rows = [found for found in _TICKS.finditer(prose) if found[0][0] == "`"]
    last = {len(row[0]): row.start() for row in rows}
    at = opened = 0
    length = 0
    for row in rows:
        if length and len(row[0]) == length:
            yield prose[opened : row.end()], True
            at, length = row.end(), 0
        elif not length and last[len(row[0])] > row.start():
            yield prose[at : row.start()], False
            opened, length = row.start(), len(row[0])
    yield prose[at:], False
