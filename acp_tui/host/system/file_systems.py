"""Which file system holds a path, as far as the system says so."""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

# Local ones whose change times follow the clock of this machine and cannot be set (tried: TAKE-BACK, law 5).
WITH_CHANGE_TIMES = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "tmpfs", "overlay", "apfs"})
_MOUNTS = Path("/proc/self/mountinfo")


def file_system_of(path: str) -> str:
    """Its name (`ext4`, `nfs4`) by the longest mount point above a real path; empty where nobody knows. It blocks.

    macOS tells it by no file: APFS, which holds all systems since 10.13, is taken for granted there.
    """
    return "apfs" if sys.platform == "darwin" else _holding(os.fsencode(path), mount_table())


def mount_table() -> bytes:
    """What is mounted where, as the system tells it; empty where it does not. It blocks, for no disk."""
    try:
        return _MOUNTS.read_bytes()
    except OSError:
        return b""


def mounted_below(root: str, table: bytes) -> set[str]:
    """The paths below a real path, relative to it, on which something is mounted, by such a table."""
    above = os.fsencode(root).rstrip(b"/") + b"/"
    points = (point for point, _ in _mounts(table))
    return {os.fsdecode(point.removeprefix(above)) for point in points if point.startswith(above)}


def _holding(path: bytes, table: bytes) -> str:
    """A later mount covers an earlier one."""
    found, length = b"", -1
    for mounted, name in _mounts(table):
        if (path == mounted or path.startswith(mounted + b"/")) and len(mounted) >= length:
            found, length = name, len(mounted)
    return found.decode("ascii", "replace")


def _mounts(table: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Where and which file system, by lines of mountinfo (proc(5)): fields, ` - `, the file system."""
    for line in table.splitlines():
        head, _, tail = line.partition(b" - ")
        fields = head.split(b" ")
        if len(fields) >= 5:
            point = fields[4].replace(b"\\040", b" ").replace(b"\\011", b"\t").replace(b"\\134", b"\\").rstrip(b"/")
            yield point, tail.split(b" ")[0]


def tells_change_times(path: str) -> bool:
    """Whether a change time there proves when something happened. It blocks."""
    return file_system_of(path) in WITH_CHANGE_TIMES


def open_regular(path: str | Path, flags: int = 0) -> BinaryIO:
    """Open a file that must be a regular one: a pipe or a device is not waited for. Raises OSError and ValueError.

    `flags` are more of `os.open`.
    """
    flags |= getattr(os, "O_NONBLOCK", 0)
    file = open(path, "rb", opener=lambda name, own: os.open(name, own | flags))  # noqa: SIM115 - the caller closes it
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "not a regular file")
    return file


def read_regular(path: str | Path) -> bytes:
    """All of a regular file. Raises OSError and ValueError, also for anything else."""
    with open_regular(path) as file:
        return file.read()
