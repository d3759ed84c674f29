"""A terminal's bytes to lines of styled runs.

It is no screen: there is one line at a time, written at its end or overwritten after CR, BS or a cursor move
within the line. Colours and attributes (SGR) are kept, as is erasing within the line; every other sequence is
swallowed, and so is what never ends. No sequence and no control character reaches the output. A sequence ends
at a line feed at the latest, so that one that was left open hides no more than its own line.
"""

import codecs
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from rich.cells import get_character_cell_size

from acp_tui.session.text.escapes import SequenceSplitter
from acp_tui.session.text.phrases import counted
from acp_tui.ui.render.text import fitting, sanitise

TRUE_COLOUR = 1 << 24


class Pen(NamedTuple):
    """Colours are None (default), 0–255 (indexed) or `TRUE_COLOUR | 0xRRGGBB`."""

    foreground: int | None = None
    background: int | None = None
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    inverse: bool = False
    strike: bool = False


PLAIN = Pen()
FAINT = Pen(dim=True)

_SWITCHES: dict[int, dict[str, bool]] = {
    1: {"bold": True},
    2: {"dim": True},
    3: {"italic": True},
    4: {"underline": True},
    7: {"inverse": True},
    9: {"strike": True},
    21: {"underline": True},
    22: {"bold": False, "dim": False},
    23: {"italic": False},
    24: {"underline": False},
    27: {"inverse": False},
    29: {"strike": False},
}

_SGR = re.compile("(?:\x1b\\[|\x9b)([0-9;:]{0,250})m")


@lru_cache(maxsize=4096)
def repen(pen: Pen, sequence: str) -> Pen:
    """The pen after an SGR sequence; what is none, unknown or malformed changes nothing."""
    found = _SGR.fullmatch(sequence)
    if found is None:
        return pen
    codes = iter(found[1].split(";"))
    for code in codes:
        pen = _apply(pen, code, codes)
    return pen


def _apply(pen: Pen, code: str, rest: Iterator[str]) -> Pen:
    head, *subs = code.split(":")
    number = _number(head) if head else 0
    if number == 0:
        return PLAIN
    if number in _SWITCHES:
        off = number == 4 and subs[:1] == ["0"]
        return pen._replace(underline=False) if off else pen._replace(**_SWITCHES[number])
    tens, last = divmod(number, 10)
    colour: int | None = last if tens < 9 else last + 8
    if number in (38, 48, 58):
        colour = _extended(iter(subs), colon=True) if subs else _extended(rest, colon=False)
        tens = 0 if colour is None else tens
    elif last >= 8:
        colour, tens = None, tens if number in (39, 49) else 0
    if tens in (3, 9):
        return pen._replace(foreground=colour)
    return pen._replace(background=colour) if tens in (4, 10) else pen


def _extended(codes: Iterator[str], *, colon: bool) -> int | None:
    """The colour that follows 38 or 48: `5;n` or `2;r;g;b`, or `2::r:g:b` with an optional colour space."""
    form = next(codes, "")
    if form == "5":
        index = _number(next(codes, ""))
        return index if 0 <= index <= 255 else None
    if form != "2":
        return None
    parts = list(codes)[:4] if colon else [next(codes, "-") for _ in range(3)]
    red, green, blue = ([_number(part or "0") for part in parts[-3:]] + [-1, -1, -1])[:3]
    if not all(0 <= channel <= 255 for channel in (red, green, blue)):
        return None
    return TRUE_COLOUR | red << 16 | green << 8 | blue


def _number(digits: str) -> int:
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 4 else -1


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
    """Text up to now and a cursor; `end` is the furthest column reached, those from MAX_COLUMNS on are cut.

    Most lines are only ever appended to: those stay runs. A line that is written over (progress bars) becomes cells,
    so that even a hostile one costs constant time per character.
    """

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


MAX_LINES = 10_000
_CURSOR = re.compile("(?:\x1b\\[|\x9b)([0-9]{0,4})([KGCD])")


class LineEmulator:
    """Feed it chunks of bytes, cut anywhere; read `tail` or `slice`.

    Lines beyond `max_lines` go from the beginning; `dropped` counts them.
    """

    def __init__(self, max_lines: int = MAX_LINES) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._max_lines = max_lines
        self._lines: list[Line] = []
        self._forgotten = 0
        self._line = WritingLine()
        self._pen = PLAIN
        self._splitter = SequenceSplitter(device_lines=False)

    @property
    def dropped(self) -> int:
        return max(0, self.total - self._max_lines)

    @property
    def total(self) -> int:
        return self._forgotten + len(self._lines) + (not self._line.empty)

    def tail(self, count: int) -> list[Line]:
        """The last `count` lines of those held, without a copy of the rest."""
        return self.slice(self.total - count, self.total)

    def slice(self, start: int, end: int) -> list[Line]:
        """Lines by their number since the beginning (0-based, `end` excluded); dropped ones are missing."""
        first = self.dropped
        found = self._lines[max(start, first) - self._forgotten : max(end - self._forgotten, 0)]
        if not self._line.empty and start <= self.total - 1 < end:
            found.append(self._line.runs())
        return found

    def feed(self, data: bytes) -> None:
        text = self._decoder.decode(data).replace("\r\n", "\n")
        for number, part in enumerate(self._splitter.split(text)):
            if number % 2 == 0:
                self._write(part)
            elif part[-1] == "m":
                self._pen = repen(self._pen, part)
            else:
                _move(self._line, part)
        if len(self._lines) > self._max_lines * 2:
            excess = len(self._lines) - self._max_lines
            del self._lines[:excess]
            self._forgotten += excess

    def _write(self, text: str) -> None:
        if "\n" in text:
            first, *complete, text = text.split("\n")
            if self._line.empty and self._line.column == 0:
                self._lines.append(plain_line(first, self._pen))
            else:
                self._line.put(first, self._pen)
                self._lines.append(self._line.runs())
                self._line = WritingLine()
            self._lines += [plain_line(line, self._pen) for line in complete]
        self._line.put(text, self._pen)


def _move(line: WritingLine, control: str) -> None:
    """Obey CR, BS, and of the sequences EL, CHA, CUF and CUB; every other is swallowed here."""
    if control == "\r":
        line.move(0)
    elif control == "\b":
        line.move(line.column - 1)
    elif cursor := _CURSOR.fullmatch(control):
        parameter, final = cursor.groups()
        count = max(int(parameter or 1), 1)
        if final == "K":
            line.erase(parameter)
        else:
            line.move({"G": count - 1, "C": line.column + count, "D": line.column - count}[final])
