"""Snapshots as rows of a database: one a path, valid from one snapshot until another.

So a snapshot adds only what is not as it was, a comparison is a query, and pruning is a few deletions. Each row has the
stat data by which a later look can prove that nothing changed. Standard library only: the child imports this.
"""

import json
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from math import inf
from sqlite3 import Connection
from typing import Any

from acp_tui.host.snapshots.content import BLOBS_AT_ONCE, delete_blob, is_sparse, move_blobs, unnamed
from acp_tui.host.snapshots.database import (
    ASIDE,
    INDEXES,
    PADDED,
    PAUSE,
    ROWS_AT_ONCE,
    Database,
    StoreFault,
    last_rows,
    move_rows,
    overwrite_gaps,
    reindex,
)
from acp_tui.host.snapshots.path_state import FILE, LINK, Row, RowsAt, SnapshotTree, Stat, folders_of, row_of
from acp_tui.host.snapshots.proof import Addition, Look, packed, unpacked

SCANNED_AT_ONCE = 20_000  # rows that one transaction looks at
BYTES_AT_ONCE = 16 << 20  # of content, before compression, that one transaction deletes and overwrites
UNNAMED_FOR = 3600.0  # seconds for which content stays that no row has named yet: a snapshot may be under way
_ALL_FROM = 1_000  # paths from which on all rows of a snapshot are read

_DELETIONS = (
    "DELETE FROM point WHERE run IN (SELECT id FROM run WHERE name = ?)",
    "DELETE FROM turn WHERE run IN (SELECT id FROM run WHERE name = ?)",
    "DELETE FROM taking WHERE run IN (SELECT id FROM run WHERE name = ?)",
    "DELETE FROM step WHERE run IN (SELECT id FROM run WHERE name = ?)",
    "DELETE FROM run WHERE name = ?",
    "DELETE FROM need WHERE run = ?",
)


class Overtaken(Exception):
    """Another snapshot was written meanwhile, or content that this one needs was pruned: look again, and compare."""


class Snapshots:
    """The snapshots in a database. Every call blocks, and raises `StoreFault`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def names(self) -> list[str]:
        """All, the oldest first."""
        with self._database.reading() as connection:
            query = "SELECT name FROM snapshot WHERE info IS NOT NULL ORDER BY id"
            return [name for (name,) in connection.execute(query).fetchall()]

    def info(self, name: str) -> dict[str, Any]:
        """What its maker wrote beside the rows."""
        with self._database.reading() as connection:
            number = self._number(connection, name)
            info: dict[str, Any] = json.loads(_one(connection, "SELECT info FROM snapshot WHERE id = ?", number))
            return info

    def tree(self, name: str, paths: Collection[str] | None = None) -> SnapshotTree:
        """All rows, or those of these paths and of the folders around them."""
        with self._database.reading() as connection:
            return self._tree(connection, self._number(connection, name), paths)

    def below(self, name: str, folder: str) -> SnapshotTree:
        """The rows of what is below a folder, and of the folders around it; all for an empty one."""
        if not folder:
            return self.tree(name)
        with self._database.reading() as connection:
            number = self._number(connection, name)
            first, last = os.fsencode(f"{folder}/"), os.fsencode(f"{folder}0")  # 0 follows / in ASCII
            query = (
                "SELECT path, kind, reason, mode, size, digest FROM row"
                " WHERE path >= ? AND path < ? AND since <= ? AND (until IS NULL OR until > ?)"
            )
            rows = connection.execute(query, (first, last, number, number)).fetchall()
            return SnapshotTree({**self._tree(connection, number, [folder]).rows, **_rows(rows)})

    def chain(self, names: Sequence[str]) -> tuple[list[SnapshotTree], list[str]]:
        """The trees of these snapshots, as far as it takes to compare them, and the paths that may differ."""
        with self._database.reading() as connection:
            numbers = [self._number(connection, name) for name in names]
            query = (
                "SELECT path FROM row WHERE since > :first AND since <= :last"
                " UNION SELECT path FROM row WHERE until > :first AND until <= :last"
            )
            found = connection.execute(query, {"first": min(numbers), "last": max(numbers)}).fetchall()
            paths = sorted({os.fsdecode(path) for (path,) in found} - {""})
            spans = dict[str, list[tuple[int, float, Row]]]()
            for path, since, until, row in _spans(connection, min(numbers), max(numbers), paths):
                spans.setdefault(path, []).append((since, until or inf, row))
            return [SnapshotTree(RowsAt(spans, number)) for number in numbers], paths

    def look(self) -> Look:
        """What the newest one saw: as it was packed, or from the rows where that is lost."""
        with self._database.reading() as connection:
            generation, listed, at = connection.execute("SELECT number, listed, looked FROM generation").fetchone()
            listing = connection.execute("SELECT data FROM listing").fetchone()
            if listing is not None and listed == generation:
                with suppress(ValueError, EOFError, TypeError):
                    return unpacked(listing[0])._replace(generation=generation, at=at)
            query = (
                "SELECT path, kind, reason, mode, size, digest, inode, mtime, ctime FROM row"
                " WHERE until IS NULL ORDER BY id"
            )
            found = connection.execute(query).fetchall()
            look = Look(generation, at, [], [], {})
            for path, *values, inode, mtime, ctime in found:
                row, name = row_of(values), os.fsdecode(path)
                if row.kind in (FILE, LINK):
                    look.paths.append(name)
                    look.stats.append((row.mode, row.size, inode, mtime, ctime))
                else:
                    look.others[name] = row
        return look

    def current(self, paths: Iterable[str]) -> Iterator[tuple[str, Row | None]]:
        """The newest rows of paths."""
        with self._database.reading() as connection:
            query = "SELECT kind, reason, mode, size, digest FROM row WHERE path = ? AND until IS NULL"
            for path in paths:
                row = connection.execute(query, (os.fsencode(path),)).fetchone()
                yield path, None if row is None else row_of(row)

    def add(self, look: Look, then: Look, addition: Addition, info: dict[str, Any]) -> str:
        """Write what is not as it was at `look`, so that it is as it is `then`; its name.

        Raises `Overtaken` where `look` is not the newest one any more, or content is gone.
        """
        name, run, number = _new_name(), str(info.get("run", "")), 0
        parts = iter(addition.closed), iter(addition.rows), iter(addition.touched)
        listing = None if not any(addition) and then[2:] == look[2:] else packed(then)
        with self._database.alone():
            while True:
                closed, rows, touched = (
                    [*islice(parts[0], ROWS_AT_ONCE)],
                    [*islice(parts[1], ROWS_AT_ONCE)],
                    [*islice(parts[2], ROWS_AT_ONCE)],
                )
                with self._database.writing() as connection:
                    number = number or _begin(connection, look, name, run)
                    _write(connection, number, closed, rows, touched)
                    if max(len(closed), len(rows), len(touched)) < ROWS_AT_ONCE:
                        _end(connection, number, info, listing)
                        return name
                time.sleep(PAUSE)

    def forget(self, runs: Collection[str], before: float) -> list[str]:
        """Delete the rows of runs; what nobody needs after that: theirs, and what was kept before (Unix seconds)."""
        with self._database.writing() as connection:
            needed = connection.execute("SELECT run, name FROM need").fetchall()
            for run in runs:
                for deletion in _DELETIONS:
                    connection.execute(deletion, (run,))
            kept = {name for run, name in needed if run not in runs}
            made = connection.execute("SELECT name, run FROM snapshot").fetchall()
            held = connection.execute("SELECT DISTINCT name, '' FROM hold").fetchall()
        theirs = {name for run, name in needed if run in runs}
        found = {name for name, run in [*made, *held] if run in runs or int(name[:16], 16) < before * 1e9}
        return sorted((theirs | found) - kept)

    def need(self, run: str, names: Iterable[str], like: Collection[str] = ()) -> None:
        """Have snapshots stay as long as a run, and the holds of other runs that are `like` it."""
        with self._database.writing() as connection:
            query = "SELECT name FROM need WHERE run = ? AND name IN (SELECT name FROM hold)"
            held = [name for each in like for (name,) in connection.execute(query, (each,)).fetchall()]
            rows = [(run, name) for name in [*names, *held]]
            connection.executemany("INSERT OR IGNORE INTO need VALUES (?, ?)", rows)

    def hold(self, digests: Iterable[str], run: str) -> bool:
        """Have this content stay as long as a run, whatever becomes of snapshots; whether any of it is kept."""
        name = _new_name()
        with self._database.writing() as connection:
            rows = [(name, bytes.fromhex(digest)) for digest in dict.fromkeys(digests)]
            query = "INSERT INTO hold SELECT ?, digest FROM blob WHERE digest = ?"
            kept = connection.executemany(query, rows).rowcount > 0
            if kept:
                connection.execute("INSERT INTO need VALUES (?, ?)", (run, name))
            return kept

    def drop(self, names: Sequence[str], check: Callable[[], None] = lambda: None) -> None:
        """Forget snapshots and holds, and with them the bytes that nothing else names; `check` may raise to end it.

        What one that was killed has left to be done is done too.
        """
        if not os.path.lexists(self._database.path):
            return
        if names:
            for aside in self._database.folder.glob(f"{ASIDE}*"):
                with suppress(OSError):
                    aside.unlink()
        self._database.deleting(partial(_forget, names))
        self._repeat(_drop_rows, 0, check)
        self._repeat(_drop_held, [*names], check)
        self._repeat(partial(_drop_unnamed, time.time() - UNNAMED_FOR), 0, check)
        self._database.vacuum(check)
        with self._database.reading() as connection:
            sparse, end = is_sparse(connection), int(_one(connection, "SELECT coalesce(max(id), 0) + 1 FROM blob"))
        if sparse:
            self._repeat(move_blobs, end, check)
            self._database.vacuum(check)

    def rewrite(self, check: Callable[[], None] = lambda: None) -> None:
        """Write anew all that stays, so that not even a copy is left of what was deleted."""
        if not os.path.lexists(self._database.path) or self._database.rewrite():
            return
        with self._database.reading() as connection:
            blobs = int(_one(connection, "SELECT coalesce(max(id), 0) + 1 FROM blob"))
            last = last_rows(connection)
        self._repeat(move_blobs, blobs, check)
        for table, number in last.items():
            self._repeat(partial(move_rows, table, number), 0, check)
        for table in PADDED:
            self._repeat(partial(overwrite_gaps, table), 0, check)
        for index in INDEXES:
            self._repeat(partial(reindex, index), 0, check)
        self._database.vacuum(check)

    def _repeat(self, act: Callable[[Any, Connection], Any], state: Any, check: Callable[[], None]) -> None:
        """Do it in transactions of its own until there is nothing left, with a pause for others between them."""
        while state is not None:
            check()
            state = self._database.deleting(partial(act, state))
            time.sleep(PAUSE)

    def _number(self, connection: Connection, name: str) -> int:
        query = "SELECT id FROM snapshot WHERE name = ? AND info IS NOT NULL"
        found = connection.execute(query, (name,)).fetchone()
        if found is None:
            raise StoreFault("A snapshot is gone", f"{name} in {self._database.path}", "it was pruned")
        return int(found[0])

    def _tree(self, connection: Connection, number: int, paths: Collection[str] | None) -> SnapshotTree:
        return SnapshotTree({path: row for path, _, _, row in _spans(connection, number, number, paths)})


def _spans(
    connection: Connection, first: int, last: int, paths: Collection[str] | None
) -> Iterator[tuple[str, int, int | None, Row]]:
    """The rows that are valid anywhere from one snapshot to another, with from where and until where: all, or those of
    these paths and of the folders around them.
    """
    query = (
        "SELECT path, since, until, kind, reason, mode, size, digest FROM row"
        " WHERE since <= ? AND (until IS NULL OR until > ?)"
    )
    if paths is None or len(paths) > _ALL_FROM:
        found: Iterable[tuple[Any, ...]] = connection.execute(query, (last, first))
    else:
        wanted = {os.fsencode(each) for path in paths for each in (path, *folders_of(path))}
        found = (row for path in wanted for row in connection.execute(f"{query} AND path = ?", (last, first, path)))
    for path, since, until, *values in found:
        yield os.fsdecode(path), since, until, row_of(values)


def _drop_rows(last: int, connection: Connection) -> int | None:
    """Delete rows behind the one with this id that are of no snapshot any more, and what nothing else names with them.

    The id from which to go on.
    """
    query = (
        "SELECT id, kind, size, digest, until FROM row WHERE id > ? AND id <= ? AND NOT EXISTS (SELECT 1 FROM"
        " snapshot WHERE snapshot.id >= since AND (until IS NULL OR snapshot.id < until)) LIMIT ?"
    )
    end, dropped, newest = _end_of(connection, "row", last), 0, False
    rows = connection.execute(query, (last, end, BLOBS_AT_ONCE)).fetchall()
    for number, kind, size, digest, until in rows:
        connection.execute("DELETE FROM row WHERE id = ?", (number,))
        newest = newest or until is None
        if kind in (FILE, LINK) and _drop_content(connection, digest):
            dropped += size
        if dropped > BYTES_AT_ONCE:
            end = number
            break
    else:
        end = rows[-1][0] if len(rows) == BLOBS_AT_ONCE else end
    if newest:  # who compares with the newest rows has to look again
        connection.execute("UPDATE generation SET number = number + 1")
        connection.execute("DELETE FROM listing")
    return end


def _drop_held(names: list[str], connection: Connection) -> list[str] | None:
    """Let go of some of the content that is held under the first of these names; the names that are left."""
    query = "SELECT digest FROM hold WHERE name = ? LIMIT ?"
    held = connection.execute(query, (names[0], BLOBS_AT_ONCE)).fetchall() if names else []
    for (digest,) in held:
        connection.execute("DELETE FROM hold WHERE name = ? AND digest = ?", (names[0], digest))
        _drop_content(connection, digest)
    return (names if len(held) == BLOBS_AT_ONCE else names[1:]) or None


def _drop_unnamed(before: float, last: int, connection: Connection) -> int | None:
    """Delete some of the content that was kept before a time and that nothing has named since; from where to go on."""
    end = _end_of(connection, "blob", last)
    found = [] if end is None else unnamed(connection, before, last, end, BLOBS_AT_ONCE)
    for blob in found:
        delete_blob(connection, blob)
    return found[-1] if len(found) == BLOBS_AT_ONCE else end


def _end_of(connection: Connection, table: str, last: int) -> int | None:
    """The last id that one transaction looks at, of those behind one; None where there is none."""
    query = f"SELECT max(id) FROM (SELECT id FROM {table} WHERE id > ? ORDER BY id LIMIT ?)"  # noqa: S608 (ours)
    end: int | None = _one(connection, query, last, SCANNED_AT_ONCE)
    return end


def _new_name() -> str:
    """Names sort by the time at which they were made: nanoseconds, in hex."""
    return f"{time.time_ns():016x}-{os.urandom(4).hex()}"


def _begin(connection: Connection, look: Look, name: str, run: str) -> int:
    """A snapshot whose rows are still to be written; its number."""
    if look.generation != int(_one(connection, "SELECT number FROM generation")):
        raise Overtaken
    # If it is never finished, the listing is not right, and some of its rows are the newest ones.
    connection.execute("UPDATE generation SET number = number + 1, looked = ?", (time.time_ns(),))
    query = "INSERT INTO snapshot (name, time, run) VALUES (?, ?, ?)"
    return connection.execute(query, (name, time.time(), run)).lastrowid or 0


def _write(
    connection: Connection,
    number: int,
    closed: Iterable[str],
    rows: Iterable[tuple[str, Row, Stat]],  # those before them are closed with them
    touched: Iterable[tuple[str, Stat]],
) -> None:
    if connection.execute("SELECT 1 FROM snapshot WHERE id = ?", (number,)).fetchone() is None:  # it took over an hour
        raise Overtaken
    plain = [(os.fsencode(path), number, *row, *data[2:]) for path, row, data in rows]
    last = _one(connection, "SELECT coalesce(max(id), 0) FROM row")
    query = "UPDATE row SET until = ? WHERE path = ? AND until IS NULL AND since < ?"
    connection.executemany(
        query, [(number, path, number) for path in [*map(os.fsencode, closed), *(row[0] for row in plain)]]
    )
    query = (
        "INSERT INTO row (path, since, kind, reason, mode, size, digest, inode, mtime, ctime)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    )
    connection.executemany(query, plain)
    query = (
        "SELECT count(*) FROM row WHERE id > ? AND kind IN (1, 2)"
        " AND NOT EXISTS (SELECT 1 FROM blob WHERE blob.digest = row.digest)"
    )
    if _one(connection, query, last):  # pruned since it was read
        raise Overtaken
    query = "UPDATE row SET inode = ?, mtime = ?, ctime = ? WHERE path = ? AND until IS NULL"
    connection.executemany(query, [(*data[2:], os.fsencode(path)) for path, data in touched])


def _end(connection: Connection, number: int, info: dict[str, Any], listing: bytes | None) -> None:
    """All rows are written. `listing`: None where it is as it was."""
    connection.execute("UPDATE snapshot SET info = ? WHERE id = ?", (json.dumps(info), number))
    if listing is not None:
        connection.execute("DELETE FROM listing")
        connection.execute("INSERT INTO listing VALUES (?)", (listing,))
    connection.execute("UPDATE generation SET listed = number")


def _forget(names: Sequence[str], connection: Connection) -> None:
    """Snapshots by their names, and those of which a crash has left a part only."""
    connection.executemany("DELETE FROM snapshot WHERE name = ?", [(name,) for name in names])
    connection.execute("DELETE FROM snapshot WHERE info IS NULL AND time < ?", (time.time() - UNNAMED_FOR,))


def _drop_content(connection: Connection, digest: bytes) -> bool:
    """Delete what no row and no hold names any more; whether it was that."""
    query = (
        "SELECT id FROM blob WHERE digest = :digest"
        " AND NOT EXISTS (SELECT 1 FROM row WHERE digest = :digest AND kind IN (1, 2))"
        " AND NOT EXISTS (SELECT 1 FROM hold WHERE digest = :digest)"
    )
    blob = connection.execute(query, {"digest": digest}).fetchone()
    if blob is not None:
        delete_blob(connection, blob[0])
    return blob is not None


def _rows(found: Iterable[tuple[Any, ...]]) -> dict[str, Row]:
    return {os.fsdecode(path): row_of(values) for path, *values in found}


def _one(connection: Connection, query: str, *given: object) -> Any:
    return connection.execute(query, given).fetchone()[0]
