"""How far the first snapshot of a session is, where it takes longer than a moment, and that none can be taken."""

from collections.abc import Callable
from time import monotonic

from acp_tui.host.changes.points import Progress
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.changes.settings import SWITCHED_OFF

SHOWN_AFTER = 1.0  # seconds; most folders are read by then


class SnapshotProgress:
    """Has the words for it told whenever they are others, empty ones where there is nothing to say.

    `warn` is told once, at the start, that there is no undo here; not where the user has switched snapshots off.
    """

    def __init__(
        self,
        source: SessionChanges,
        tell: Callable[[str], None],
        warn: Callable[[str], None],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._source, self._tell, self._warn, self._clock = source, tell, warn, clock
        self._warned = False
        self._since: float | None = None
        self.close = source.subscribe(self._look)
        self._look()

    def _look(self) -> None:
        if self._source.off not in ("", SWITCHED_OFF.off) and not self._warned:
            self._warned = True
            self._warn(f"No undo here. {self._source.off}")
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
    return f"Snapshot {progress.words}"
