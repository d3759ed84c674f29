"""Turns text that arrives in chunks into complete, sanitised lines; knows nothing of what the lines mean.

A giant line is not waited for: it is cut near `LINE_LIMIT`. Where it is cut depends on the text alone, never on
how the text arrived.
"""

from acp_tui.ui.render.text import sanitise

LINE_LIMIT = 3_000  # characters

Taken = tuple[str, bool]  # a line, and whether it goes on where the one before was cut


class LineReader:
    """Chunks in, lines out, without newlines; the unfinished line is kept in parts."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._size = 0
        self.continues = False

    def feed(self, text: str) -> list[Taken]:
        end = text.rfind("\n") + 1
        taken: list[Taken] = []
        if end:
            whole = "".join((*self._parts, text[: end - 1]))
            self._parts, self._size = [], 0
            self._take(whole, taken)
        if end < len(text):
            self._parts.append(text[end:])
            self._size += len(text) - end
            if self._size > 2 * LINE_LIMIT:
                rest = self._halve("".join(self._parts), taken)
                self._parts, self._size = [rest], len(rest)
        return taken

    def finish(self) -> list[Taken]:
        taken: list[Taken] = []
        if self._parts:
            self._take("".join(self._parts), taken)
            self._parts, self._size = [], 0
        return taken

    @property
    def rest(self) -> str:
        return sanitise("".join(self._parts))

    def _take(self, whole: str, taken: list[Taken]) -> None:
        if len(whole) > 2 * LINE_LIMIT:
            for line in whole.split("\n"):
                rest = self._halve(line.removesuffix("\r"), taken)
                self._add(rest, taken)
                self.continues = False
        else:
            self._add(whole.removesuffix("\r"), taken)
            self.continues = False

    def _halve(self, line: str, taken: list[Taken]) -> str:
        """Cut parts off a giant line, at blanks if there are any; what is left of it."""
        start = 0
        while len(line) - start > 2 * LINE_LIMIT:
            low, high = start + LINE_LIMIT, start + 2 * LINE_LIMIT
            place = line.rfind(" ", low, high) + 1 or high
            self._add(line[start:place], taken)
            self.continues = True
            start = place
        return line[start:] if start else line

    def _add(self, text: str, taken: list[Taken]) -> None:
        """Sanitise one or several lines, of which the first may go on where the last was cut."""
        first, *others = sanitise(text).split("\n")
        taken.append((first, self.continues))
        taken.extend((line, False) for line in others)
