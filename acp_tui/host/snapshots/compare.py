"""What became of each path from one snapshot to a later one, and where between them."""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from acp_tui.host.snapshots.content import Content
from acp_tui.host.snapshots.database import StoreFault
from acp_tui.host.snapshots.path_row import (
    ABSENT_ROW,
    FILE,
    FOLDER,
    IGNORED,
    LATE,
    LINK,
    NOT_THERE,
    NOTHING,
    UNKNOWN,
    Row,
    Tree,
)
from acp_tui.host.snapshots.states import Status
from acp_tui.session.text.line_diff import count_lines

COUNTED_AT_MOST = 1 << 20  # bytes of a file whose lines are counted
COUNTED_IN_ALL = 64 << 20  # bytes
COUNTED_WITHIN = 2.0  # seconds


class Change(NamedTuple):
    """One path that is not as it was. `intervals`: where in the chain it changed."""

    path: str
    status: Status
    before: Row
    after: Row
    old_path: str = ""
    intervals: tuple[int, ...] = ()


def changes(chain: Sequence[Tree], paths: Iterable[str]) -> list[Change]:
    """First against last, of these paths; one that is as it was is not among them."""
    first, last = chain[0], chain[-1]
    found = []
    for path in paths:
        if first.row(path) != last.row(path):
            before, after = row_at(first, path), row_at(last, path)
            if status := _status(before, after):
                found.append(Change(path, status, before, after))
    return [each._replace(intervals=_intervals(chain, each)) for each in _with_renames(found)]


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


def _with_renames(found: Sequence[Change]) -> list[Change]:
    """One change for what is deleted here and new there, where nothing else holds the same."""
    by_content: dict[tuple[int, bytes], tuple[list[Change], list[Change]]] = defaultdict(lambda: ([], []))
    for change in found:
        if change.status == "deleted" and change.before.kind in (FILE, LINK) and change.before.size:
            by_content[change.before.kind, change.before.digest][0].append(change)
        elif change.status == "new" and change.after.kind in (FILE, LINK) and change.after.size:
            by_content[change.after.kind, change.after.digest][1].append(change)
    pairs = {new[0].path: old[0] for old, new in by_content.values() if len(old) == len(new) == 1}
    gone = {old.path for old in pairs.values()}
    return [
        change._replace(status="renamed", before=pairs[change.path].before, old_path=pairs[change.path].path)
        if change.path in pairs
        else change
        for change in found
        if change.path not in gone
    ]


def _intervals(chain: Sequence[Tree], change: Change) -> tuple[int, ...]:
    if len(chain) == 2:
        return (0,)
    paths = [path for path in (change.path, change.old_path) if path]
    states = [[row_at(tree, path) for path in paths] for tree in chain]
    return tuple(place for place, (one, other) in enumerate(pairwise(states)) if one != other)


class LineCounts:
    """Counts lines of what changed, until that took too long or too many bytes."""

    def __init__(self, content: Content, within: float = COUNTED_WITHIN) -> None:
        self._content, self._until, self._left = content, time.monotonic() + within, COUNTED_IN_ALL

    def of(self, change: Change) -> tuple[int, int] | None:
        """Lines added and removed; None where they are not counted: no text, too large, not known."""
        sides = [row for row in (change.before, change.after) if row != ABSENT_ROW]
        if any(row.kind != FILE or row.size > COUNTED_AT_MOST for row in sides):
            return None
        self._left -= sum(row.size for row in sides)
        if self._left < 0 or time.monotonic() > self._until:
            return None
        try:
            texts = [b"" if row == ABSENT_ROW else self._content.get(row.digest.hex()) for row in change[2:4]]
        except StoreFault:
            return None
        if any(b"\0" in text[:8192] for text in texts):
            return None
        return count_lines(texts[0], texts[1])


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
