"""An index of the records beside them in the cache folder, so that a list of thousands reads none of them.

The files stay the truth: a row counts only as long as size and time of its file are those that it was made from. Where
anything is wrong with the index (of another version, damaged, locked for long, on a network's disk) it is not used, and
what can be begun anew is deleted. It is a cache of the user's words: private, and what is deleted is overwritten.
"""

import errno
import logging
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar

from acp_tui.host.config.state_files import private_folder, remove_left_over, write_private
from acp_tui.host.records.record_info import INDEX_COLUMNS, TABLE_VERSION, RecordInfo, info_of, read_info, row_of
from acp_tui.host.records.searched_text import TextPlaces
from acp_tui.host.system.paths import file_system_of

WORTH = 8 * 1024 * 1024  # bytes of records; less is read in half a second
PATIENCE = 0.5  # seconds that a list waits for another program; after that the records are read
FREE = 64  # pages of 4 KiB that may be free before they are given back
DELETING = 5.0  # seconds that deleting waits
_SHARED = ("nfs", "cifs", "smb", "afs", "fuse", "9p", "ceph", "glusterfs", "lustre")  # how names of such disks begin
_PRAGMAS = (
    "PRAGMA auto_vacuum=INCREMENTAL",
    "PRAGMA journal_mode=TRUNCATE",
    "PRAGMA synchronous=OFF",  # it is a cache: what a power cut damages is begun anew
    "PRAGMA secure_delete=ON",
    "PRAGMA temp_store=MEMORY",
)
_TABLES = f"""
CREATE TABLE record (name TEXT PRIMARY KEY, size INTEGER, time INTEGER, {", ".join(INDEX_COLUMNS)}) WITHOUT ROWID;
CREATE TABLE text (name TEXT PRIMARY KEY, size INTEGER, time INTEGER, places BLOB, subagents TEXT) WITHOUT ROWID;
CREATE TABLE usage (name TEXT PRIMARY KEY, size INTEGER, time INTEGER, packed TEXT) WITHOUT ROWID;
"""
STAMPED, CWD = 3, 3 + INDEX_COLUMNS.index("cwd")  # columns of a row: name and stamp, and where its folder stands
UNSTORABLE = "\0"  # for the folder of a record with halves of characters in its words, which SQLite does not take
ENDING = ".jsonl"

T = TypeVar("T")
Row = tuple[Any, ...]
Stamp = tuple[int, int]  # bytes of a file, and when it was written to, in ns

log = logging.getLogger(__name__)


class RecordIndex:
    """The index in the folder `cache` of the records in the folder `records`. Nothing is created before it pays.

    Everything here blocks: call it in a thread. No method raises, but for `forget`.
    """

    def __init__(self, records: Path, cache: Path) -> None:
        self._records, self._cache = records, cache
        self._path = cache / "index.db"
        self._texts = str(cache / "text") + os.sep

    def infos(self, cwd: str | None = None) -> list[RecordInfo] | None:
        """What the records of a folder (`None`: all) are about, the one that was written last first.

        None where they have to be read.
        """
        files = self.stamps()
        rows = self._tried(partial(self._rows, files))
        if rows is None:
            return None
        rows.sort(key=itemgetter(2, 0), reverse=True)
        folder = f"{self._records}{os.sep}"
        wanted = rows if cwd is None else [row for row in rows if row[CWD] in (cwd, UNSTORABLE)]
        found = (_info(folder, row) for row in wanted if row[CWD] is not None)
        return [info for info in found if info is not None and cwd in (None, info.cwd)]

    def pays(self, size: int) -> bool:
        return size >= WORTH or self._path.exists()

    def stamps(self) -> dict[str, Stamp]:
        found: dict[str, Stamp] = {}
        with suppress(OSError), os.scandir(self._records) as entries:
            for entry in entries:
                if entry.name.endswith(ENDING):
                    with suppress(OSError):  # it went meanwhile
                        state = entry.stat()
                        found[entry.name] = state.st_size, state.st_mtime_ns
        return found

    def tidy(self) -> None:
        """Remove what killed programs left of texts."""
        with suppress(OSError):
            remove_left_over(Path(self._texts))

    def texts(self) -> dict[str, Stamp]:
        """The records of which there is a text, by name, with the stamps of the files that it was made from."""
        query = "SELECT name, size, time FROM text"
        rows = self._tried(lambda database: database.execute(query).fetchall()) if self._path.exists() else None
        return {name: (size, time) for name, size, time in rows or ()}

    def usages(self) -> dict[str, tuple[Stamp, str]]:
        """The usage of records, by name, with the stamps of the files that it was read from; packed."""
        rows = self._tried(lambda database: database.execute("SELECT * FROM usage").fetchall())
        return {name: ((size, time), packed) for name, size, time, packed in rows or ()}

    def add_usages(self, usages: Mapping[str, tuple[Stamp, str]]) -> None:
        rows = [(name, *stamp, packed) for name, (stamp, packed) in usages.items()]
        self._tried(lambda database: database.executemany("INSERT OR REPLACE INTO usage VALUES (?, ?, ?, ?)", rows))

    def places(self, name: str) -> TextPlaces | None:
        query = "SELECT places, subagents FROM text WHERE name = ?"
        row = self._tried(lambda database: database.execute(query, [name]).fetchone())
        return None if row is None else TextPlaces(*row)

    def add_text(self, name: str, stamp: Stamp, text: bytes, places: TextPlaces) -> bool:
        """Keep the text of a record as it is in a file with that stamp; whether that was done."""
        row = name, *stamp, places.packed, places.subagents

        def add(database: sqlite3.Connection) -> bool:
            write_private(Path(self.text_path(name)), text, sync=False, tidy=False)
            database.execute("INSERT OR REPLACE INTO text VALUES (?, ?, ?, ?, ?)", row)
            return True

        return bool(self._tried(add))

    def forget(self, names: Iterable[str]) -> None:
        """Leave nothing of these records; raises OSError where something stays."""
        gone = list(names)
        for name in gone:
            Path(self.text_path(name)).unlink(missing_ok=True)
        if gone and self._path.exists():
            try:
                self._done(lambda database: _delete(database, gone), DELETING)
            except sqlite3.Error as error:
                if self._path.exists():
                    raise OSError(errno.EBUSY, f"the index of the records: {error}") from error

    def text_path(self, name: str) -> str:
        """The file of a record's text, lower-cased."""
        return f"{self._texts}{name.removesuffix(ENDING)}.txt"

    def _rows(self, files: Mapping[str, Stamp], database: sqlite3.Connection) -> list[Row]:
        known = database.execute("SELECT * FROM record").fetchall()
        rows = [row for row in known if files.get(row[0]) == (row[1], row[2])]
        if len(rows) == len(known) == len(files):
            return rows
        there, named = {row[0] for row in rows}, {row[0] for row in known}
        fresh = [row for name in files if name not in there and (row := self._row(name)) is not None]
        marks = ", ".join("?" * (STAMPED + len(INDEX_COLUMNS)))
        database.executemany(f"INSERT OR REPLACE INTO record VALUES ({marks})", fresh)  # noqa: S608 (marks only)
        gone = list(named - files.keys())
        for name in gone:
            Path(self.text_path(name)).unlink(missing_ok=True)
        _delete(database, gone)
        return [*rows, *fresh]

    def _row(self, name: str) -> Row | None:
        """The row of a record. What is none has one too, that says no more, so that it is not read again."""
        path = self._records / name
        try:
            found, info = path.stat(), read_info(path)
        except OSError:
            return None
        stamp = found.st_size, found.st_mtime_ns
        if info is None:
            return (name, *stamp, *[None] * len(INDEX_COLUMNS))
        row = (name, *stamp, *row_of(info))
        try:
            "".join(value for value in row if isinstance(value, str)).encode()
        except UnicodeEncodeError:
            return (name, *stamp, *(UNSTORABLE if column == "cwd" else None for column in INDEX_COLUMNS))
        return row

    def _tried(self, act: Callable[[sqlite3.Connection], T]) -> T | None:
        try:
            return self._done(act, PATIENCE) if self._is_usable() else None
        except (sqlite3.Error, OSError) as error:
            log.warning("the index of the records is not used: %s", error)
            return None

    def _done(self, act: Callable[[sqlite3.Connection], T], patience: float) -> T:
        """Do it in one transaction; raises OSError, and sqlite3.Error, behind which a broken index is gone."""
        private_folder(self._cache)
        try:
            with closing(self._connected(patience)) as database:
                with database:
                    database.execute("BEGIN IMMEDIATE")
                    done = act(database)
                if database.execute("PRAGMA freelist_count").fetchone()[0] > FREE:
                    database.executescript("PRAGMA incremental_vacuum")
                return done
        except sqlite3.Error as error:
            if not isinstance(error, sqlite3.OperationalError) or "no such" in str(error):
                self._begin_anew()
            raise

    def _connected(self, patience: float) -> sqlite3.Connection:
        """A connection to an index of this version, which is made where there is none."""
        with suppress(FileExistsError):
            os.close(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        database = sqlite3.connect(self._path, timeout=patience, isolation_level=None)
        try:
            for pragma in _PRAGMAS:
                database.execute(pragma)
            (version,) = database.execute("PRAGMA user_version").fetchone()
            if version == 0:
                database.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version={TABLE_VERSION}; COMMIT")
            elif version < TABLE_VERSION:
                raise sqlite3.DatabaseError(f"of version {version}")
            elif version > TABLE_VERSION:
                raise sqlite3.OperationalError(f"of a newer version, {version}")
        except BaseException:
            database.close()
            raise
        return database

    def _is_usable(self) -> bool:
        """Whether there is a file of our own, or nothing, on a disk of this machine."""
        for path in (self._path, self._path.with_name(f"{self._path.name}-journal")):
            with suppress(FileNotFoundError):
                found = path.lstat()
                if not stat.S_ISREG(found.st_mode) or (hasattr(os, "geteuid") and found.st_uid != os.geteuid()):
                    return False
        return not file_system_of(os.path.realpath(self._cache)).startswith(_SHARED)

    def _begin_anew(self) -> None:
        """Delete the index with all its texts."""
        for path in (self._path, self._path.with_name(f"{self._path.name}-journal")):
            with suppress(OSError):
                path.unlink(missing_ok=True)
        shutil.rmtree(self._cache / "text", ignore_errors=True)


def _delete(database: sqlite3.Connection, names: Sequence[str]) -> None:
    for table in ("record", "text", "usage"):
        database.executemany(f"DELETE FROM {table} WHERE name = ?", [(name,) for name in names])  # noqa: S608


def _info(folder: str, row: Row) -> RecordInfo | None:
    name, size, time, *columns = row
    if row[CWD] == UNSTORABLE:
        with suppress(OSError):
            return read_info(Path(folder + name))
        return None
    return info_of(folder + name, size, time, columns)
