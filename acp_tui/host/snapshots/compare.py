"""What became of each path from one manifest to a later one, and where between them."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any, NamedTuple

from acp_tui.host.snapshots.manifest import Manifest
from acp_tui.host.snapshots.store import Store, StoreFault
from acp_tui.host.snapshots.table import (
    FILE,
    FOLDER,
    IGNORED,
    KEPT,
    LATE,
    LINK,
    NOT_THERE,
    NOTHING,
    UNKNOWN,
    Row,
)

COUNTED_AT_MOST = 1 << 20  # bytes of a file whose lines are counted
COUNTED_IN_ALL = 64 << 20  # bytes
COUNTED_WITHIN = 2.0  # seconds
_EXACT = 1_000_000  # pairs of lines that are compared; beyond them moved lines count as unchanged
_ABSENT = Row(-1, KEPT, 0, 0, NOTHING)


class Change(NamedTuple):
    """One path that is not as it was. `intervals`: where in the chain it changed."""

    path: str
    status: str
    before: Row
    after: Row
    old_path: str = ""
    intervals: tuple[int, ...] = ()

    @property
    def plain(self) -> list[Any]:
        """As JSON; a kind of -1 is `absent`."""
        rows = [[*row[:4], row.digest.hex()] for row in (self.before, self.after)]
        return [self.path, self.status, *rows, self.old_path, list(self.intervals)]


def changes(chain: Sequence[Manifest]) -> list[Change]:
    """First against last, by path; a path that is as it was is not among them."""
    first, last = chain[0], chain[-1]
    found = []
    for path in sorted(_differing(first, last)):
        before, after = _at(first, path), _at(last, path)
        if status := _status(before, after):
            found.append(Change(path, status, before, after))
    return [each._replace(intervals=_intervals(chain, each)) for each in _with_renames(found)]


def _differing(first: Manifest, last: Manifest) -> set[str]:
    """The paths whose rows may differ: with the same tree below both there are few."""
    if first.tree is last.tree:
        paths = first.differing.keys() | last.differing.keys()
    else:
        paths = first.rows().keys() | last.rows().keys()
    return {path for path in paths if path and first.row(path) != last.row(path)}


def _at(manifest: Manifest, path: str) -> Row:
    """How a path was: absent only if nothing above it says that it may have been there."""
    row = manifest.row(path)
    if row is None:
        cover = manifest.cover(path)
        return Row(UNKNOWN, cover, 0, 0, NOTHING) if cover else _ABSENT
    return _ABSENT if row.kind == NOT_THERE else row


def _status(before: Row, after: Row) -> str:
    """In one word; empty where it is as it was, or nothing shows that it is not."""
    if UNKNOWN in (before.kind, after.kind):
        return "changed" if _other(before, after) else ""
    if before == _ABSENT:
        return "new"
    if after == _ABSENT:
        return "deleted"
    if before.kind != after.kind:
        return "kind"
    if before.digest != after.digest or before.size != after.size:
        return "changed"
    return "mode" if before.mode != after.mode else ""


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


def _intervals(chain: Sequence[Manifest], change: Change) -> tuple[int, ...]:
    if len(chain) == 2:
        return (0,)
    paths = [path for path in (change.path, change.old_path) if path]
    states = [[_at(manifest, path) for path in paths] for manifest in chain]
    return tuple(place for place, (one, other) in enumerate(pairwise(states)) if one != other)


class LineCounts:
    """Counts lines of what changed, until that took too long or too many bytes."""

    def __init__(self, store: Store, within: float = COUNTED_WITHIN) -> None:
        self._store, self._until, self._left = store, time.monotonic() + within, COUNTED_IN_ALL

    def of(self, change: Change) -> tuple[int, int] | None:
        """Lines added and removed; None where they are not counted: no text, too large, not known."""
        sides = [row for row in (change.before, change.after) if row != _ABSENT]
        if any(row.kind != FILE or row.size > COUNTED_AT_MOST for row in sides):
            return None
        self._left -= sum(row.size for row in sides)
        if self._left < 0 or time.monotonic() > self._until:
            return None
        try:
            texts = [b"" if row == _ABSENT else self._store.get(row.digest.hex()) for row in change[2:4]]
        except StoreFault:
            return None
        if any(b"\0" in text[:8192] for text in texts):
            return None
        return count_lines(texts[0], texts[1])


def count_lines(before: bytes, after: bytes) -> tuple[int, int]:
    """How many lines were added and removed."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    start = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    old, new = old[start:], new[start:]
    pairs = zip(reversed(old), reversed(new), strict=False)
    end = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new)))
    old, new = old[: len(old) - end], new[: len(new) - end]
    if not old or not new:
        return len(new), len(old)
    if len(old) * len(new) > _EXACT:
        added, removed = Counter(new), Counter(old)
        return (added - removed).total(), (removed - added).total()
    same = sum(block.size for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks())
    return len(new) - same, len(old) - same


def told(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
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
