"""Packs: append-only files of compressed blobs, each with an index beside it that is written last.

What the index does not name is not there: a write that was torn by a crash or a full disk is no data. The index grows
by batches of rows of equal length; a batch whose check sum is wrong ends it.
"""

import os
import struct
import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

from acp_tui.host.system.regular_files import read_regular

if sys.platform != "win32":  # there each writer has packs of its own
    import fcntl

PACK_AT_MOST = 256 << 20  # bytes after which a pack grows no more, so that pruning need not write gigabytes again
WHOLE_AT_MOST = 4 << 20  # bytes of a blob that is read into memory; a larger one goes through in pieces
PIECE = 1 << 20
_BUFFER = 1 << 20
_ROW = struct.Struct("<20sQQQB")  # digest, where in the pack, length there, size, how it is written
_BATCH = struct.Struct("<20sII17x")  # as long as a row: mark, number of rows, their check sum
_MARK = b"acp-tui index batch\n"
_RAW, _ZLIB = 0, 1
_TRIED = 1 << 14  # bytes of a blob by which it is judged whether it can be compressed


class Blob(NamedTuple):
    """Where a blob is; `size`: bytes of what it holds, `length`: bytes in the pack."""

    digest: bytes
    offset: int
    length: int
    size: int
    how: int


class Readable(Protocol):
    """What gives its bytes piece by piece."""

    def read(self, size: int, /) -> bytes:
        """The next ones, at most so many; none at the end."""


class Damaged(Exception):
    """A pack does not hold what its index says."""


def digest_of(data: bytes) -> bytes:
    return blake2b(data, digest_size=20).digest()


def private_file(path: Path, flags: int) -> int:
    """Open a file, which only its owner can read, whatever the umask; a new one, and one of before."""
    descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0), 0o600)
    if hasattr(os, "fchmod"):
        with suppress(OSError):  # a file system without modes
            os.fchmod(descriptor, 0o600)
    return descriptor


def lock(descriptor: int, *, exclusive: bool) -> None:
    """Take a lock that ends with its descriptor; raises BlockingIOError where it is taken. Windows does without."""
    if sys.platform != "win32":
        fcntl.flock(descriptor, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder outlast a power cut, where that can be done."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_all(descriptor: int, data: bytes | bytearray) -> None:
    """Write all of it; raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def index_of(pack: Path) -> bytes:
    """The valid part of a pack's index: rows, and heads of batches as long as rows; empty without one."""
    try:
        data = read_regular(pack.with_suffix(".index"))
    except OSError:
        return b""
    return data[: _valid(data)]


def _valid(data: bytes) -> int:
    end, size = 0, _ROW.size
    while end + size <= len(data):
        mark, rows, check = _BATCH.unpack_from(data, end)
        after = end + size + rows * size
        if mark != _MARK or after > len(data) or zlib.crc32(data[end + size : after]) != check:
            break
        end = after
    return end


def _named_end(pack: Path) -> int:
    """Where in a pack the last blob ends that its index names."""
    return max((blob.offset + blob.length for blob in blobs_in(index_of(pack))), default=0)


def blobs_in(index: bytes) -> Iterator[Blob]:
    """The rows of an index."""
    return (Blob(*row) for row in _ROW.iter_unpack(index) if row[0] != _MARK)


class Finder:
    """Finds rows of an index by their digests: 5 µs each, where a search through the bytes takes 0.5 ms of 50,000 rows.

    They are sorted once, by number: 4 bytes and 1 µs for each.
    """

    def __init__(self, index: bytes) -> None:
        self._index = index
        self._order = array("I", sorted(range(len(index) // _ROW.size), key=self._digest))

    def _digest(self, row: int) -> bytes:
        return self._index[row * _ROW.size : row * _ROW.size + len(_MARK)]

    def find(self, digest: bytes) -> Blob | None:
        at = bisect_left(self._order, digest, key=self._digest)
        if at == len(self._order) or self._digest(self._order[at]) != digest:
            return None
        return Blob(*_ROW.unpack_from(self._index, self._order[at] * _ROW.size))


def read_blob(file: BinaryIO, blob: Blob) -> Iterator[bytes]:
    """What a blob holds, in pieces; raises `Damaged`, at the latest behind the last one."""
    file.seek(blob.offset)
    opened, check, size = zlib.decompressobj(), blake2b(digest_size=20), 0
    for piece in _pieces(file, blob.length):
        while piece:
            try:
                data = piece if blob.how == _RAW else opened.decompress(piece, PIECE)
            except zlib.error as error:
                raise Damaged from error
            piece = b"" if blob.how == _RAW else opened.unconsumed_tail  # noqa: PLW2901 (what is left of it)
            size += len(data)
            if size > blob.size:
                raise Damaged
            check.update(data)
            yield data
    rest = opened.flush()
    check.update(rest)
    if check.digest() != blob.digest:
        raise Damaged
    yield rest


def _pieces(file: BinaryIO, length: int) -> Iterator[bytes]:
    while length:
        piece = file.read(min(length, PIECE))
        if not piece:
            raise Damaged
        length -= len(piece)
        yield piece


class PackWriter:
    """Appends to one pack of a folder that no other process appends to; a context, whose end commits.

    `OSError` ends a write; what was committed before stays, and nothing else is data.
    """

    def __init__(self, folder: Path) -> None:
        self.path, self._descriptor = _free_pack(folder)
        self._index = private_file(self.path.with_suffix(".index"), os.O_RDWR | os.O_CREAT)
        valid = _valid(read_regular(self.path.with_suffix(".index")))
        os.ftruncate(self._index, valid)  # a torn batch would hide the next one
        os.lseek(self._index, 0, os.SEEK_END)
        # Of a writer that was killed, bytes may be left that nothing names: they would stay, and grow by each one.
        self.end = _named_end(self.path)
        os.ftruncate(self._descriptor, self.end)
        os.lseek(self._descriptor, 0, os.SEEK_END)
        self._buffer = bytearray()
        self._rows: list[Blob] = []

    def add(self, digest: bytes, size: int, packed: bytes, how: int) -> Blob:
        """Append a blob of so many bytes, as `compressed` makes it."""
        return self._named(Blob(digest, self.end + len(self._buffer), len(packed), size, how), packed)

    def add_packed(self, blob: Blob, packed: Iterable[bytes]) -> None:
        """Append a blob as another pack has it."""
        start = self.end + len(self._buffer)
        for piece in packed:
            self._write(piece)
        self._rows.append(blob._replace(offset=start))

    def add_pieces(self, pieces: Iterable[bytes]) -> Blob:
        """Append a blob of any size, whose digest is known at its end."""
        start, size, length = self.end + len(self._buffer), 0, 0
        check, packing = blake2b(digest_size=20), zlib.compressobj(1)
        for piece in pieces:
            check.update(piece)
            size += len(piece)
            packed = packing.compress(piece)
            length += len(packed)
            self._write(packed)
        packed = packing.flush()
        return self._named(Blob(check.digest(), start, length + len(packed), size, _ZLIB), packed)

    def forget_last(self) -> None:
        """Take the last blob back: it is there already."""
        blob = self._rows.pop()
        self._flush()
        self.end = blob.offset
        os.ftruncate(self._descriptor, self.end)
        os.lseek(self._descriptor, 0, os.SEEK_END)

    @property
    def full(self) -> bool:
        return self.end > PACK_AT_MOST

    def commit(self) -> None:
        """Make all that was added last: the blobs first, then what names them."""
        if not self._rows:
            return
        self._flush()
        os.fsync(self._descriptor)
        rows = b"".join([_ROW.pack(*row) for row in self._rows])
        write_all(self._index, _BATCH.pack(_MARK, len(self._rows), zlib.crc32(rows)) + rows)
        os.fsync(self._index)
        self._rows = []

    def close(self) -> None:
        """Let go of the pack, and of what was not committed."""
        os.close(self._index)
        os.close(self._descriptor)

    def _named(self, blob: Blob, packed: bytes) -> Blob:
        self._write(packed)
        self._rows.append(blob)
        return blob

    def _write(self, data: bytes) -> None:
        self._buffer += data
        if len(self._buffer) > _BUFFER:
            self._flush()

    def _flush(self) -> None:
        write_all(self._descriptor, self._buffer)
        self.end += len(self._buffer)
        self._buffer.clear()


def compressed(data: bytes) -> tuple[bytes, int]:
    """By zlib's quickest way, if that makes it smaller; what is compressed already is tried by its beginning only."""
    if len(data) > 2 * _TRIED and len(zlib.compress(data[:_TRIED], 1)) > _TRIED * 15 // 16:
        return data, _RAW
    packed = zlib.compress(data, 1)
    return (packed, _ZLIB) if len(packed) < len(data) else (data, _RAW)


def _free_pack(folder: Path) -> tuple[Path, int]:
    """A pack that has room and is no other writer's, and a descriptor that says so to the next one."""
    for path in sorted(folder.glob("*.pack")) if sys.platform != "win32" else ():
        with suppress(OSError):
            if path.stat().st_size < PACK_AT_MOST:
                descriptor = private_file(path, os.O_RDWR)
                if _taken(descriptor) and path.exists():
                    return path, descriptor
                os.close(descriptor)
    path = folder / f"{os.urandom(8).hex()}.pack"
    descriptor = private_file(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    _taken(descriptor)
    private = private_file(path.with_suffix(".index"), os.O_RDWR | os.O_CREAT)
    os.close(private)
    sync_folder(folder)
    return path, descriptor


def _taken(descriptor: int) -> bool:
    with suppress(OSError):
        lock(descriptor, exclusive=True)
        return True
    return False
