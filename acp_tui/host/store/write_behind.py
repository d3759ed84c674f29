"""Work that must not keep the event loop waiting: items are put here and taken in batches by a thread.

Nothing runs while nothing is put. What waits is bounded, since a disk may hang:
where it is too much, all of it is dropped and nothing more is taken, rather than leave holes.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from acp_tui.errors import Fault, reason_of
from acp_tui.host.system.threads import in_thread

Item = TypeVar("Item")

INTERVAL = 0.25  # seconds between two batches; what a crash of the program may lose at most
BREATH = 0.05  # seconds for which a batch that is wanted soon lets the screen go first; one thread runs at a time
PATIENCE = 3.0  # seconds that leaving waits for the last batch
HELD = 128 * 1024 * 1024  # bytes that may wait, more or less
ITEM = 1024  # bytes that an item is taken to have at least
FULL = "The disk could not keep up"

log = logging.getLogger(__name__)


class WriteBehind(Generic[Item]):
    """A queue and its thread. `take` gets the batches, in order, in that thread; what it raises is in `problem`."""

    def __init__(
        self, take: Callable[[list[Item]], None], name: str, interval: float = INTERVAL, held: int = HELD
    ) -> None:
        self._take, self._interval, self._most = take, interval, held
        # With the bytes put up to then; None: the end.
        self._items: SimpleQueue[tuple[Item, int] | None] = SimpleQueue()
        self._put = self._taken = 0  # bytes; one is written by each side
        self._took = threading.Condition()
        self._given_up = False
        self._soon, self._now = threading.Event(), threading.Event()
        # A daemon, because a disk that hangs must not keep the program from ending.
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.problem = ""

    def put(self, item: Item, size: int = 0) -> bool:
        """Have an item of so many bytes taken soon; costs a microsecond. Whether it will be."""
        if self._given_up:
            return False
        self._put += size + ITEM
        if self._put - self._taken > self._most:
            self._give_up()
            return False
        self._items.put((item, self._put))
        if self._thread.ident is None:
            self._thread.start()
        return True

    def hurry(self) -> None:
        """Have what waits taken now."""
        self._now.set()
        self._soon.set()

    def soon(self) -> None:
        """Have what waits taken in a moment, and not while the screen is about to show it."""
        self._soon.set()

    def wait(self, within: float = PATIENCE) -> bool:
        """Wait, in another thread, until all that was put so far was taken; whether it was in `within` seconds."""
        put = self._put
        self.hurry()
        if self._given_up:
            return False
        with self._took:
            return self._took.wait_for(lambda: self._taken >= put, within)

    def close(self, within: float = PATIENCE) -> bool:
        """Have everything taken and end the thread; whether that was done in `within` seconds."""
        self._items.put(None)
        self.hurry()
        if self._thread.ident is not None:
            self._thread.join(within)
        return not self._thread.is_alive()

    def _give_up(self) -> None:
        self._given_up = True
        self.problem = self.problem or FULL
        log.error("%s: %s; %d items are lost", self._thread.name, FULL, len(self._waiting()) + 1)

    def _waiting(self) -> list[tuple[Item, int] | None]:
        waiting = []
        with suppress(Empty):
            while True:
                waiting.append(self._items.get_nowait())
        return waiting

    def _run(self) -> None:
        more = True
        while more:
            first = self._items.get()
            if self._soon.wait(self._interval):
                self._now.wait(BREATH)
            self._soon.clear()  # both before the queue is looked at, so that one who hurries meanwhile sets them again
            self._now.clear()
            waiting = [first, *self._waiting()]
            more = None not in waiting
            self._take_all([one for one in waiting if one is not None])

    def _take_all(self, waiting: list[tuple[Item, int]]) -> None:
        if not waiting:
            return
        try:
            self._take([item for item, _ in waiting])
        except Exception as error:  # noqa: BLE001 - a loop guard: one bad batch must not end the thread
            self.problem = self.problem or f"{type(error).__name__}: {error}"
        with self._took:
            self._taken = waiting[-1][1]  # not before: what is being written waits too
            self._took.notify_all()


Act = Callable[[], None]


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
