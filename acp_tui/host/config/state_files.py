"""Files of our own and their folders: read, added to, or replaced whole or not at all by an atomic rename.

Nobody else can look into them, whatever the umask. A link, a pipe, a device or a folder in the place of one is refused,
never followed and never waited for. What raises here raises OSError with a reason that can be shown.
"""

import errno
import hashlib
import json
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from acp_tui.errors import UserFault, reason_of
from acp_tui.host.system.paths import open_regular
from acp_tui.safe_text import named
from acp_tui.startup import late


def state_folder() -> Path:
    """Prompt history, drafts and logs: what may be lost without harm. Not created here."""
    return _folder("state")


def config_folder() -> Path:
    """The user's own config file and prompts. Not created here."""
    return _folder("config")


def data_folder() -> Path:
    """Agents that were installed from here. Not created here."""
    return _folder("data")


def cache_folder() -> Path:
    """What can be fetched again. Not created here."""
    return _folder("cache")


def _folder(kind: str) -> Path:
    path: Path = getattr(late("platformdirs"), f"user_{kind}_path")("acp-tui", appauthor=False)
    return path


def kept_name(readable: str, whole: bytes, otherwise: str) -> str:
    """A name to recognise a file by (`otherwise` if `readable` is empty), and a digest of `whole` to tell it apart."""
    words = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in readable)[:40]
    return f"{words or otherwise}-{hashlib.sha256(whole).hexdigest()[:16]}"


def check_new(path: Path, title: str) -> None:
    """Raise `UserFault`, with that title, where such a file could not be created now."""
    if os.path.lexists(path):
        raise _exists(path)
    if not os.access(path.parent, os.W_OK):
        raise UserFault(title, f"{named(path)}: its folder does not exist or is not writable.")


OPEN_FILES: set[str] = set()
"""Real paths of the files that this run writes wherever the user wants them."""


def create_new(path: Path, title: str, flags: int = 0) -> int:
    """A descriptor that writes to the new file; raises `UserFault`, with that title where it cannot be created."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | flags, 0o600)
    except FileExistsError as error:
        raise _exists(path) from error
    except OSError as error:
        raise UserFault(title, f"{named(path)}: {reason_of(error)}") from error
    OPEN_FILES.add(os.path.realpath(path))
    return descriptor


def _exists(path: Path) -> UserFault:
    return UserFault("The file already exists", named(path), "Choose another file, or delete it.")


if sys.platform != "win32":
    import fcntl

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FLAGS = _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_TEMPORARY = ".acp-tui-new"  # ends the name of a temporary, and that of no other program's file


def private_folder(folder: Path) -> Path:
    """Create `folder` (and its parents) so that only its owner can look inside."""
    if not folder.is_dir():
        private_folder(folder.parent)
        folder.mkdir(exist_ok=True, mode=0o700)
        folder.chmod(0o700)
    return folder


def regular_stat(path: Path) -> os.stat_result | None:
    """The lstat of what is in the place of a file, None for nothing; raises for anything but a regular file."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "a folder with this name exists")
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
    return found


def read_private(path: Path, most: int, *, end: bool = False) -> bytes:
    """What a file holds. One of more than `most` bytes is not ours and raises; of its `end` they are read."""
    regular_stat(path)
    with open_regular(path, _NO_LINK) as file:
        if end:
            file.seek(max(0, file.seek(0, os.SEEK_END) - most))
            return file.read(most)
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"larger than {most:,} bytes")
    return data


def append_private(path: Path, data: bytes) -> None:
    """Add to a file, in one write, so that several runs can share it; raises also where only a part was taken."""
    private_folder(path.parent)
    regular_stat(path)
    descriptor = _open(path, os.O_APPEND)
    try:
        if os.write(descriptor, data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(descriptor)


def write_private(
    path: Path, data: bytes, *, sync: bool = True, tidy: bool = True, finish: Callable[[int], None] | None = None
) -> None:
    """Put a file of these bytes into the place of the one at `path`, if any.

    Without `sync` a power cut may leave it empty, but no disk is waited for: for who writes on the event loop.
    What killed writers left in the folder is removed first; not without `tidy`, for folders of thousands of files.
    `finish` gets the descriptor just before the rename, and calls it off by raising.
    """
    folder = private_folder(path.parent)
    if tidy:
        remove_left_over(folder)
    regular_stat(path)
    descriptor, beside = _temporary(path)
    try:
        with os.fdopen(descriptor, "wb") as file:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            if sync:
                os.fsync(descriptor)
            if finish is not None:
                finish(descriptor)
            if sys.platform == "win32":
                file.close()  # an open file cannot be renamed there; elsewhere it stays locked until it is
            beside.replace(path)
    finally:
        with suppress(OSError):
            beside.unlink()


def _open(path: Path, flags: int) -> int:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | flags | _FLAGS, 0o600)
    with suppress(OSError, AttributeError):  # a file system, or a system, without modes
        os.fchmod(descriptor, 0o600)
    return descriptor


def _temporary(path: Path) -> tuple[int, Path]:
    """A new file beside that one, with the lock that tells it from what a writer left that was killed."""
    while True:
        beside = path.with_name(f".{path.name}.{os.urandom(6).hex()}{_TEMPORARY}")
        descriptor = _open(beside, os.O_EXCL)
        if sys.platform != "win32":
            with suppress(OSError):  # a file system without locks, where nothing is removed either
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        if beside.exists():
            return descriptor, beside
        os.close(descriptor)  # another writer took it for left over before it was locked


def remove_left_over(folder: Path) -> None:
    """Remove what writers that were killed left in a folder."""
    if sys.platform == "win32":  # which has no such locks
        return
    for path in folder.glob(f".*{_TEMPORARY}"):
        with suppress(OSError), open_regular(path, _NO_LINK) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


CAP = 8 * 1024 * 1024  # bytes that are read; a larger file is not ours

T = TypeVar("T")


class JsonFile:
    """The file at `path`; with `None` nothing is kept beyond this run."""

    def __init__(self, path: Path | None, cap: int = CAP) -> None:
        self.path, self._cap = path, cap
        self.problem = ""

    def load(self, read: Callable[[Any], T]) -> T | None:
        """What `read` makes of the JSON; None where there is no file, or a damaged one, for which it may raise."""
        if self.path is None:
            return None
        try:
            return read(json.loads(read_private(self.path, self._cap)))
        except FileNotFoundError:
            pass
        except OSError as error:
            self.problem = f"{self.path}: {error.strerror or error}"
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
            self.problem = f"{self.path}: damaged, so it is ignored"
        return None

    def store(self, value: Any, indent: int | None = None) -> None:
        if self.path is None:
            return
        try:
            write_private(self.path, json.dumps(value, indent=indent).encode(), sync=False)  # it is on the loop
        except OSError as error:
            self.problem = f"{self.path}: {error.strerror or error}"

    def delete(self) -> None:
        """Keep nothing any more; a file that cannot be deleted stays."""
        if self.path is not None:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)


def read_object(value: Any) -> dict[str, Any]:
    """The reader of `load` for a file that holds one JSON object."""
    if not isinstance(value, dict):
        raise TypeError
    return value


def json_object(line: bytes) -> dict[str, Any] | None:
    """A line of a file of JSON objects; None for what is none (torn, damaged)."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def json_line(value: dict[str, Any]) -> bytes:
    """A line of such a file. The leading newline ends what a broken write may have left; empty lines are skipped."""
    return b"\n" + json.dumps(value).encode() + b"\n"


def json_lines(path: Path, most: int = CAP) -> list[bytes]:
    """The lines of such a file that are not empty, of its last `most` bytes; raises OSError."""
    return [line for line in read_private(path, most, end=True).split(b"\n") if line]


def append_object(path: Path, value: dict[str, Any]) -> None:
    """Add a line to such a file; raises OSError, also where only a part of it was taken."""
    append_private(path, json_line(value))
