"""The queue of looks at the folders of a session: one after the other, beside all else. No prompt waits for one.

What is read after the bytes of a prompt went out may be the agent's work already: it counts as how a file was before
only where that is proved (`host/snapshots/proof.py`).
"""

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import Literal, Protocol

import anyio

from acp_tui.errors import Fault, UserFault, reason_of
from acp_tui.host.changes.attribution import Key
from acp_tui.host.changes.history import PointKind
from acp_tui.host.changes.session_folders import SessionFolders, Taken
from acp_tui.host.snapshots import file_reader
from acp_tui.host.snapshots.content import ContentWriter
from acp_tui.host.snapshots.folder_store import FolderStore
from acp_tui.host.snapshots.path_state import ABSENT, LATE, REASONS, PathState, state_of
from acp_tui.host.snapshots.proof import Stamp
from acp_tui.host.system.threads import in_thread

RECENT = 1.0  # seconds for which a look is new enough

Start = Callable[..., object]
"""Starts a coroutine function with its arguments, as `TaskGroup.start_soon` does."""


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
        row, data = file_reader.Contents(folders, writer, LARGEST).read(path)
    with file_reader.FolderHandles(root) as folders:
        proof = file_reader.proof_below(root, stamp, folders)
        proved = proof.absent(path) if data is None else proof.path(path, data)
    state = ABSENT if row is None else state_of(row)
    return state if proved or state.kind == "unknown" else PathState("unknown", reason=TOO_LATE)
