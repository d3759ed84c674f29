"""Reading files below a folder by directory handle: no link is followed, nothing but regular files is opened, and what
changes while it is read is no data.
"""

import os
import struct
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from io import BytesIO

from acp_tui.host.snapshots.listing import OPEN_FOLDER, Stat, stat_of
from acp_tui.host.snapshots.pack import PIECE, Readable, digest_of
from acp_tui.host.snapshots.proof import Proof, Seen, Stamp, stamp_now
from acp_tui.host.snapshots.store import StoreWriter
from acp_tui.host.snapshots.table import (
    FILE,
    FOLDER,
    LINK,
    NOTHING,
    OVER_SIZE,
    SPECIAL,
    TOO_LARGE,
    UNKNOWN,
    UNREADABLE,
    UNSTEADY,
    Row,
    kind_of,
)
from acp_tui.host.system.file_systems import mount_table, mounted_below, tells_change_times

TRIES = 3  # times that a file is read which changes meanwhile
_OPEN_AT_ONCE = 32  # folders that stay open for the next file
_OPEN_FILE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_OPEN_FILE |= getattr(os, "O_NOCTTY", 0)


class Folders:
    """Handles of folders below a root, each opened from the one above it; a context that closes them."""

    def __init__(self, root: str) -> None:
        self._root = os.open(root, OPEN_FOLDER & ~getattr(os, "O_NOFOLLOW", 0))
        self._open: OrderedDict[str, int] = OrderedDict()

    def __enter__(self) -> "Folders":
        return self

    def __exit__(self, *_: object) -> None:
        for handle in (*self._open.values(), self._root):
            os.close(handle)

    def handle(self, path: str) -> int:
        """That of a folder; raises OSError where a part of its path is none, or a link."""
        if not path:
            return self._root
        if path not in self._open:
            above, _, name = path.rpartition("/")
            if name in ("", ".", ".."):
                raise PermissionError(path)  # never out of the root
            self._open[path] = os.open(name, OPEN_FOLDER, dir_fd=self.handle(above))
            while len(self._open) > _OPEN_AT_ONCE:
                os.close(self._open.popitem(last=False)[1])
        else:
            self._open.move_to_end(path)
        return self._open[path]


class Contents:
    """Reads one path after another, and keeps what it reads where there is a writer.

    `most`: bytes of a file; `left`: bytes that may still be new to the store. None for no such cap. `check` is called
    for each piece that is read, and may raise to end it there.
    Raises OSError only where the store cannot be written.
    """

    def __init__(
        self,
        folders: Folders,
        writer: StoreWriter | None,
        most: int | None = None,
        left: int | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._folders, self._writer, self._most, self._left, self._check = folders, writer, most, left, check

    def read(self, path: str, seen: Stat | None = None) -> tuple[Row | None, Stat | None]:
        """How a path is now, and its stat data then; None where there is nothing. `seen`: its stat data just now."""
        data, reason = seen, UNSTEADY
        folder, _, name = path.rpartition("/")
        if name in (".", ".."):
            return _unknown(UNREADABLE, None), None
        for _ in range(TRIES):
            try:
                handle = self._folders.handle(folder)
                data = data or stat_of(os.lstat(name or ".", dir_fd=handle))
                row = self._row(name, handle, data)
            except _Left as left:
                reason = left.reason
                break
            except (FileNotFoundError, NotADirectoryError):
                return None, None
            except _StoreTrouble as trouble:
                raise trouble.error from trouble
            except OSError:
                reason = UNREADABLE
                break
            if row is not None:
                return row, data
            data = None
        return _unknown(reason, data), data

    def _row(self, name: str, handle: int, data: Stat) -> Row | None:
        """None if it changes while it is read; raises OSError where it cannot be."""
        kind = kind_of(data[0])
        if kind == FOLDER:
            return Row(FOLDER, 0, data[0], 0, NOTHING)
        if kind == LINK:
            target = os.fsencode(os.readlink(name, dir_fd=handle))
            if stat_of(os.lstat(name, dir_fd=handle)) != data:
                return None
            return Row(LINK, 0, data[0], len(target), self._kept(BytesIO(target)))
        if kind != FILE:
            raise _Left(SPECIAL)
        if self._most is not None and data[1] > self._most:
            raise _Left(TOO_LARGE)
        descriptor = os.open(name, _OPEN_FILE, dir_fd=handle)
        try:
            return self._file(_File(descriptor, data[1], self._check), data)
        finally:
            os.close(descriptor)

    def _file(self, file: "_File", data: Stat) -> Row | None:
        if stat_of(os.fstat(file.descriptor)) != data:
            return None
        if self._left is not None and self._writer is not None and data[1] > self._left - self._writer.kept:
            raise _Left(OVER_SIZE)
        try:
            digest = self._kept(file)
        except ValueError:  # it grew over the cap
            return None
        if file.got != data[1] or stat_of(os.fstat(file.descriptor)) != data:
            return None
        return Row(FILE, 0, data[0], data[1], digest)

    def _kept(self, file: Readable) -> bytes:
        if self._writer is not None:
            try:
                return self._writer.keep_file(file, self._most)
            except OSError as error:
                raise _StoreTrouble(error) from error
        check = blake2b(digest_size=20)
        while piece := file.read(PIECE):
            check.update(piece)
        return check.digest()


class _StoreTrouble(Exception):
    """The store, and not the file, cannot be written or read."""

    def __init__(self, error: OSError) -> None:
        self.error = error


class _Left(Exception):
    """This path is left out, for a reason."""

    def __init__(self, reason: int) -> None:
        self.reason = reason


class _File:
    """An open file of so many bytes: what cannot be read of it is no trouble of the store."""

    def __init__(self, descriptor: int, size: int, check: Callable[[], None]) -> None:
        self.descriptor, self._size, self.got, self._check = descriptor, size, 0, check

    def read(self, size: int) -> bytes:
        self._check()
        try:  # no more room is made than it needs, and one byte by which it is seen to grow
            data = os.read(self.descriptor, min(size, max(self._size - self.got, 0) + 1))
        except OSError as error:
            raise _Left(UNREADABLE) from error
        self.got += len(data)
        return data


def _unknown(reason: int, data: Stat | None) -> Row:
    """A row by which a later one can be told apart, though the bytes are not known."""
    if data is None:
        return Row(UNKNOWN, reason, 0, 0, NOTHING)
    return Row(UNKNOWN, reason, data[0], data[1], digest_of(struct.pack("<QQqq", *data[1:])))


def proof_below(root: str, stamp: Stamp, folders: Folders) -> Proof:
    """What is proved of how all below a real path was at the stamp; folders are opened anew by these."""

    def look(path: str) -> Seen | None:
        try:
            info = os.fstat(folders.handle(path))
        except OSError:
            return None
        return info.st_dev, info.st_ctime_ns

    table = mount_table()
    mounted = mounted_below(root, table)
    return Proof(stamp, stamp_now(table), look, mounted, tells=tells_change_times(root))
