"""The snapshots of one client: those of each of its sessions, from its start to its end; and what sessions beside one
did in its folders, those of this client by what they hold, those of other runs of the program by what they write down.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial

import anyio
from anyio.abc import TaskGroup

from acp_tui.errors import Fault
from acp_tui.host.changes.attribution import Key, Named
from acp_tui.host.changes.comparing import Neighbours
from acp_tui.host.changes.folders import Folders, remove_passing
from acp_tui.host.changes.history import History, Point
from acp_tui.host.changes.history_tables import runs_since
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.changes.settings import SnapshotSettings
from acp_tui.host.changes.turn_points import TurnPoints
from acp_tui.host.snapshots.folder_store import remove_leftovers
from acp_tui.host.store.write_behind import WriteQueue
from acp_tui.host.system.threads import in_thread
from acp_tui.protocol.capabilities import SessionScope
from acp_tui.session.facts import Branched, Noticed
from acp_tui.session.state import Session

Retain = Callable[[SnapshotSettings], Awaitable[object]]

PARTING = 0.7  # seconds that the end waits for the snapshot of a turn's end
AT_MOST = 20  # runs of others that are read after a turn
OLD_DELETED = "The snapshots that earlier releases kept were deleted"
OVERLAPPED = "Another session worked in this folder at the same time: its changes may be among these"

log = logging.getLogger(__name__)


class ClientChanges:
    """Makes one `SessionChanges` for each session, and serves them while the client runs.

    `own_folders` are those in which the agent keeps its own state, relative to a session's folders.
    """

    def __init__(self, settings: SnapshotSettings, own_folders: tuple[str, ...] = ()) -> None:
        self._settings, self._own_folders = settings, own_folders
        self._disk = WriteQueue()
        self._made: dict[int, SessionChanges] = {}  # by the identity of sessions, which they keep
        self._put_away: list[SessionChanges] = []  # those that leave nothing behind
        self._tasks: TaskGroup | None = None
        self._retain: Retain | None = None

    def __iter__(self) -> Iterator[SessionChanges]:
        return iter(list(self._made.values()))

    def of(self, session: Session, scope: SessionScope) -> SessionChanges:
        made = self._made.get(id(session))
        if made is None:
            folders = Folders(self._settings, (session.cwd, *scope.additional_directories))
            turns = TurnPoints(session, folders, self._disk, self._own_folders)
            made = self._made[id(session)] = SessionChanges(turns, partial(self._beside, turns))
            turns.turn_ended.subscribe(partial(self._turn_ended, made))
            if self._tasks is not None:
                turns.begin(self._start)
        return made

    def begin_branch(self, session: Session, scope: SessionScope, parent: Session | None, parent_id: str) -> None:
        """A session that goes on from another one begins with the points of that, up to where it begins.

        Those of one that is not open, of the same agent, are read once the agent has opened this one.
        """
        turns, source = self.of(session, scope).turns, None if parent is None else self._made.get(id(parent))
        if source is None:
            turns.parent_id = parent_id
        else:
            turns.beginning = source.turns.history.until(_end_of(source.turns.history, session.branched))
            turns.follow(turns.beginning)

    def forget(self, session: Session) -> None:
        """The session is put away: what was wanted is still taken, and nobody else hears of it."""
        if (made := self._made.pop(id(session), None)) is not None and self._settings.passing:
            self._put_away.append(made)
            self._start(self._remove, made)

    async def _remove(self, changes: SessionChanges) -> None:
        await changes.turns.moments.settled()  # or it would be made again
        await in_thread(remove_passing, changes.turns.folders)

    async def serve(self, act: Callable[[], Awaitable[None]], retain: Retain) -> None:
        """Take snapshots while `act` goes on; that of a turn's end is given a moment then, others end at once.

        `retain` lets go of what is kept too long, once what the sessions began with is kept.
        """
        self._retain = None if self._settings.passing else retain
        try:
            async with anyio.create_task_group() as self._tasks:
                for changes in self:
                    changes.turns.begin(self._start)
                self._start(self._clear_up)
                await act()
                with anyio.move_on_after(PARTING):
                    for changes in self:
                        if changes.turns.moments.ending:
                            await changes.turns.moments.settled()
                self._tasks.cancel_scope.cancel()
        finally:
            self._tasks = None
            with anyio.CancelScope(shield=True):
                await self._disk.close()
                if self._settings.passing:
                    for changes in (*self, *self._put_away):
                        await in_thread(remove_passing, changes.turns.folders)

    async def _clear_up(self) -> None:
        if await in_thread(remove_leftovers):
            for changes in self:
                changes.turns.session.apply(Noticed("info", OLD_DELETED, "Their format is no longer read."))
                break
        for changes in self:
            await changes.turns.moments.settled()
        if self._retain is not None:
            await self._retain(self._settings)

    def _start(self, act: Callable[..., Awaitable[object]], *given: object) -> None:
        if self._tasks is not None:
            self._tasks.start_soon(self._guarded, act, *given)

    async def _guarded(self, act: Callable[..., Awaitable[object]], *given: object) -> None:
        try:
            await act(*given)
        except Fault as fault:
            log.warning("snapshots: %s", fault)
        except Exception:  # a guard: what goes wrong here must end neither the connection nor the program
            log.exception("snapshots")

    def _turn_ended(self, changes: SessionChanges, since: Point, until: Point) -> None:
        self._start(changes.sum_up, since, until)
        if changes.turns.folders.are_full and self._retain is not None:
            self._start(self._retain, self._settings)

    def _beside(self, mine: TurnPoints, since: float, until: float) -> Neighbours:
        """What other sessions did in the same folders at the same time; it blocks."""
        others = [each.turns for each in self if each.turns is not mine]
        return named_beside(mine, others, since, until or time.time())


def _end_of(history: History, branched: Branched | None) -> Point | None:
    """The point at which a branch leaves a session: that of the message before which it begins; None for its end."""
    if branched is None or not branched.before:
        return None
    messages = ((each, each.message) for each in history.points if each.message is not None)
    return next((each for each, message in messages if message >= branched.prompt), None)


def named_beside(mine: TurnPoints, others: Sequence[TurnPoints], since: float, until: float) -> Neighbours:
    """What others named from one time (Unix seconds) to another; it blocks."""
    roots = {folder.root for folder in mine.folders}
    beside = [each for each in others if roots & {folder.root for folder in each.folders}]
    found = [named for each in beside for named in _of_session(each, since, until)]
    own = {run for each in (mine, *others) for run in each.history.runs}
    for folder in mine.folders:
        with suppress(Fault):
            for history in runs_since(folder, since, own, AT_MOST):
                found += _of_history(history, since, until, alive=True)
    return Neighbours(tuple(found), (OVERLAPPED,) if found else ())


def _of_session(turns: TurnPoints, since: float, until: float) -> Iterator[Named]:
    yield from _of_history(turns.history, since, until, alive=False)
    if turns.active or turns.calls:
        yield from (calls.named(turns.folders.roots) for calls in list(turns.calls.values()))


def _of_history(history: History, since: float, until: float, *, alive: bool) -> Iterator[Named]:
    """What the turns of a session named that were going on then."""
    prompts = {point.turn: point.time for point in history.points if point.kind == "prompt"}
    ends = {point.turn: point.time for point in history.points if point.kind == "ended"}
    for turn, began in prompts.items():
        ended = ends.get(turn, time.time() if alive and turn == max(prompts) else began)
        if began <= until and ended >= since:
            calls: dict[Key, str] = dict.fromkeys(history.early.get(turn, {}), "") | history.named.get(turn, {})
            if turn in history.files:
                calls |= history.files[turn].calls
            yield Named(calls)
