"""One hunk taken out of a file that may have changed since: exactly there, or not at all.

Lines end with a line feed and nothing else, as in Git: a carriage return before it belongs to the line.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from acp_tui.host.take_back.steps import LineSpan
from acp_tui.session.text.line_diff import CONTEXT, Span, line_diff, lines_of


def without_hunk(before: bytes, after: bytes, now: bytes, span: LineSpan) -> bytes | None:
    """What is there `now` with one hunk as it was `before`; None where its place cannot be told.

    `span` counts the lines of `lines_of`.
    """
    old, new, there = lines_of(before), lines_of(after), lines_of(now)
    if not (_within(span.old, old) and _within(span.new, new)):
        return None
    size = span.new[1] - span.new[0]
    found = set[bytes]()
    for place in _places(old, new, there, span):
        lines = [*there[:place], *old[slice(*span.old)], *there[place + size :]]
        if not all(line.endswith(b"\n") for line in lines[:-1]):
            return None  # two lines would become one
        found.add(b"".join(lines))
    return found.pop() if len(found) == 1 else None


def _within(bounds: tuple[int, int], lines: Sequence[bytes]) -> bool:
    return 0 <= bounds[0] <= bounds[1] <= len(lines)


def _places(old: Sequence[bytes], new: Sequence[bytes], there: Sequence[bytes], span: LineSpan) -> set[int]:
    """Where the hunk begins now: by the surest of three ways that finds a place."""
    if there == new:
        return {span.new[0]}
    return _among_hunks(old, new, there, span) or _by_context(new, there, span)


def _among_hunks(old: Sequence[bytes], new: Sequence[bytes], there: Sequence[bytes], span: LineSpan) -> set[int]:
    """The places at which all that is there is the text after, but for other hunks that are as they were before."""
    (old_first, old_end), (new_first, new_end) = span.old, span.new
    spans = line_diff(old, new).spans
    above = [each for each in spans if each[1] <= old_first and each[3] <= new_first]
    below = [each for each in spans if each[0] >= old_end and each[2] >= new_end]
    first = _ends(_parts(old, new, [(0, 0, 0, 0), *above, (old_first, old_first, new_first, new_first)]), there, {0})
    block = new[new_first:new_end]
    rest = list(_parts(old, new, [(0, old_end, 0, new_end), *below, (len(old), len(old), len(new), len(new))]))
    fitting = {at for at in first if there[at : at + len(block)] == block}
    return {at for at in fitting if len(there) in _ends(rest, there, {at + len(block)})}


def _parts(old: Sequence[bytes], new: Sequence[bytes], spans: Sequence[Span]) -> Iterator[Sequence[Sequence[bytes]]]:
    """The texts from the end of the first span on, cut where they differ: what may be there instead of each piece."""
    for (_, old_at, _, new_at), (old_first, old_end, new_first, new_end) in pairwise(spans):
        yield old[old_at:old_first], new[new_at:new_first]
        yield old[old_first:old_end], new[new_first:new_end]


def _ends(parts: Iterable[Sequence[Sequence[bytes]]], there: Sequence[bytes], begins: set[int]) -> set[int]:
    """Where these pieces end, one after the other, each in one of its two forms."""
    at = begins
    for forms in parts:
        at = {begin + len(form) for begin in at for form in forms if there[begin : begin + len(form)] == form}
    return at


def _by_context(new: Sequence[bytes], there: Sequence[bytes], span: LineSpan) -> set[int]:
    """The one place where the lines are with as many of their neighbours as can be found; none if there are more."""
    first, end = span.new
    for context in range(CONTEXT, -1, -1):
        begin, stop = max(first - context, 0), min(end + context, len(new))
        wanted = new[begin:stop]
        if not wanted or (not context and first == end):
            return set()
        found = [at for at in range(len(there) - len(wanted) + 1) if there[at : at + len(wanted)] == wanted]
        if found:
            return {found[0] + first - begin} if len(found) == 1 else set()
    return set()
