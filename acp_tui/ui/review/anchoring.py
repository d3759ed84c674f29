"""Where lines are once the text around them has changed."""

from collections.abc import Iterator, Sequence

from acp_tui.frozen import Frozen
from acp_tui.session.text.line_diff import line_diff

LEAST = 4  # letters and digits of lines that are known again without their neighbours


class Anchor(Frozen):
    """Lines from number `first` (from 1) on, with the lines before and after them."""

    first: int
    lines: Sequence[str]
    before: Sequence[str] = ()
    after: Sequence[str] = ()


def moved(anchor: Anchor, before: Sequence[str] | None, now: Sequence[str]) -> int | None:
    """The first line of the same lines in `now`, None where they are gone.

    Where the whole text `before` is known and has them at their place, what changed since tells where they went; lines
    cut out and put in elsewhere are found by their neighbours, or because there are no others like them.
    """
    if not anchor.lines:
        return None
    if before is not None and _has(before, anchor.first - 1, anchor.lines):
        at = _shifted(before, now, anchor.first - 1, anchor.first - 1 + len(anchor.lines))
        return _put_elsewhere(anchor, before, now) if at is None else at + 1
    if _has(now, anchor.first - 1, anchor.lines) and (_score(anchor, now, anchor.first - 1) or _bare(anchor)):
        return anchor.first
    return _found(anchor, now)


def _has(text: Sequence[str], at: int, lines: Sequence[str]) -> bool:
    return list(text[at : at + len(lines)]) == list(lines)


def _bare(anchor: Anchor) -> bool:
    """Whether nothing is known of its neighbours."""
    return not any(line.strip() for line in (*anchor.before, *anchor.after))


def _shifted(before: Sequence[str], now: Sequence[str], start: int, end: int) -> int | None:
    """Where the lines from `start` to before `end` stand in the new text, if nothing among them changed."""
    at = start
    for old, old_end, _, new_end in line_diff(before, now).spans:
        if old < end and old_end > start:
            return None
        if old_end <= start:
            at = start + new_end - old_end
    return at


def _places(anchor: Anchor, now: Sequence[str]) -> list[int]:
    first = anchor.lines[0]
    return [at for at, line in enumerate(now) if line == first and _has(now, at, anchor.lines)]


def _score(anchor: Anchor, now: Sequence[str], at: int) -> int:
    """How many neighbours that are not blank stand beside the lines, unbroken."""
    above = zip(reversed(anchor.before), reversed(now[max(0, at - len(anchor.before)) : at]), strict=False)
    below = zip(anchor.after, now[at + len(anchor.lines) :], strict=False)
    return sum(_alike(pairs) for pairs in (above, below))


def _alike(pairs: Iterator[tuple[str, str]]) -> int:
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += bool(one.strip())
    return count


def _nearest(anchor: Anchor, now: Sequence[str], places: Sequence[int]) -> int | None:
    ranked = sorted(places, key=lambda at: (-_score(anchor, now, at), abs(at - anchor.first + 1)))
    return ranked[0] + 1 if ranked else None


def _put_elsewhere(anchor: Anchor, before: Sequence[str], now: Sequence[str]) -> int | None:
    """With neighbours of theirs, or like no others before and now: an equal line elsewhere need not be theirs."""
    places = _places(anchor, now)
    if len(places) == 1 and _tells(anchor) and len(_places(anchor, before)) == 1:
        return places[0] + 1
    return _nearest(anchor, now, [at for at in places if _score(anchor, now, at) > 1])


def _found(anchor: Anchor, now: Sequence[str]) -> int | None:
    places = _places(anchor, now)
    known = [at for at in places if _score(anchor, now, at)]
    if known:
        return _nearest(anchor, now, known)
    return places[0] + 1 if len(places) == 1 and _tells(anchor) else None


def _tells(anchor: Anchor) -> bool:
    """Whether the lines hold enough to be known again without their neighbours."""
    return sum(character.isalnum() for line in anchor.lines for character in line) >= LEAST
