"""Heights in order, with sums and positions."""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate


class Heights:
    """A growing list of heights (rows) that answers "where does i begin" and "what lies at row y".

    What begins where is known up to the first height that changed since, and added up from there when it is asked
    for: what changes and what is asked for lie near each other, mostly at the end.
    """

    __slots__ = ("_rows", "_starts", "total")

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._rows = list(heights)
        self._starts = [0]
        self.total = sum(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> int:
        return self._rows[index]

    def append(self, height: int) -> None:
        self._rows.append(height)
        self.total += height

    def set(self, index: int, height: int) -> None:
        self.total += height - self._rows[index]
        if height != self._rows[index]:
            self._rows[index] = height
            del self._starts[index + 1 :]

    def truncate(self, count: int) -> None:
        self.total -= sum(self._rows[count:])
        del self._rows[count:], self._starts[count + 1 :]

    def before(self, index: int) -> int:
        starts = self._starts
        if index >= len(starts):
            starts += accumulate(self._rows[len(starts) : index], initial=starts[-1] + self._rows[len(starts) - 1])
        return starts[index]

    def at(self, row: int) -> tuple[int, int]:
        """Which index covers `row`, and how many rows into it; past the end it is `(len, rows past the end)`."""
        while self._starts[-1] <= row and len(self._starts) <= len(self._rows):
            self.before(min(2 * len(self._starts), len(self._rows)))
        index = bisect_right(self._starts, row) - 1
        return index, row - self._starts[index]
