"""Fuzzy search: which of very many paths the user means by a few letters, in milliseconds.

Everything is one long text per view of the paths (names, whole paths), so that the searching is done by `str.find`
and one regular expression instead of a loop over paths.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from itertools import accumulate, islice

LOOKED_AT = 2000  # matches of one kind that are ranked; those in the topmost folders come first


class FileList:
    """Paths that can be searched; folders end in `/`. Never changed once it is made."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        # The topmost first. Twice, because each holds up other threads for less time than comparing pairs does.
        self.paths: Sequence[str] = sorted(sorted(paths), key=lambda path: path.count("/", 0, -1))
        self._known = frozenset(self.paths)
        self._names = _Lines([path.rstrip("/").rpartition("/")[2] for path in self.paths])
        self._wholes = _Lines(self.paths)

    def __len__(self) -> int:
        return len(self.paths)

    def __contains__(self, path: object) -> bool:
        return path in self._known or f"{path}/" in self._known

    def has_file(self, path: str) -> bool:
        return path in self._known and not path.endswith("/")

    def find(self, query: str, limit: int = 50) -> list[str]:
        """The paths that answer the letters of `query`, best first; all of them, topmost first, for none."""
        letters = query.lower().replace("\n", "").removeprefix("./")
        found: dict[int, None] = {}
        if not letters:
            return list(self.paths[:limit])
        for kind in self._kinds(letters):
            indexes = [index for index in kind if index not in found]
            best = nsmallest(limit - len(found), indexes, key=lambda index: (len(self.paths[index]), index))
            found.update(dict.fromkeys(best))
            if len(found) >= limit:
                break
        return [self.paths[index] for index in found]

    def _kinds(self, letters: str) -> Iterator[Iterable[int]]:
        """Indexes of matches, the best kind first; each is only looked for if it is needed."""
        if "/" not in letters:
            yield self._names.holding(f"\n{letters}\n")
            yield self._names.holding(f"\n{letters}")
            yield self._names.holding(letters)
        yield self._wholes.holding(f"\n{letters}")
        yield self._wholes.holding(f"/{letters}")
        yield self._wholes.holding(letters)
        if len(letters) == 1:
            return
        if "/" not in letters:
            yield self._names.scattered(letters)
        yield self._wholes.scattered(letters)


class _Lines:
    """Many short texts as one, in lower case; a line is named by its number."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._text = "\n".join(["", *lines, ""]).lower()
        ends = accumulate(len(line) + 1 for line in self._text.split("\n")[1:])
        self._starts = [0, *ends][: len(lines)]  # of the newline before each
        self._last: tuple[str, list[int]] | None = None  # all lines of the last scattered letters

    def holding(self, text: str) -> Iterator[int]:
        """The lines that hold `text`, in order; a newline in it stands for a line's beginning or end."""
        find, at = self._text.find, 0
        for _ in range(LOOKED_AT):
            at = find(text, at)
            if at < 0:
                return
            line = bisect_right(self._starts, at) - 1
            if line >= len(self._starts):
                return
            yield line
            at = find("\n", at + 1)
            if at < 0:
                return

    def scattered(self, letters: str) -> Iterable[int]:
        """The lines that hold all letters in this order; of letters that go on, among those that held the first."""
        # Possessive, so that a line that does not match is given up at once.
        pattern = re.compile("\n" + "".join(f"[^{re.escape(sign)}\n]*+{re.escape(sign)}" for sign in letters))
        if self._last is not None and letters.startswith(self._last[0]):
            found = [line for line in self._last[1] if pattern.match(self._text, self._starts[line])]
        else:
            matches = islice(pattern.finditer(self._text), LOOKED_AT)
            found = [bisect_right(self._starts, match.start()) - 1 for match in matches]
        if len(found) < LOOKED_AT:
            self._last = letters, found
        return found
