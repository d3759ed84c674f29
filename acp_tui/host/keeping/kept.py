"""What the stores of snapshots hold, by folder and by session."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from acp_tui.errors import Fault
from acp_tui.frozen import Frozen
from acp_tui.host.snapshots import places
from acp_tui.host.snapshots.folder_store import FolderStore


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
    for root, folder in places.stores():
        sessions: list[KeptSession] = []
        with suppress(Fault):  # that is said where it is used
            sessions = sorted(_sessions(FolderStore(root, folder)), key=lambda each: each.used, reverse=True)
        found.append(KeptFolder(root, folder, places.size_of(folder), sessions))
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
