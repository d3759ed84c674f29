"""Reading files below a folder by directory handle: no link is followed, nothing but regular files is opened, and what
changes while it is read is no data.
"""

import os
import struct
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from io import BytesIO
from typing import Protocol, Self

from acp_tui.host.snapshots.content import PIECE, ContentWriter, Readable, digest_of
from acp_tui.host.snapshots.path_state import (
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
    Stat,
    kind_of,
    stat_of,
)
from acp_tui.host.snapshots.proof import Proof, Seen, Stamp, stamp_now
from acp_tui.host.snapshots.tree_walk import OPEN_FOLDER
from acp_tui.host.system.paths import mount_table, mounted_below, tells_change_times

TRIES = 3  # times that a file is read which changes meanwhile
_OPEN_AT_ONCE = 32  # folders that stay open for the next file
_OPEN_FILE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_OPEN_FILE |= getattr(os, "O_NOCTTY", 0)


class Digest(Protocol):
    """What is told all bytes of a file one after the other, and names them in the end."""

    def update(self, data: bytes, /) -> object: ...

    def digest(self) -> bytes: ...


class FolderHandles:
    """Handles of folders below a root, each opened from the one above it; a context that closes them."""

    def __init__(self, root: str) -> None:
        self._root = os.open(root, OPEN_FOLDER & ~getattr(os, "O_NOFOLLOW", 0))
        self._open: OrderedDict[str, int] = OrderedDict()

    def __enter__(self) -> Self:
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

    `caps`: bytes of a file, and bytes that may still be new to the store; None for no such cap. `check` is called
    for each piece that is read, and may raise to end it there. `begin`: the digest for so many bytes, without a writer.
    """

    def __init__(
        self,
        folders: FolderHandles,
        writer: ContentWriter | None,
        caps: tuple[int | None, int | None] = (None, None),
        check: Callable[[], None] = lambda: None,
        begin: Callable[[int], Digest] = lambda _size: blake2b(digest_size=20),
    ) -> None:
        self._begin = begin
        self._folders, self._writer, self._check = folders, writer, check
        self._most, self._left = caps

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
            writer, size = self._writer, len(target)
            kept = self._digest(BytesIO(target), size) if writer is None else writer.keep(target)
            return Row(LINK, 0, data[0], size, kept)
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
        writer = self._writer
        full = writer is not None and self._left is not None and data[1] > self._left - writer.kept
        try:
            digest = self._digest(file, data[1]) if writer is None or full else writer.keep_file(file, self._most)
        except ValueError:  # it grew over the cap
            return None
        if file.got != data[1] or stat_of(os.fstat(file.descriptor)) != data:
            return None
        if full and writer is not None and digest not in writer.known:  # what is there already needs no room
            raise _Left(OVER_SIZE)
        return Row(FILE, 0, data[0], data[1], digest)

    def _digest(self, file: Readable, size: int) -> bytes:
        digest = self._begin(size)
        while piece := file.read(PIECE):
            digest.update(piece)
        return digest.digest()


class _Left(Exception):
    def __init__(self, reason: int) -> None:
        self.reason = reason


class _File:
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


def proof_below(root: str, stamp: Stamp, folders: FolderHandles) -> Proof:
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
