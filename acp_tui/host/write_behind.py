"""Work that must not keep the event loop waiting: items are put here and taken in batches by a thread.

Nothing runs while nothing is put. What waits is bounded, since a disk may hang:
where it is too much, all of it is dropped and nothing more is taken, rather than leave holes.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

Item = TypeVar("Item")

INTERVAL = 0.25
"""Seconds between two batches; what a crash of the program may lose at most."""
PATIENCE = 3.0
"""Seconds that leaving waits for the last batch."""
HELD = 128 * 1024 * 1024
"""Bytes that may wait, more or less."""
ITEM = 1024
"""Bytes that an item is taken to have at least."""
FULL = "What was to be written was not taken for too long"

log = logging.getLogger(__name__)


class WriteBehind(Generic[Item]):
    """A queue and its thread. `take` gets the batches, in order, in that thread; what it raises is in `problem`."""

    def __init__(
        self, take: Callable[[list[Item]], None], name: str, interval: float = INTERVAL, held: int = HELD
    ) -> None:
        self._take, self._name, self._interval, self._most = take, name, interval, held
        self._items: deque[tuple[Item, int]] = deque()  # each with the bytes that were put up to then
        self._put = self._taken = 0  # bytes; one is written by each side
        self._given_up = False
        self._filled, self._hurry = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._closing = False
        self.problem = ""

    def put(self, item: Item, size: int = 0) -> bool:
        """Have an item of so many bytes taken soon; costs a microsecond. Whether it will be."""
        if self._given_up:
            return False
        self._put += size + ITEM
        if self._put - self._taken > self._most:
            self._give_up()
            return False
        self._items.append((item, self._put))
        if not self._filled.is_set():
            self._fill()
        return True

    def hurry(self) -> None:
        """Have what was put taken at once."""
        self._hurry.set()

    def close(self, within: float = PATIENCE) -> bool:
        """Have everything taken and end the thread; whether that was done in `within` seconds."""
        self._closing = True
        self._hurry.set()
        self._filled.set()
        if self._thread is not None:
            self._thread.join(within)
            return not self._thread.is_alive()
        return True

    def _give_up(self) -> None:
        self._given_up = True
        self.problem = self.problem or FULL
        log.error("%s: %s; %d items are lost", self._name, FULL, len(self._items) + 1)
        self._items.clear()

    def _fill(self) -> None:
        if self._thread is None:
            # A daemon, because a disk that hangs must not keep the program from ending.
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        self._filled.set()

    def _run(self) -> None:
        while not self._closing or self._items:
            self._filled.wait()
            self._hurry.wait(self._interval)
            # Cleared before the items are looked at, so that one that comes meanwhile sets it again.
            self._hurry.clear()
            self._filled.clear()
            self._take_all()

    def _take_all(self) -> None:
        batch: list[Item] = []
        put = self._taken
        with suppress(IndexError):  # empty, maybe because it was given up this moment
            while True:
                item, put = self._items.popleft()
                batch.append(item)
        if not batch:
            return
        try:
            self._take(batch)
        except Exception as error:  # noqa: BLE001 - a loop guard: one bad batch must not end the thread
            self.problem = self.problem or f"{type(error).__name__}: {error}"
        self._taken = put  # not before: what is being written waits too
