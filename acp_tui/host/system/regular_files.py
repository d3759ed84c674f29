"""Regular files: what lies in the place of one may be a pipe, for which a plain open waits for ever, or a device."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


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
