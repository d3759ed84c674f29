"""The snapshots of one folder: where they are kept, what differs between two of them, and letting go of that."""

import os
import shutil
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from acp_tui.frozen import Frozen
from acp_tui.host.config.state_files import kept_name, private_folder, read_private, state_folder, write_private
from acp_tui.host.snapshots.content import Content
from acp_tui.host.snapshots.database import Database, StoreFault
from acp_tui.host.snapshots.path_state import (
    ABSENT,
    ABSENT_ROW,
    FOLDER,
    IGNORED,
    LATE,
    NOT_THERE,
    NOTHING,
    UNKNOWN,
    PathChange,
    PathState,
    Row,
    SnapshotTree,
    Status,
    state_of,
    with_renames,
)
from acp_tui.host.snapshots.snapshot_client import SnapshotClient
from acp_tui.host.snapshots.snapshot_rows import Snapshots
from acp_tui.safe_text import one_line
from acp_tui.session.text.line_diff import count_lines

COUNTED_AT_MOST = 1 << 20  # bytes of a file whose lines are counted
COUNTED_IN_ALL = 64 << 20  # bytes
COUNTED_WITHIN = 2.0  # seconds


def changes(root: str, chain: Sequence[SnapshotTree], paths: Iterable[str]) -> list[PathChange]:
    """First against last, of these paths below a root; one that is as it was is not among them."""
    first, last = chain[0], chain[-1]
    found = []
    for path in paths:
        if first.row(path) != last.row(path):
            before, after = row_at(first, path), row_at(last, path)
            if status := _status(before, after):
                found.append(PathChange(root, path, status, state_of(before), state_of(after)))
    return with_renames(found)


def row_at(tree: SnapshotTree, path: str) -> Row:
    """How a path was: absent only if nothing above it says that it may have been there."""
    row = tree.row(path)
    if row is None:
        cover = tree.cover(path)
        return Row(UNKNOWN, cover, 0, 0, NOTHING) if cover else ABSENT_ROW
    return ABSENT_ROW if row.kind == NOT_THERE else row


def _status(before: Row, after: Row) -> Status | None:
    """In one word; None where it is as it was, or nothing shows that it is not."""
    if UNKNOWN in (before.kind, after.kind):
        return "changed" if _other(before, after) else None
    if before == ABSENT_ROW:
        return "new"
    if after == ABSENT_ROW:
        return "deleted"
    if before.kind != after.kind:
        return "kind"
    if before.digest != after.digest or before.size != after.size:
        return "changed"
    return "mode" if before.mode != after.mode else None


def _other(before: Row, after: Row) -> bool:
    """Whether a path of which one state is not known has changed, as far as that can be told."""
    if before.kind == after.kind == UNKNOWN:
        told = before.digest != NOTHING != after.digest and before.reason == after.reason
        return told and before[2:] != after[2:]
    unknown, other = (before, after) if before.kind == UNKNOWN else (after, before)
    if unknown.reason == LATE and unknown.digest != NOTHING:  # the same bytes show no change
        return other[2:] != unknown[2:]
    # What began or ceased to be ignored is no change by itself, nor is a folder that can now be looked into.
    return unknown.reason != IGNORED and other.kind != FOLDER


def intervals(chain: Sequence[SnapshotTree], change: PathChange) -> tuple[int, ...]:
    """The places in a chain behind which a path changed."""
    if len(chain) == 2:
        return (0,)
    paths = [path for path in (change.path, change.old_path) if path]
    states = [[row_at(tree, path) for path in paths] for tree in chain]
    return tuple(place for place, (one, other) in enumerate(pairwise(states)) if one != other)


class LineCounts:
    """Counts lines of what changed, until that took too long or too many bytes; `content` gives bytes by digest."""

    def __init__(self, content: Callable[[str], bytes], within: float = COUNTED_WITHIN) -> None:
        self._content, self._until, self._left = content, time.monotonic() + within, COUNTED_IN_ALL

    def counted(self, change: PathChange) -> PathChange:
        """With the lines added and removed, if they can be counted: no text, too large, not known."""
        sides = change.before, change.after
        self._left -= sum(side.size for side in sides)
        plain = all(side.kind in ("absent", "file") and side.size <= COUNTED_AT_MOST for side in sides)
        if not plain or self._left < 0 or time.monotonic() > self._until:
            return change
        try:
            texts = [b"" if side == ABSENT else self._content(side.digest) for side in sides]
        except StoreFault:
            return change
        if b"\0" in texts[0] + texts[1]:
            return change
        added, removed = count_lines(*texts)
        return replace(change, added=added, removed=removed)


def head_changes(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """What became of HEAD and stash, given as head, commit, stash of both moments."""
    if before[0] and not after[0]:
        yield f"the repository ({_short(before[0])}) is gone"
    elif after[0] and not before[0]:
        yield f"it became a repository ({_short(after[0])})"
    elif before[0] != after[0]:
        yield f"HEAD was {_short(before[0])} and is {_short(after[0])}"
    elif before[1] != after[1]:
        yield f"{_short(after[0])} was at {before[1][:12] or 'no commit'} and is at {after[1][:12] or 'no commit'}"
    if before[2] != after[2]:
        yield "the stash changed"


def _short(head: str) -> str:
    return head.removeprefix("ref: refs/heads/").removeprefix("ref: ") if head.startswith("ref: ") else head[:12]


if sys.platform != "win32":
    import fcntl

TEMPORARY = "temporary"
OLD = ("packs", "manifests", "trees", "sessions")  # what a store of the first two releases holds
_ROOT_FILE = "root"  # in a store: which folder it is of
_ROOT_AT_MOST = 1 << 16  # bytes
_IN_USE = "in use"  # locked as long as the program runs that has a temporary store


def prepare(folder: Path, root: str) -> None:
    """Make a store, which says what it is of; raises OSError."""
    private_folder(folder)
    if not (folder / _ROOT_FILE).exists():
        write_private(folder / _ROOT_FILE, os.fsencode(root), sync=False)


def hold(folder: Path) -> int:
    """Have a temporary store be ours as long as this descriptor is open; raises OSError if it is another one's."""
    descriptor = os.open(folder / _IN_USE, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        if sys.platform != "win32":
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


@contextmanager
def _no_others(folder: Path) -> Iterator[None]:
    """Nobody else makes or searches temporary stores: one that is not held yet would be taken for a crashed run's."""
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def snapshots_folder() -> Path:
    """Where all stores are. Not created here."""
    return state_folder() / "snapshots"


def place_of(root: str) -> Path:
    """The store of a folder, which is absolute and real."""
    whole = os.fsencode(root)
    return snapshots_folder() / kept_name(os.path.basename(root), whole, "root")  # noqa: PTH119 (a text)


def temporary_place() -> Path:
    """A store for a session that keeps nothing."""
    return snapshots_folder() / TEMPORARY / f"{os.getpid()}-{os.urandom(6).hex()}"


def remove_leftovers() -> bool:
    """Remove the temporary stores of runs that have crashed, and what the first two releases kept; whether they did."""
    removed, left = False, dict[Path, int]()
    with suppress(OSError), _no_others(snapshots_folder() / TEMPORARY):
        for folder in (snapshots_folder() / TEMPORARY).iterdir():
            with suppress(OSError):
                left[folder] = hold(folder)
    for folder, descriptor in left.items():
        os.close(descriptor)
        shutil.rmtree(folder, ignore_errors=True)
    for _, folder in stores():
        for name in OLD:
            if (folder / name).is_dir():
                removed = True
                shutil.rmtree(folder / name, ignore_errors=True)
        if removed:
            (folder / "known").unlink(missing_ok=True)
    return removed


def total_size() -> int:
    """Bytes that all stores take, those of other runs that keep nothing among them."""
    return size_of(snapshots_folder())


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder; what goes meanwhile counts as nothing."""
    return sum(state.st_size for state in _files(folder))


def newest_in(folder: Path) -> float:
    """When a file below a folder was written last, in Unix seconds; 0 where there is none."""
    return max((state.st_mtime for state in _files(folder)), default=0.0)


def _files(folder: Path) -> Iterator[os.stat_result]:
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                yield Path(parent, name).lstat()


def stores() -> list[tuple[str, Path]]:
    """The folders of which snapshots are kept, and their stores, by name."""
    found = []
    with suppress(OSError):
        for folder in snapshots_folder().iterdir():
            with suppress(OSError):
                found.append((os.fsdecode(read_private(folder / _ROOT_FILE, _ROOT_AT_MOST)), folder))
    return sorted(found)


def refusal(root: str, *, everywhere: bool = False) -> str:
    """Why a folder has no snapshots, as a predicate of it; empty if it has. `everywhere`: the user asked for them."""
    if os.open not in os.supports_dir_fd or os.scandir not in os.supports_fd or sys.platform == "win32":
        return "cannot be opened safely on this system"
    real = Path(os.path.realpath(root))
    if not real.is_dir():
        return "does not exist"
    state = Path(os.path.realpath(state_folder()))
    if everywhere:
        return "is inside the snapshots folder" if real.is_relative_to(state / "snapshots") else ""
    home = Path(os.path.realpath(os.path.expanduser("~")))  # noqa: PTH111 (never fails)
    if real == home:
        return "is your home folder"
    if real == Path(real.anchor):
        return "is the root of the file system"
    if home.is_relative_to(real):
        return "contains your home folder"
    if state.is_relative_to(real) or real.is_relative_to(state):
        return "contains acp-tui's state folder"
    return ""


class SnapshotComparison(Frozen):
    """What changed between the ends of a chain of snapshots.

    `intervals`, by path: the places in the chain behind which it changed. `notes`: what has to be said, one idea each.
    `refs`: what became of HEAD and stash, one idea each.
    """

    files: Sequence[PathChange] = ()
    intervals: Mapping[str, Sequence[int]] = field(default_factory=dict)
    notes: Sequence[str] = ()
    refs: Sequence[str] = ()


class FolderStore:
    """The store of the folder `root` (absolute, real; `written`: as the session names it) at `folder`.

    A `temporary` one is removed with `remove`, or at the next start after a crash. `worker` takes snapshots; all else
    blocks, raises `StoreFault` where the store fails, and belongs into a thread. Digests are hex; paths are relative to
    `root`. `run` is what its snapshots say of whose they are, so that one of which nobody heard is found.
    """

    def __init__(
        self,
        root: str,
        folder: Path | None = None,
        *,
        written: str = "",
        temporary: bool = False,
        run: str = "",
    ) -> None:
        self.root, self.written, self.temporary = root, written or root, temporary
        self.folder = folder or (temporary_place() if temporary else place_of(root))
        self.database = Database(self.folder)
        self.content, self._snapshots = Content(self.database), Snapshots(self.database)
        self.worker = SnapshotClient(root, self.folder, run=run)
        self._held: int | None = None

    def prepare(self) -> None:
        """Make the store, if it is not there; raises OSError."""
        if self._held is not None or not self.temporary:
            prepare(self.folder, self.root)
            return
        with _no_others(private_folder(self.folder.parent)):
            prepare(self.folder, self.root)
            self._held = hold(self.folder)

    def remove(self) -> None:
        """Remove all of it, for good; what cannot be removed stays."""
        self.database.end()
        if self._held is not None:
            os.close(self._held)
            self._held = None
        shutil.rmtree(self.folder, ignore_errors=True)

    def has(self, digest: str) -> bool:
        return self.content.has(digest)

    def get(self, digest: str) -> bytes:
        return self.content.get(digest)

    def pieces(self, digest: str) -> Iterator[bytes]:
        return self.content.pieces(digest)

    def keep(self, data: bytes | BinaryIO) -> str:
        return self.content.keep(data)

    def hold(self, states: Iterable[PathState]) -> bool:
        """Have the bytes of these stay as long as this run, whatever becomes of snapshots; whether some are kept."""
        digests = [state.digest for state in states if state.kind in ("file", "link") and state.digest]
        return self._snapshots.hold(digests, self.worker.run)

    def need(self, run: str, names: Iterable[str], like: Collection[str] = ()) -> None:
        """Have these snapshots stay as long as a run, and what other runs hold that are `like` it."""
        self._snapshots.need(run, names, like)

    def compare(self, chain: Sequence[str], *, counts: bool = True) -> SnapshotComparison:
        """What changed between the first and the last of these snapshots; `counts`: lines are counted.

        All of it, however much: undo has to know each path.
        """
        trees, paths = self._snapshots.chain(chain)
        files = changes(self.root, trees, paths)
        within = {change.path: intervals(trees, change) for change in files}
        if counts:
            files = list(map(LineCounts(self.content.get).counted, files))
        first, last = self._snapshots.info(chain[0]), self._snapshots.info(chain[-1])
        gaps = dict.fromkeys(map(one_line, [*first["gaps"], *last["gaps"]]))
        return SnapshotComparison(
            files, within, list(gaps), list(map(one_line, head_changes(first["head"], last["head"])))
        )

    def states(self, name: str, paths: Sequence[str]) -> dict[str, PathState]:
        """How paths are in a snapshot: `absent` only what was not there, `unknown` what may have been."""
        tree = self._snapshots.tree(name, paths)
        return {path: state_of(row_at(tree, path)) for path in paths}

    def below(self, name: str, folder: str) -> dict[str, PathState]:
        """How all is that a snapshot has below a folder; of the root if it is empty."""
        tree = self._snapshots.below(name, folder)
        prefix = f"{folder}/" if folder else ""
        return {path: state_of(row_at(tree, path)) for path in tree.rows if path and path.startswith(prefix)}

    def forget(self, runs: Collection[str], before: float) -> None:
        """Delete all that is known of these runs, and with it all bytes that no other run needs.

        What no run needs since an end goes, too, if it was kept before a time (Unix seconds).
        """
        self.drop(self._snapshots.forget(runs, before))
        if runs:
            self._snapshots.rewrite()

    def names(self) -> list[str]:
        """Its snapshots, the oldest first."""
        return self._snapshots.names()

    def drop(self, names: Sequence[str], check: Callable[[], None] = lambda: None) -> None:
        """Let go of snapshots and of what is held, with all bytes that nothing else names; takes seconds for many.

        `check` is called between two steps, and may raise to end it there.
        """
        self._snapshots.drop(names, check)
