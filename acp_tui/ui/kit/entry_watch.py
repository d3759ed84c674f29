"""Reports entries that changed, at most ten times a second, to a part of the screen that can wait."""

import asyncio
from collections.abc import Callable
from time import perf_counter

from acp_tui.session.changes import Change, EntryAdded, EntryChanged, TerminalChanged
from acp_tui.session.entries import Entry
from acp_tui.session.state import Session

PAUSE = 0.1  # seconds between two calls at least
SHARE = 10  # a call may take one part in so many of the time


class EntryWatch:
    """Collects entries that came or changed, and calls back with them; in between it costs a dict entry a change.

    Changes of the kinds `also` call back too.
    """

    def __init__(
        self, session: Session, tell: Callable[[list[Entry]], None], also: tuple[type[Change], ...] = ()
    ) -> None:
        self._session, self._tell, self._also = session, tell, also
        self._changed: dict[int, Entry] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self._pause = PAUSE

    def start(self) -> None:
        if self._unsubscribe is None:
            self._unsubscribe = self._session.subscribe(self._collect)

    def stop(self) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._changed.clear()

    def _collect(self, change: Change) -> None:
        if isinstance(change, EntryChanged | EntryAdded):
            self._changed[id(change.entry)] = change.entry
        elif isinstance(change, TerminalChanged):  # what shows a terminal looks different with it
            showing = self._session.index.terminal_references.get(change.terminal_id, {})
            self._changed.update({id(entry): entry for entry in showing.values()})
        elif not isinstance(change, self._also):
            return
        self.wake()

    def wake(self) -> None:
        if self._timer is None and self._unsubscribe is not None:
            self._timer = asyncio.get_running_loop().call_later(self._pause, self._flush)

    def _flush(self) -> None:
        self._timer = None
        changed, self._changed = self._changed, {}
        start = perf_counter()
        self._tell(list(changed.values()))
        self._pause = max(PAUSE, SHARE * (perf_counter() - start))
