"""Files that a project has or names: they come from anybody, and may be pipes, devices, huge, or another user's."""

import errno
import os
from pathlib import Path

from acp_tui.host.system.regular_files import open_regular

MAX_BYTES = 1024 * 1024
MAX_FOREIGN = 512 * 1024  # bytes of a file of a project: every word of it is looked at, and may have to be read


def is_ours(path: Path, *, here: bool) -> bool:
    """Whether the file belongs to who is here, or to the owner of the folder that one has gone `here` to work in.

    What is only read as colours or after consent needs no more: a file that is exchanged meanwhile wins nothing.
    """
    if not hasattr(os, "geteuid"):
        return True
    try:
        owners = {path.lstat().st_uid, path.stat().st_uid}
        return owners == {os.geteuid()} or (here and owners == {path.parent.stat().st_uid})
    except OSError:
        return False


def read_bytes(path: Path, *, foreign: bool, most: int | None = None) -> bytes:
    """What the file holds. Raises OSError, also for more than `most` bytes (else MAX_BYTES, or MAX_FOREIGN).

    A `foreign` file, which a project names, must be a regular one.
    """
    most = most or (MAX_FOREIGN if foreign else MAX_BYTES)
    with open_regular(path) if foreign else path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"larger than {most:,} bytes")
    return data
