"""Sessions with snapshots, as a run would have left them: their points in tables, their bytes beside them."""

import os
from pathlib import Path

import anyio

from acp_tui.host.changes.history_tables import RunWriter, new_name, point_rows
from acp_tui.host.changes.retention import kept_folders
from acp_tui.host.changes.snapshot_history import Point, PointKind
from acp_tui.host.records.records import Records
from acp_tui.host.snapshots.folder_store import FolderStore
from tests.unit.host.records.test_meant import put

AGENT = "A"


class KeptRun:
    """One run of a session in a folder; each `look` is a point."""

    def __init__(self, folder: Path, session_id: str, *, at: int = 1, agent: str = AGENT) -> None:
        self.root = os.path.realpath(folder)
        records = Records()
        records.folder.mkdir(parents=True, exist_ok=True)
        put(records, session_id, agent=agent, cwd=str(folder), at=at)
        run = new_name()
        self.store = FolderStore(self.root, run=run)
        self.store.prepare()
        self.run = RunWriter(self.store, run)
        self.run.identify(agent, session_id)
        self._number = 0

    def use(self, when: float) -> None:
        """As if it had been used last then, in Unix seconds."""
        with self.store.database.writing() as connection:
            connection.execute("UPDATE run SET used = ? WHERE name = ?", (when, self.run.name))

    @property
    def is_kept(self) -> bool:
        return any(self.run.name in session.runs for folder in kept_folders() for session in folder.sessions)

    def look(self, kind: PointKind, turn: int = 0) -> str:
        """Keep how the folder is; the name of the snapshot."""
        snapshot = anyio.run(self.store.worker.snapshot)
        point = Point(self._number, kind, turn, float(self._number), "words", {self.root: snapshot.id}, snapshot.gaps)
        self.store.need(self.run.name, [snapshot.id])
        self.run.add(lambda: point_rows(point))
        self._number += 1
        return snapshot.id

    def keep_unheard(self) -> str:
        """Keep how the folder is, as it is where the run ends before it is written down; its name."""
        return anyio.run(self.store.worker.snapshot).id


def bytes_below(folder: Path) -> bytes:
    """All that lies in the files below a folder."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
