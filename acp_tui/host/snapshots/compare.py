"""What became of each path from one snapshot to a later one, and where between them."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from acp_tui.host.snapshots.database import StoreFault
from acp_tui.host.snapshots.path_row import (
    ABSENT_ROW,
    FOLDER,
    IGNORED,
    LATE,
    NOT_THERE,
    NOTHING,
    UNKNOWN,
    Row,
    Tree,
)
from acp_tui.host.snapshots.states import ABSENT, PathChange, Status, state_of, with_renames
from acp_tui.session.text.line_diff import count_lines

COUNTED_AT_MOST = 1 << 20  # bytes of a file whose lines are counted
COUNTED_IN_ALL = 64 << 20  # bytes
COUNTED_WITHIN = 2.0  # seconds


def changes(root: str, chain: Sequence[Tree], paths: Iterable[str]) -> list[PathChange]:
    """First against last, of these paths below a root; one that is as it was is not among them."""
    first, last = chain[0], chain[-1]
    found = []
    for path in paths:
        if first.row(path) != last.row(path):
            before, after = row_at(first, path), row_at(last, path)
            if status := _status(before, after):
                found.append(PathChange(root, path, status, state_of(before), state_of(after)))
    return with_renames(found)


def row_at(tree: Tree, path: str) -> Row:
    """How a path was: absent only if nothing above it says that it may have been there."""
    row = tree.row(path)
    if row is None:
        cover = tree.cover(path)
        return Row(UNKNOWN, cover, 0, 0, NOTHING) if cover else ABSENT_ROW
    return ABSENT_ROW if row.kind == NOT_THERE else row


def _status(before: Row, after: Row) -> Status | None:
    """In one word; None where it is as it was, or nothing shows that it is not."""
    if UNKNOWN in (before.kind, after.kind):
        return "changed" if _other(before, after) else None
    if before == ABSENT_ROW:
        return "new"
    if after == ABSENT_ROW:
        return "deleted"
    if before.kind != after.kind:
        return "kind"
    if before.digest != after.digest or before.size != after.size:
        return "changed"
    return "mode" if before.mode != after.mode else None


def _other(before: Row, after: Row) -> bool:
    """Whether a path of which one state is not known has changed, as far as that can be told."""
    if before.kind == after.kind == UNKNOWN:
        told = before.digest != NOTHING != after.digest and before.reason == after.reason
        return told and before[2:] != after[2:]
    unknown, other = (before, after) if before.kind == UNKNOWN else (after, before)
    if unknown.reason == LATE and unknown.digest != NOTHING:  # the same bytes show no change
        return other[2:] != unknown[2:]
    # What began or ceased to be ignored is no change by itself, nor is a folder that can now be looked into.
    return unknown.reason != IGNORED and other.kind != FOLDER


def intervals(chain: Sequence[Tree], change: PathChange) -> tuple[int, ...]:
    """The places in a chain behind which a path changed."""
    if len(chain) == 2:
        return (0,)
    paths = [path for path in (change.path, change.old_path) if path]
    states = [[row_at(tree, path) for path in paths] for tree in chain]
    return tuple(place for place, (one, other) in enumerate(pairwise(states)) if one != other)


class LineCounts:
    """Counts lines of what changed, until that took too long or too many bytes; `content` gives bytes by digest."""

    def __init__(self, content: Callable[[str], bytes], within: float = COUNTED_WITHIN) -> None:
        self._content, self._until, self._left = content, time.monotonic() + within, COUNTED_IN_ALL

    def counted(self, change: PathChange) -> PathChange:
        """With the lines added and removed, if they can be counted: no text, too large, not known."""
        sides = change.before, change.after
        self._left -= sum(side.size for side in sides)
        plain = all(side.kind in ("absent", "file") and side.size <= COUNTED_AT_MOST for side in sides)
        if not plain or self._left < 0 or time.monotonic() > self._until:
            return change
        try:
            texts = [b"" if side == ABSENT else self._content(side.digest) for side in sides]
        except StoreFault:
            return change
        if b"\0" in texts[0] + texts[1]:
            return change
        added, removed = count_lines(*texts)
        return replace(change, added=added, removed=removed)


def head_changes(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """What became of HEAD and stash, given as head, commit, stash of both moments."""
    if before[0] and not after[0]:
        yield f"the checkout ({_short(before[0])}) is gone"
    elif after[0] and not before[0]:
        yield f"it became a checkout ({_short(after[0])})"
    elif before[0] != after[0]:
        yield f"HEAD was {_short(before[0])} and is {_short(after[0])}"
    elif before[1] != after[1]:
        yield f"{_short(after[0])} was at {before[1][:12] or 'no commit'} and is at {after[1][:12] or 'no commit'}"
    if before[2] != after[2]:
        yield "the stash is another one"


def _short(head: str) -> str:
    return head.removeprefix("ref: refs/heads/").removeprefix("ref: ") if head.startswith("ref: ") else head[:12]
