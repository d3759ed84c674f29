"""Files that an edit names before it happens: how they were, for those that no snapshot has, such as an ignored `.env`.

It is how they were when the prompt went out only where that is proved.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import anyio

from acp_tui.errors import Fault
from acp_tui.host.changes.folders import Folders
from acp_tui.host.changes.who import Key
from acp_tui.host.snapshots import reading
from acp_tui.host.snapshots.content import ContentWriter
from acp_tui.host.snapshots.folder_store import FolderStore
from acp_tui.host.snapshots.path_row import LATE, REASONS
from acp_tui.host.snapshots.proof import Stamp
from acp_tui.host.snapshots.states import ABSENT, PathState, state_of
from acp_tui.host.system.blocking import in_thread

LARGEST = 32 * 1024 * 1024  # bytes of a file, which the agent waits for
MOST = 500  # paths of one turn
TOO_LATE = REASONS[LATE]


class Captures:
    """The captures of one session's turns, each path once in a turn. `took` gets what came of some, with the turn."""

    def __init__(self, folders: Folders, took: Callable[[int, Mapping[Key, PathState]], None]) -> None:
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
        """Wait until a path is not being captured."""
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
    with reading.Folders(root) as folders:
        row, data = reading.Contents(folders, writer, LARGEST).read(path)
    with reading.Folders(root) as folders:
        proof = reading.proof_below(root, stamp, folders)
        proved = proof.absent(path) if data is None else proof.path(path, data)
    state = ABSENT if row is None else state_of(row)
    return state if proved or state.kind == "unknown" else PathState("unknown", reason=TOO_LATE)
