"""Text objects: what is at the cursor, as start and end; `around` it with the blanks or the signs that hold it."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise

from acp_tui.ui.prompt.vim.places import enclosing, kind, line_end, line_start

Span = tuple[int, int]
Find = Callable[[str, int, bool], Span | None]


def _word(big: bool, text: str, at: int, around: bool) -> Span | None:
    start, end = line_start(text, at), line_end(text, at)
    if start == end:
        return None

    def run(first: int) -> Span:
        here, last = kind(text[first], big=big), first + 1
        while first > start and kind(text[first - 1], big=big) == here:
            first -= 1
        while last < end and kind(text[last], big=big) == here:
            last += 1
        return first, last

    first, last = run(min(at, end - 1))
    if around and last < end and not (kind(text[first]) and kind(text[last])):
        last = run(last)[1]  # the blanks after the word, or the word after the blanks
    elif around and first > start and kind(text[first]) and not kind(text[first - 1]):
        first = run(first - 1)[0]
    return first, last


word, big_word = partial(_word, False), partial(_word, True)


def quoted(sign: str) -> Find:
    """What stands between two of these signs on the line: the nearest around the cursor, else the next two.

    A sign under the cursor is the first or the second of two, as they follow each other on the line.
    """

    def find(text: str, at: int, around: bool) -> Span | None:
        start, end = line_start(text, at), line_end(text, at)
        signs = [place for place in range(start, end) if text[place] == sign and text[place - 1 : place] != "\\"]
        counted = at in signs or not signs or at < signs[0]
        pairs = zip(signs[::2], signs[1::2], strict=False) if counted else pairwise(signs)
        first, last = next((pair for pair in pairs if at <= pair[1]), (-1, -1))
        if first < 0:
            return None
        return (first, _blanks(text, last + 1)) if around else (first + 1, last)

    return find


def bracketed(opening: str) -> Find:
    def find(text: str, at: int, around: bool) -> Span | None:
        found = enclosing(text, at, opening)
        if found is None:
            return None
        first, last = found
        return (first, last + 1) if around else (first + 1, last)

    return find


def paragraph(text: str, at: int, around: bool) -> Span | None:
    """The lines between two empty ones, without the last newline; `around` them with the empty lines after them."""
    lines = text.split("\n")
    here = text.count("\n", 0, at)
    first = last = here
    blank = not lines[here].strip()
    while first and (not lines[first - 1].strip()) is blank:
        first -= 1
    while last + 1 < len(lines) and (not lines[last + 1].strip()) is blank:
        last += 1
    while around and last + 1 < len(lines) and (not lines[last + 1].strip()) is not blank:
        last += 1
    return sum(len(line) + 1 for line in lines[:first]), sum(len(line) + 1 for line in lines[: last + 1]) - 1


def _blanks(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    return at
