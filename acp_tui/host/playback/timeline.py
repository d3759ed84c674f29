"""The lines of a record one after the other, at real speed, faster, or step by step; must not know what they say."""

import time
from collections.abc import Iterator, Sequence

import anyio

from acp_tui.host.wire_record import WireLine


class Timeline:
    """Where a replay is. `speed` multiplies real time; while `stepping` each line waits for `step`."""

    def __init__(self, lines: Sequence[WireLine], speed: float = 1.0, *, stepping: bool = False) -> None:
        self._lines = lines
        self._position = 0
        self._reached = 0.0
        self._left = 0.0
        self._steps = 0
        self._poked = False
        self._moved = anyio.Event()
        self._taken: set[int] = set()
        self.speed, self.stepping = speed, stepping

    @property
    def position(self) -> int:
        """How many lines have been played."""
        return self._position

    @property
    def total(self) -> int:
        """How many lines there are."""
        return len(self._lines)

    @property
    def at(self) -> float:
        """Seconds of the record that have been played."""
        return self._reached

    @property
    def duration(self) -> float:
        """Seconds that the whole record took."""
        return self._lines[-1].at if self._lines else 0.0

    @property
    def over(self) -> bool:
        """Whether all has been played."""
        return self._position >= len(self._lines)

    @property
    def current(self) -> WireLine | None:
        """The next line to play; None at the end."""
        return None if self.over else self._lines[self._position]

    @property
    def is_taken(self) -> bool:
        """Whether the current line was told to be no news when its time comes."""
        return self._position in self._taken

    def upcoming(self, many: int) -> Iterator[tuple[int, WireLine]]:
        """The next lines and their numbers, but those that were taken."""
        for number in range(self._position, min(self._position + many, len(self._lines))):
            if number not in self._taken:
                yield number, self._lines[number]

    def take(self, number: int) -> None:
        """This line is no news when its time comes."""
        self._taken.add(number)

    async def reach(self) -> bool:
        """Wait until the current line is due; False when `poke` interrupted that."""
        while not self._poked:
            if self._due():
                return True
            self._moved = moved = anyio.Event()
            began = time.monotonic()
            with anyio.move_on_after(None if self.stepping else self._left / self.speed):
                await moved.wait()
            self._left = max(0.0, self._left - (time.monotonic() - began) * self.speed)
        self._poked = False
        return False

    def advance(self) -> None:
        """The current line has been played."""
        self._reached = max(self._reached, self._lines[self._position].at)
        self._position += 1
        self._left = max(0.0, self._lines[self._position].at - self._reached) if not self.over else 0.0

    def step(self) -> None:
        """Play the next line now, whatever its time."""
        self._steps += 1
        self._moved.set()

    def run(self, speed: float) -> None:
        """Go on by itself at this speed."""
        self.speed, self.stepping = speed, False
        self._moved.set()

    def hold(self) -> None:
        """Wait for `step` from now on."""
        self.stepping = True
        self._moved.set()

    def poke(self) -> None:
        """Have `reach` return for something that does not stand in the record."""
        self._poked = True
        self._moved.set()

    def _due(self) -> bool:
        if self._steps:
            self._steps -= 1
            return True
        return not self.stepping and self._left <= 0
