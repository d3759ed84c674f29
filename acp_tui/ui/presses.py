"""Keys that count only when they are pressed twice in a row."""

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
        """The next press is a first one."""
        self._last = float("-inf")
