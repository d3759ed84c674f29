"""Uncommitted files of a session's folders: changed against HEAD, new and not ignored, or gone."""

import os
import re
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path

from acp_tui.errors import UserFault, reason_of
from acp_tui.host.changes.git_head import Check, CommitTree, DiskReader, GitHead, find_head, openssl_digest
from acp_tui.host.changes.snapshot_history import Changes, Point
from acp_tui.host.snapshots.folder_store import COUNTED_AT_MOST, COUNTED_IN_ALL, COUNTED_WITHIN
from acp_tui.host.snapshots.path_state import (
    ABSENT,
    IGNORED,
    NESTED,
    REASONS,
    PathChange,
    PathState,
    Status,
    with_renames,
)
from acp_tui.host.snapshots.tree_walk import Walk
from acp_tui.host.system.git import Git, find_checkout
from acp_tui.host.system.threads import Call, Threads, in_thread
from acp_tui.safe_text import named
from acp_tui.session.text.line_diff import count_lines
from acp_tui.session.text.phrases import counted

PATHS_AT_MOST = 300_000
WALK_WITHIN, READ_WITHIN = 10.0, 20.0  # seconds, beside Git's own calls
TEXT_AT_MOST = 32 << 20  # bytes of a file that is shown or exported
CHANGED = "It changed after it was compared"
DAMAGED = "Git cannot read its version in HEAD"
ENDINGS = "Only line endings differ, which Git may convert"
POINTERS = "The same content as the Git LFS pointer in HEAD"
_NAMED = 3  # paths in one note
_POINTER = re.compile(rb"version https://git-lfs\.github\.com/spec/[^\n]+\n(?:[^\n]*\n)*?oid sha256:([0-9a-f]{64})\n")
_POINTER_AT_MOST = 1024  # bytes


class _Over(Exception):
    pass


class UncommittedComparison:
    """`files` and `notes` are what `run` finds; `texts` reads one of these files. All of it blocks.

    What the one `before` knows of the same folder is not read again.
    """

    def __init__(self, head: GitHead, git: Git, before: "UncommittedComparison | None") -> None:
        self.head, self._git = head, git
        same = before is not None and len(before.head.commit) == len(head.commit)  # and so are the ids of one kind
        self.disk: DiskReader = before.disk if before is not None and same else DiskReader(head.root, head.blob_id)
        self.tree: CommitTree = before.tree if before is not None and before.head == head else CommitTree({})
        self._blobs: Mapping[str, bytes] = {}
        self.files: Sequence[PathChange] = ()
        self.notes: list[str] = []

    def run(self, check: Check) -> None:
        """Compare; what takes too long is left out in a note. What `check` raises ends it."""
        with self.head.open(self._git) as view:
            self.tree = tree = self.tree if self.tree.files else self.head.tree(view)
            walk = Walk(self.head.root, PATHS_AT_MOST, _within(WALK_WITHIN, check))
            try:
                walk.run()
            except _Over:
                self.notes.append("Not all new files are listed, because the search timed out")
            apart = {*tree.modules, *(path for path, row in walk.found.unknown.items() if row.reason == NESTED)}
            paths = [path for path in sorted({*tree.files, *walk.found.paths}) if not _is_below(path, apart)]
            seen = dict(zip(walk.found.paths, walk.found.stats, strict=True))
            now: dict[str, PathState] = {}
            try:
                self.disk.states(paths, seen, _within(READ_WITHIN, check), now)
            except _Over:
                self.notes.append(f"{counted(len(paths) - len(now), 'file')} not compared (timed out)")
            self._tell_left_out(walk, tree, now)
            found = with_renames(list(self._changes(tree.files, now)))
            same = (replace(each, added=0, removed=0) if each.status == "renamed" else each for each in found)
            found = list(same)
            self._blobs = self.head.blobs(view, _small(found))
        self.files = list(self._counted(found, check))

    def texts(self, change: PathChange) -> tuple[bytes | None, bytes | None]:
        """What a file holds in HEAD and now; raises `UserFault` where that cannot be read."""
        before, after = self._blobs.get(change.before.digest), None
        if max(change.before.size, change.after.size) > TEXT_AT_MOST:
            raise UserFault(f"It is larger than {TEXT_AT_MOST >> 20} MB")
        if change.before.digest and before is None:
            with self.head.open(self._git) as view:
                before = self.head.blobs(view, [change.before.digest]).get(change.before.digest)
            if before is None:
                raise UserFault(change.before.reason or DAMAGED)
        if change.after.digest:
            state, after = self.disk.text(change.path, TEXT_AT_MOST)
            if state != change.after:
                raise UserFault(CHANGED)
        return before, after

    def _tell_left_out(self, walk: Walk, tree: CommitTree, now: Mapping[str, PathState]) -> None:
        unknown = {path: REASONS[row.reason] for path, row in walk.found.unknown.items() if row.reason != IGNORED}
        unknown |= dict.fromkeys(tree.modules, REASONS[NESTED])
        unknown |= {path: state.reason for path, state in now.items() if state.kind == "unknown"}
        left_out = sorted((reason, path or ".") for path, reason in unknown.items() if path not in tree.files)
        for reason, group in groupby(left_out, key=lambda each: each[0]):
            self.notes.append(f"Skipped, {reason}: {_names([path for _, path in group])}")
        if "" in walk.found.unknown and "" not in unknown:
            self.notes.append("New files are not listed: Git ignores this folder")
        if walk.trouble:
            self.notes.append(f".gitignore rules could not be read: {walk.trouble}")
        if tree.odd:
            self.notes.append(f"{counted(tree.odd, 'file')} in HEAD skipped: Git does not allow such a path")

    def _changes(self, files: Mapping[str, PathState], now: Mapping[str, PathState]) -> Iterator[PathChange]:
        pairs = ((path, files.get(path, ABSENT), after) for path, after in now.items())
        found = [(path, before, after) for path, before, after in pairs if _differ(before, after)]
        sparse = self._sparse() if any(after == ABSENT for _, _, after in found) else set[str]()
        left_out = [path for path, _, after in found if after == ABSENT and path in sparse]
        if left_out:
            self.notes.append(f"{counted(len(left_out), 'file')} left out by Git's sparse index: {_names(left_out)}")
        for path, before, after in found:
            if after != ABSENT or path not in sparse:
                status = _status(before, after)
                count = 0 if status == "mode" else None
                yield PathChange(self.head.root, path, status, before, after, "", count, count, "anyone")

    def _sparse(self) -> set[str]:
        """What a sparse checkout leaves out, as its index says: believed only of what is not there."""
        view = self._git.checkout_of(self.head.root)
        if view is None:
            return set()
        with view:
            view.borrow(self.head.common / "objects")  # the index may have folders, which stand for what is in them
            listed = view.listed(self.head.root, "--cached", "-t") if view.may_be_sparse else None
        return {entry[2:] for entry in listed or () if entry[0] == "S"}

    def _counted(self, found: Iterable[PathChange], check: Check) -> Iterator[PathChange]:
        until, left = time.monotonic() + COUNTED_WITHIN, COUNTED_IN_ALL
        alike: dict[str, list[str]] = defaultdict(list)
        for change in found:
            left -= change.before.size + change.after.size
            before = b"" if change.before == ABSENT else self._blobs.get(change.before.digest)
            is_text = change.added is None and {change.before.kind, change.after.kind} <= {"absent", "file"}
            if before is None or not is_text or time.monotonic() > until:
                yield change
                continue
            after = self._small_text(change) if left > 0 else None
            if change.status == "changed" and self._is_pointer(change, before, check):
                alike[POINTERS].append(change.path)
            elif change.status == "changed" and after and _with_newlines(before) == _with_newlines(after):
                alike[ENDINGS].append(change.path)
            if after is None or b"\0" in before + after:
                yield change
            else:
                added, removed = count_lines(before, after)
                yield replace(change, added=added, removed=removed)
        self.notes += [f"{said}: {_names(paths)}" for said, paths in alike.items()]

    def _small_text(self, change: PathChange) -> bytes | None:
        """What a file holds now; None where that is large, no text, or by now another one."""
        if change.after == ABSENT:
            return b""
        state, after = self.disk.text(change.path, COUNTED_AT_MOST)
        return after if state == change.after else None

    def _is_pointer(self, change: PathChange, before: bytes, check: Check) -> bool:
        """Whether HEAD has no more of a file than a pointer to the very bytes that are there."""
        pointer = _POINTER.match(before) if len(before) <= _POINTER_AT_MOST else None
        if pointer is None:
            return False
        try:
            here = self.disk.state(change.path, lambda _size: openssl_digest("sha256"), _within(COUNTED_WITHIN, check))
        except _Over:
            return False
        return here.digest.encode() == pointer[1]


def _within(seconds: float, check: Check) -> Callable[..., None]:
    """A check that also ends what takes longer, whatever it is told."""
    until = time.monotonic() + seconds

    def check_time(*_: object) -> None:
        check()
        if time.monotonic() > until:
            raise _Over

    return check_time


def _differ(before: PathState, after: PathState) -> bool:
    """Whether it has a row: what is new and cannot be read has a note."""
    same = (before.kind, before.mode, before.digest) == (after.kind, after.mode, after.digest)
    return not same and not (before == ABSENT and after.kind == "unknown")


def _status(before: PathState, after: PathState) -> Status:
    if before == ABSENT:
        return "new"
    if after == ABSENT:
        return "deleted"
    if before.kind != after.kind and after.kind != "unknown":
        return "kind"
    return "changed" if before.digest != after.digest else "mode"


def _small(found: Iterable[PathChange]) -> list[str]:
    """The ids of what HEAD has of them, as far as its lines are counted."""
    left, ids = COUNTED_IN_ALL, list[str]()
    for state in (change.before for change in found):
        if state.digest and state.size <= min(COUNTED_AT_MOST, left):
            left -= state.size
            ids.append(state.digest)
    return ids


def _is_below(path: str, folders: Collection[str]) -> bool:
    return bool(folders) and any(path[:at] in folders for at, sign in enumerate(path) if sign == "/")


def _with_newlines(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n")


def _names(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _NAMED:,} more" if len(paths) > _NAMED else ""
    return ", ".join(map(named, paths[:_NAMED])) + more


HEAD = Point(-1, "head", 0, 0.0)
NO_CHECKOUT = "No Git repository here"


class Uncommitted:
    """Compares these folders with HEAD, as `SessionChanges` does points. It is done in threads; raises `UserFault`."""

    def __init__(self, folders: Sequence[str]) -> None:
        self._folders = folders
        self._compared: dict[str, UncommittedComparison] = {}

    async def look(self, _since: Point = HEAD) -> Point:
        """Now; nothing is read before it is compared."""
        return Point(0, "now", 0, time.time())

    async def between(self, _head: Point, now: Point) -> Changes:
        """What is not committed; what could not be looked at is said in its notes."""
        call = Call()
        files, notes = await Threads().run(partial(self._compare_all, call.check), call)
        return Changes(HEAD, now, files, notes)

    async def texts(self, change: PathChange) -> tuple[bytes | None, bytes | None]:
        """What a file holds in HEAD and now; None where there is none."""
        try:
            return await in_thread(self._compared[change.root].texts, change)
        except OSError as error:
            raise UserFault("It cannot be read", reason_of(error)) from error

    def _compare_all(self, check: Check) -> tuple[Sequence[PathChange], Sequence[str]]:
        roots = _roots(self._folders)
        faults: dict[str, UserFault] = {}
        compared: dict[str, UncommittedComparison] = {}
        for root in roots:
            try:
                compared[root] = self._compare(root, Git(roots), check)
            except UserFault as fault:
                faults[root] = fault
        if not compared:
            raise next(iter(faults.values()))
        self._compared = compared
        files = [file for each in compared.values() for file in each.files]
        missing = [f"{fault.title}: {named(root)}" for root, fault in faults.items()]
        return files, [*(note for each in compared.values() for note in each.notes), *missing]

    def _compare(self, root: str, git: Git, check: Check) -> UncommittedComparison:
        head = find_head(root)
        if head is None:
            hint = "Uncommitted changes are compared with Git's HEAD."
            raise UserFault(*((NO_CHECKOUT, hint) if Path(root).is_dir() else ("No such folder", named(root))))
        compared = UncommittedComparison(head, git, self._compared.get(root))
        try:
            compared.run(check)
        except OSError as error:
            raise UserFault("The folder cannot be compared", reason_of(error)) from error
        return compared


def _roots(folders: Sequence[str]) -> list[str]:
    """The real paths of folders, without those that lie in another one and belong to the same checkout."""
    tops = {root: (find_checkout(root) or ("",))[0] for root in dict.fromkeys(map(os.path.realpath, folders))}
    return [
        root
        for root, top in tops.items()
        if not any(other != root and top == tops[other] and Path(root).is_relative_to(other) for other in tops)
    ]
