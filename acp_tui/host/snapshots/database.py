"""The SQLite file of a folder's snapshots: private, with the settings that were tried, and with its faults in words.

It is opened by SQLite alone: who opens it in another way and closes that drops the locks of this process. Nothing is
read from the folder, hashed or compressed within a transaction: others wait for 5 s at most, and each of ours for less.
"""

import errno
import os
import sqlite3
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import TypeVar

from acp_tui.errors import UserFault, reason_of
from acp_tui.host.config.state_files import private_folder

if sys.platform != "win32":
    import fcntl

FILE_NAME = "content.db"
ASIDE = "damaged-"  # begins the name of a file that was put aside
VERSION = 1
LOCKED_FOR = 5.0  # seconds for which others are waited for
ALONE_FOR = 30.0  # the same for who writes a snapshot: one of 300,000 paths takes 10 s
PAUSE = 0.005  # seconds between two transactions of a long act, in which others get their turn
_LOOKS_EACH = PAUSE / 5  # seconds between two looks whether it is our turn
SMALL = 48 << 20  # bytes; of 112 MB it takes half a second, in which others wait
ROWS_AT_ONCE = 2_000  # that one transaction writes or deletes, so that others wait for less than a quarter of a second
_VACUUMED = 64  # pages given back in one transaction
_PRAGMAS_OF_FILE = """
PRAGMA page_size=16384;
PRAGMA auto_vacuum=INCREMENTAL;
"""  # small pages took 15 % more time and 24 % more room
_PRAGMAS = """
PRAGMA journal_mode=TRUNCATE;
PRAGMA synchronous=FULL;
PRAGMA secure_delete=ON;
PRAGMA cache_size=-16000;
PRAGMA temp_store=MEMORY;
"""  # no WAL: homes may be on the disk of a network
_TABLES = """
CREATE TABLE blob (
    id INTEGER PRIMARY KEY, digest BLOB UNIQUE, size INTEGER NOT NULL, length INTEGER NOT NULL, kept REAL NOT NULL
);
CREATE TABLE piece (id INTEGER PRIMARY KEY, packed INTEGER NOT NULL, data BLOB NOT NULL);
CREATE TABLE snapshot (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE NOT NULL, time REAL NOT NULL, run TEXT NOT NULL, info TEXT
);
CREATE TABLE row (
    id INTEGER PRIMARY KEY, path BLOB NOT NULL, since INTEGER NOT NULL, until INTEGER, kind INTEGER NOT NULL,
    reason INTEGER NOT NULL, mode INTEGER NOT NULL, size INTEGER NOT NULL, digest BLOB NOT NULL,
    inode INTEGER NOT NULL, mtime INTEGER NOT NULL, ctime INTEGER NOT NULL
);
CREATE INDEX row_path ON row (path, since);
CREATE INDEX row_since ON row (since);
CREATE INDEX row_until ON row (until) WHERE until IS NOT NULL;
CREATE INDEX row_digest ON row (digest) WHERE kind IN (1, 2);
CREATE TABLE listing (data BLOB NOT NULL);
CREATE TABLE generation (number INTEGER NOT NULL, listed INTEGER NOT NULL, looked INTEGER NOT NULL);
INSERT INTO generation VALUES (0, -1, 0);
CREATE TABLE hold (name TEXT NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (name, digest)) WITHOUT ROWID;
CREATE INDEX hold_digest ON hold (digest);
CREATE TABLE need (run TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (run, name)) WITHOUT ROWID;
CREATE INDEX need_name ON need (name);
CREATE TABLE run (
    id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, key TEXT NOT NULL, who TEXT NOT NULL, used REAL NOT NULL
);
CREATE INDEX run_key ON run (key);
CREATE TABLE point (
    run INTEGER NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL, turn INTEGER NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (run, number)
);
CREATE TABLE turn (
    run INTEGER NOT NULL, turn INTEGER NOT NULL, early TEXT, named TEXT, files TEXT, PRIMARY KEY (run, turn)
);
CREATE TABLE taking (
    run INTEGER NOT NULL, number INTEGER NOT NULL, finished INTEGER NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (run, number)
);
CREATE TABLE step (
    run INTEGER NOT NULL, taking INTEGER NOT NULL, path TEXT NOT NULL, done INTEGER NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (run, taking, path)
);
"""

T = TypeVar("T")

_MOVED = {  # tables with names of files, and a column of each that takes bytes
    "row": "path",
    **dict.fromkeys(("point", "taking", "step"), "data"),
    "turn": "files",
}
_LAST_ROWS = {each: f"SELECT coalesce(max(rowid), 0) FROM {each}" for each in _MOVED}  # noqa: S608 (ours)
_ENDS = {
    each: f"SELECT max(rowid) FROM (SELECT rowid FROM {each} WHERE rowid > ? AND rowid <= ? ORDER BY rowid LIMIT ?)"  # noqa: S608
    for each in _MOVED
}
_MOVES = {each: f"UPDATE {each} SET rowid = rowid + ? WHERE rowid > ? AND rowid <= ?" for each in _MOVED}  # noqa: S608
PADDED = {**_MOVED, "blob": "kept", "piece": "data"}
_PADDING = 699  # bytes of a row; with 11 of its cell and 2 of its place 23 of them fill a page of 16,384 but for its 8
INDEXES = ("row_path", "row_since", "row_until", "row_digest", "blob", "point", "turn", "taking", "step")


class StoreFault(UserFault):
    """The store cannot be read or written; what it holds already stays."""


class Database:
    """The file in `folder`, which is made with the first that is written. Every call blocks, and raises `StoreFault`.

    One thread at a time has the connection; a file that was removed or replaced meanwhile is opened anew.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / FILE_NAME
        self._lock = RLock()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None  # device and number of what is connected
        self._ended = False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """For queries whose rows are all fetched within; one that nothing was ever written to is empty."""
        with self._lock, self._in_words():
            yield self._connected() if self._connection is not None or os.path.lexists(self.path) else _empty()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it lasts at its end, or nothing does."""
        with self._lock, self._in_words():
            connection = self._connected()
            _begin(connection)
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def deleting(self, act: Callable[[sqlite3.Connection], T]) -> T:
        """One transaction that only deletes, which a full disk does not hinder: its journal is in memory then.

        Only then: a kill in the midst of that damages the file.
        """
        try:
            with self.writing() as connection:
                return act(connection)
        except StoreFault as fault:
            if not isinstance(fault.__cause__, OSError) or fault.__cause__.errno != errno.ENOSPC:
                raise
            with self._lock:
                try:
                    self._connected().execute("PRAGMA journal_mode=MEMORY")
                    with self.writing() as connection:
                        return act(connection)
                finally:
                    self._connected().execute("PRAGMA journal_mode=TRUNCATE")

    def vacuum(self, check: Callable[[], None] = lambda: None) -> None:
        """Give back what is free, a few pages at a time."""
        free = -1
        while True:
            check()
            before, free = free, self.deleting(_give_back)
            if free in (0, before):
                return
            time.sleep(PAUSE)

    def rewrite(self) -> bool:
        """Write a small file anew, in a fifth of a second; whether it is one, and there was room for that.

        What SQLite deletes it overwrites, but not the copies that it left where it had balanced pages.
        """
        try:
            with self._lock, self._in_words():
                small = self.path.stat().st_size <= SMALL
                if small:
                    self._connected().execute("VACUUM")
                return small
        except StoreFault as fault:
            if not isinstance(fault.__cause__, OSError):
                raise
            return False

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else is within, in this program or another one; a lock that ends with the process."""
        with self._in_words():
            private_folder(self.folder)
            descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
            try:
                until = time.monotonic() + ALONE_FOR
                while sys.platform != "win32":
                    try:
                        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        break
                    except BlockingIOError as error:
                        if time.monotonic() > until:
                            raise _in_use(self.folder) from error
                        time.sleep(PAUSE)
                yield
            finally:
                os.close(descriptor)

    def __del__(self) -> None:
        self.close()  # for a store that was opened for one question

    def close(self) -> None:
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                with suppress(sqlite3.Error):
                    connection.close()

    def end(self) -> None:
        """Close it for good, before its folder is removed: a thread that still reads would create the file again."""
        with self._lock:
            self._ended = True
            self.close()

    def put_aside(self) -> None:
        """Give a damaged file another name, under which it is kept for as long as snapshots are."""
        self.close()
        with suppress(OSError):
            there = os.lstat(self.path)
            if (there.st_dev, there.st_ino) != self._file:  # another program was first, and began anew
                return
            self.path.with_name(f"{FILE_NAME}-journal").unlink(missing_ok=True)
            self.path.rename(self.path.with_name(f"{ASIDE}{time.time_ns()}.db"))

    def _connected(self) -> sqlite3.Connection:
        if self._ended:
            raise StoreFault("This folder's snapshots are gone", f"{self.folder} was removed")
        with suppress(OSError):
            there = os.lstat(self.path)
            if self._connection is not None and (there.st_dev, there.st_ino) == self._file:
                return self._connection
        self.close()
        self._file = self._checked()
        connection = sqlite3.connect(self.path, LOCKED_FOR, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection

    def _checked(self) -> tuple[int, int]:
        private_folder(self.folder)
        with suppress(FileExistsError):
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
            os.close(os.open(self.path, flags, 0o600))
        there = os.lstat(self.path)
        found = [there]
        with suppress(FileNotFoundError):
            found.append(os.lstat(f"{self.path}-journal"))  # SQLite would wait for a pipe, for ever
        if any(not stat.S_ISREG(one.st_mode) or (hasattr(os, "getuid") and one.st_uid != os.getuid()) for one in found):
            raise OSError(errno.EINVAL, "its path is taken by something else")
        if there.st_mode & 0o077:
            self.path.chmod(0o600)
        return there.st_dev, there.st_ino

    def _prepare(self, connection: sqlite3.Connection) -> None:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            words = "They were saved by a newer acp-tui", str(self.path), "Update acp-tui, or delete the file."
            raise StoreFault("This folder's snapshots cannot be used", ": ".join(words[:2]), words[2])
        connection.executescript(_PRAGMAS if version else _PRAGMAS_OF_FILE + _PRAGMAS)
        if version < VERSION:
            connection.execute("BEGIN IMMEDIATE")
            try:
                if connection.execute("PRAGMA user_version").fetchone()[0] < VERSION:
                    for statement in filter(str.strip, _TABLES.split(";")):
                        connection.execute(statement)
                    connection.execute(f"PRAGMA user_version={VERSION}")
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._fault(error) from _cause(error)
        except OSError as error:
            words = f"{self.folder}: {reason_of(error)}"
            raise StoreFault("This folder's snapshots cannot be used", words) from error
        except (TypeError, ValueError, LookupError) as error:  # no such thing was ever written there
            words = f"{self.path}: {error}"
            raise StoreFault("This folder's snapshots cannot be used", words) from error

    def _fault(self, error: sqlite3.Error) -> StoreFault:
        code = _code(error)
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return _in_use(self.folder)
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return self.damaged(str(error))
        if code == sqlite3.SQLITE_FULL:
            return StoreFault("Snapshots cannot be saved", f"{self.folder}: {os.strerror(errno.ENOSPC)}")
        return StoreFault("This folder's snapshots cannot be used", f"{self.path}: {error}")

    def damaged(self, what: str) -> StoreFault:
        """Put the file aside; what to raise of that."""
        self.put_aside()
        hint = "They were moved aside, and new snapshots start empty."
        return StoreFault("This folder's snapshots are damaged", f"{what} in {self.path}", hint)


def _begin(connection: sqlite3.Connection) -> None:
    """Begin a transaction that writes. SQLite itself looks each 100 ms only, and misses the pauses of long acts."""
    until = time.monotonic() + LOCKED_FOR
    connection.execute("PRAGMA busy_timeout=0")
    try:
        while True:
            try:
                connection.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
            time.sleep(_LOOKS_EACH)
    finally:
        connection.execute(f"PRAGMA busy_timeout={LOCKED_FOR * 1000:.0f}")


def _give_back(connection: sqlite3.Connection) -> int:
    """Some of the free pages; how many were free."""
    free = int(connection.execute("PRAGMA freelist_count").fetchone()[0])
    for _ in range(min(free, _VACUUMED)):
        connection.execute("PRAGMA incremental_vacuum(1)")  # it gives back one page, however many are asked for
    return free


def last_rows(connection: sqlite3.Connection) -> dict[str, int]:
    """The last row of each table with names of files."""
    return {table: int(connection.execute(query).fetchone()[0]) for table, query in _LAST_ROWS.items()}


def move_rows(table: str, last: int, begin: int, connection: sqlite3.Connection) -> int | None:
    """Give some rows of a table up to the `last` one ids behind all, where their pages are new; from where to go on."""
    end: int | None = connection.execute(_ENDS[table], (begin, last, ROWS_AT_ONCE)).fetchone()[0]
    if end is not None:
        connection.execute(_MOVES[table], (last, begin, end))
    return end


def overwrite_gaps(table: str, _: int, connection: sqlite3.Connection) -> None:
    """Overwrite the copies of old rows that the first page of a table still holds between the rows of today.

    SQLite moves the rows of the next page into one that gets empty, so that the first page is never given back, however
    often rows are moved. Rows of zeros before them fill it to its last byte, push the others out, and are deleted.
    """
    columns = connection.execute('SELECT name, "notnull" FROM pragma_table_info(?)', (table,)).fetchall()
    empty = {name: "''" if needed else "NULL" for name, needed in columns if name != "id"}
    numbered = {"run": ":number"} if "run" in empty else {}  # two such rows may not have the same key
    size = _PADDING - len(columns) - 2 - len(numbered)
    values = {"rowid": ":number", **empty, **numbered, PADDED[table]: f"zeroblob({size})"}
    statement = f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join(values.values())})"  # noqa: S608 (ours)
    connection.executemany(statement, [{"number": -number} for number in range(2, 102)])
    connection.execute(f"DELETE FROM {table} WHERE rowid < 0")  # noqa: S608


def reindex(name: str, _: int, connection: sqlite3.Connection) -> None:
    """Write an index anew, or those of a table."""
    connection.execute(f"REINDEX {name}")


def _in_use(folder: Path) -> StoreFault:
    return StoreFault("This folder's snapshots are in use", f"Another program is using {folder}")


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _cause(error: sqlite3.Error) -> Exception:
    """A full disk is one, whoever says so."""
    return OSError(errno.ENOSPC, str(error)) if _code(error) == sqlite3.SQLITE_FULL else error


def _empty() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.executescript(_TABLES)
    return connection
