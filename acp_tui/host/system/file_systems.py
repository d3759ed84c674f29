"""Which file system holds a path, as far as the system says so."""

import os
import sys
from pathlib import Path

# Local ones whose change times follow the clock of this machine and cannot be set (tried: TAKE-BACK, law 5).
WITH_CHANGE_TIMES = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "tmpfs", "overlay", "apfs"})
_MOUNTS = Path("/proc/self/mountinfo")


def file_system_of(path: str) -> str:
    """Its name (`ext4`, `nfs4`) by the longest mount point above a real path; empty where nobody knows. It blocks.

    macOS tells it by no file: APFS, which holds all systems since 10.13, is taken for granted there.
    """
    if sys.platform == "darwin":
        return "apfs"
    try:
        lines = _MOUNTS.read_bytes().splitlines()
    except OSError:
        return ""
    return _holding(os.fsencode(path), lines)


def _holding(path: bytes, lines: list[bytes]) -> str:
    """Of lines of mountinfo (proc(5)): fields, ` - `, the file system; a later mount covers an earlier one."""
    found, length = b"", -1
    for line in lines:
        head, _, tail = line.partition(b" - ")
        fields = head.split(b" ")
        if len(fields) < 5:
            continue
        mounted = fields[4].replace(b"\\040", b" ").replace(b"\\011", b"\t").replace(b"\\134", b"\\").rstrip(b"/")
        if (path == mounted or path.startswith(mounted + b"/")) and len(mounted) >= length:
            found, length = tail.split(b" ")[0], len(mounted)
    return found.decode("ascii", "replace")


def tells_change_times(path: str) -> bool:
    """Whether a change time there proves when something happened. It blocks."""
    return file_system_of(path) in WITH_CHANGE_TIMES
