"""Sessions with snapshots, as a run would have left them: their points in a journal, their bytes in a store."""

import os
from pathlib import Path

import anyio

from acp_tui.host.changes.journal import Journal, new_name, point_line
from acp_tui.host.changes.points import Point, PointKind
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
        self._journal = Journal(self.store.folder, run)
        self._journal.identify(agent, session_id)
        self._number = 0

    @property
    def journal(self) -> Path:
        return self._journal.path

    def look(self, kind: PointKind, turn: int = 0) -> str:
        """Keep how the folder is; the name of the snapshot."""
        snapshot = anyio.run(self.store.worker.snapshot)
        point = Point(self._number, kind, turn, float(self._number), "words", {self.root: snapshot.id}, snapshot.gaps)
        self._journal.add(point_line(point))
        self._number += 1
        return snapshot.id

    def keep_unheard(self) -> str:
        """Keep how the folder is, as it is where the run ends before its journal says so; its name."""
        return anyio.run(self.store.worker.snapshot).id


def bytes_below(folder: Path) -> bytes:
    """All that lies in the files below a folder."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
