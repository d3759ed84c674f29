"""One line of a terminal while it is being written.

Most lines are only ever appended to: those stay runs. A line that is written over (progress bars) becomes
cells, so that even a hostile one costs constant time per character.
"""

import re
from itertools import groupby

from rich.cells import get_character_cell_size

from acp_tui.session.text.words import counted
from acp_tui.ui.render.ansi_pen import FAINT, PLAIN, Pen
from acp_tui.ui.render.text import fitting, sanitise

MAX_COLUMNS = 4096
STOP = 8
_DEEPEST_CELL = 8
# Latin, Greek, Cyrillic, dashes and quotes, arrows, box drawing, Braille: one cell each, counted without a look-up.
_NARROW = re.compile(
    "[\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u048a-\u04ff\u2010-\u2027\u2190-\u21ff\u2500-\u25fc\u2800-\u28ff\t]*"
)

Run = tuple[str, Pen]
Line = list[Run]


def plain_line(text: str, pen: Pen) -> Line:
    """A whole line in one pen; `text` holds no controls but tabs, which are left to who draws the line."""
    if not text:
        return []
    expanded = text.expandtabs(STOP) if "\t" in text and pen == PLAIN and text[-1] != "\t" else text
    if len(expanded) <= MAX_COLUMNS and "\t" not in expanded:
        if text.isascii():
            return [(text, pen)]
        if _NARROW.fullmatch(text):
            return [(sanitise(text), pen)]
    line = WritingLine()
    line.put(text, pen)
    return line.runs()


class WritingLine:
    """Text up to now and a cursor; `end` is the furthest column reached, those from MAX_COLUMNS on are cut."""

    __slots__ = ("_cells", "_narrow", "_room", "_runs", "column", "end")

    def __init__(self) -> None:
        self._runs: list[Run] = []
        self._cells: list[Run] | None = None
        self._narrow = True  # every cell is one ASCII character
        self._room = MAX_COLUMNS * 2  # characters that may still be appended; some have no width
        self.column = 0
        self.end = 0

    @property
    def empty(self) -> bool:
        return not self._runs and not self._cells

    def move(self, column: int) -> None:
        self.column = min(max(column, 0), MAX_COLUMNS)

    def put(self, text: str, pen: Pen) -> None:
        """Write at the cursor; a tab moves it to the next stop, and what lies between stays."""
        first, *others = text.split("\t")
        self.write(first, pen)
        for part in others:
            self.move((self.column // STOP + 1) * STOP)
            self.write(part, pen)

    def write(self, text: str, pen: Pen) -> None:
        """Write at the cursor, over what is there; the common case, at the end, first."""
        if self.column > self.end and text:
            gap, self.column = self.column - self.end, self.end
            self.write(" " * gap, PLAIN)
        if self.column != self.end or self._cells is not None:
            self._overwrite(text, pen)
        elif text:
            runs, room = self._runs, MAX_COLUMNS - self.end
            self._narrow = self._narrow and text.isascii()
            self.column = self.end = self.end + _width(text)
            if self.end > MAX_COLUMNS or len(text) > self._room:
                text = text[: min(fitting(text, room), self._room)]
            self._room -= len(text)
            if text and runs and runs[-1][1] == pen:
                runs[-1] = (runs[-1][0] + text, pen)
            elif text:
                runs.append((text, pen))

    def _overwrite(self, text: str, pen: Pen) -> None:
        if not text:
            return
        cells = self._to_cells()
        if self._narrow and text.isascii():
            kept = text[: max(0, MAX_COLUMNS - self.column)]
            cells[self.column : self.column + len(kept)] = [(character, pen) for character in kept]
            self.column += len(text)
        else:
            self._narrow = False
            for character in text:
                self._put(cells, character, pen)
        self.end = max(self.end, self.column)

    def _put(self, cells: list[Run], character: str, pen: Pen) -> None:
        """One character, of any width, into its cells; half a wide character becomes a blank."""
        column, width = self.column, get_character_cell_size(character)
        self.column += width
        if width == 0:
            if 0 < column <= len(cells) and len(cells[column - 1][0]) < _DEEPEST_CELL:
                base = column - 1 if cells[column - 1][0] or column == 1 else column - 2
                cells[base] = (cells[base][0] + character, cells[base][1])
            return
        if self.column > MAX_COLUMNS:
            return
        if column < len(cells) and not cells[column][0]:
            cells[column - 1] = (" ", PLAIN)
        if self.column < len(cells) and not cells[self.column][0]:
            cells[self.column] = (" ", PLAIN)
        cells[column : self.column] = [(character, pen), ("", pen)][:width]

    def erase(self, mode: str) -> None:
        """EL: `0` or nothing from the cursor on, `1` up to and with the cursor, `2` all of it."""
        if mode == "1":
            column, self.column = self.column, 0
            self.write(" " * min(column + 1, self.end), PLAIN)
            self.column = column
        elif mode == "2" or (mode in ("", "0") and self.column == 0):
            self._runs, self._cells, self._narrow, self._room, self.end = [], None, True, MAX_COLUMNS * 2, 0
        elif mode in ("", "0") and self.column < self.end:
            cells = self._to_cells()
            if self.column < len(cells) and not cells[self.column][0]:
                cells[self.column - 1] = (" ", PLAIN)
            del cells[self.column :]
            self.end = self.column

    def _to_cells(self) -> list[Run]:
        if self._cells is None:
            self._cells = []
            column, self.column = self.column, 0
            for text, pen in self._runs:
                self._overwrite(text, pen)
            self.column = column
        return self._cells

    def runs(self) -> Line:
        """The line as it is now, made safe; a line that was cut says by how many columns."""
        runs = self._runs
        if self._cells is not None:
            joined = groupby(self._cells, key=lambda cell: cell[1])
            runs = [("".join(text for text, _ in cells), pen) for pen, cells in joined]
        safe = [(text if text.isascii() else sanitise(text).replace("\n", " "), pen) for text, pen in runs]
        if self.end > MAX_COLUMNS:
            safe.append((f" … {counted(self.end - MAX_COLUMNS, 'more column')}", FAINT))
        return safe


def _width(text: str) -> int:
    return len(text) if text.isascii() or _NARROW.fullmatch(text) else sum(map(get_character_cell_size, text))
