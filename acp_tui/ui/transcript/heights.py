"""Heights in order, with sums and positions in O(log n): a Fenwick tree."""

from array import array
from collections.abc import Iterable


class Heights:
    """A growing list of heights (rows) that answers "where does i begin" and "what lies at row y"."""

    __slots__ = ("_rows", "_tree", "total")

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._rows = array("q")
        self._tree = array("q", (0,))
        self.total = 0
        for height in heights:
            self.append(height)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> int:
        return self._rows[index]

    def append(self, height: int) -> None:
        tree = self._tree
        node = len(tree)
        covered, step = height, 1
        while not node & step:
            covered += tree[node - step]
            step <<= 1
        tree.append(covered)
        self._rows.append(height)
        self.total += height

    def set(self, index: int, height: int) -> None:
        difference = height - self._rows[index]
        if not difference:
            return
        self._rows[index] = height
        self.total += difference
        tree, node = self._tree, index + 1
        while node < len(tree):
            tree[node] += difference
            node += node & -node

    def truncate(self, count: int) -> None:
        self.total = self.before(count)
        del self._rows[count:]
        del self._tree[count + 1 :]

    def before(self, index: int) -> int:
        """The sum of all heights before `index`: the row at which it begins."""
        tree, total = self._tree, 0
        while index:
            total += tree[index]
            index &= index - 1
        return total

    def at(self, row: int) -> tuple[int, int]:
        """Which index covers `row`, and how many rows into it; past the end it is `(len, rows past the end)`."""
        tree, index = self._tree, 0
        step = 1 << (len(self._rows).bit_length())
        while step:
            after = index + step
            if after < len(tree) and tree[after] <= row:
                index = after
                row -= tree[after]
            step >>= 1
        return index, row
