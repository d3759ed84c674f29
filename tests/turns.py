"""A session's turns without an agent: snapshots as the program takes them, and what a test makes of files between."""

import errno
import hashlib
import json
import os
import sqlite3
import stat
import subprocess
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from math import inf
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_tui.host.agent.agent_services import ClientChanges
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.changes.snapshot_history import Point
from acp_tui.host.config.preferences import SnapshotSettings
from acp_tui.host.revert.steps import Preview, TakenBack
from acp_tui.host.sessions.open_session import OpenSessions
from acp_tui.host.sessions.session_source import SessionSource
from acp_tui.host.snapshots import snapshot_process
from acp_tui.host.snapshots.capture import Control
from acp_tui.host.snapshots.content import Content
from acp_tui.host.snapshots.database import Database, StoreFault
from acp_tui.host.snapshots.file_reader import Contents, FolderHandles
from acp_tui.host.snapshots.path_state import ABSENT, PathState, state_of
from acp_tui.host.snapshots.proof import Stamp
from acp_tui.host.snapshots.snapshot_client import SnapshotClient, Stamped
from acp_tui.host.system.threads import in_thread
from acp_tui.protocol.capabilities import SessionScope
from acp_tui.session.state import Session

BOUND = 60.0  # seconds
SERVE = ClientChanges.serve  # for whom nobody waits (`looked_first`)
AS = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main", "-c", "gc.auto=0")

Tree = dict[str, tuple[str, int, bytes]]
"""By path: kind, permission bits, and a file's bytes or a link's path."""


class Turns:
    """One session in a folder."""

    def __init__(self, changes: SessionChanges) -> None:
        self.changes = changes
        self.retained = anyio.Event()  # what is kept too long was to go

    async def until(self, condition: Callable[[], bool]) -> None:
        came = anyio.Event()
        unsubscribe = self.changes.subscribe(lambda: came.set() if condition() else None)
        try:
            if not condition():
                with anyio.fail_after(BOUND):
                    await came.wait()
        finally:
            unsubscribe()

    async def type(self) -> None:
        """A prompt is begun: all is looked at, however new the last look is."""
        moments = self.changes.turns.moments
        moments._began = -inf
        self.changes.typed()
        with anyio.fail_after(BOUND):
            await moments.settled()

    def send(self) -> None:
        """A prompt goes out, and nobody waits."""
        self.changes.turns.prompted([])
        self.changes.turns.went_out()

    async def begin(self) -> Point:
        """A prompt is written and goes out; its point, once its snapshot is there."""
        await self.type()
        self.send()
        with anyio.fail_after(BOUND):
            await self.changes.turns.moments.settled()
        return self.changes.points[-1]

    async def end(self) -> tuple[Point, Point]:
        """The turn ends; the points of its prompt and its end, once it is known what it changed."""
        turn = self.changes.turns.turn
        self.changes.turns.ended()
        await self.until(lambda: any((point.kind, point.turn) == ("ended", turn) for point in self.changes.points))
        of_turn = [point for point in self.changes.points if point.turn == turn]
        since, until = (next(point for point in of_turn if point.kind == kind) for kind in ("prompt", "ended"))
        if since.trees and until.trees:
            await self.until(lambda: turn in self.changes.turns.history.files)
        return since, until

    async def preview(self, since: Point, until: Point) -> Preview:
        changes = await self.changes.between(since, until)
        return await self.changes.preview("Turn", changes, changes.files)

    async def take_back(self, preview: Preview, *, forced: bool = False) -> TakenBack:
        """All of it that is not refused; what can be forced too, if `forced`."""
        count = len(self.changes.points)
        taken = await self.changes.take_back(
            preview, [step for step in preview.steps if not step.refusal or (forced and step.forcible)]
        )
        await self.until(lambda: len(self.changes.points) > count)
        return taken

    async def undo(self, taken: TakenBack) -> TakenBack:
        return await self.take_back(await self.changes.preview_undo(taken))


@asynccontextmanager
async def watched(root: Path, session_id: str = "s", **settings: Any) -> AsyncIterator[Turns]:
    """A session in a folder, once that is kept for the first time."""
    sessions = OpenSessions()
    client = ClientChanges(SnapshotSettings(**settings), sessions)
    changes = sessions.begin(SessionSource(Session(session_id, str(root), "A"), SessionScope(str(root)))).changes
    turns, done = Turns(changes), anyio.Event()

    async def retain(_settings: SnapshotSettings) -> None:
        """All stays."""
        turns.retained.set()

    async def act() -> None:
        changes.turns.opened("A", session_id)
        await done.wait()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(SERVE, client, act, retain)
        try:
            await turns.until(lambda: bool(changes.points) or bool(changes.off))
            yield turns
        finally:
            done.set()


class Stamping(Control):
    """A snapshot during which a prompt may go out."""

    def __init__(self, stamp: Stamped) -> None:
        self._stamp = stamp

    def stamp(self) -> Stamp | None:
        return self._stamp()


@pytest.fixture
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a child process does is done in this one, a tenth of the time; its end is waited for, too."""

    async def answers(
        self: SnapshotClient, command: dict[str, Any], stamp: Stamped
    ) -> AsyncGenerator[dict[str, Any], None]:
        control = Stamping(stamp)
        told = command | {"store": str(self.folder)}
        with anyio.CancelScope(shield=True):
            done = await in_thread(snapshot_process._snapshot, told, control)
        yield json.loads(json.dumps(done))

    monkeypatch.setattr(SnapshotClient, "_answers", answers)


@contextmanager
def full_disk() -> Iterator[None]:
    """Nothing more can be written to any store; what is there can be read, and deleted."""

    @contextmanager
    def full(_: Database) -> Iterator[sqlite3.Connection]:
        fault = StoreFault("Snapshots cannot be saved", os.strerror(errno.ENOSPC))
        raise fault from OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        yield

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "writing", full)
        yield


def state_now(root: str, path: str, store: Content | None = None) -> PathState:
    """How a path below a root is now; with a store what it holds is kept there."""
    with ExitStack() as opened:
        writer = None if store is None else opened.enter_context(store.writing())
        row, _ = Contents(opened.enter_context(FolderHandles(root)), writer).read(path)
        return ABSENT if row is None else state_of(row)


def git(folder: Path, *words: str, check: bool = True) -> str:
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(["git", *AS, *words], cwd=folder, env=surroundings, capture_output=True, check=check)
    return os.fsdecode(done.stdout)


def tree_of(root: Path) -> Tree:
    """All that is in a folder, but Git's own."""
    found: Tree = {}
    folders = [""]
    while folders:
        folder = folders.pop()
        for name in os.listdir(root / folder):  # noqa: PTH208 (names as they are)
            path = f"{folder}/{name}" if folder else name
            info = os.lstat(root / path)
            if name == ".git":
                continue
            if stat.S_ISDIR(info.st_mode):
                found[path] = "folder", stat.S_IMODE(info.st_mode), b""
                folders.append(path)
            elif stat.S_ISLNK(info.st_mode):
                found[path] = "link", 0, os.fsencode((root / path).readlink())
            elif stat.S_ISREG(info.st_mode):
                found[path] = "file", stat.S_IMODE(info.st_mode), (root / path).read_bytes()
    return found


def print_of(folder: Path) -> dict[str, Any]:
    """All of a folder: bytes, modes and times, by which a touch is seen."""
    found: dict[str, Any] = {}
    for path in [folder, *folder.rglob("*")]:
        info = path.lstat()
        held = hashlib.sha256(path.read_bytes()).digest() if stat.S_ISREG(info.st_mode) else None
        found[str(path)] = info.st_mode, info.st_mtime_ns, info.st_ctime_ns, held
    return found


def bytes_below(folders: Sequence[Path]) -> bytes:
    """All that lies in the files below some folders."""
    return b"".join(path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file())
