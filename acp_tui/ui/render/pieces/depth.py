"""What the parser of Markdown is not given, for it would take too long or fail."""

from collections.abc import Sequence

NESTING = 40  # levels; deeper is shown as it was written
BRACKETS = 16  # that may be open at once; the parser reads to the end for each of them


def too_deep(lines: Sequence[str]) -> bool:
    """Whether a line opens more containers than the parser may nest."""
    return any(
        len(line) > NESTING
        and sum(sign in ">-*+" for sign in line[: len(line) - len(line.lstrip(" >-*+\t"))]) > NESTING
        for line in lines
    )


def too_open(source: str) -> bool:
    """Whether more brackets are opened than closed, by so many that the parser would take seconds."""
    if source.count("[") <= BRACKETS:
        return False
    depth = 0
    for sign in source:
        depth = depth + 1 if sign == "[" else max(0, depth - 1) if sign == "]" else depth
        if depth > BRACKETS:
            return True
    return False
