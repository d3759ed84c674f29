"""How a path is: now, as others need to know it, and as a row of a snapshot says it."""

from contextlib import ExitStack

from acp_tui.host.snapshots.compare import ABSENT_ROW
from acp_tui.host.snapshots.content import Content
from acp_tui.host.snapshots.path_row import FILE, FOLDER, LINK, REASONS, UNKNOWN, Row
from acp_tui.host.snapshots.reading import Contents, Folders
from acp_tui.host.snapshots.states import ABSENT, Kind, PathState

_KINDS: dict[int, Kind] = {FILE: "file", LINK: "link", FOLDER: "folder"}


def state_now(root: str, path: str, content: Content | None = None) -> PathState:
    """How a path below a root is now: its bytes are read, links not followed, nothing is waited for.

    With a store all that is read is kept there too, whatever its size; raises `StoreFault` where that fails, and
    OSError where the root cannot be opened.
    """
    with ExitStack() as opened:
        writer = None if content is None else opened.enter_context(content.writing())
        row, _ = Contents(opened.enter_context(Folders(root)), writer).read(path)
        return ABSENT if row is None else state_of(row)


def state_of(row: Row) -> PathState:
    """What a row says, in the words that others use."""
    if row == ABSENT_ROW:
        return ABSENT
    if row.kind == UNKNOWN:
        return PathState("unknown", row.mode & 0o7777, row.size, "", REASONS[row.reason])
    digest = "" if row.kind == FOLDER else row.digest.hex()
    return PathState(_KINDS[row.kind], row.mode & 0o7777, row.size, digest, REASONS[row.reason])
