"""Blocking calls in threads that nothing has to wait for, neither the end of the program nor another call; and work
that is put aside and taken in batches by a thread.

A call to a file system that does not answer cannot be ended, only left. So each call has a thread of its own that ends
with the process; one that takes long lets the next one begin, up to a number at which more are refused. What waits to
be written is bounded for the same reason: where it is too much, all of it is dropped and nothing more is taken, rather
than leave holes. No thread of it runs while nothing is put.
"""

import asyncio
import logging
import math
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Any, Generic, TypeVar

import anyio
import anyio.to_thread

from acp_tui.errors import Fault, reason_of

AT_ONCE = 16  # calls that run while others wait
SLOW = 0.5  # seconds after which a call no longer keeps another one waiting
MOST = 128  # calls of one owner that have not come to an end
PARTING = 0.5  # seconds for which a withdrawn call may still clear up, or report what it has done already

T = TypeVar("T")


class Withdrawn(Exception):
    """Raised in the thread of a call that nobody waits for any more."""


class Stuck(Exception):
    """So many calls have not come to an end that no other one is begun."""


class Call:
    """What a blocking call and the one who waits for it share."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._committed = self._withdrawn = False

    def check(self) -> None:
        """Raise `Withdrawn` if nobody waits any more; for calls of many steps."""
        if self._withdrawn:
            raise Withdrawn

    def commit(self) -> None:
        """Like `check`; if it returns, the next step is taken, and the call cannot be withdrawn any more."""
        with self._lock:
            self.check()
            self._committed = True

    def withdraw(self) -> bool:
        """Nobody waits any more; False if the call has taken its last step already."""
        with self._lock:
            self._withdrawn = not self._committed
            return self._withdrawn


class Threads:
    """The threads of one owner, such as a session: none of its calls can use up the threads of another."""

    def __init__(self) -> None:
        self._turns = anyio.CapacityLimiter(AT_ONCE)
        self._running: set[Call] = set()

    async def run(self, act: Callable[[], T], call: Call | None = None) -> T:
        """What `act` returns or raises, in a thread; on cancellation it is left to itself.

        `call`: by which `act` can learn of that, and is given a moment to. Raises `Stuck` if too many calls have not
        come to an end.
        """
        parting, call = 0.0 if call is None else PARTING, call or Call()
        await self._turns.acquire_on_behalf_of(call)
        if len(self._running) >= MOST:
            self._turns.release_on_behalf_of(call)
            raise Stuck(len(self._running))
        ended, outcome = anyio.Event(), Future[T]()
        self._begin(act, call, ended, outcome)
        try:
            await ended.wait()
        except BaseException:
            withdrawn = call.withdraw()
            with anyio.move_on_after(parting, shield=True):
                await ended.wait()
            if withdrawn or not ended.is_set():
                raise
        return outcome.result()

    def _begin(self, act: Callable[[], T], call: Call, ended: anyio.Event, outcome: Future[T]) -> None:
        loop = asyncio.get_running_loop()
        slow = loop.call_later(SLOW, self._pass_turn, call)

        def end() -> None:
            slow.cancel()
            self._pass_turn(call)
            self._running.discard(call)
            ended.set()

        def work() -> None:
            try:
                outcome.set_result(act())
            except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
                outcome.set_exception(error)
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(end)

        self._running.add(call)
        Thread(target=work, name="blocking call", daemon=True).start()

    def _pass_turn(self, call: Call) -> None:
        with suppress(RuntimeError):  # it was passed already
            self._turns.release_on_behalf_of(call)


async def in_thread(act: Callable[..., T], *args: object, within: float = math.inf) -> T:
    """What `act` returns or raises, in a thread of its own that nothing has to wait for.

    Raises `TimeoutError` after `within` seconds.
    """
    with anyio.fail_after(within):
        return await Threads().run(partial(act, *args))


async def in_joined_thread(act: Callable[..., T], *args: object) -> T:
    """What `act` returns or raises, in a thread that is waited for, at the program's end too: it writes, or imports."""
    return await anyio.to_thread.run_sync(partial(act, *args))


class Latest:
    """Work that is done anew when it is asked for: one at a time, and once more for all that ask meanwhile.

    `run` runs it beside the loop of messages.
    """

    def __init__(self, run: Callable[[Coroutine[Any, Any, None]], object], work: Callable[[], Awaitable[None]]) -> None:
        self._run, self._work = run, work
        self.asked = self.busy = False
        self.seconds = 0.0  # that the last time took

    def ask(self) -> None:
        self.asked = True
        if not self.busy:
            self.busy = True
            self._run(self._go())

    async def _go(self) -> None:
        try:
            while self.asked:
                self.asked = False
                began = monotonic()
                await self._work()
                self.seconds = monotonic() - began
        finally:
            self.busy = False


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
