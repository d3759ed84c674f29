"""Files that an edit names before it happens: how they were, for those that no snapshot has, such as an ignored `.env`.

It is how they were when the prompt went out only where nothing has touched them since: a file by its change time, and
what is not there by that of its folder.
"""

import os
from collections.abc import Collection, Mapping

from acp_tui.errors import Fault
from acp_tui.frozen import Frozen
from acp_tui.host.changes.who import Key
from acp_tui.host.snapshots.folder_store import FolderStore
from acp_tui.host.snapshots.looking import state_now
from acp_tui.host.snapshots.states import PathState

MARGIN = 0.1  # seconds by which the clock of a file system may be behind ours
LARGEST = 32 * 1024 * 1024  # bytes of a file, which the agent waits for
MOST = 500  # paths of one turn
LATE = "read after the prompt"


class Early(Frozen):
    """How paths were, and the manifests that name their bytes, so that no pruning takes them, by root."""

    states: Mapping[Key, PathState]
    manifests: Mapping[str, str]


def keep_early(folders: Mapping[str, FolderStore], keys: Collection[Key], sent: float) -> Early:
    """How these paths were at the time `sent` (Unix seconds), with their bytes kept; it blocks."""
    states: dict[Key, PathState] = {}
    manifests: dict[str, str] = {}
    for root, folder in folders.items():
        paths = [path for each, path in keys if each == root]
        try:
            found = {(root, path): _kept(folder, path, sent) for path in paths}
            if held := folder.hold(found.values()):
                manifests[root] = held
            states |= found
        except (Fault, OSError) as error:
            states |= {(root, path): PathState("unknown", reason=str(error).partition("\n")[0]) for path in paths}
    return Early(states, manifests)


def _kept(folder: FolderStore, path: str, sent: float) -> PathState:
    try:
        size = os.lstat(os.path.join(folder.root, path)).st_size  # noqa: PTH118 (a text)
    except OSError:
        size = 0
    if size > LARGEST:
        return PathState("unknown", size=size, reason="too large")
    try:
        state = state_now(folder.root, path, folder.content)
    except (Fault, OSError) as error:
        return PathState("unknown", reason=str(error).partition("\n")[0])
    if state.kind == "unknown" or _untouched(os.path.join(folder.root, path), state, sent):  # noqa: PTH118 (a text)
        return state
    return PathState("unknown", reason=LATE)


def _untouched(path: str, state: PathState, sent: float) -> bool:
    """Whether nothing has happened to a path since then; of what is absent its folder tells."""
    looked_at = path
    while True:
        try:
            changed = os.lstat(looked_at).st_ctime
        except FileNotFoundError:
            if state.kind != "absent" or looked_at == os.path.dirname(looked_at):  # noqa: PTH120 (a text)
                return False
            looked_at = os.path.dirname(looked_at)  # noqa: PTH120
            continue
        except OSError:
            return False
        return changed < sent - MARGIN
