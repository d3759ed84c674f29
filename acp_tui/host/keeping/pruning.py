"""Snapshots that are let go, with their bytes: those of a session, and what is old or too much."""

import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress

from acp_tui.host.changes.settings import SnapshotSettings
from acp_tui.host.keeping.kept import KeptFolder, KeptSession, kept_folders
from acp_tui.host.snapshots import places
from acp_tui.host.snapshots.database import ASIDE
from acp_tui.host.snapshots.folder_store import FolderStore
from acp_tui.host.system.blocking import in_thread

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
    return max(0, before - await in_thread(lambda: sum(places.size_of(each.store) for each in folders)))


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
        if not holds and places.newest_in(folder.store) < time.time() - IN_USE:
            FolderStore(folder.root, folder.store).remove()
