"""The folders of a session, each with its store, and the queue of looks at them, for which no prompt waits.

What is read after the bytes of a prompt went out may be the agent's work already: it counts as how a file was before
only where that is proved (`host/snapshots/proof.py`).
"""

import os
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from math import inf
from pathlib import Path
from typing import BinaryIO, Literal, Protocol

import anyio

from acp_tui.errors import Fault, UserFault, reason_of
from acp_tui.frozen import Frozen
from acp_tui.host.changes.attribution import FolderRoots, Key
from acp_tui.host.changes.snapshot_history import PointKind
from acp_tui.host.config.preferences import SnapshotSettings
from acp_tui.host.snapshots import file_reader, folder_store
from acp_tui.host.snapshots.capture import Caps
from acp_tui.host.snapshots.content import ContentWriter
from acp_tui.host.snapshots.folder_store import FolderStore
from acp_tui.host.snapshots.path_state import ABSENT, LATE, REASONS, PathChange, PathState, state_of
from acp_tui.host.snapshots.proof import Stamp
from acp_tui.host.snapshots.snapshot_client import Stamped, unstamped
from acp_tui.host.system.threads import in_thread

RECENT = 1.0  # seconds for which a look is new enough

Start = Callable[..., object]
"""Starts a coroutine function with its arguments, as `TaskGroup.start_soon` does."""


class Taken(Frozen):
    """What came of a look: by root a snapshot and Git's HEAD, what is not kept, and what can be done (`hint`)."""

    trees: Mapping[str, str] = field(default_factory=dict)
    head: Mapping[str, str] = field(default_factory=dict)
    gaps: tuple[str, ...] = ()
    hint: str = ""


class FolderComparison(Frozen):
    """What changed over a chain of points; `intervals` says between which of them, by root and path."""

    files: Sequence[PathChange] = ()
    intervals: Mapping[Key, tuple[int, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()


class SessionFolders:
    """Where nothing can be kept, `off` says why once they are looked at. A folder inside another one is not another.

    `run` names the journal of the session.
    """

    def __init__(self, settings: SnapshotSettings, written: Sequence[str]) -> None:
        self._settings, self.written = settings, tuple(written)
        self._opened: dict[str, FolderStore] = {}
        self._seen: tuple[str, ...] = ()
        self._looking = anyio.Lock()
        self.off, self.run = settings.off, ""
        self.are_full = False  # little more may be kept
        self.left_out: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[FolderStore]:
        return iter(self._opened.values())

    @property
    def roots(self) -> FolderRoots:
        return FolderRoots(tuple(each.written for each in self), tuple(each.root for each in self))

    @property
    def first(self) -> FolderStore | None:
        return next(iter(self), None)

    async def open(self) -> None:
        """Look at what is not looked at yet; raises UserFault where a store cannot be made."""
        async with self._looking:  # a second look at once would make a second store, which nobody removes
            if not (self.off or self._seen == self.written):
                await self._open()

    async def _open(self) -> None:
        written = self.written
        found, left_out = await in_thread(_stores, written, self._settings, self.run)
        self._seen = written
        self.left_out = tuple(left_out.values())
        for each in found:
            self._opened.setdefault(each.root, each)
        if not self._opened:
            self.off = next(iter(left_out.values()), "The folder of the session does not exist")

    async def take(
        self,
        also: Mapping[str, Sequence[str]],
        progress: Callable[[int, int], None] = lambda _read, _of: None,
        stamp: Stamped = unstamped,
        follow: Mapping[str, str] | None = None,
        earlier: Mapping[str, str] | None = None,
    ) -> Taken:
        """Keep how all of them are now, and of ignored paths those that are named by root in `also`.

        A folder of which that cannot be done is among the gaps. `stamp` says when a prompt has gone out, if one has.
        `follow` are trees, by root: what they keep is looked at though it is ignored now. What those of `earlier` say
        counts where a path is looked at too late.
        """
        followed, before = follow or {}, earlier or {}
        room = self._settings.store - await in_thread(folder_store.total_size)
        self.are_full = room < self._settings.store - self._settings.kept
        trees: dict[str, str] = {}
        head: dict[str, str] = {}
        gaps, hint = list(self.left_out), ""
        for folder in list(self):
            try:
                await in_thread(folder.prepare)  # somebody may have removed it meanwhile
                folder.worker.caps = Caps(snapshot=max(0, min(room, Caps().snapshot)))
                root = folder.root
                trees_of = followed.get(root, ""), before.get(root, "")
                snapshot = await folder.worker.snapshot(progress, also.get(root, ()), stamp, *trees_of)
            except UserFault as fault:
                gaps.append(": ".join(filter(None, (fault.title, fault.message))))
                hint = hint or fault.hint
                continue
            except OSError as error:
                gaps.append(f"No snapshot was taken: {reason_of(error)}")
                continue
            trees[folder.root] = snapshot.id
            gaps += snapshot.gaps
            if snapshot.head:
                head[folder.root] = snapshot.head
        return Taken(trees, head, tuple(dict.fromkeys(gaps)), hint)

    async def compare(self, chain: Sequence[Mapping[str, str]]) -> FolderComparison:
        """What changed from the first to the last of these trees; folders that both know."""
        files: list[PathChange] = []
        intervals: dict[Key, tuple[int, ...]] = {}
        notes: list[str] = []
        refs: list[str] = []
        for folder in list(self):
            known = [(at, trees[folder.root]) for at, trees in enumerate(chain) if folder.root in trees]
            if not known or known[0][0] != 0 or known[-1][0] != len(chain) - 1:
                if len(self._opened) > 1:
                    notes.append(f"Not in both snapshots: {folder.written}")
                continue
            compared = await in_thread(folder.compare, [tree for _, tree in known])
            files += [each for each in compared.files if not each.path.startswith(self._inside(folder, chain))]
            for path, within in compared.intervals.items():
                # an interval that is not known at each point between ends where it is known again
                intervals[folder.root, path] = tuple(known[at + 1][0] - 1 for at in within)
            notes += compared.notes
            refs += compared.refs
        return FolderComparison(files, intervals, tuple(dict.fromkeys(notes)), tuple(dict.fromkeys(refs)))

    def _inside(self, outer: FolderStore, chain: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
        """The folders in this one that tell of themselves: it was added later than they."""
        whole = Path(outer.root)
        known = chain[0].keys() & chain[-1].keys()
        inner = [Path(each.root) for each in self if each is not outer and each.root in known]
        return tuple(f"{each.relative_to(whole).as_posix()}/" for each in inner if each.is_relative_to(whole))

    async def drop(self, looks: Sequence[Mapping[str, str]]) -> None:
        """Let go of what nobody looks at any more; what cannot be dropped stays until the store is pruned."""
        for folder in list(self):
            with suppress(UserFault):
                await in_thread(folder.drop, [trees[folder.root] for trees in looks if folder.root in trees])

    def folder(self, root: str) -> FolderStore | None:
        return self._opened.get(root)


class Stores:
    """The stores of all folders as one; what is kept goes to the first one."""

    def __init__(self, folders: Sequence[FolderStore]) -> None:
        self._folders = folders

    def get(self, digest: str) -> bytes:
        return self._holder(digest).get(digest)

    def has(self, digest: str) -> bool:
        return any(folder.has(digest) for folder in self._folders)

    def pieces(self, digest: str) -> Iterator[bytes]:
        return self._holder(digest).pieces(digest)

    def keep(self, content: bytes | BinaryIO) -> str:
        return self._folders[0].keep(content)

    def _holder(self, digest: str) -> FolderStore:
        return next((each for each in self._folders if each.has(digest)), self._folders[0])


def _stores(written: Sequence[str], settings: SnapshotSettings, run: str) -> tuple[list[FolderStore], dict[str, str]]:
    """Those of the folders that are no part of another one, made ready, and why others are left out."""
    found: list[FolderStore] = []
    left_out: dict[str, str] = {}
    reals = {own: os.path.realpath(own) for own in written}
    for own, real in reals.items():
        inside = any(real != other and Path(real).is_relative_to(other) for other in reals.values())
        if inside or any(each.root == real for each in found):
            continue
        if not Path(real).is_dir():
            left_out[own] = f"No such folder: {own}"
        elif reason := folder_store.refusal(real, everywhere=settings.everywhere):
            left_out[own] = f"{own} {reason}, so no snapshots are taken"
        else:
            found.append(FolderStore(real, written=own, temporary=settings.passing, run=run))
            found[-1].prepare()
    return found, left_out


def remove_passing(folders: SessionFolders) -> None:
    """Remove the stores of a session that keeps nothing beyond this run; blocks."""
    for folder in folders:
        folder.remove()


@dataclass(slots=True, eq=False)
class Moment:
    """A snapshot that is wanted, or taken. `began` is in monotonic seconds, `time` in Unix seconds.

    `stamp`: when a prompt went out, which was before it was whole. `takings`: how many had been taken back when it
    began. `void`: its turn was none. `fault`: why there is nothing. That of `typed` is no point: the user writes a
    prompt, and it is as near to that as can be.
    """

    kind: PointKind | Literal["typed"]
    turn: int
    words: str = ""
    message: int | None = None
    time: float = field(default_factory=time.time)
    began: float = 0.0
    stamp: Stamp | None = None
    takings: int = 0
    void: bool = False
    taken: Taken = field(default_factory=Taken)
    fault: Fault | None = None
    done: anyio.Event = field(default_factory=anyio.Event)


class Recorder(Protocol):
    """What is known of a session when one of its moments is looked at, and what becomes of that."""

    @property
    def takings(self) -> int:
        """How many of its changes were taken back."""

    def also(self) -> Mapping[str, Sequence[str]]:
        """Which ignored paths are kept, too, by root."""

    def followed(self, moment: Moment, /) -> Mapping[str, str]:
        """The trees that a moment follows: what they keep is looked at though it is ignored by then."""

    def earlier(self, moment: Moment, /) -> Mapping[str, str]:
        """The trees that tell how it was, where the moment comes too late."""

    def progressed(self, moment: Moment, read: int, of: int, /) -> None:
        """How far the moment is that is looked at now."""

    def arrived(self, moment: Moment, /) -> None:
        """The moment was looked at, or could not be."""


class Moments:
    """The snapshots of one session in the order in which they are wanted."""

    def __init__(self, folders: SessionFolders, recorder: Recorder) -> None:
        self._folders, self._recorder = folders, recorder
        self._waiting: deque[Moment] = deque()
        self._running: Moment | None = None
        self._began = -inf
        self._start: Start | None = None

    def serve(self, start: Start | None) -> None:
        """From now on there is somebody who runs what is wanted, or nobody any more."""
        self._start = start
        self._go_on()

    def want(self, moment: Moment) -> Moment:
        self._waiting.append(moment)
        self._go_on()
        return moment

    def went_out(self, stamp: Stamp) -> None:
        for moment in self.unfinished():
            moment.stamp = moment.stamp or stamp

    @property
    def are_recent(self) -> bool:
        return any(self.unfinished()) or time.monotonic() - self._began < RECENT

    @property
    def ending(self) -> bool:
        """Whether what the last turn left is being looked at, which takes a moment, and not all for the first time."""
        return self._running is not None and self._running.kind in ("ended", "taken_back")

    async def settled(self) -> None:
        for moment in list(self.unfinished()):
            await moment.done.wait()

    def unfinished(self) -> Iterator[Moment]:
        if self._running is not None:
            yield self._running
        yield from self._waiting

    def _go_on(self) -> None:
        if self._start is not None and self._running is None and self._waiting:
            self._running = self._waiting.popleft()
            self._start(self._run)

    async def _run(self) -> None:
        try:
            while (moment := self._running) is not None:
                await self._take(moment)
                self._recorder.arrived(moment)
                moment.done.set()
                self._running = self._waiting.popleft() if self._waiting else None
        finally:
            self._running = None

    async def _take(self, moment: Moment) -> None:
        moment.began, moment.takings = time.monotonic(), self._recorder.takings
        self._began = moment.began
        try:
            await self._folders.open()
            if not (self._folders.off or moment.void):
                recorder, progress = self._recorder, partial(self._recorder.progressed, moment)
                trees = recorder.followed(moment), recorder.earlier(moment)
                moment.taken = await self._folders.take(recorder.also(), progress, lambda: moment.stamp, *trees)
        except Fault as fault:
            moment.fault = fault
        except OSError as error:
            moment.fault = UserFault("The snapshot failed", reason_of(error))


LARGEST = 32 * 1024 * 1024  # bytes of a file, which the agent waits for
MOST = 500  # paths of one turn
TOO_LATE = REASONS[LATE]


class Captures:
    """The captures of one session's turns, each path once in a turn. `took` gets what came of some, with the turn."""

    def __init__(self, folders: SessionFolders, took: Callable[[int, Mapping[Key, PathState]], None]) -> None:
        self._folders, self._took = folders, took
        self._under_way: dict[Key, anyio.Event] = {}

    def wanted(self, paths: Iterable[str], known: Collection[Key]) -> list[Key]:
        """Those of absolute paths that are not `known` in this turn, and not being captured."""
        keys = (key for key in dict.fromkeys(map(self._folders.roots.key, paths)) if key is not None)
        new = [key for key in keys if key not in known and key not in self._under_way]
        return new[: max(0, MOST - len(known) - len(self._under_way))]

    async def take(self, keys: Sequence[Key], turn: int, stamp: Stamp) -> None:
        captured = anyio.Event()
        self._under_way |= dict.fromkeys(keys, captured)
        try:
            taken = await in_thread(capture, {folder.root: folder for folder in self._folders}, keys, stamp)
        finally:
            self._under_way = {key: each for key, each in self._under_way.items() if each is not captured}
            captured.set()
        self._took(turn, taken)

    async def settled(self, path: str) -> None:
        key = self._folders.roots.key(path)
        if key is not None and (captured := self._under_way.get(key)) is not None:
            await captured.wait()


def capture(folders: Mapping[str, FolderStore], keys: Collection[Key], stamp: Stamp) -> dict[Key, PathState]:
    """How these paths were when a prompt went out, with their bytes kept; it blocks."""
    states: dict[Key, PathState] = {}
    for root, folder in folders.items():
        paths = [path for each, path in keys if each == root]
        try:
            with folder.content.writing() as writer:
                found = {(root, path): _kept(root, path, writer, stamp) for path in paths}
            folder.hold(found.values())
            states |= found
        except (Fault, OSError) as error:
            states |= {(root, path): PathState("unknown", reason=str(error).partition("\n")[0]) for path in paths}
    return states


def _kept(root: str, path: str, writer: ContentWriter, stamp: Stamp) -> PathState:
    with file_reader.FolderHandles(root) as folders:
        row, data = file_reader.Contents(folders, writer, (LARGEST, None)).read(path)
    with file_reader.FolderHandles(root) as folders:
        proof = file_reader.proof_below(root, stamp, folders)
        proved = proof.absent(path) if data is None else proof.path(path, data)
    state = ABSENT if row is None else state_of(row)
    return state if proved or state.kind == "unknown" else PathState("unknown", reason=TOO_LATE)
