"""A row of a snapshot: what a path was, or why that is not known; and stat data, by which a file is proved the same."""

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

UNKNOWN, FILE, LINK, FOLDER, NOT_THERE = range(5)
"""What a path is. `NOT_THERE`: looked for where else nothing is."""

REASONS = (
    "",
    "ignored",
    "too large",
    "not readable",
    "a special file",
    "a checkout of its own",
    "saved too late to undo",
    "over the number of files",
    "over the size of a snapshot",
    "changed while it was read",
    "Git cannot say what is ignored",
    "too deep",
)
(
    KEPT,
    IGNORED,
    TOO_LARGE,
    UNREADABLE,
    SPECIAL,
    NESTED,
    LATE,
    OVER_NUMBER,
    OVER_SIZE,
    UNSTEADY,
    NO_RULES,
    TOO_DEEP,
) = range(len(REASONS))


class Row(NamedTuple):
    """One path. `mode` is that of `lstat`, 0 where nobody looked. `digest`: of a file's bytes or a link's path.

    A reason says why it is `UNKNOWN`; its digest is then that of its inode and times, but of what was read too `LATE`
    that of its bytes, if they are older than the prompt wherever they were. With a reason a `FOLDER` is known, but not
    all names in it.
    """

    kind: int
    reason: int
    mode: int
    size: int
    digest: bytes


class RowsAt(Mapping[str, Row]):
    """The rows of the snapshot with this number; `spans` are, by path, rows and since and until which one they count.

    A chain of hundreds shares them: a table for each would take gigabytes.
    """

    def __init__(self, spans: Mapping[str, Sequence[tuple[int, float, Row]]], number: int) -> None:
        self._spans, self._number = spans, number

    def __getitem__(self, path: str) -> Row:
        for since, until, row in self._spans[path]:
            if since <= self._number < until:
                return row
        raise KeyError(path)

    def __iter__(self) -> Iterator[str]:
        return (path for path in self._spans if path in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Tree(NamedTuple):
    """How paths were at a snapshot: of all of them, or of those that were asked for and the folders around them."""

    rows: Mapping[str, Row]

    def row(self, path: str) -> Row | None:
        """The row of a path; None for a path that has none."""
        return self.rows.get(path)

    def cover(self, path: str) -> int:
        """Why nothing can be said of a path that has no row; 0: it was not there."""
        while path:
            path = path.rpartition("/")[0]
            row = self.rows.get(path)
            if row is not None:
                return row.reason
        return KEPT


NOTHING = bytes(20)
ABSENT_ROW = Row(-1, KEPT, 0, 0, NOTHING)
Stat = tuple[int, int, int, int, int]
"""Mode, size, inode, mtime and ctime in nanoseconds."""
stat_of: Callable[[os.stat_result], Stat] = attrgetter("st_mode", "st_size", "st_ino", "st_mtime_ns", "st_ctime_ns")
TICK = 20_000_000  # nanoseconds within which a change may have the same time; clocks of kernels tick each 1 to 10 ms
COARSE = 2_000_000_000  # the same where times have no parts of a second
_SECOND = 1_000_000_000


def row_of(values: Sequence[Any]) -> Row:
    """A row as it is in a table; raises ValueError for what was never written there."""
    row = Row(*values)
    known = row.kind in range(NOT_THERE + 1) and row.reason in range(len(REASONS))
    plain = isinstance(row.mode, int) and isinstance(row.size, int) and isinstance(row.digest, bytes)
    if not known or not plain or len(row.digest) != len(NOTHING):
        raise ValueError("no row of a snapshot")
    return row


def kind_of(mode: int) -> int:
    """What `lstat` says it is; `UNKNOWN` for what is never opened."""
    if stat.S_ISREG(mode):
        return FILE
    return LINK if stat.S_ISLNK(mode) else FOLDER if stat.S_ISDIR(mode) else UNKNOWN


def newest(data: Stat) -> int:
    """When something was changed last: contents, mode or name."""
    return max(data[3], data[4])


def slack(data: Stat) -> int:
    """Nanoseconds by which a change may be later than its time says."""
    return TICK if data[3] % _SECOND or data[4] % _SECOND else COARSE


def provable(data: Stat, looked: int) -> Stat:
    """Stat data by which a later look can prove that nothing changed: size, mode, inode and times agree.

    It proves nothing if the last change was too recent. `looked`: nanoseconds, before the look began.
    """
    return data if newest(data) < looked - slack(data) else unproved(data)


def unproved(data: Stat) -> Stat:
    return data[0], data[1], 0, 0, 0
