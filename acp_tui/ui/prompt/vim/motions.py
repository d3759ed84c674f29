"""Where a motion leads: from a text, a cursor and a count (0 where none was typed), None where it leads nowhere."""

from collections.abc import Callable

from acp_tui.ui.prompt.vim.places import (
    BRACKETS,
    first_word,
    kind,
    line_end,
    line_start,
    nth_line,
    partner,
)

Go = Callable[[str, int, int], int | None]


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


def left(text: str, at: int) -> int:
    return max(line_start(text, at), at - 1)


def right(text: str, at: int) -> int:
    return min(line_end(text, at), at + 1)


def up(text: str, at: int) -> int:
    start = line_start(text, at)
    above = line_start(text, start - 1) if start else start
    return min(above + at - start, start - 1) if start else at


def down(text: str, at: int) -> int:
    end = line_end(text, at)
    return at if end == len(text) else min(end + 1 + at - line_start(text, at), line_end(text, end + 1))


def next_word(text: str, at: int, *, big: bool = False) -> int:
    """The beginning of the next word; an empty line is one too."""
    here = kind(text[at], big=big) if at < len(text) else ""
    while here and at < len(text) and kind(text[at], big=big) == here:
        at += 1
    while at < len(text) and text[at].isspace():
        at += 1
        if text[at - 1 : at + 1] == "\n\n":
            break
    return at


def previous_word(text: str, at: int, *, big: bool = False) -> int:
    at = max(0, at - 1)
    while at and text[at].isspace() and text[at - 1 : at + 1] != "\n\n":
        at -= 1
    here = kind(text[at], big=big) if text else ""
    while here and at and kind(text[at - 1], big=big) == here:
        at -= 1
    return at


def word_end(text: str, at: int, *, big: bool = False) -> int:
    """The last character of this word; of the next one, if that is where the cursor is."""
    at += 1
    while at < len(text) and text[at].isspace():
        at += 1
    if at >= len(text):
        return max(0, len(text) - 1)
    here = kind(text[at], big=big)
    while at + 1 < len(text) and kind(text[at + 1], big=big) == here:
        at += 1
    return at


def to_line_start(text: str, at: int, _count: int) -> int:
    return line_start(text, at)


def to_first_word(text: str, at: int, _count: int) -> int:
    return first_word(text, at)


def to_line_end(text: str, at: int, count: int) -> int:
    """The last character of the line; with a count, of a line further down."""
    for _ in range(count - 1):
        at = min(len(text), line_end(text, at) + 1)
    return max(line_start(text, at), line_end(text, at) - 1)


def to_first_line(text: str, _at: int, count: int) -> int:
    return first_word(text, nth_line(text, max(1, count)))


def to_last_line(text: str, _at: int, count: int) -> int:
    return first_word(text, nth_line(text, count) if count else len(text))


def to_partner(text: str, at: int, _count: int) -> int | None:
    """The bracket that belongs to the first one from the cursor on, in its line."""
    signs = {*BRACKETS, *BRACKETS.values()}
    found = next((place for place in range(at, line_end(text, at)) if text[place] in signs), None)
    return None if found is None else partner(text, found)


def seek(key: str, character: str, *, again: bool = False) -> Go:
    """What `f`, `F`, `t` and `T` do with a character; done `again`, the last two go on from where they stopped."""

    def go(text: str, at: int, count: int) -> int | None:
        start, end, short = line_start(text, at), line_end(text, at), key in "tT"
        at += (1 if key == "t" else -1) if short and again else 0
        for _ in range(max(1, count)):
            at = text.find(character, at + 1, end) if key in "ft" else text.rfind(character, start, max(start, at))
            if at < 0:
                return None
        return at + ({"t": -1, "T": 1}[key] if short else 0)

    return go
