"""One snapshot: what is there is listed, what is not proved to be unchanged is read and kept, a manifest is written."""

import os
import time
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from acp_tui.errors import reason_of
from acp_tui.host.snapshots.known import NOTHING_KNOWN, Known, load_known, provable, save_known
from acp_tui.host.snapshots.listing import Found, Stat, Walk, head_of, stat_of
from acp_tui.host.snapshots.manifest import Manifest, Manifests
from acp_tui.host.snapshots.proof import Looked, Read, Stamp, older, rows_before, rows_unknown, unproved_in
from acp_tui.host.snapshots.reading import Contents, Folders, proof_below
from acp_tui.host.snapshots.store import Store, StoreFault, StoreWriter
from acp_tui.host.snapshots.table import (
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
    kind_of,
)

NEWEST_FIRST = 1000  # files that are read in the order of their times; behind them those of one folder together
_NAMED = 3  # paths that a gap names
_NAME = 60  # characters of each, from its end
_GAPS = {
    TOO_LARGE: "too large to be kept",
    UNREADABLE: "not readable",
    SPECIAL: "no files (pipes, sockets, devices)",
    NESTED: "checkouts of their own, left alone",
    LATE: "saved too late to undo",
    OVER_NUMBER: "folders not looked at: too many files",
    OVER_SIZE: "not kept: the snapshot is too large",
    UNSTEADY: "changed while they were read",
    NO_RULES: "not kept: Git cannot say what is ignored there",
    TOO_DEEP: "folders not looked at: too deep",
}
_GAPS_OF_ONE = {  # where they differ
    SPECIAL: "no file (a pipe, socket or device)",
    NESTED: "checkout of its own, left alone",
    OVER_NUMBER: "folder not looked at: too many files",
    UNSTEADY: "changed while it was read",
    TOO_DEEP: "folder not looked at: too deep",
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


class Scan:
    """A snapshot of `root`, begun by `take`.

    The reason for its size: each of its steps goes on with what those before have found.
    """

    def __init__(self, root: str, store: Store, caps: Caps, control: Control) -> None:
        self._root, self._store, self._caps, self._control = root, store, caps, control
        self._found = Found()
        self._known = NOTHING_KNOWN
        self._trouble = ""
        self._digests = bytearray()  # 20 bytes for each path, in their order
        self._odd: dict[str, Row] = {}
        self._listed_at = 0.0  # monotonic seconds
        self._reads: dict[int, Read] = {}  # by place
        self._late: dict[str, Row | None] = {}  # what counts where it was read too late; None: nothing was there
        self._gone: set[int] = set()
        self._hidden: set[str] = set()  # paths that are looked at though they are ignored now
        self._not_there: dict[str, Row] = {}

    def take(self, also: Sequence[str] = (), run: str = "", follow: str = "", earlier: str = "") -> dict[str, Any]:
        """Make it, with these paths even if they are ignored, and tell of it; `run` says whose it is.

        What the manifest `follow` keeps is looked at whatever became of the ignore rules. What `earlier` says of a path
        counts where this comes too late. Raises OSError and `StoreFault`.
        """
        head = head_of(self._root)
        with self._store.writing() as writer:
            walk = Walk(self._root, self._caps.paths, self._control.check, self._own())
            walk.ask_git()
            self._known = load_known(self._store)
            self._found = self._walked(walk)
            self._trouble = walk.trouble
            if follow:
                self._follow(follow)
            self._listed_at = time.monotonic()
            unproved, same = self._prove()
            order = self._in_order(unproved, walk, same=same)
            same = not self._read(order, writer) and same
            same = not self._read_also(also, writer) and same
            same = same and not self._not_there
            same = same and (self._found.folders, self._found.unknown) == (self._known.folders, self._known.unknown)
            self._judge_late(earlier)
            writer.commit()
            info = {"root": self._root, "time": time.time(), "head": list(head), "gaps": self._gaps(), "run": run}
            name = self._write(info, same=same and not self._late and not self._gone)
            if order or not same or also:
                self._save(name, exact=not self._late)
        return info | {"id": name, "files": len(self._found.paths), "new": writer.kept}

    def _own(self) -> str:
        """Where all stores are, if that is below the root: they would keep themselves, again and again."""
        root, store = Path(self._root), Path(os.path.realpath(self._store.folder))
        for folder in (store.parent.parent, store.parent, store):
            if folder.name in ("snapshots", store.name) and folder != root and folder.is_relative_to(root):
                return str(folder.relative_to(root))
        return ""

    def _walked(self, walk: Walk) -> Found:
        ignored = [path for path, row in self._known.unknown.items() if row.reason == IGNORED]
        try:
            return walk.run(ignored)
        except OSError as error:  # not of the store, as all other ones here
            there = Path(self._root).is_dir()
            hint = "" if there else "Make it again, and undo can restore its files."
            raise StoreFault("The folder cannot be read", f"{self._root}: {reason_of(error)}", hint) from error

    def _prove(self) -> tuple[list[int], bool]:
        """The places of paths that have to be read; whether there are the same ones as at the last look."""
        found, known = self._found, self._known
        if found.paths == known.paths:
            self._digests += known.digests
            if found.stats == known.stats:
                return [], True
            pairs = enumerate(zip(found.stats, known.stats, strict=True))
            return [place for place, (now, then) in pairs if now != then], True
        places = dict(zip(known.paths, range(len(known.paths)), strict=True))
        unproved = []
        for place, path in enumerate(found.paths):
            then = places.get(path)
            self._digests += NOTHING if then is None else known.digest(then)
            if then is None or known.stats[then] != found.stats[place]:
                unproved.append(place)
        return unproved, False

    def _in_order(self, places: list[int], walk: Walk, *, same: bool) -> list[int]:
        """What to read first: what was changed last, for it is worked on."""
        paths, stats = self._found.paths, self._found.stats
        known = set() if same else set(self._known.paths)
        if not same and any(paths[place] not in known for place in places):
            is_ignored = walk.ignored_by_now()
            for place in [each for each in places if self._is_new(each, known) and is_ignored(paths[each])]:
                self._found.unknown[paths[place]] = Row(UNKNOWN, IGNORED, stats[place][0], 0, NOTHING)
                self._gone.add(place)
        order = sorted((each for each in places if each not in self._gone), key=lambda each: -stats[each][3])
        rest = order[NEWEST_FIRST:]
        first = {folder: index for index, folder in reversed([*enumerate(self._folder(each) for each in rest)])}
        return order[:NEWEST_FIRST] + sorted(rest, key=lambda each: first[self._folder(each)])

    def _is_new(self, place: int, known: Set[str]) -> bool:
        path = self._found.paths[place]
        return path not in known and path not in self._hidden

    def _follow(self, manifest: str) -> None:
        """Look at what a manifest keeps and the walk has not found, below what it was not to look into."""
        found, there = self._found, set(self._found.paths)
        try:
            rows = Manifests(self._store).read(manifest).rows()
        except StoreFault:  # pruned: nobody can compare with it any more
            return
        with Folders(self._root) as folders:
            for path, row in rows.items():
                if row.kind not in (FILE, LINK, NOT_THERE) or path in there or not self._is_covered(path):
                    continue
                folder, _, name = path.rpartition("/")
                try:
                    data = stat_of(os.lstat(name, dir_fd=folders.handle(folder)))
                except (FileNotFoundError, NotADirectoryError):
                    self._not_there[path] = Row(NOT_THERE, 0, 0, 0, NOTHING)
                    continue
                except OSError:  # as its folder says, nothing is known of it
                    continue
                if kind_of(data[0]) in (FILE, LINK):
                    found.unknown.pop(path, None)
                    found.paths.append(path)
                    found.stats.append(data)
                    self._hidden.add(path)

    def _is_covered(self, path: str) -> bool:
        """Whether the walk did not look there: it is ignored, or Git cannot say, or it is a checkout of its own."""
        unknown = self._found.unknown
        while path and path not in unknown:
            path = path.rpartition("/")[0]
        return path in unknown and unknown[path].reason in (IGNORED, NO_RULES, NESTED)

    def _folder(self, place: int) -> str:
        return self._found.paths[place].rpartition("/")[0]

    def _read(self, order: Sequence[int], writer: StoreWriter) -> bool:
        """Read these; whether one of them is other than it was."""
        if not order:
            return False
        before = dict(zip(self._known.paths, range(len(self._known.paths)), strict=True))
        changed = False
        with Folders(self._root) as folders:
            count = 0
            caps = self._caps.file, self._caps.snapshot
            contents = Contents(folders, writer, *caps, lambda: self._control.check(count, len(order)))
            for count, place in enumerate(order):
                self._control.check(count, len(order))
                path, looked = self._found.paths[place], time.time_ns()
                row, data = contents.read(path, self._found.stats[place])
                self._reads[place] = Read(time.monotonic(), data, data == self._found.stats[place])
                if row is None:
                    self._gone.add(place)
                else:
                    if row.kind == FOLDER:  # it was a file when it was listed
                        row = Row(UNKNOWN, UNSTEADY, row.mode, 0, NOTHING)
                    self._take(place, row, data, looked)
                then = before.get(path)
                changed = changed or then is None or row != self._known.row(then)
        return changed

    def _take(self, place: int, row: Row, data: Stat | None, looked: int) -> None:
        path = self._found.paths[place]
        data = data or self._found.stats[place]
        self._digests[20 * place : 20 * place + 20] = row.digest
        self._found.stats[place] = provable(data, looked)
        if row.kind == UNKNOWN:
            self._odd[path] = row
            self._found.stats[place] = data[0], data[1], 0, 0, 0

    def _digest(self, place: int) -> bytes:
        return bytes(self._digests[20 * place : 20 * place + 20])

    def _read_also(self, paths: Sequence[str], writer: StoreWriter) -> bool:
        """Keep paths that are wanted though they are ignored; whether there is one."""
        had = set(self._found.paths) if paths else set()
        wanted = [path for path in paths if path not in had and self._may_be_kept(path)]
        for path in wanted:
            looked = time.time_ns()
            with Folders(self._root) as folders:
                row, data = Contents(folders, writer, check=self._control.check).read(path)
            if row is None and self._is_covered(path):
                self._not_there[path] = Row(NOT_THERE, 0, 0, 0, NOTHING)
            if row is not None and data is not None and row.kind != UNKNOWN and kind_of(row.mode) == row.kind:
                self._found.unknown.pop(path, None)
                self._found.paths.append(path)
                self._found.stats.append(data)
                self._digests += row.digest
                self._reads[len(self._found.paths) - 1] = Read(time.monotonic(), data, as_listed=False)
                self._take(len(self._found.paths) - 1, row, data, looked)
        return bool(wanted)

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
        found, known = self._found, self._known_before(stamp)
        looked = Looked(found, self._reads, [*self._not_there], self._listed_at, known)
        with Folders(self._root) as folders:
            unproved = unproved_in(looked, proof_below(self._root, stamp, folders), stamp)
        if unproved:
            rows, before = dict(self._rows()), self._manifest(earlier)
            late = rows_unknown(rows, unproved) if before is None else rows_before(rows, unproved, before)
            self._late = {path: row for path, row in late if rows.get(path) != row}

    def _known_before(self, stamp: Stamp) -> bool:
        """Whether the last look was over before that: what it has with the same stat data was so all the time."""
        with suppress(OSError):
            return older((self._store.folder / "known").stat().st_mtime_ns, stamp)
        return False

    def _manifest(self, name: str) -> Manifest | None:
        try:
            return Manifests(self._store).read(name) if name else None
        except StoreFault:  # pruned
            return None

    def _rows(self) -> Iterator[tuple[str, Row]]:
        yield from self._found.folders.items()
        yield from self._found.unknown.items()
        listed = zip(self._found.paths, self._found.stats, strict=True)
        for place, (path, (mode, size, *_)) in enumerate(listed):
            if place not in self._gone:
                yield path, self._odd.get(path) or Row(kind_of(mode), 0, mode, size, self._digest(place))
        yield from self._not_there.items()

    def _write(self, info: dict[str, Any], *, same: bool) -> str:
        manifests, like = Manifests(self._store), self._known.manifest
        if same and self._known.exact:
            try:
                return manifests.write_again(like, info)
            except StoreFault:  # pruned
                pass
        rows = {path: row for path, row in (dict(self._rows()) | self._late).items() if row is not None}
        return manifests.write(rows, info, like)

    def _save(self, manifest: str, *, exact: bool) -> None:
        found = self._found
        left = [place for place in range(len(found.paths)) if place not in self._gone]
        save_known(
            self._store,
            Known(
                manifest,
                exact,
                [found.paths[place] for place in left],
                [found.stats[place] for place in left],
                b"".join([self._digest(place) for place in left]),
                self._odd,
                found.folders,
                found.unknown,
            ),
        )

    def _gaps(self) -> list[str]:
        """What is not kept, one idea each; of what is ignored nothing is said."""
        rows = self._found.unknown | self._odd | self._found.folders | self._late
        left_out = sorted((row.reason, path) for path, row in rows.items() if row and row.reason not in (KEPT, IGNORED))
        gaps = ["nothing is kept: Git ignores this folder itself"] if "" in self._found.unknown and not left_out else []
        gaps += [f"Git cannot read the ignore rules: {self._trouble}"] if self._trouble else []
        for reason, group in groupby(left_out, key=lambda each: each[0]):
            paths = [path[-_NAME:] if path else "." for _, path in group]
            more = f" and {len(paths) - _NAMED:,} more" if len(paths) > _NAMED else ""
            gaps.append(f"{_gap(reason, len(paths))}: {', '.join(paths[:_NAMED])}{more}")
        return gaps
