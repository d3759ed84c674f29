"""The cap of all records together: the oldest are deleted to make room for new ones.

A record that is being written, here or by another run of this program, is locked and stays.
"""

import logging
import os
import sys
from pathlib import Path

if sys.platform != "win32":  # there, what is open cannot be deleted anyway
    import fcntl

TOTAL = 2 * 1024 * 1024 * 1024  # bytes of all records together

log = logging.getLogger(__name__)


def hold(descriptor: int) -> None:
    """Keep the record that is open for writing from being deleted, until it is closed."""
    if sys.platform != "win32":
        fcntl.flock(descriptor, fcntl.LOCK_SH)


def make_room(folder: Path, total: int = TOTAL) -> list[Path]:
    """Delete the records that were written to longest ago until the rest has `total` bytes; those that went.

    The log says what went. Raises nothing: a record that cannot be deleted stays.
    """
    gone: list[Path] = []
    sizes = sorted(_sizes(folder), reverse=True)
    excess = sum(size for _, size, _ in sizes) - total
    while excess > 0 and sizes:
        _, size, path = sizes.pop()
        if _deleted(path):
            gone.append(path)
            excess -= size
    if gone:
        names = f"{gone[0].name} to {gone[-1].name}" if gone[1:] else gone[0].name
        log.warning("records exceed %d bytes in all: deleted the %d oldest, %s", total, len(gone), names)
    return gone


def _sizes(folder: Path) -> list[tuple[int, int, Path]]:
    found = []
    for path in folder.glob("*.jsonl"):
        try:
            state = path.stat()
        except OSError:
            continue  # it went meanwhile
        found.append((state.st_mtime_ns, state.st_size, path))
    return found


def _deleted(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        if sys.platform != "win32":
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
