"""The changes of a session that need not run: as its snapshots have them, whether its folders still exist or not."""

from collections.abc import Iterable
from contextlib import suppress

from acp_tui.errors import Fault
from acp_tui.host.changes.comparing import Neighbours
from acp_tui.host.changes.folders import Folders
from acp_tui.host.changes.history import History
from acp_tui.host.changes.history_tables import earlier_runs
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.changes.settings import SnapshotSettings
from acp_tui.host.changes.turn_points import TurnPoints
from acp_tui.host.snapshots import places
from acp_tui.host.snapshots.folder_store import FolderStore
from acp_tui.host.store.write_queue import WriteQueue
from acp_tui.host.system.blocking import in_thread
from acp_tui.session.state import Session


class _KeptFolders(Folders):
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
    for root, folder in places.stores():
        with suppress(Fault):  # of a store that cannot be used; the session may be in another one
            if (history := earlier_runs(FolderStore(root, folder), agent, session_id)).points:
                return history
    return History()
