"""How a path is: now, as others need to know it, and as a row of a snapshot says it."""

from contextlib import ExitStack

from acp_tui.host.snapshots.reading import Contents, Folders
from acp_tui.host.snapshots.states import ABSENT, Kind, PathState
from acp_tui.host.snapshots.store import Store
from acp_tui.host.snapshots.table import FILE, FOLDER, LINK, REASONS, UNKNOWN, Row

_KINDS: dict[int, Kind] = {FILE: "file", LINK: "link", FOLDER: "folder"}


def state_now(root: str, path: str, store: Store | None = None) -> PathState:
    """How a path below a root is now: its bytes are read, links not followed, nothing is waited for.

    With a store all that is read is kept there too, whatever its size; raises `StoreFault` where that fails, and
    OSError where the root cannot be opened.
    """
    with ExitStack() as opened:
        writer = None if store is None else opened.enter_context(store.writing())
        row, _ = Contents(opened.enter_context(Folders(root)), writer).read(path)
        return ABSENT if row is None else state_of(row)


def state_of(row: Row) -> PathState:
    """What a row says, in the words that others use."""
    return state_from(row.kind, row.reason, row.mode, row.size, row.digest.hex())


def state_from(kind: int, reason: int, mode: int, size: int, digest: str) -> PathState:
    """The same, of what a row has as plain data."""
    if kind == UNKNOWN:
        return PathState("unknown", mode & 0o7777, size, "", REASONS[reason])
    return PathState(_KINDS[kind], mode & 0o7777, size, "" if kind == FOLDER else digest, REASONS[reason])
