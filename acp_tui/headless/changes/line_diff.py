"""Which lines of a text came in place of which of another: by lines that both have once, then by likeness."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

Span = tuple[int, int, int, int]
"""Lines `[0]` to `[1]` of the text before became lines `[2]` to `[3]` of the text after; from 0, the end not in it."""
COMPARED = 4_000  # lines of both sides for which a finer look takes well below a second; longer ones are replaced whole
DEEPEST = 40  # times that a piece is cut again; each costs one walk through its lines


def changed_spans(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[Span]:
    """The spans that differ, in order; between two of them are lines that are the same."""
    left: list[tuple[Span, int]] = [((0, len(old), 0, len(new)), 0)]
    while left:
        span, depth = left.pop()
        span = _without_ends(old, new, span)
        if span[0] == span[1] or span[2] == span[3]:
            if span[0] != span[1] or span[2] != span[3]:
                yield span
            continue
        pieces = _cut(old, new, span) if depth < DEEPEST else []
        if pieces:
            left += [(piece, depth + 1) for piece in reversed(pieces)]
        else:
            yield from _alike(old, new, span)


def _without_ends(old: Sequence[bytes], new: Sequence[bytes], span: Span) -> Span:
    """What is left of a span without the lines at its beginning and its end that are the same."""
    old_first, old_end, new_first, new_end = span
    while old_first < old_end and new_first < new_end and old[old_first] == new[new_first]:
        old_first, new_first = old_first + 1, new_first + 1
    while old_first < old_end and new_first < new_end and old[old_end - 1] == new[new_end - 1]:
        old_end, new_end = old_end - 1, new_end - 1
    return old_first, old_end, new_first, new_end


def _cut(old: Sequence[bytes], new: Sequence[bytes], span: Span) -> list[Span]:
    """The pieces between lines that each side has once, as many as come in the same order; none without such lines."""
    old_first, old_end, new_first, new_end = span
    before = Counter(old[old_first:old_end])
    after = Counter(new[new_first:new_end])
    places = {line: at for at, line in enumerate(new[new_first:new_end], new_first) if after[line] == 1}
    pairs = [
        (at, places[line])
        for at, line in enumerate(old[old_first:old_end], old_first)
        if before[line] == 1 and line in places
    ]
    pieces: list[Span] = []
    for old_at, new_at in _rising(pairs):
        pieces.append((old_first, old_at, new_first, new_at))
        old_first, new_first = old_at + 1, new_at + 1
    return [*pieces, (old_first, old_end, new_first, new_end)] if pieces else []


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest series of pairs of which both numbers rise; the first ones do already."""
    ends: list[int] = []  # the lowest second number with which a series of that length ends
    last: list[int] = []  # its pair
    before: list[int] = []
    for at, (_, new_at) in enumerate(pairs):
        place = bisect_left(ends, new_at)
        before.append(last[place - 1] if place else -1)
        ends[place : place + 1], last[place : place + 1] = [new_at], [at]
    found: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _alike(old: Sequence[bytes], new: Sequence[bytes], span: Span) -> Iterator[Span]:
    old_first, old_end, new_first, new_end = span
    if old_end - old_first + new_end - new_first > COMPARED:
        yield span
        return
    matcher = SequenceMatcher(None, old[old_first:old_end], new[new_first:new_end])
    for tag, *ends in matcher.get_opcodes():
        if tag != "equal":
            yield old_first + ends[0], old_first + ends[1], new_first + ends[2], new_first + ends[3]
