"""Retention of snapshots when sessions have ended: by folder and session, read again, deleted with their bytes."""

import json
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from acp_tui.errors import Fault
from acp_tui.frozen import Frozen
from acp_tui.host.changes.comparison import Neighbours
from acp_tui.host.changes.history_tables import earlier_runs
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.changes.session_folders import SessionFolders
from acp_tui.host.changes.snapshot_history import History
from acp_tui.host.changes.turn_tracker import TurnPoints
from acp_tui.host.config.preferences import SnapshotSettings
from acp_tui.host.snapshots import folder_store
from acp_tui.host.snapshots.database import ASIDE
from acp_tui.host.snapshots.folder_store import FolderStore
from acp_tui.host.system.threads import WriteQueue, in_thread
from acp_tui.session.state import Session


class KeptSession(Frozen):
    """A session with snapshots, by the names of its `runs`; `id` is empty where its agent never opened it.

    `used`: when its last run wrote something down, Unix seconds.
    """

    agent: str
    id: str
    used: float
    turns: int
    runs: Sequence[str]


class KeptFolder(Frozen):
    """The store of a folder: `size` in bytes on the disk, the session that was used last first."""

    root: str
    store: Path
    size: int
    sessions: Sequence[KeptSession] = ()


def kept_folders() -> list[KeptFolder]:
    """All that is kept, the folder that was used last first. It blocks."""
    found = []
    for root, folder in folder_store.stores():
        sessions: list[KeptSession] = []
        with suppress(Fault):  # that is said where it is used
            sessions = sorted(_sessions(FolderStore(root, folder)), key=lambda each: each.used, reverse=True)
        found.append(KeptFolder(root, folder, folder_store.size_of(folder), sessions))
    return sorted(found, key=lambda each: max((one.used for one in each.sessions), default=0.0), reverse=True)


def _sessions(store: FolderStore) -> Iterator[KeptSession]:
    query = (
        "SELECT name, key, who, used, (SELECT coalesce(max(turn), 0) FROM point WHERE point.run = run.id) FROM run"
        " ORDER BY name"
    )
    with store.database.reading() as connection:
        rows = connection.execute(query).fetchall()
    of_session: dict[str, list[tuple[str, str, float, int]]] = {}
    for name, key, who, used, turns in rows:
        of_session.setdefault(key or name, []).append((name, who, used, turns))
    for runs in of_session.values():
        agent, session_id = "", ""
        for _, who, _, _ in runs:
            with suppress(ValueError):
                agent, session_id = json.loads(who)
        names = [name for name, _, _, _ in runs]
        yield KeptSession(agent, session_id, max(run[2] for run in runs), sum(run[3] for run in runs), names)


class _KeptFolders(SessionFolders):
    """Folders of which nobody asks whether they are there, or may be kept."""

    def __init__(self, roots: Iterable[str]) -> None:
        super().__init__(SnapshotSettings(), ())
        self._opened = {root: FolderStore(root) for root in roots}


async def past_changes(agent: str, session_id: str) -> SessionChanges:
    """What is kept of all runs of an agent's session; without points where that is nothing."""
    history = await in_thread(_history, agent, session_id)
    roots = dict.fromkeys(root for point in history.points for root in point.trees)
    turns = TurnPoints(Session(session_id, ""), _KeptFolders(roots), WriteQueue())
    turns.follow(history)
    return SessionChanges(turns, lambda _since, _until: Neighbours())


def _history(agent: str, session_id: str) -> History:
    """What is written down beside one of the stores: that of the first folder that the session had."""
    for root, folder in folder_store.stores():
        with suppress(Fault):  # of a store that cannot be used; the session may be in another one
            if (history := earlier_runs(FolderStore(root, folder), agent, session_id)).points:
                return history
    return History()


DAY = 24 * 3600.0
IN_USE = 3600.0
"""Seconds for which a session that was used is taken to go on: it is not deleted by itself."""
ORPHANED = DAY
"""Seconds after which a snapshot that no session names was left by a crash."""


async def forget_session(agent: str, session_id: str) -> None:
    """Delete the snapshots of a session and their bytes; raises UserFault. Files of the user stay as they are."""
    folders = await in_thread(kept_folders)
    await forget(folders, [one for one in all_of(folders) if (one.agent, one.id) == (agent, session_id)])


async def retain(settings: SnapshotSettings) -> int:
    """Delete what the settings do not keep: old sessions, then the oldest ones while all takes too much.

    The result is how many sessions that were. Raises UserFault.
    """
    folders, now = await in_thread(kept_folders), time.time()
    await in_thread(_remove_empty, folders)
    await in_thread(_remove_damaged, folders, now - settings.days * DAY)
    old = outdated(folders, settings.days, now)
    await forget(folders, old)
    count = len(old)
    folders = await in_thread(kept_folders)
    rest = sorted(all_of(folders), key=lambda one: one.used)
    while rest and rest[0].used < now - IN_USE and sum(each.size for each in folders) > settings.kept:
        await forget(folders, rest[:1])
        count += 1
        folders, rest = await in_thread(kept_folders), rest[1:]
    return count


def outdated(folders: Iterable[KeptFolder], days: int, now: float) -> list[KeptSession]:
    """The sessions that were used last so many days before `now` (Unix seconds), or longer ago."""
    return [one for one in all_of(folders) if one.used <= now - days * DAY]


def all_of(folders: Iterable[KeptFolder]) -> list[KeptSession]:
    return [session for folder in folders for session in folder.sessions]


async def forget(folders: Sequence[KeptFolder], sessions: Collection[KeptSession]) -> int:
    """Delete the snapshots of these sessions, and those that nobody names since an end; bytes that this freed.

    What others of the folder need stays. Raises UserFault.
    """
    runs = {run for each in sessions for run in each.runs}
    before = sum(each.size for each in folders)
    for folder in folders:
        await in_thread(FolderStore(folder.root, folder.store).forget, runs, time.time() - ORPHANED)
    return max(0, before - await in_thread(lambda: sum(folder_store.size_of(each.store) for each in folders)))


def _remove_damaged(folders: Iterable[KeptFolder], before: float) -> None:
    """Remove what was put aside before a time, in Unix seconds."""
    for folder in folders:
        for path in folder.store.glob(f"{ASIDE}*"):
            with suppress(OSError):
                if path.stat().st_ctime < before:
                    path.unlink()


def _remove_empty(folders: Iterable[KeptFolder]) -> None:
    """Remove the stores in which nothing is left, for so long that no first snapshot is being taken there."""
    for folder in folders:
        holds = folder.sessions or FolderStore(folder.root, folder.store).names()
        if not holds and folder_store.newest_in(folder.store) < time.time() - IN_USE:
            FolderStore(folder.root, folder.store).remove()
