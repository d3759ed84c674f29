"""Proof that what is looked at was so at another moment: after a prompt went out, or by the look of the last snapshot.

Change times (ctime) tell that of files and folders: nobody sets them. They do not tell what a path led to, for a folder
that is moved keeps the times of all in it: so those of each folder above it count as well, up to the root.
"""

import marshal
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from acp_tui.host.snapshots.content import digest_of
from acp_tui.host.snapshots.path_state import (
    COARSE,
    IGNORED,
    LATE,
    NO_RULES,
    NOTHING,
    SPECIAL,
    TICK,
    UNKNOWN,
    Row,
    SnapshotTree,
    Stat,
)
from acp_tui.host.snapshots.tree_walk import WalkResult

STEP = 10_000_000  # nanoseconds by which the clock may seem to go back, for two clocks are not read at once
_SECOND = 1_000_000_000
_INODES = 5  # CLOCK_REALTIME_COARSE of Linux, by which inodes have their times; it is up to a tick behind `time_ns`
_BOOT = getattr(time, "CLOCK_BOOTTIME", None) or getattr(time, "CLOCK_MONOTONIC", None)  # macOS: counts sleep, too

Seen = tuple[int, int]
"""Of a folder: its device, and its ctime in nanoseconds."""


class Stamp(NamedTuple):
    """The moment before the bytes of a prompt are written.

    `monotonic`: seconds. `wall`: nanoseconds by the clock of inodes. `offset`: the wall clock minus the time since the
    machine was started, in nanoseconds: it goes back where somebody sets the clock back. `mounts`: what was mounted.
    """

    monotonic: float
    wall: int
    offset: int
    mounts: int


def stamp_now(mounts: bytes) -> Stamp:
    """This moment, where this is the table of what is mounted."""
    offset = _offset()
    wall = time.clock_gettime_ns(_INODES) if hasattr(time, "CLOCK_BOOTTIME") else time.time_ns()
    return Stamp(time.monotonic(), wall, offset, zlib.crc32(mounts))


def _offset() -> int:
    """Read again where the process was stopped between the two clocks."""
    for _ in range(5):
        before = _since_start()
        wall = time.time_ns()
        if _since_start() - before < STEP // 10:
            break
    return wall - before


def _since_start() -> int:
    return time.monotonic_ns() if _BOOT is None else time.clock_gettime_ns(_BOOT)


def older(changed: int, stamp: Stamp) -> bool:
    """Whether a ctime is before the stamp, whatever the clock behind it counts in."""
    return changed < stamp.wall - (TICK if changed % _SECOND else COARSE)


def steady(stamp: Stamp, now: Stamp) -> bool:
    """Whether times since the stamp can be compared with it, and paths have not come to lead elsewhere."""
    return now.offset >= stamp.offset - STEP and now.mounts == stamp.mounts


class Proof:
    """What is proved of the paths below one root. Make it once they have been looked at, and ask it then.

    `look` says how a folder is at that time, by its path (empty for the root); None where there is no such folder.
    `mounted`: paths on which something is mounted, perhaps of a file system that tells nothing. `tells`: that of the
    root does.
    """

    def __init__(
        self,
        stamp: Stamp,
        now: Stamp,
        look: Callable[[str], Seen | None],
        mounted: Collection[str] = (),
        *,
        tells: bool = True,
    ) -> None:
        self._stamp, self._look, self._mounted = stamp, look, mounted
        root = look("")
        self._device = -1 if root is None else root[0]
        self.holds = tells and steady(stamp, now)
        self._seen: dict[str, Seen | None] = {"": root}
        self._folders: dict[str, bool] = {}

    def unchanged(self, data: Stat) -> bool:
        """Whether what was looked at was as it is before the stamp, wherever it was."""
        return self.holds and older(data[4], self._stamp)

    def path(self, path: str, data: Stat) -> bool:
        """Whether a path led to this at the stamp, and it was as it is; `data` was looked at behind what was read."""
        return path not in self._mounted and self.unchanged(data) and self.folder(path.rpartition("/")[0])

    def folder(self, path: str) -> bool:
        """Whether a folder held the same names at the stamp."""
        known = self._folders.get(path)
        if known is None:
            seen = self._at(path)
            known = self.holds and seen is not None and seen[0] == self._device and older(seen[1], self._stamp)
            known = self._folders[path] = known and (not path or self.folder(path.rpartition("/")[0]))
        return known

    def absent(self, path: str) -> bool:
        """Whether a path that is not there was not there at the stamp."""
        while path:
            path = path.rpartition("/")[0]
            if self._at(path) is not None:
                return self.folder(path)
        return False

    def _at(self, path: str) -> Seen | None:
        if path not in self._seen:
            self._seen[path] = self._look(path)
        return self._seen[path]


Unproved = Mapping[str, bool]
"""Paths that were looked at after a prompt went out, without proof; whether what was read is older than the prompt."""


class Read(NamedTuple):
    """When a path was read (monotonic seconds), its stat data behind that, and whether those of the listing are so."""

    at: float
    data: Stat | None
    as_listed: bool


class CaptureReads(NamedTuple):
    """What a snapshot has seen: its listing, which was over at `listed_at`, what it read, by place there, and what it
    looked for in vain. `known`: the last look, which proves what needs no reading, was over before the stamp.
    """

    found: WalkResult
    reads: Mapping[int, Read]
    not_there: Collection[str]
    listed_at: float
    known: bool


def unproved_in(looked: CaptureReads, proof: Proof, stamp: Stamp) -> Unproved:
    """The paths that were looked at after the stamp, and may have been other then."""
    found, late = looked.found, looked.listed_at > stamp.monotonic
    unproved = {}
    for place, path in enumerate(found.paths):
        read, data = looked.reads.get(place), found.stats[place]
        if read is None:  # it is as at the last look
            proved = not late or (looked.known and proof.unchanged(data)) or proof.path(path, data)
        elif read.at < stamp.monotonic:
            continue
        elif read.data is None:
            proved = False
        else:
            data = read.data
            proved = (read.as_listed and not late and proof.unchanged(data)) or proof.path(path, data)
        if not proved and path not in found.unknown:
            unproved[path] = (read is None or read.data is not None) and proof.unchanged(data)
    if late:
        unproved |= {path: False for path in found.folders if not proof.folder(path)}
        unproved |= dict.fromkeys(_left_out_since(found, proof, unproved), False)
    return unproved | {path: False for path in looked.not_there if not proof.absent(path)}


def _left_out_since(found: WalkResult, proof: Proof, unproved: Unproved) -> Iterator[str]:
    """What may be left out only since the stamp: by new ignore rules, as a checkout, as none that can be read."""
    # Of rules that leave themselves out nothing is known.
    rules = any(path.rpartition("/")[2] == ".gitignore" for path in (*unproved, *found.unknown))
    for path, row in found.unknown.items():
        by_rules = row.reason in (IGNORED, NO_RULES)
        if rules if by_rules else not (proof.absent(path) if row.reason == SPECIAL else proof.folder(path)):
            yield path


def rows_unknown(rows: Mapping[str, Row], unproved: Unproved) -> Iterator[tuple[str, Row]]:
    """What counts in place of these: that nothing is known."""
    for path, as_read in unproved.items():
        row = rows.get(path, Row(UNKNOWN, LATE, 0, 0, NOTHING))
        late = Row(UNKNOWN, LATE, row.mode, row.size, row.digest if as_read else NOTHING)
        yield path, row if row.kind == UNKNOWN else late


def rows_before(
    rows: Mapping[str, Row], unproved: Unproved, before: SnapshotTree, moved: Collection[str] = ()
) -> Iterator[tuple[str, Row | None]]:
    """What counts in place of these: how they were at an earlier look. None: nothing was there.

    What is older than the prompt and not as it was then may be the user's: of that nothing is known, but of what was
    only `moved` since.
    """
    unknown = dict(rows_unknown(rows, unproved))
    for path, as_read in unproved.items():
        row = before.row(path)
        is_other = (as_read and path not in moved and row != rows[path]) or (row is None and before.cover(path))
        yield path, unknown[path] if is_other else row
    for path, row in before.rows.items():
        if path not in rows and path not in unproved and _hidden(path, rows, unproved):
            yield path, row


def _hidden(path: str, rows: Mapping[str, Row], unproved: Unproved) -> bool:
    """Whether it may have been there at the prompt though it was not seen: the nearest that was is not proved."""
    while path:
        path = path.rpartition("/")[0]
        if path in rows or path in unproved:
            return path in unproved
    return False


class Look(NamedTuple):
    """What the newest snapshot saw: by it a file that did not change need not be read again.

    `generation` counts what has become of the newest rows: who writes must have looked at the last one. `at`: when it
    was over, in nanoseconds. `paths` and `stats` are of files and links, in the order of the walk; stat data that
    proves nothing has no times. `others`: rows of folders, and of what is not kept.
    """

    generation: int
    at: int
    paths: list[str]
    stats: list[Stat]
    others: dict[str, Row]


class Addition(NamedTuple):
    """What is not as it was at the look that it is compared with."""

    rows: Sequence[tuple[str, Row, Stat]]  # other ones, and of new paths
    touched: Sequence[tuple[str, Stat]]  # of the same rows
    closed: Collection[str]  # paths that have no row any more


def packed(look: Look) -> bytes:
    """A look as bytes, with a check sum: 35 ms for 50,000 files, where their rows take 150."""
    data = marshal.dumps((look.paths, look.stats, {path: tuple(row) for path, row in look.others.items()}), 4)
    return digest_of(data) + data


def unpacked(data: bytes) -> Look:
    """The same back, as none that is the newest; raises ValueError for what is no look."""
    if digest_of(data[20:]) != data[:20]:
        raise ValueError("no listing")
    paths, stats, others = marshal.loads(data[20:])  # noqa: S302 (ours, checked)
    return Look(-1, 0, paths, stats, {path: Row(*row) for path, row in others.items()})
