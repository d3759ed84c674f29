"""Keeps type-ahead from answering: keys do nothing for a moment; must not know what they would do."""

from collections.abc import Callable

GUARD = 0.3  # seconds after the focus or a new request
CALM = 0.25  # seconds after the last swallowed key, so that a word being typed is swallowed to its end


class Guard:
    """Whether keys count yet, by a clock in seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._until = float("-inf")

    @property
    def holds(self) -> bool:
        """Whether keys do nothing now."""
        return self._clock() < self._until

    def begin(self) -> None:
        """Keys count GUARD seconds from now on."""
        self._until = max(self._until, self._clock() + GUARD)

    def swallows(self) -> bool:
        """Whether the key that came now does nothing."""
        if not self.holds:
            return False
        self._until = max(self._until, self._clock() + CALM)
        return True
