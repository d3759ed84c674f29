"""Which words differ between a line and the one that replaces it; must not know lines' numbers or colours."""

import re
from difflib import SequenceMatcher

MOST_TOKENS = 300
LEAST_ALIKE = 0.3  # of both lines' characters

Span = tuple[int, int]

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


def changed_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The changed characters of both lines, as (start, end); none where too little is alike to compare."""
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    if not before or not after or max(len(before), len(after)) > MOST_TOKENS:
        return (), ()
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    alike = sum(len(word) for block in blocks for word in before[block.a : block.a + block.size] if not word.isspace())
    length = sum(len("".join(side.split())) for side in (old, new))
    if length == 0 or 2 * alike / length < LEAST_ALIKE:
        return (), ()
    return (
        _gaps(old, before, [(block.a, block.a + block.size) for block in blocks]),
        _gaps(new, after, [(block.b, block.b + block.size) for block in blocks]),
    )


def _gaps(line: str, tokens: list[str], kept: list[Span]) -> tuple[Span, ...]:
    """What lies between the kept runs of tokens, in characters; neighbours with only blanks between them are joined."""
    edges = [0]
    for word in tokens:
        edges.append(edges[-1] + len(word))
    spans: list[Span] = []
    end = 0
    for start, stop in kept:
        if edges[start] > edges[end]:
            span = edges[end], edges[start]
            if spans and line[spans[-1][1] : span[0]].isspace():
                span = spans.pop()[0], span[1]
            spans.append(span)
        end = stop
    return tuple(spans)
