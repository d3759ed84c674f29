"""Guards of keys: those that count only when pressed twice in a row, and type-ahead that must answer nothing."""

import time
from collections.abc import Callable

WITHIN = 2.0  # seconds


class DoublePress:
    """Whether a press comes soon after the one before it. Times are seconds of any one clock."""

    def __init__(self) -> None:
        self._last = float("-inf")

    def again(self, now: float) -> bool:
        """Note a press at `now`; whether it is the second within WITHIN seconds."""
        second = now - self._last <= WITHIN
        self._last = float("-inf") if second else now
        return second

    def forget(self) -> None:
        self._last = float("-inf")


GUARD = 0.3  # seconds after the answers were painted
CALM = 0.25  # seconds after the last swallowed key, so that a word being typed is swallowed to its end


class Guard:
    """Keeps type-ahead from answering: keys do nothing until the answers were on the screen for a moment.

    The clock tells seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = float("-inf")

    @property
    def holds(self) -> bool:
        return self._clock() < self._until

    @property
    def waits(self) -> bool:
        return self._until == float("inf")

    def wait(self) -> None:
        """Keys do nothing until `begin`: a frame comes late where the machine is busy, 1.3 s were seen."""
        self._until = float("inf")

    def begin(self) -> None:
        """Keys count GUARD seconds from now on."""
        until = self._clock() + GUARD
        self._until = until if self.waits else max(self._until, until)

    def swallows(self) -> bool:
        if not self.holds:
            return False
        self._until = max(self._until, self._clock() + CALM)
        return True
