"""The clock of answers: the time in which Textual stamps events, and calls at a time of it. Tests put in another."""

import asyncio
import sys
import time
from collections.abc import Callable
from typing import Protocol


class Clock(Protocol):
    """Seconds of the clock that stamps events."""

    def now(self) -> float:
        """The present time."""
        ...

    def call_at(self, when: float, call: Callable[[], object]) -> None:
        """Call once, at this time or soon after it."""
        ...


class SystemClock:
    """The clock of this machine. Textual stamps events with `monotonic`, on Windows with `perf_counter`."""

    now = staticmethod(time.perf_counter if sys.platform == "win32" else time.monotonic)

    def call_at(self, when: float, call: Callable[[], object]) -> None:
        asyncio.get_running_loop().call_later(max(0.0, when - self.now()), call)
