"""Reading what changed and what files held, beside the loop: one look at a time, never two at once."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from time import monotonic
from typing import Any

from acp_tui.errors import Fault, UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.changes.points import Changes
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.snapshots.states import PathChange
from acp_tui.host.uncommitted.uncommitted import Uncommitted
from acp_tui.ui.changes.spans import UNCOMMITTED, Between
from acp_tui.ui.changes.texts import ShownFile, shown_file
from acp_tui.ui.render.diff import FileDiff

Source = SessionChanges | Uncommitted
Run = Callable[[Coroutine[Any, Any, None]], object]
AT_ONCE = 40_000  # bytes of both texts that are compared in the loop: sooner done than handed to a thread


class Sources(Frozen):
    """Where changes are read from: the points of the session, or HEAD."""

    points: SessionChanges
    uncommitted: Uncommitted

    def of(self, between: Between | None) -> Source:
        return self.uncommitted if between is UNCOMMITTED else self.points


class Latest:
    """Does some work; asked again meanwhile, once more afterwards, however often."""

    def __init__(self, run: Run, work: Callable[[], Awaitable[None]]) -> None:
        self._run, self._work = run, work
        self._asked = self._busy = False
        self.seconds = 0.0  # that the last time took

    @property
    def busy(self) -> bool:
        return self._busy

    def ask(self) -> None:
        self._asked = True
        if not self._busy:
            self._busy = True
            self._run(self._go())

    async def _go(self) -> None:
        try:
            while self._asked:
                self._asked = False
                began = monotonic()
                await self._work()
                self.seconds = monotonic() - began
        finally:
            self._busy = False


def fault_words(fault: Fault) -> str:
    return " · ".join(filter(None, (fault.title, fault.message, fault.hint)))


async def read_changes(source: Source, between: Between) -> Changes:
    """What changed there; raises `UserFault`."""
    return await source.between(between.since, between.until or await source.look(between.since))


async def read_file(source: Source, change: PathChange) -> ShownFile:
    """The file with its diff, or in words why there is none."""
    try:
        before, after = await source.texts(change)
    except UserFault as fault:
        return ShownFile(change, FileDiff(change.path), (fault_words(fault),))
    if len(before or b"") + len(after or b"") <= AT_ONCE:
        return shown_file(change, before, after)
    return await asyncio.to_thread(shown_file, change, before, after)
