"""The lines of a wire record one after the other: at real speed, faster, or step by step."""

import math
import time
from collections.abc import Sequence
from itertools import takewhile

import anyio

from acp_tui.host.recording.wire_record import WireLine


class Timeline:
    """Where a replay is: `position` lines were played, `at` seconds of `duration`.

    `speed` multiplies real time; while `stepping` each line waits for `step`. No line waits for more than `patience`
    seconds of the record.
    """

    def __init__(
        self, lines: Sequence[WireLine], speed: float = 1.0, *, stepping: bool = False, patience: float = math.inf
    ) -> None:
        self._lines = lines
        self.position, self.total = 0, len(lines)
        self.at, self.duration = 0.0, lines[-1].at if lines else 0.0
        self.speed, self.stepping = speed, stepping
        self._patience = patience
        self._left = 0.0  # seconds of the record until the next line, when that was last looked at
        self._looked = time.monotonic()
        self._steps = 0
        self._poked = False
        self._moved = anyio.Event()

    @property
    def over(self) -> bool:
        return self.position >= self.total

    @property
    def current(self) -> WireLine:
        return self._lines[self.position]

    @property
    def due(self) -> float:
        """Real seconds until the current line."""
        return max(0.0, self._left / self.speed - (time.monotonic() - self._looked))

    def rest_of_life(self) -> Sequence[WireLine]:
        return list(takewhile(lambda line: line.direction != "start", self._lines[self.position :]))

    async def reach(self) -> bool:
        """Wait until the current line is due; False when `poke` interrupted that."""
        while not self._poked:
            if self._steps:
                self._steps -= 1
                return True
            if not self.stepping and self._left <= 0:
                return True
            self._moved = moved = anyio.Event()
            self._looked = time.monotonic()
            with anyio.move_on_after(None if self.stepping else self._left / self.speed):
                await moved.wait()
            self._left = max(0.0, self._left - (time.monotonic() - self._looked) * self.speed)
        self._poked = False
        return False

    def advance(self) -> None:
        self.at = max(self.at, self._lines[self.position].at)
        self.position += 1
        left = max(0.0, self._lines[self.position].at - self.at) if not self.over else 0.0
        self._left, self._looked = min(left, self._patience), time.monotonic()

    def step(self) -> None:
        self._steps += 1
        self._moved.set()

    def run(self, speed: float) -> None:
        self.speed, self.stepping = speed, False
        self._moved.set()

    def hold(self) -> None:
        self.stepping = True
        self._moved.set()

    def poke(self) -> None:
        """Have `reach` return for something that does not stand in the record."""
        self._poked = True
        self._moved.set()
