"""Keys that count only when pressed twice in a row."""

from collections import deque
from collections.abc import Callable, Sequence

WITHIN = 2.0  # seconds
REMEMBERED = 8  # keys


class Strokes:
    """The keys that were pressed on one screen, in the order in which they were handled."""

    def __init__(self) -> None:
        self._last = deque[str](maxlen=REMEMBERED)
        self._before_next: Callable[[], object] = lambda: None
        self.count = 0

    def note(self, key: str) -> None:
        self._last.append(key)
        self.count += 1
        call, self._before_next = self._before_next, lambda: None
        call()

    def before_next(self, call: Callable[[], object]) -> None:
        """Call this once, when the next key is pressed and before it does something."""
        self._before_next = call

    @property
    def last(self) -> str:
        return self._last[-1] if self._last else ""

    def which(self, ways: Sequence[str]) -> str:
        """The one of these ways (`ctrl+c`, `ctrl+x R`) whose key was pressed last; empty if none was."""
        return next((way for way in ways if way.split()[-1] == self.last), "")

    def since(self, count: int) -> Sequence[str]:
        """The keys after the first `count`; of many of them the last ones."""
        new = min(self.count - count, REMEMBERED)
        return list(self._last)[len(self._last) - new :]


class DoublePress:
    """Whether a press comes soon after the one before it, without another key in between.

    Times are seconds of any one clock.
    """

    def __init__(self, strokes: Strokes) -> None:
        self._strokes = strokes
        self._last, self._count = float("-inf"), 0

    def again(self, now: float, ways: Sequence[str]) -> bool:
        """Note a press at `now` of one of these keys (`ctrl+c`, `ctrl+x R`); whether it is the second in a row.

        What has no key is chosen twice from the palette, with other keys in between.
        """
        own = {key for way in ways for key in way.split()}
        in_a_row = not own or own.issuperset(self._strokes.since(self._count))
        second = in_a_row and now - self._last <= WITHIN
        self._last, self._count = float("-inf") if second else now, self._strokes.count
        return second
