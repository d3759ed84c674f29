"""What is written to the disk for snapshots, in a thread of its own, in the order in which it was said."""

import logging
import threading
from collections.abc import Callable, Sequence

from acp_tui.errors import Fault, reason_of
from acp_tui.host.store.write_behind import PATIENCE, WriteBehind
from acp_tui.host.system.blocking import in_thread

Act = Callable[[], None]

log = logging.getLogger(__name__)


class WriteQueue:
    """Acts are done one after the other; what one raises is in `problem`, and keeps no other from being done."""

    def __init__(self) -> None:
        self._behind: WriteBehind[Act] = WriteBehind(self._do, "snapshots")
        self.problem = ""

    def do(self, act: Act) -> None:
        if not self._behind.put(act):
            self.problem = self.problem or self._behind.problem

    async def settled(self) -> None:
        """Wait until all is written that was said so far; seconds where the disk hangs, if it was not given up."""
        written = threading.Event()
        if self._behind.put(written.set):
            self._behind.hurry()
            await in_thread(written.wait, PATIENCE)

    async def close(self) -> None:
        """Wait until all is written, for moments; seconds only where the disk hangs."""
        await in_thread(self._behind.close)

    def _do(self, acts: Sequence[Act]) -> None:
        for act in acts:
            try:
                act()
            except (Fault, OSError) as error:
                self.problem = self.problem or (error.message if isinstance(error, Fault) else reason_of(error))
                log.warning("snapshots: %s", error)
