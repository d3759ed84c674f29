"""How far the first snapshot of a session is, where it takes longer than a moment."""

from collections.abc import Callable
from time import monotonic

from acp_tui.host.changes.points import Progress
from acp_tui.host.changes.session_changes import SessionChanges

SHOWN_AFTER = 1.0  # seconds; most folders are read by then


class SnapshotProgress:
    """Has the words for it told whenever they are others, empty ones where there is nothing to say."""

    def __init__(self, source: SessionChanges, tell: Callable[[str], None], clock: Callable[[], float] = monotonic):
        self._source, self._tell, self._clock = source, tell, clock
        self._since: float | None = None
        self.close = source.subscribe(self._look)
        self._look()

    def _look(self) -> None:
        progress = self._source.progress
        if progress is None:
            self._since = None
            self._tell("")
            return
        if self._since is None:
            self._since = self._clock()
        if self._clock() - self._since >= SHOWN_AFTER:
            self._tell(progress_words(progress))


def progress_words(progress: Progress) -> str:
    """`Snapshot 12,000 of 50,000 files`."""
    of = f" of {progress.of:,}" if progress.of else ""
    return f"Snapshot {progress.read:,}{of} files"
