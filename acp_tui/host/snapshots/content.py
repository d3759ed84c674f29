"""Contents of files, by digest: compressed, in pieces of a megabyte, each kept once.

Standard library only: the child that takes snapshots imports this.
"""

import time
import zlib
from collections import deque
from collections.abc import Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import blake2b
from io import BytesIO
from sqlite3 import Connection
from typing import NamedTuple, Protocol

from acp_tui.host.snapshots.database import Database, StoreFault

PIECE = 1 << 20
WHOLE_AT_MOST = 4 << 20  # bytes of a file that is read into memory; a larger one goes through in pieces
GATHERED = 8 << 20  # compressed bytes that one transaction writes: 64 MB held others for over 5 s, 8 MB for 85 ms
BLOBS_AT_ONCE = 200  # that one transaction deletes or moves: 30 % of a store at once locked it for 1.9 s
PIECES_AT_ONCE = 16  # that one transaction deletes, and overwrites
SPARSE = 1.15  # times what is in it that the file may be large
ROW_BYTES = 170  # of a row with its places in the indexes, without its path
PATH_TIMES = 2.5  # that a path is there: in the row and in an index, whose pages are not full
BLOB_BYTES = 110  # of a blob and a piece with their places in the indexes, without what they hold
SMALL = 1 << 20  # bytes of a file that do not matter
_BATCH = 1 << 20  # bytes that are compressed in one go
_BATCHES = 4  # that may wait
_PIECES = 20  # bits of a piece's id for its place in its blob; those above are the blob's id
_RAW, _ZLIB = 0, 1
_TRIED = 1 << 14  # bytes of a piece by which it is judged whether it can be compressed


class Readable(Protocol):
    """What gives its bytes piece by piece."""

    def read(self, size: int, /) -> bytes:
        """The next ones, at most so many; none at the end."""


class _Packed(NamedTuple):
    """A blob that is to be written: `pieces` are how each is packed, and its bytes."""

    digest: bytes
    size: int
    pieces: list[tuple[int, bytes]]

    @property
    def length(self) -> int:
        return sum(len(data) for _, data in self.pieces)


def digest_of(data: bytes) -> bytes:
    return blake2b(data, digest_size=20).digest()


class Content:
    """The content in a database. Digests are hex. Every call blocks, and raises `StoreFault`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def has(self, digest: str) -> bool:
        with self._database.reading() as connection:
            return _found(connection, bytes.fromhex(digest)) is not None

    def get(self, digest: str) -> bytes:
        """What a file held; a fault where it is not kept, or damaged."""
        return b"".join(self.pieces(digest))

    def pieces(self, digest: str) -> Iterator[bytes]:
        """The same in pieces of at most a megabyte; that it is damaged is known behind the last one."""
        with self._database.reading() as connection:
            found = _found(connection, bytes.fromhex(digest))
        if found is None:
            raise self._gone(digest)
        check, (blob, left), place = blake2b(digest_size=20), found, 0
        while left > 0:  # each by itself: a cursor that stays open would make others' transactions fail
            with self._database.reading() as connection:
                piece = _piece(connection, blob, place)
                if piece is None and (found := _found(connection, bytes.fromhex(digest))) is not None:
                    blob = found[0]  # it was moved
                    piece = _piece(connection, blob, place)
            if piece is None and found is None:
                raise self._gone(digest)  # meanwhile
            try:
                data = b"" if piece is None else zlib.decompress(piece[1]) if piece[0] == _ZLIB else piece[1]
            except zlib.error:
                data = b""
            if not data:
                break
            check.update(data)
            left, place = left - len(data), place + 1
            yield data
        if check.hexdigest() != digest or left:
            with self._database.writing() as connection:  # one costs no other; the id may be another one's by now
                query = "UPDATE blob SET digest = NULL WHERE id = ? AND digest = ?"
                if connection.execute(query, (blob, bytes.fromhex(digest))).rowcount:
                    forget_stats(connection, bytes.fromhex(digest))
            raise StoreFault("A saved file is damaged", f"{digest} in {self._database.path}")

    def _gone(self, digest: str) -> StoreFault:
        return StoreFault(
            "A saved file is gone", f"{digest} is not in {self._database.path}", "it was pruned, lost or damaged"
        )

    def keep(self, content: bytes | Readable) -> str:
        """Keep what a file holds and return its digest, once that lasts."""
        with self.writing() as writer:
            return writer.keep_file(BytesIO(content) if isinstance(content, bytes) else content).hex()

    @contextmanager
    def writing(self) -> Iterator["ContentWriter"]:
        """Keep many; they last when it ends."""
        writer = ContentWriter(self._database)
        try:
            yield writer
            writer.commit()
        finally:
            writer.close()

    def digests(self) -> set[bytes]:
        with self._database.reading() as connection:
            found = connection.execute("SELECT digest FROM blob WHERE digest IS NOT NULL").fetchall()
            return {each for (each,) in found}

    def missing(self, digests: Collection[bytes]) -> set[bytes]:
        with self._database.reading() as connection:
            return {each for each in digests if _found(connection, each) is None}


class ContentWriter:
    """Keeps many files. What is compressed is gathered, and written in one transaction when it is enough.

    `kept`: bytes that were new.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: set[bytes] | None = None  # digests of what is there, or about to be
        self._batch: list[tuple[bytes, bytes]] = []
        self._batched = 0
        self._pool: ThreadPoolExecutor | None = None
        self._packing: deque[Future[list[_Packed]]] = deque()
        self._packed: list[_Packed] = []
        self._gathered = 0
        self.kept = 0

    def keep(self, data: bytes) -> bytes:
        digest = digest_of(data)
        if digest not in self.known:
            self.known.add(digest)
            self.kept += len(data)
            self._batch.append((digest, data))
            self._batched += len(data)
            if self._batched > _BATCH:
                self._pack()
        return digest

    def keep_file(self, file: Readable, most: int | None = None) -> bytes:
        """Keep what is in a file from here on, a large one in pieces; `ValueError` if it is more than `most` bytes."""
        data = file.read(WHOLE_AT_MOST)
        if len(data) < WHOLE_AT_MOST:
            if most is not None and len(data) > most:
                raise ValueError
            return self.keep(data)
        return self._keep_large(data, file, most)

    def commit(self) -> None:
        while self._packing:
            self._gather(self._packing.popleft().result())
        self._gather(_pack_all(self._batch))
        self._batch, self._batched = [], 0
        self._write()

    def close(self) -> None:
        """Let go of what is not committed."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    @property
    def known(self) -> set[bytes]:
        """The digests of what is there: who names some of it looks again, for it may be pruned meanwhile."""
        if self._known is None:
            self._known = Content(self._database).digests()
        return self._known

    def _pack(self) -> None:
        """Have a batch compressed in a thread beside who reads."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, "compressing")
        self._packing.append(self._pool.submit(_pack_all, self._batch))
        self._batch, self._batched = [], 0
        while len(self._packing) > _BATCHES:
            self._gather(self._packing.popleft().result())

    def _gather(self, packed: list[_Packed]) -> None:
        self._packed += packed
        self._gathered += sum(each.length for each in packed)
        if self._gathered > GATHERED:
            self._write()

    def _write(self) -> None:
        packed, self._packed, self._gathered = self._packed, [], 0
        if not packed:
            return
        with self._database.writing() as connection:
            first, now = _next_id(connection), time.time()
            new = [each for each in packed if _found(connection, each.digest) is None]  # another one may have kept some
            blobs = ((first + at, each.digest, each.size, each.length, now) for at, each in enumerate(new))
            connection.executemany("INSERT INTO blob VALUES (?, ?, ?, ?, ?)", blobs)
            pieces = (
                ((first + at) << _PIECES | place, *piece)
                for at, each in enumerate(new)
                for place, piece in enumerate(each.pieces)
            )
            connection.executemany("INSERT INTO piece VALUES (?, ?, ?)", pieces)

    def _keep_large(self, data: bytes, file: Readable, most: int | None) -> bytes:
        """Piece by piece under an id without a digest, which is known at the end."""
        with self._database.writing() as connection:
            blob = _next_id(connection)
            connection.execute("INSERT INTO blob VALUES (?, NULL, 0, 0, ?)", (blob, time.time()))
        check, size, length, place = blake2b(digest_size=20), 0, 0, 0
        gathered: list[tuple[int, int, bytes]] = []
        while data:
            for start in range(0, len(data), PIECE):
                part = data[start : start + PIECE]
                check.update(part)
                packed, packed_part = _compressed(part)
                gathered.append((blob << _PIECES | place, packed, packed_part))
                place, size, length = place + 1, size + len(part), length + len(packed_part)
            if most is not None and size > most:
                self._drop(blob, place)
                raise ValueError
            if sum(len(each[2]) for each in gathered) > GATHERED:
                self._write_pieces(blob, gathered)
                gathered = []
            data = file.read(PIECE)
        self._write_pieces(blob, gathered)
        digest = check.digest()
        if digest in self.known:
            self._drop(blob, place)
            return digest
        with self._database.writing() as connection:
            if _found(connection, digest) is None:
                values = digest, size, length, blob
                connection.execute("UPDATE blob SET digest = ?, size = ?, length = ? WHERE id = ?", values)
        self.known.add(digest)
        self.kept += size
        return digest

    def _write_pieces(self, blob: int, pieces: list[tuple[int, int, bytes]]) -> None:
        with self._database.writing() as connection:
            query = "UPDATE blob SET kept = ? WHERE id = ? AND digest IS NULL"  # it is still being written
            if not connection.execute(query, (time.time(), blob)).rowcount:
                raise StoreFault("A file was not saved", f"{self._database.path} was pruned while it was read")
            connection.executemany("INSERT INTO piece VALUES (?, ?, ?)", pieces)

    def _drop(self, blob: int, pieces: int) -> None:
        """It is there already, or too large."""
        for start in range(0, pieces, PIECES_AT_ONCE):
            span = blob << _PIECES | start, blob << _PIECES | start + PIECES_AT_ONCE - 1
            with self._database.writing() as connection:
                connection.execute("DELETE FROM piece WHERE id BETWEEN ? AND ?", span)
        with self._database.writing() as connection:
            connection.execute("DELETE FROM blob WHERE id = ?", (blob,))


def unnamed(connection: Connection, before: float, last: int, end: int, most: int) -> list[int]:
    """The ids behind `last`, to `end`, of content that was kept before a time (Unix seconds) and that nothing names."""
    query = (
        "SELECT id FROM blob WHERE kept < ? AND id > ? AND id <= ? AND (digest IS NULL OR"
        " NOT EXISTS (SELECT 1 FROM row WHERE row.digest = blob.digest AND kind IN (1, 2))"
        " AND NOT EXISTS (SELECT 1 FROM hold WHERE hold.digest = blob.digest)) ORDER BY id LIMIT ?"
    )
    return [each for (each,) in connection.execute(query, (before, last, end, most)).fetchall()]


def forget_stats(connection: Connection, digest: bytes) -> None:
    """Have the next snapshot read, and so keep, the files again that held this."""
    query = "UPDATE row SET inode = 0, mtime = 0, ctime = 0 WHERE digest = ? AND kind IN (1, 2) AND until IS NULL"
    if connection.execute(query, (digest,)).rowcount:
        connection.execute("UPDATE generation SET number = number + 1")


def delete_blob(connection: Connection, blob: int) -> None:
    """Its bytes go with it: SQLite overwrites them."""
    connection.execute("DELETE FROM piece WHERE id BETWEEN ? AND ?", (blob << _PIECES, (blob + 1 << _PIECES) - 1))
    connection.execute("DELETE FROM blob WHERE id = ?", (blob,))


def is_sparse(connection: Connection) -> bool:
    """Whether the file is much larger than what is in it: pages stay as long as a part of what they held does."""
    pages, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    query = f"""
        SELECT (SELECT coalesce(sum(length + {BLOB_BYTES}), 0) FROM blob)
        + (SELECT coalesce(sum({PATH_TIMES} * length(path) + {ROW_BYTES}), 0) FROM row)
        + (SELECT coalesce(sum(length(data)), 0) FROM listing)
    """  # noqa: S608 (numbers)
    return bool(pages * size > SPARSE * connection.execute(query).fetchone()[0] + SMALL)


def move_blobs(before: int, connection: Connection) -> int | None:
    """Give some of the blobs with ids below this one new ids at the end, so that their pages are full; the id to go on.

    None where no such one is left.
    """
    query = "SELECT id, length FROM blob WHERE id < ? AND digest IS NOT NULL ORDER BY id LIMIT ?"  # none being written
    moved, length = connection.execute(query, (before, BLOBS_AT_ONCE)).fetchall(), 0
    for blob, size in moved:
        new = _next_id(connection)
        connection.execute("UPDATE blob SET id = ? WHERE id = ?", (new, blob))
        span = new - blob << _PIECES, blob << _PIECES, (blob + 1 << _PIECES) - 1
        connection.execute("UPDATE piece SET id = id + ? WHERE id BETWEEN ? AND ?", span)
        length += size
        if length > GATHERED:
            break
    return before if moved else None


def _found(connection: Connection, digest: bytes) -> tuple[int, int] | None:
    row: tuple[int, int] | None = connection.execute("SELECT id, size FROM blob WHERE digest = ?", (digest,)).fetchone()
    return row


def _piece(connection: Connection, blob: int, place: int) -> tuple[int, bytes] | None:
    query = "SELECT packed, data FROM piece WHERE id = ?"
    row: tuple[int, bytes] | None = connection.execute(query, (blob << _PIECES | place,)).fetchone()
    return row


def _next_id(connection: Connection) -> int:
    return int(connection.execute("SELECT coalesce(max(id), 0) + 1 FROM blob").fetchone()[0])


def _pack_all(batch: list[tuple[bytes, bytes]]) -> list[_Packed]:
    return [
        _Packed(digest, len(data), [_compressed(data[at : at + PIECE]) for at in range(0, len(data), PIECE)])
        for digest, data in batch
    ]


def _compressed(data: bytes) -> tuple[int, bytes]:
    """By zlib's quickest way, if that makes it smaller; what is compressed already is tried by its beginning only."""
    if len(data) > 2 * _TRIED and len(zlib.compress(data[:_TRIED], 1)) > _TRIED * 15 // 16:
        return _RAW, data
    packed = zlib.compress(data, 1)
    return (_ZLIB, packed) if len(packed) < len(data) else (_RAW, data)
