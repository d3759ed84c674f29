"""The content store of one folder: what files held, by digest, compressed, in the state folder.

Several processes read and write it side by side; while one prunes, others wait. Standard library only: the child that
takes snapshots imports this.
"""

import os
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import BinaryIO

from acp_tui.errors import UserFault, reason_of
from acp_tui.host.snapshots.pack import (
    PIECE,
    WHOLE_AT_MOST,
    Blob,
    Damaged,
    Finder,
    PackWriter,
    Readable,
    blobs_in,
    compressed,
    digest_of,
    index_of,
    lock,
    private_file,
    read_blob,
    sync_folder,
    write_all,
)
from acp_tui.host.store.atomic_file import private_folder
from acp_tui.host.system.regular_files import open_regular

LOCKED_FOR = 30.0  # seconds for which others are waited for
_BATCH = 1 << 20  # bytes that are compressed in one go
_BATCHES = 4  # that may wait
_COMMIT_EACH = 64 << 20  # bytes after which a long write is made to last


class StoreFault(UserFault):
    """The store cannot be read or written; what it holds already stays."""


class Store:
    """The store in `folder`, which is made when something is kept. Digests are hex. Every call blocks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._finders: dict[str, tuple[int, Finder]] = {}

    @property
    def packs(self) -> list[Path]:
        return sorted((self.folder / "packs").glob("*.pack"))

    def has(self, digest: str) -> bool:
        return self._find(bytes.fromhex(digest)) is not None

    def get(self, digest: str) -> bytes:
        """What a file held; raises `StoreFault` where it is not kept, or damaged."""
        return b"".join(self.pieces(digest))

    def pieces(self, digest: str) -> Iterator[bytes]:
        """The same in pieces of at most a megabyte; that it is damaged may be known only behind the last one."""
        try:
            file, blob = self._open(bytes.fromhex(digest))
            with file:
                yield from read_blob(file, blob)
        except Damaged as damage:
            raise StoreFault("A kept file is damaged", f"{digest} in {self.folder}") from damage
        except OSError as error:
            raise StoreFault("A kept file cannot be read", f"{self.folder}: {reason_of(error)}") from error

    def keep(self, content: bytes | Readable) -> str:
        """Keep what a file holds and return its digest, once that lasts; raises `StoreFault`."""
        with self.writing() as writer:
            file = BytesIO(content) if isinstance(content, bytes) else content
            return writer.keep_file(file).hex()

    @contextmanager
    def writing(self) -> Iterator["StoreWriter"]:
        """Keep many; they last when it ends. Nobody prunes meanwhile. Raises `StoreFault`."""
        try:
            with self.locked(exclusive=False):
                writer = StoreWriter(self)
                try:
                    yield writer
                    writer.commit()
                finally:
                    writer.close()
        except OSError as error:
            raise StoreFault("Nothing more can be kept", f"{self.folder}: {reason_of(error)}") from error

    def digests(self) -> set[bytes]:
        """Those of all that is kept."""
        return {blob.digest for pack in self.packs for blob in blobs_in(index_of(pack))}

    def retain(self, alive: Collection[bytes], check: Callable[[], None] = lambda: None) -> None:
        """Drop the bytes of every blob that is not `alive`; within `locked(exclusive=True)`. Raises OSError.

        `check` is called for each pack.
        """
        kept: set[bytes] = set()
        for pack in self.packs:
            check()
            blobs = [blob for blob in blobs_in(index_of(pack)) if blob.digest in alive and blob.digest not in kept]
            kept.update(blob.digest for blob in blobs)
            if sum(blob.length for blob in blobs) == pack.stat().st_size:
                continue
            if blobs:
                self._copy(pack, blobs)
            pack.with_suffix(".index").unlink(missing_ok=True)
            pack.unlink()
        self._finders.clear()
        sync_folder(self.folder / "packs")

    def _copy(self, pack: Path, blobs: Collection[Blob]) -> None:
        beside = self.folder / "rewriting"
        private_folder(beside)
        writer = PackWriter(beside)
        try:
            with open_regular(pack) as file:
                for blob in sorted(blobs, key=lambda each: each.offset):
                    file.seek(blob.offset)
                    left = [min(PIECE, blob.length - start) for start in range(0, blob.length, PIECE)]
                    writer.add_packed(blob, map(file.read, left))
            writer.commit()
        finally:
            writer.close()
        writer.path.with_suffix(".index").rename(self.folder / "packs" / f"{writer.path.stem}.index")
        writer.path.rename(self.folder / "packs" / writer.path.name)

    @contextmanager
    def locked(self, *, exclusive: bool) -> Iterator[None]:
        """Nobody prunes meanwhile; nobody else writes, if it is `exclusive`. Raises `StoreFault` and OSError."""
        private_folder(self.folder / "packs")
        descriptor = private_file(self.folder / "lock", os.O_RDWR | os.O_CREAT)
        try:
            self._wait_for(lambda: lock(descriptor, exclusive=exclusive))
            if exclusive:
                self._clear_up()
            yield
        finally:
            os.close(descriptor)

    def _wait_for(self, take: Callable[[], None]) -> None:
        until = time.monotonic() + LOCKED_FOR
        while True:
            try:
                return take()
            except BlockingIOError as error:
                if time.monotonic() > until:
                    raise StoreFault("The snapshots of this folder are in use", str(self.folder)) from error
                time.sleep(0.02)

    def _clear_up(self) -> None:
        """What crashes have left: of pruning, and of files that were being written; nobody writes now."""
        torn = [path for name in ("", "trees", "manifests") for path in (self.folder / name).glob(".*.????????")]
        lone = [path for path in (self.folder / "packs").glob("*.index") if not path.with_suffix(".pack").exists()]
        for path in (*(self.folder / "rewriting").glob("*"), *torn, *lone):
            with suppress(OSError):
                path.unlink()

    def _open(self, digest: bytes) -> tuple[BinaryIO, Blob]:
        for _ in range(3):  # another process may prune between the look and the opening
            found = self._find(digest)
            if found is None:
                break
            with suppress(FileNotFoundError):
                return open_regular(found[0]), found[1]
        raise StoreFault("A kept file is gone", f"{digest.hex()} is not in {self.folder}", "it was pruned, or lost")

    def _find(self, digest: bytes) -> tuple[Path, Blob] | None:
        for pack in self.packs:
            finder = self._finder(pack)
            if finder is not None and (blob := finder.find(digest)) is not None:
                return pack, blob
        return None

    def _finder(self, pack: Path) -> Finder | None:
        try:
            size = pack.with_suffix(".index").stat().st_size
        except OSError:
            return None
        known = self._finders.get(pack.name)
        if known is None or known[0] != size:
            known = self._finders[pack.name] = size, Finder(index_of(pack))
        return known[1]


class StoreWriter:
    """Keeps many blobs, in one pack after another. Raises OSError."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: set[bytes] | None = None
        self._pack: PackWriter | None = None
        self._packing = _Packing()
        self._since = 0
        self.kept = 0  # bytes that were new

    def keep(self, data: bytes) -> bytes:
        digest = digest_of(data)
        if digest not in self.known:
            self._packing.put(digest, data)
            for blob in self._packing.ready():
                self._room().add(*blob)
            self._count(digest, len(data))
        return digest

    def keep_file(self, file: Readable, most: int | None = None) -> bytes:
        """Keep what is in a file from here on, a large one in pieces; `ValueError` if it is more than `most` bytes."""
        data = file.read(WHOLE_AT_MOST)
        if len(data) < WHOLE_AT_MOST:
            if most is not None and len(data) > most:
                raise ValueError
            return self.keep(data)
        self._add_rest()
        pack = self._room()
        blob = pack.add_pieces(_rest(data, file, most))
        if blob.digest in self.known:
            pack.forget_last()
        else:
            self._count(blob.digest, blob.size)
        return blob.digest

    @property
    def known(self) -> set[bytes]:
        """The digests of all that is kept."""
        if self._known is None:
            self._known = self._store.digests()
        return self._known

    def _count(self, digest: bytes, size: int) -> None:
        self.known.add(digest)
        self.kept += size
        self._since += size
        if self._since > _COMMIT_EACH:
            self.commit()

    def _room(self) -> PackWriter:
        if self._pack is not None and self._pack.full:
            self._pack.commit()
            self._pack.close()
            self._pack = None
        if self._pack is None:
            self._pack = PackWriter(self._store.folder / "packs")
        return self._pack

    def _add_rest(self) -> None:
        for blob in self._packing.rest():
            self._room().add(*blob)

    def commit(self) -> None:
        self._since = 0
        self._add_rest()
        if self._pack is not None:
            self._pack.commit()

    def close(self) -> None:
        self._packing.end()
        if self._pack is not None:
            self._pack.close()
        self._pack = None


_Packed = tuple[bytes, int, bytes, int]


class _Packing:
    """Compresses blobs beside who reads them, in a thread, as soon as there are many; they come out in order."""

    def __init__(self) -> None:
        self._batch: list[tuple[bytes, bytes]] = []
        self._size = self._pending = 0
        self._in: SimpleQueue[list[tuple[bytes, bytes]]] = SimpleQueue()
        self._out: SimpleQueue[list[_Packed] | MemoryError] = SimpleQueue()
        self._thread: Thread | None = None

    def put(self, digest: bytes, data: bytes) -> None:
        self._batch.append((digest, data))
        self._size += len(data)
        if self._size > _BATCH:
            if self._thread is None:
                self._thread = Thread(target=self._work, daemon=True)
                self._thread.start()
            self._in.put(self._batch)
            self._batch, self._size = [], 0
            self._pending += 1

    def ready(self) -> Iterator[_Packed]:
        """What is done, where too much waits."""
        while self._pending > _BATCHES:
            yield from self._next()

    def rest(self) -> Iterator[_Packed]:
        while self._pending:
            yield from self._next()
        yield from map(_packed, self._batch)
        self._batch, self._size = [], 0

    def end(self) -> None:
        if self._thread is not None:
            self._in.put([])

    def _next(self) -> list[_Packed]:
        self._pending -= 1
        batch = self._out.get()
        if isinstance(batch, MemoryError):
            raise batch
        return batch

    def _work(self) -> None:
        while batch := self._in.get():
            try:
                self._out.put([_packed(blob) for blob in batch])
            except MemoryError as error:
                self._out.put(error)


def _packed(blob: tuple[bytes, bytes]) -> _Packed:
    digest, data = blob
    return digest, len(data), *compressed(data)


def _rest(data: bytes, file: Readable, most: int | None) -> Iterator[bytes]:
    size = len(data)
    while data:
        if most is not None and size > most:
            raise ValueError
        yield data
        data = file.read(PIECE)
        size += len(data)


def write_whole(path: Path, data: bytes, *, sync: bool = True) -> None:
    """Write a private file whole or not at all; raises OSError."""
    beside = private_folder(path.parent) / f".{path.name}.{os.urandom(4).hex()}"
    try:
        descriptor = private_file(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            write_all(descriptor, data)
            if sync:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
