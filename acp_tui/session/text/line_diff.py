"""The lines that differ between two texts: lists, screens, comments, patches and taking hunks back all go by this.

It gives the fewest lines that it can within a bounded number of steps, and depends on nothing but which lines are
equal: bytes and their text give the same. Only the standard library: the child process that compares trees has it, too.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from io import BytesIO, StringIO
from itertools import pairwise
from typing import Literal, NamedTuple

CONTEXT = 3  # unchanged lines beside a change in a hunk
STEPS = 300_000  # of a search, some 0.1 seconds
STEPS_EACH = 4  # more for each line: some walks through a text are never too far

Span = tuple[int, int, int, int]
"""Lines `[0]` to `[1]` of the text before became lines `[2]` to `[3]` of the text after; from 0, the end not in it."""
Sign = Literal[" ", "+", "-"]
Row = tuple[Sign, int, int]
"""A line of a hunk: its sign (` `, `-`, `+`), and how many lines are above it in the text before and after."""
Pair = tuple[int, int]  # where a line that stays is in both texts
Chain = tuple[()] | tuple[Pair, "Chain"]  # the last pair, and those before it


class LineDiff(NamedTuple):
    """The spans that differ, in order; between two are lines that are the same. `coarse`: there may be shorter ones."""

    spans: Sequence[Span]
    coarse: bool = False

    @property
    def added(self) -> int:
        return sum(span[3] - span[2] for span in self.spans)

    @property
    def removed(self) -> int:
        return sum(span[1] - span[0] for span in self.spans)


def lines_of(data: bytes) -> list[bytes]:
    """The lines with their ends, line feeds only, as in Git; the last one may have none. Together they are `data`."""
    return BytesIO(data).readlines()


def lines_of_text(text: str) -> list[str]:
    return StringIO(text, newline="\n").readlines()


def count_lines(before: bytes, after: bytes) -> tuple[int, int]:
    diff = line_diff(lines_of(before), lines_of(after))
    return diff.added, diff.removed


def line_diff(old: Sequence[Hashable], new: Sequence[Hashable]) -> LineDiff:
    """What differs from the old lines to the new ones, which are compared as they are, with their ends."""
    shorter = min(len(old), len(new))
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    tail = next((n for n in range(shorter - head) if old[-1 - n] != new[-1 - n]), shorter - head)
    numbers: dict[Hashable, int] = {}
    middles = (side[head : len(side) - tail] for side in (old, new))
    one, other = ([numbers.setdefault(line, len(numbers)) for line in middle] for middle in middles)
    pairs, coarse = _kept(one, other)
    spans: list[Span] = []
    at = head, head
    for here, there in [*pairs, (len(one), len(other))]:
        if (here + head, there + head) != at:
            spans.append((at[0], here + head, at[1], there + head))
        at = here + head + 1, there + head + 1
    return LineDiff(_slid(spans, old, new), coarse)


def _slid(spans: Sequence[Span], old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Span]:
    """Lines that only came or went, as far down as they can stand, as in Git: `def` and what is below it."""
    slid: list[Span] = []
    stop = len(old)
    for first, end, new_first, new_end in reversed(spans):
        side, one, other = (old, first, end) if first < end else (new, new_first, new_end)
        room = stop - end if first == end or new_first == new_end else 0
        by = next((n for n in range(room) if side[one + n] != side[other + n]), room)
        slid.append((first + by, end + by, new_first + by, new_end + by))
        stop = first + by
    return slid[::-1]


def _kept(old: Sequence[int], new: Sequence[int]) -> tuple[list[Pair], bool]:
    """The lines that stay, and whether the steps did not suffice to look for all of them.

    A piece that would take more than a third of the steps that are left is cut at lines which both sides have once.
    """
    left = STEPS + STEPS_EACH * (len(old) + len(new))
    found: list[Pair] = []
    coarse = False
    pieces = [(range(len(old)), range(len(new)))]
    while pieces:
        here, there = pieces.pop()
        left -= len(here) + len(there)
        if left < 0:
            coarse = True
            continue
        both = {old[n] for n in here} & {new[n] for n in there}
        ones, others = [n for n in here if old[n] in both], [n for n in there if new[n] in both]
        lines = [old[n] for n in ones], [new[n] for n in others]
        chain, steps = _fewest_edits(*lines, left // 3)
        left -= steps
        pairs = [(ones[i], others[j]) for i, j in _pairs(_once_in_both(*lines) if chain is None else chain)]
        found += pairs
        if chain is None:
            coarse |= not pairs
            edges = [(here.start - 1, there.start - 1), *pairs, (here.stop, there.stop)] if pairs else []
            between = ((range(a + 1, c), range(b + 1, d)) for (a, b), (c, d) in pairwise(edges))
            pieces += (piece for piece in between if all(piece))
    return sorted(found), coarse


def _fewest_edits(old: Sequence[int], new: Sequence[int], limit: int) -> tuple[Chain | None, int]:
    """What stays with the fewest edits, None where they are not found in so many steps; and the steps (E. W. Myers).

    After so many edits `ends` has for each diagonal, the difference of both places, how far one gets on it, and how.
    """
    ends: dict[int, tuple[int, Chain]] = {1: (0, ())}
    length, width, steps = len(old), len(new), 0
    for edits in range(length + width + 1):
        lowest, highest = -edits + 2 * max(0, edits - width), edits - 2 * max(0, edits - length)
        for diagonal in range(lowest, highest + 1, 2):
            if diagonal == -edits or (diagonal != edits and ends[diagonal - 1][0] < ends[diagonal + 1][0]):
                begin, chain = ends[diagonal + 1]
            else:
                begin, chain = ends[diagonal - 1]
                begin += 1
            at = begin
            while at < length and at - diagonal < width and old[at] == new[at - diagonal]:
                chain = (at, at - diagonal), chain
                at += 1
            if at == length and at - diagonal == width:
                return chain, steps
            ends[diagonal] = at, chain
            steps += 1 + at - begin
            if steps > limit:
                return None, steps
    raise AssertionError("as many edits as there are lines are always enough")


def _once_in_both(old: Sequence[int], new: Sequence[int]) -> Chain:
    """Of the lines that each side has once the most that stand in the same order."""
    before, after = Counter(old), Counter(new)
    places = {line: at for at, line in enumerate(new) if before[line] == after[line] == 1}
    ends: list[int] = []  # the lowest place in the new text with which a series of that length ends
    series: list[Chain] = [()]  # for each length
    for at, line in enumerate(old):
        if line in places:
            length = bisect_left(ends, places[line])
            ends[length : length + 1] = [places[line]]
            series[length + 1 : length + 2] = [((at, places[line]), series[length])]
    return series[-1]


def _pairs(chain: Chain) -> list[Pair]:
    pairs: list[Pair] = []
    while chain:
        pair, chain = chain
        pairs.append(pair)
    return pairs[::-1]


def hunk_rows(spans: Sequence[Span], length: int) -> Iterator[list[Row]]:
    """The rows of each hunk: spans with few lines between, and the lines beside; the text before has `length` lines."""
    hunks: list[list[Span]] = []
    for span in spans:
        if not hunks or span[0] - hunks[-1][-1][1] > 2 * CONTEXT:
            hunks.append([])
        hunks[-1].append(span)
    for hunk in hunks:
        stop = min(length, hunk[-1][1] + CONTEXT)
        at, shift = max(0, hunk[0][0] - CONTEXT), hunk[0][2] - hunk[0][0]
        rows: list[Row] = []
        for old, old_end, new, new_end in [*hunk, (stop, stop, 0, 0)]:
            rows += ((" ", line, line + shift) for line in range(at, old))
            rows += (("-", line, new) for line in range(old, old_end))
            rows += (("+", old_end, line) for line in range(new, new_end))
            at, shift = old_end, new_end - old_end
        yield rows


def unified(old: Sequence[str], new: Sequence[str], spans: Sequence[Span]) -> Iterator[str]:
    """The hunks of a unified diff, as Git writes them."""
    for rows in hunk_rows(spans, len(old)):
        _, above, new_above = rows[0]
        signs = [sign for sign, _, _ in rows]
        count, new_count = len(rows) - signs.count("+"), len(rows) - signs.count("-")
        yield f"@@ -{_range(above, count)} +{_range(new_above, new_count)} @@\n"
        for sign, one, other in rows:
            line = new[other] if sign == "+" else old[one]
            yield sign + line if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


def _range(above: int, count: int) -> str:
    """`4,2`: the second number is left out for one line; of none the line before is named."""
    return f"{above + 1}" if count == 1 else f"{above + (count > 0)},{count}"
