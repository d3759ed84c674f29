"""One snapshot: what is there is listed, what is not proved to be unchanged is read and kept, a manifest is written."""

import os
import time
from collections.abc import Collection, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from acp_tui.errors import reason_of
from acp_tui.host.snapshots.content import Content, ContentWriter
from acp_tui.host.snapshots.database import Database, StoreFault
from acp_tui.host.snapshots.file_reader import Contents, FolderHandles, proof_below
from acp_tui.host.snapshots.path_state import (
    FILE,
    FOLDER,
    IGNORED,
    KEPT,
    LATE,
    LINK,
    NESTED,
    NO_RULES,
    NOT_THERE,
    NOTHING,
    OVER_NUMBER,
    OVER_SIZE,
    SPECIAL,
    TOO_DEEP,
    TOO_LARGE,
    UNKNOWN,
    UNREADABLE,
    UNSTEADY,
    Row,
    SnapshotTree,
    Stat,
    kind_of,
    provable,
    stat_of,
    unproved,
)
from acp_tui.host.snapshots.proof import (
    Addition,
    CaptureReads,
    Look,
    Read,
    Stamp,
    older,
    rows_before,
    rows_unknown,
    unproved_in,
)
from acp_tui.host.snapshots.snapshot_rows import Overtaken, Snapshots
from acp_tui.host.snapshots.tree_walk import Walk, WalkResult, head_of

NEWEST_FIRST = 1000  # files that are read in the order of their times; behind them those of one folder together
_NAMED = 3  # paths that a gap names
_NAME = 60  # characters of each, from its end
_NO_STAT: Stat = (0, 0, 0, 0, 0)
_SOME = Row(FILE, 0, 0, 0, NOTHING)  # that of a file which need not be looked up
TRIES = 5  # times that a snapshot is compared again because another one was written meanwhile
_GAPS = {
    TOO_LARGE: "too large to save",
    UNREADABLE: "not readable",
    SPECIAL: "pipes, sockets or devices",
    NESTED: "nested repositories (skipped)",
    LATE: "can't be undone (saved too late)",
    OVER_NUMBER: "folders skipped: too many files",
    OVER_SIZE: "skipped: the snapshot is too large",
    UNSTEADY: "changed while they were read",
    NO_RULES: "skipped: .gitignore rules could not be read",
    TOO_DEEP: "folders skipped: too deep",
}
_GAPS_OF_ONE = {  # where they differ
    SPECIAL: "pipe, socket or device",
    NESTED: "nested repository (skipped)",
    OVER_NUMBER: "folder skipped: too many files",
    UNSTEADY: "changed while it was read",
    TOO_DEEP: "folder skipped: too deep",
}


def _gap(reason: int, count: int) -> str:
    words = _GAPS_OF_ONE.get(reason) if count == 1 else None
    return f"{count:,} {words or _GAPS[reason]}"


class Caps(NamedTuple):
    """What is left out: files of more bytes, what is new beyond so many bytes, paths beyond so many."""

    file: int = 32 << 20
    snapshot: int = 1 << 30
    paths: int = 300_000


class Control:
    """What a snapshot hears and tells while it is made."""

    def stamp(self) -> Stamp | None:
        """When a prompt went out since the snapshot was wanted, if one has by now. It is asked once all is read."""
        return None

    def check(self, read: int = 0, of: int = 0) -> None:
        """Called before each file and folder with how far it is; may raise to end it."""


class Capture:
    """A snapshot of `root`, begun by `take`, written to the database in `store`.

    The reason for its size: each of its steps goes on with what those before have found.
    """

    def __init__(self, root: str, store: Path, caps: Caps, control: Control, own: Sequence[str] = ()) -> None:
        """`own`: further files of this program in `root`, which are left out as its store there is."""
        self._root, self._store, self._caps, self._control, self._open = root, store, caps, control, own
        database = Database(store)
        self._content, self._snapshots = Content(database), Snapshots(database)
        self._found = WalkResult()
        self._look = Look(-1, 0, [], [], {})
        self._trouble = ""
        self._read_now: dict[str, tuple[Row, Stat]] = {}
        self._wanted: set[str] = set()  # paths that are kept whatever the caps
        self._listed_at = 0.0  # monotonic seconds
        self._reads: dict[int, Read] = {}  # by place
        self._late: dict[str, Row | None] = {}  # what counts where it was read too late; None: nothing was there
        self._gone: set[str] = set()
        self._beyond: set[str] = set()  # paths that are looked at though the walk left them out
        self._not_there: dict[str, Row] = {}

    def take(self, also: Sequence[str] = (), run: str = "", follow: str = "", earlier: str = "") -> dict[str, Any]:
        """Make it, with these paths even if they are ignored, and tell of it; `run` says whose it is.

        What the snapshot `follow` keeps is looked at whatever became of the ignore rules. What `earlier` says of a path
        counts where this comes too late. Raises OSError and `StoreFault`.
        """
        head = head_of(self._root)
        with self._content.writing() as writer:
            walk = Walk(self._root, self._caps.paths, self._control.check, [*self._own(), *self._open])
            walk.ask_git()
            self._look = self._snapshots.look()
            self._found = self._walked(walk)
            self._trouble = walk.trouble
            self._wanted = {path for path in also if self._may_be_kept(path)}
            self._look_at([*self._followed(follow), *self._wanted])
            self._listed_at = time.monotonic()
            self._leave_ignored(walk)
            for _ in range(TRIES):
                self._read(self._in_order(self._unproved()), writer)
                self._judge_late(earlier)
                writer.commit()
                info = {"root": self._root, "time": time.time(), "head": list(head), "gaps": self._gaps(), "run": run}
                try:
                    name = self._add(info)
                    break
                except Overtaken:
                    self._look = self._snapshots.look()
                    self._forget_lost(writer)
            else:
                raise StoreFault("This folder's snapshots are in use", f"Other programs write to {self._store}")
        files = len(self._found.paths) - len(self._gone)
        return info | {"id": name, "files": files, "new": writer.kept}

    def _forget_lost(self, writer: ContentWriter) -> None:
        lost = self._content.missing({row.digest for row, _ in self._read_now.values() if row.kind != UNKNOWN})
        writer.known.difference_update(lost)
        for path in [path for path, (row, _) in self._read_now.items() if row.digest in lost]:
            del self._read_now[path]

    def _own(self) -> list[str]:
        root, store = Path(self._root), Path(os.path.realpath(self._store))
        for folder in (store.parent.parent, store.parent, store):
            if folder.name in ("snapshots", store.name) and folder != root and folder.is_relative_to(root):
                return [str(folder.relative_to(root))]
        return []

    def _walked(self, walk: Walk) -> WalkResult:
        ignored = [path for path, row in self._look.others.items() if row.reason == IGNORED]
        try:
            return walk.run(ignored)
        except OSError as error:  # not of the store, as all other ones here
            there = Path(self._root).is_dir()
            hint = "" if there else "Create it again, and undo can restore its files."
            raise StoreFault("The folder cannot be read", f"{self._root}: {reason_of(error)}", hint) from error

    def _unproved(self) -> list[int]:
        """The places of paths that have to be read: those that are not proved to be as they were at the last look."""
        found, look = self._found, self._look
        if found.paths == look.paths:
            if found.stats == look.stats:
                return []
            then = look.stats
        else:
            stats = dict(zip(look.paths, look.stats, strict=True))
            then = [stats.get(path, _NO_STAT) for path in found.paths]
        return [
            place
            for place, (now, before) in enumerate(zip(found.stats, then, strict=True))
            if now != before and found.paths[place] not in self._read_now and found.paths[place] not in self._gone
        ]

    def _leave_ignored(self, walk: Walk) -> None:
        """What came since Git was asked may be ignored: ask once more, and leave that out."""
        found = self._found
        if found.paths == self._look.paths:
            return
        known = set(self._look.paths)
        new = [place for place, path in enumerate(found.paths) if path not in known and path not in self._beyond]
        if new:
            is_ignored = walk.ignored_by_now()
            for path, data in [(found.paths[place], found.stats[place]) for place in new]:
                if is_ignored(path):
                    found.unknown[path] = Row(UNKNOWN, IGNORED, data[0], 0, NOTHING)
                    self._gone.add(path)

    def _in_order(self, places: list[int]) -> list[int]:
        """What to read first: what was changed last, for it is worked on."""
        stats = self._found.stats
        order = sorted(places, key=lambda each: -stats[each][3])
        rest = order[NEWEST_FIRST:]
        first = {folder: index for index, folder in reversed([*enumerate(self._folder(each) for each in rest)])}
        return order[:NEWEST_FIRST] + sorted(rest, key=lambda each: first[self._folder(each)])

    def _followed(self, name: str) -> list[str]:
        """What a snapshot keeps and the walk has not looked at: an ignore rule that came since must hide no loss."""
        try:
            rows = self._snapshots.tree(name).rows.items() if name else ()
        except StoreFault:  # pruned: nobody can compare with it any more
            return []
        return [path for path, row in rows if row.kind != UNKNOWN and self._is_covered(path)]

    def _look_at(self, paths: Sequence[str]) -> None:
        """Look at paths though the walk left them out."""
        there = set(self._found.paths) if paths else set()
        with FolderHandles(self._root) as folders:
            for path in paths:
                folder, _, name = path.rpartition("/")
                try:
                    data = _NO_STAT if path in there else stat_of(os.lstat(name, dir_fd=folders.handle(folder)))
                except (FileNotFoundError, NotADirectoryError):
                    if self._is_covered(path):
                        self._not_there[path] = Row(NOT_THERE, 0, 0, 0, NOTHING)
                    continue
                except OSError:  # as its folder says, nothing is known of it
                    continue
                if kind_of(data[0]) in (FILE, LINK):
                    there.add(path)
                    self._found.unknown.pop(path, None)
                    self._found.paths.append(path)
                    self._found.stats.append(data)
                    self._beyond.add(path)
                elif kind_of(data[0]) == FOLDER:  # of what is in it nothing is known
                    self._found.folders[path] = Row(FOLDER, IGNORED, data[0], 0, NOTHING)

    def _is_covered(self, path: str) -> bool:
        """Whether the walk did not look there: it is ignored, or Git cannot say, or it is a checkout of its own."""
        unknown = self._found.unknown
        while path and path not in unknown:
            path = path.rpartition("/")[0]
        return path in unknown and unknown[path].reason in (IGNORED, NO_RULES, NESTED)

    def _folder(self, place: int) -> str:
        return self._found.paths[place].rpartition("/")[0]

    def _read(self, order: Sequence[int], writer: ContentWriter) -> None:
        if not order:
            return
        with FolderHandles(self._root) as folders:
            count = 0
            caps = self._caps.file, self._caps.snapshot
            contents = Contents(folders, writer, caps, lambda: self._control.check(count, len(order)))
            whole = Contents(folders, writer, check=self._control.check)
            for count, place in enumerate(order):
                self._control.check(count, len(order))
                path, looked = self._found.paths[place], time.time_ns()
                row, data = (whole if path in self._wanted else contents).read(path, self._found.stats[place])
                self._reads[place] = Read(time.monotonic(), data, data == self._found.stats[place])
                if row is None:
                    self._gone.add(path)
                else:
                    if row.kind == FOLDER:  # it was a file when it was listed
                        row = Row(UNKNOWN, UNSTEADY, row.mode, 0, NOTHING)
                    self._take(place, row, data, looked)

    def _take(self, place: int, row: Row, data: Stat | None, looked: int) -> None:
        path = self._found.paths[place]
        data = data or self._found.stats[place]
        self._found.stats[place] = unproved(data) if row.kind == UNKNOWN else provable(data, looked)
        self._read_now[path] = row, self._found.stats[place]

    def _may_be_kept(self, path: str) -> bool:
        parts = path.split("/")
        above = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
        nested = any(each in self._found.unknown and self._found.unknown[each].reason == NESTED for each in above)
        return not nested and all(part not in ("", ".", "..", ".git") for part in parts)

    def _judge_late(self, earlier: str) -> None:
        """Find out what counts in place of what was looked at after a prompt went out, and is not proved."""
        stamp = self._control.stamp()
        if stamp is None:
            return
        known = older(self._look.at, stamp)
        looked = CaptureReads(self._found, self._reads, [*self._not_there], self._listed_at, known)
        with FolderHandles(self._root) as folders:
            unproved_paths = unproved_in(looked, proof_below(self._root, stamp, folders), stamp)
        if unproved_paths:
            rows, before = self._rows(unproved_paths), self._tree(earlier)
            late = (
                rows_unknown(rows, unproved_paths)
                if before is None
                else rows_before(rows, unproved_paths, before, self._moved())
            )
            self._late = {path: row for path, row in late if rows.get(path) != row}

    def _moved(self) -> set[str]:
        """The files that were elsewhere at the last look, and came to where they are with a folder."""
        then = dict(zip(self._look.stats, self._look.paths, strict=True))
        now = zip(self._found.paths, self._found.stats, strict=True)
        return {path for path, data in now if data[2] and then.get(data, path) != path}

    def _tree(self, name: str) -> SnapshotTree | None:
        try:
            return self._snapshots.tree(name) if name else None
        except StoreFault:  # pruned
            return None

    def _rows(self, wanted: Collection[str]) -> dict[str, Row]:
        here = [path for path in self._found.paths if path not in self._gone]
        rows = dict.fromkeys(here, _SOME) | self._others | {path: row for path, (row, _) in self._read_now.items()}
        unread = [path for path in wanted if rows.get(path) is _SOME]
        return rows | {path: row for path, row in self._snapshots.current(unread) if row is not None}

    @property
    def _others(self) -> dict[str, Row]:
        return self._found.folders | self._found.unknown | self._not_there

    def _now(self) -> tuple[Look, dict[str, tuple[Row, Stat]]]:
        """What counts: all that is there, but what was looked at too late; and what of it was read, with its rows."""
        found, late = self._found, self._late
        files = {path: row for path, row in late.items() if row is not None and row.kind in (FILE, LINK)}
        others = {path: row for path, row in self._others.items() if path not in late}
        others |= {path: row for path, row in late.items() if row is not None and path not in files}
        left = [place for place, path in enumerate(found.paths) if path not in self._gone and path not in late]
        paths = [found.paths[place] for place in left] + [*files]
        stats = [found.stats[place] for place in left] + [(row.mode, row.size, 0, 0, 0) for row in files.values()]
        read = {path: each for path, each in self._read_now.items() if path not in late and path not in self._gone}
        read |= {path: (row, (row.mode, row.size, 0, 0, 0)) for path, row in files.items()}
        return Look(self._look.generation, 0, paths, stats, others), read

    def _add(self, info: dict[str, Any]) -> str:
        """Write what is not as it was; raises `Overtaken`."""
        look, (now, read) = self._look, self._now()
        rows = [(path, row, _NO_STAT) for path, row in now.others.items() if look.others.get(path) != row]
        touched = list[tuple[str, Stat]]()
        known = {*look.paths, *look.others} if read else set()
        then_of = dict(self._snapshots.current(known.intersection(read)))
        for path, (row, data) in read.items():
            if then_of.get(path) != row:
                rows.append((path, row, data))
            elif row.kind != UNKNOWN and path not in self._late:
                touched.append((path, data))
        closed: Collection[str] = ()
        if now.paths != look.paths or now.others.keys() != look.others.keys():
            closed = {*look.paths, *look.others}.difference(now.paths, now.others)
        return self._snapshots.add(look, now, Addition(rows, touched, closed), info)

    def _gaps(self) -> list[str]:
        """What is not kept, one idea each; of what is ignored nothing is said."""
        rows: dict[str, Row | None] = {path: row for path, (row, _) in self._read_now.items()}
        rows |= self._found.unknown | self._found.folders | self._late
        left_out = sorted((row.reason, path) for path, row in rows.items() if row and row.reason not in (KEPT, IGNORED))
        gaps = ["nothing is saved: Git ignores this folder"] if "" in self._found.unknown and not left_out else []
        gaps += [f".gitignore rules could not be read: {self._trouble}"] if self._trouble else []
        for reason, group in groupby(left_out, key=lambda each: each[0]):
            paths = [path[-_NAME:] if path else "." for _, path in group]
            more = f" and {len(paths) - _NAMED:,} more" if len(paths) > _NAMED else ""
            gaps.append(f"{_gap(reason, len(paths))}: {', '.join(paths[:_NAMED])}{more}")
        return gaps
