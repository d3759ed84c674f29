"""Places in a text, which count characters from 0: where motions lead, and the text objects that stand at one.

A motion starts from a text, a place and a count (0 where none was typed); it gives None where it leads nowhere. An
object has its start and end; `around` it are the blanks or the signs that hold it.
"""

import re
from collections.abc import Callable
from functools import partial
from itertools import accumulate, groupby, pairwise

from acp_tui.ui.kit.line_editor import line_end, line_start

PIECES = range(0x100000, 0x10FFFE)  # the last private plane: each of its characters may stand for one chip
EMOJI_PIECES = range(0x108000, 0x10FFFE)  # or for an emoji
BRACKETS = {"(": ")", "[": "]", "{": "}"}
_PARTNERS = {**BRACKETS, **{closing: opening for opening, closing in BRACKETS.items()}}
_CHIP = f"{chr(PIECES[0])}-{chr(EMOJI_PIECES[0] - 1)}"
_WORD = rf"([{_CHIP}])\1*|\w+|[^\w\s{_CHIP}]+"
_EMPTY = r"(?<=\n)(?=\n)"  # a line, which is a word too
WORDS, BIG_WORDS = re.compile(f"{_WORD}|{_EMPTY}"), re.compile(rf"\S+|{_EMPTY}")
_RUNS, _BIG_RUNS = re.compile(rf"{_WORD}|\s+"), re.compile(r"\S+|\s+")

Go = Callable[[str, int, int], int | None]
Bounds = tuple[int, int]
Find = Callable[[str, int, bool], Bounds | None]


def first_word(text: str, at: int) -> int:
    """The first character of the line that is no blank; the line's end where there is none."""
    start, end = line_start(text, at), line_end(text, at)
    return start + len(text[start:end]) - len(text[start:end].lstrip())


def on_character(text: str, at: int) -> int:
    """The nearest place on the line at which a character is: in normal mode the cursor stands on one."""
    return max(line_start(text, at), min(at, line_end(text, at) - 1))


def times(step: Callable[[str, int], int]) -> Go:
    """A motion that makes this step as often as the count says, and ends where none is left."""

    def go(text: str, at: int, count: int) -> int | None:
        came = at
        for _ in range(max(1, count)):
            came, before = step(text, came), came
            if came == before:
                break
        return None if came == at else came

    return go


def right(text: str, at: int) -> int:
    return min(line_end(text, at), at + 1)


def up(text: str, at: int) -> int:
    start = line_start(text, at)
    above = line_start(text, start - 1) if start else start
    return min(above + at - start, start - 1) if start else at


def down(text: str, at: int) -> int:
    end = line_end(text, at)
    return at if end == len(text) else min(end + 1 + at - line_start(text, at), line_end(text, end + 1))


def next_word(words: re.Pattern[str], text: str, at: int) -> int:
    """The beginning of the next word; an empty line is one too."""
    return next((found.start() for found in words.finditer(text, at) if found.start() > at), len(text))


def previous_word(words: re.Pattern[str], text: str, at: int) -> int:
    before = words.search(text[:at][::-1])  # words are the same from behind
    return at - (before.end() if before else at)


def word_end(words: re.Pattern[str], text: str, at: int) -> int:
    """The last character of this word; of the next one, if that is where the cursor is."""
    return next((found.end() - 1 for found in words.finditer(text, at + 1) if found[0]), max(0, len(text) - 1))


def to_line_end(text: str, at: int, count: int) -> int:
    """The last character of the line; with a count, of a line further down."""
    for _ in range(count - 1):
        at = min(len(text), line_end(text, at) + 1)
    return max(line_start(text, at), line_end(text, at) - 1)


def to_first_line(text: str, _at: int, count: int) -> int:
    """The line of this number, of the last one where there are fewer."""
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    return first_word(text, starts[min(max(1, count), len(starts)) - 1])


def to_last_line(text: str, at: int, count: int) -> int:
    return to_first_line(text, at, count) if count else first_word(text, len(text))


def to_partner(text: str, at: int, _count: int) -> int | None:
    """The bracket that belongs to the first one from the cursor on, in its line."""
    found = next((place for place in range(at, line_end(text, at)) if text[place] in _PARTNERS), None)
    if found is None:
        return None
    places = range(found, len(text)) if text[found] in BRACKETS else range(found, -1, -1)
    return _balanced(text, places, text[found], _PARTNERS[text[found]])


def _balanced(text: str, places: range, near: str, far: str) -> int | None:
    """The first of these places at which there were as many of both brackets."""
    depths = accumulate((text[place] == near) - (text[place] == far) for place in places)
    return next((place for place, depth in zip(places, depths, strict=True) if depth == 0), None)


def seek(key: str, character: str, again: bool, text: str, at: int, count: int) -> int | None:
    """What `f`, `F`, `t` and `T` do with a character; done `again`, the last two go on from where they stopped."""
    start, end, beyond = line_start(text, at), line_end(text, at), {"t": 1, "T": -1}.get(key, 0)
    at += beyond if again else 0
    for _ in range(max(1, count)):
        at = text.find(character, at + 1, end) if key in "ft" else text.rfind(character, start, max(start, at))
        if at < 0:
            return None
    return at - beyond


def _word(pattern: re.Pattern[str], text: str, at: int, around: bool) -> Bounds | None:
    start, end = line_start(text, at), line_end(text, at)
    runs = [found.span() for found in pattern.finditer(text, start, end)]
    if not runs:
        return None
    here = next((number for number, run in enumerate(runs) if at < run[1]), len(runs) - 1)
    first, last = runs[here]
    blank = text[first].isspace()
    if around and here + 1 < len(runs) and (blank or text[last].isspace()):
        last = runs[here + 1][1]  # the blanks after the word, or the word after the blanks
    elif around and here and not blank and text[first - 1].isspace():
        first = runs[here - 1][0]
    return first, last


word, big_word = partial(_word, _RUNS), partial(_word, _BIG_RUNS)


def quoted(sign: str, text: str, at: int, around: bool) -> Bounds | None:
    """What stands between two of these signs on the line: the nearest around the cursor, else the next two.

    A sign under the cursor is the first or the second of two, as they follow each other on the line.
    """
    start, end = line_start(text, at), line_end(text, at)
    signs = [place for place in range(start, end) if text[place] == sign and text[place - 1 : place] != "\\"]
    counted = at in signs or not signs or at < signs[0]
    pairs = zip(signs[::2], signs[1::2], strict=False) if counted else pairwise(signs)
    first, last = next((pair for pair in pairs if at <= pair[1]), (-1, -1))
    if first < 0:
        return None
    blanks = len(text[last + 1 : end]) - len(text[last + 1 : end].lstrip(" \t"))
    return (first, last + 1 + blanks) if around else (first + 1, last)


def bracketed(opening: str, text: str, at: int, around: bool) -> Bounds | None:
    """What stands in the nearest brackets of this sort around the cursor, or at it."""
    closing, depth = BRACKETS[opening], 0
    for place in range(min(at, len(text) - 1), -1, -1):
        depth += (text[place] == closing and place != at) - (text[place] == opening)
        if depth < 0:
            end = _balanced(text, range(place, len(text)), opening, closing)
            return None if end is None else (place, end + 1) if around else (place + 1, end)
    return None


def paragraph(text: str, at: int, around: bool) -> Bounds | None:
    """The lines between two empty ones, without the last newline; `around` them with the empty lines after them."""
    lines = [f"{line}\n" for line in text.split("\n")]
    runs = [len("".join(run)) for _, run in groupby(lines, str.isspace)]
    ends = list(accumulate(runs))
    here = next(number for number, end in enumerate(ends) if at < end)
    return ends[here] - runs[here], ends[min(here + around, len(ends) - 1)] - 1
