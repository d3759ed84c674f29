"""A row of a snapshot: what a path was, or why that is not known; and stat data, by which a file is proved the same."""

import os
import stat
from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

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


NOTHING = bytes(20)
ABSENT_ROW = Row(-1, KEPT, 0, 0, NOTHING)
Stat = tuple[int, int, int, int, int]
"""Mode, size, inode, mtime and ctime in nanoseconds."""
stat_of: Callable[[os.stat_result], Stat] = attrgetter("st_mode", "st_size", "st_ino", "st_mtime_ns", "st_ctime_ns")
TICK = 20_000_000  # nanoseconds within which a change may have the same time; clocks of kernels tick each 1 to 10 ms
COARSE = 2_000_000_000  # the same where times have no parts of a second
_SECOND = 1_000_000_000


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
