"""Blocking calls in threads that nothing has to wait for: neither the end of the program nor another call.

A call to a file system that does not answer cannot be ended, only left. So each call has a thread of its own that ends
with the process; one that takes long lets the next one begin, up to a number at which more are refused.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from threading import Lock, Thread
from time import monotonic
from typing import Any, TypeVar

import anyio
import anyio.to_thread

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
