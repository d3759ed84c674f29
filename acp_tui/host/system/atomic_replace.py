"""Putting something into the place of a file: written beside it, privately, and then given its name.

What is asked to replace exactly what was looked at uses `exchange` and `put`: they lose nothing that came between.
"""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from acp_tui.host.system.sandbox_paths import SandboxPath
from acp_tui.startup import late

_WRITE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_HERE = -100  # AT_FDCWD
_NO_REPLACE, _EXCHANGE = 1, 2  # flags of renameat2
# The system or the file system does not know the call.
_UNKNOWN = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM)


def beside(place: SandboxPath) -> SandboxPath:
    """A new name in the same folder."""
    folder, name = os.path.split(place.name)  # a folder only where there are no handles
    # Names have at most 255 bytes, of which a character may take four.
    temporary = os.path.join(folder, f".{name[:50]}.{secrets.token_hex(6)}")  # noqa: PTH118 (a text)
    return SandboxPath(os.path.join(os.path.dirname(place.path), temporary), temporary, place.folder)  # noqa: PTH118, PTH120


@contextmanager
def written(place: SandboxPath, mode: int = 0o600) -> Iterator[BinaryIO]:
    """A new file at a place, with what `mode` and the umask leave.

    It gets its name only when it is whole, where the system has unnamed files: a kill leaves nothing.
    """
    descriptor = _unnamed(place, mode)
    named = descriptor is None
    if descriptor is None:
        descriptor = os.open(place.name, _WRITE_FLAGS, mode, dir_fd=place.folder)
    with os.fdopen(descriptor, "wb") as file:
        yield file
        if not named:
            file.flush()
            os.link(f"/proc/self/fd/{descriptor}", place.name, dst_dir_fd=place.folder)


def _unnamed(place: SandboxPath, mode: int) -> int | None:
    """A new file in the folder of a place that has no name yet; None where there is no such thing."""
    if place.folder is None or not hasattr(os, "O_TMPFILE") or not os.path.isdir("/proc/self/fd"):  # noqa: PTH112
        return None
    with suppress(OSError):  # some file systems have none; what else is wrong the named one tells
        return os.open(".", os.O_TMPFILE | os.O_WRONLY, mode, dir_fd=place.folder)
    return None


def remove(place: SandboxPath) -> None:
    """Remove a file or link, if it is there."""
    with suppress(FileNotFoundError):
        os.unlink(place.name, dir_fd=place.folder)


def keep_owner(descriptor: int, before: os.stat_result) -> None:
    if hasattr(os, "fchown"):
        with suppress(PermissionError):  # only a privileged user writes files of others and can give them back
            os.fchown(descriptor, before.st_uid, before.st_gid)


def set_mode(descriptor: int, mode: int) -> None:
    """Give a file a mode, without the rights that write(2) takes away.

    Those are setuid, and setgid where the group may execute. A privileged user's write(2) would leave them.
    """
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, writable_mode(mode))


def writable_mode(mode: int) -> int:
    """The permission bits of a mode that a file may have which was written by us."""
    runs_as = stat.S_ISUID | (stat.S_ISGID if mode & stat.S_IXGRP else 0)
    return stat.S_IMODE(mode) & ~runs_as


def put(source: SandboxPath, target: SandboxPath) -> None:
    """Give a file or link another name. Raises `FileExistsError` if there is such a one, which stays."""
    if _renamed(source, target, _NO_REPLACE):
        return
    try:
        os.link(source.name, target.name, src_dir_fd=source.folder, dst_dir_fd=target.folder, follow_symlinks=False)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):  # not every file system has hard links
        _put_by_look(source, target)
    else:
        _unlink_other_name(source, target)


def _unlink_other_name(name: SandboxPath, file: SandboxPath) -> None:
    aside = beside(name)
    try:
        os.rename(name.name, aside.name, src_dir_fd=name.folder, dst_dir_fd=aside.folder)
    except FileNotFoundError:
        return
    one, other = (os.stat(each.name, dir_fd=each.folder, follow_symlinks=False) for each in (aside, file))
    if (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino):
        remove(aside)
    else:
        with suppress(FileExistsError):  # then it keeps the name beside
            put(aside, name)


def _put_by_look(source: SandboxPath, target: SandboxPath) -> None:
    try:
        os.stat(target.name, dir_fd=target.folder, follow_symlinks=False)
    except FileNotFoundError:
        os.rename(source.name, target.name, src_dir_fd=source.folder, dst_dir_fd=target.folder)
        return
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))


def exchange(one: SandboxPath, other: SandboxPath) -> None:
    """Let two files or links of one folder have each other's name.

    At once where the system can. Elsewhere `other` has none for a moment: what comes into its place meanwhile stays,
    and `FileExistsError` is raised; what it was before then has a third name.
    """
    if _renamed(one, other, _EXCHANGE):
        return
    third = beside(other)
    os.rename(other.name, third.name, src_dir_fd=other.folder, dst_dir_fd=third.folder)
    try:
        put(one, other)
    except BaseException:
        with suppress(OSError):
            put(third, other)
        raise
    os.rename(third.name, one.name, src_dir_fd=third.folder, dst_dir_fd=one.folder)


def _renamed(source: SandboxPath, target: SandboxPath, flags: int) -> bool:
    """Whether the system knows how to do this at once, and did. Raises `OSError`."""
    try:
        ctypes = late("ctypes")
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (ImportError, OSError, AttributeError, TypeError):
        return False
    folders = (_HERE if place.folder is None else place.folder for place in (source, target))
    first, second = folders
    if call(first, os.fsencode(source.name), second, os.fsencode(target.name), flags) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNKNOWN:
        return False
    raise OSError(number, os.strerror(number))
