"""Which text stands on a terminal after the bytes that were written to it; characters only, no colours.

It has to cost far less than the client that it watches: text is put down in runs, rows are joined only where they
changed and only when an update has ended, and of a long plain text only the rows that remain are made.
"""

import codecs
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

SEQUENCE = re.compile(
    r"\x1b(?:\[([<-?]?)([\d;:]*)[ -/]*([@-~])"  # CSI: private sign, numbers, what
    r"|[\]P_^X][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC, DCS and other strings
    r"|[ -/]+[0-~]|([0-OQ-WYZ\\`-~]))"  # character sets; a single letter
    r"|([\r\b\t\x07])"
)
BREAK = re.compile(r"[\x1b\r\n\b\t\x07]")
LONGEST = 1 << 16  # characters of a sequence that has not ended; more is no sequence


@lru_cache(maxsize=4096)
def width(character: str) -> int:
    """The columns of a character: 0, 1 or 2."""
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Cells:
    """A screen; `seen` has each watched text with the time (of `feed`) at which a row first showed it."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.frames = 0  # synchronized updates that ended
        self.seen: dict[str, int] = {}
        self.shown = [""] * rows
        self._watched: list[str] = []
        self._cells = [self._blank() for _ in range(rows)]
        self._changed: set[int] = set()
        self._row = self._column = 0
        self._top, self._bottom = 0, rows - 1  # of the region that scrolls, both inside it
        self._saved = (0, 0)
        self._updating = False
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._rest = ""
        self._now = 0

    def watch(self, text: str) -> None:
        """Note when a row shows `text`, from now on or already."""
        self.seen.pop(text, None)
        if any(text in row for row in self.shown):
            self.seen[text] = self._now
        else:
            self._watched.append(text)

    def feed(self, data: bytes, now: int) -> None:
        """Take what was read at `now`."""
        self._now = now
        text = self._rest + self._decode(data)
        at, end = 0, len(text)
        while at < end:
            start = BREAK.search(text, at)
            stop = start.start() if start else end
            self._put(text[at:stop])
            at = stop
            if start and start[0] == "\n":
                at = self._skip(text, stop)
            elif start:
                found = SEQUENCE.match(text, stop)
                if found is None and end - stop < LONGEST:
                    break  # perhaps not all there yet
                self._obey(found)
                at = found.end() if found else stop + 1
        self._rest = text[at:]
        if not self._updating:
            self._show()

    def _skip(self, text: str, at: int) -> int:
        """Take the line feed at `at`; where many lines follow that would all scroll away, go to the last ones."""
        escape = text.find("\x1b", at)
        escape = len(text) if escape < 0 else escape
        many = 2 * self.rows
        if escape - at > many and text.count("\n", at, escape) > 2 * many:
            passed = text[at:escape].rsplit("\n", many)[0]
            self._note(passed)
            self._row = self._bottom
            for row in range(self._top, self._bottom + 1):
                self._cells[row] = self._blank()
                self._changed.add(row)
            at += len(passed)
        self._line_feed()
        return at + 1

    def _note(self, passed: str) -> None:
        for text in [text for text in self._watched if text in passed]:
            self._watched.remove(text)
            self.seen[text] = self._now

    def _show(self) -> None:
        for row in self._changed:
            self.shown[row] = text = "".join(self._cells[row])
            for watched in [watched for watched in self._watched if watched in text]:
                self._watched.remove(watched)
                self.seen[watched] = self._now
        self._changed.clear()

    def _blank(self) -> list[str]:
        return [" "] * self.columns

    def _put(self, text: str) -> None:
        if text.isascii():
            while text:
                if self._column >= self.columns:
                    self._wrap()
                run = text[: self.columns - self._column]
                self._cells[self._row][self._column : self._column + len(run)] = run
                self._changed.add(self._row)
                self._column += len(run)
                text = text[len(run) :]
            return
        for character in text:
            self._put_one(character, width(character))

    def _put_one(self, character: str, size: int) -> None:
        if size == 0:
            if self._column:
                self._cells[self._row][self._column - 1] += character
                self._changed.add(self._row)
            return
        if self._column + size > self.columns:
            self._wrap()
        self._cells[self._row][self._column : self._column + size] = [character, ""][:size]
        self._changed.add(self._row)
        self._column += size

    def _wrap(self) -> None:
        self._column = 0
        self._line_feed()

    def _line_feed(self) -> None:
        if self._row == self._bottom:
            self._scroll(self._top, 1)
        else:
            self._row = min(self._row + 1, self.rows - 1)

    def _scroll(self, top: int, count: int) -> None:
        """Move the rows from `top` to the region's end up by `count`, down where it is negative."""
        size = self._bottom + 1 - top
        blank = [self._blank() for _ in range(min(abs(count), size))]
        rows = self._cells[top : self._bottom + 1]
        moved = rows[count:] + blank if count > 0 else blank + rows[:count]
        self._cells[top : self._bottom + 1] = moved[:size]
        self._changed.update(range(top, self._bottom + 1))

    def _obey(self, found: re.Match[str] | None) -> None:
        if found is None:
            return
        sign, numbers, what, letter, control = found.groups()
        if control:
            self._control(control)
        elif letter:
            self._letter(letter)
        elif what and sign == "?" and what in "hl":
            self._mode(numbers, what == "h")
        elif what and not sign and (do := MOVES.get(what)):
            do(self, [int(number) if number.isdigit() else 0 for number in numbers.split(";")])

    def _control(self, control: str) -> None:
        if control == "\r":
            self._column = 0
        elif control == "\b":
            self._column = max(0, self._column - 1)
        elif control == "\t":
            self._column = min(self.columns - 1, self._column // 8 * 8 + 8)

    def _letter(self, letter: str) -> None:
        if letter == "7":
            self._saved = (self._row, self._column)
        elif letter == "8":
            self._row, self._column = self._saved
        elif letter == "D":
            self._line_feed()
        elif letter == "M" and self._row == self._top:
            self._scroll(self._top, -1)
        elif letter == "M":
            self._row = max(0, self._row - 1)

    def _mode(self, numbers: str, on: bool) -> None:
        for number in numbers.split(";"):
            if number == "2026":
                self.frames += self._updating and not on
                self._updating = on
                if not on:
                    self._show()
            elif number == "1049":
                self._cells = [self._blank() for _ in range(self.rows)]
                self._changed.update(range(self.rows))

    def _go(self, row: int, column: int) -> None:
        self._row = max(0, min(row, self.rows - 1))
        self._column = max(0, min(column, self.columns - 1))

    def _region(self, numbers: list[int]) -> None:
        first, last = [*numbers, 0][:2]
        self._top, self._bottom = max(first, 1) - 1, min(last or self.rows, self.rows) - 1
        self._go(0, 0)

    def _erase_screen(self, numbers: list[int]) -> None:
        first, last = {0: (self._row + 1, self.rows), 1: (0, self._row)}.get(numbers[0], (0, self.rows))
        for row in range(first, last):
            self._cells[row] = self._blank()
            self._changed.add(row)
        if numbers[0] in (0, 1):
            self._erase_row(numbers)

    def _erase_row(self, numbers: list[int]) -> None:
        column = min(self._column, self.columns)
        first, last = {0: (column, self.columns), 1: (0, column + 1)}.get(numbers[0], (0, self.columns))
        self._erase(first, min(last, self.columns))

    def _erase(self, first: int, last: int) -> None:
        self._cells[self._row][first:last] = [" "] * (last - first)
        self._changed.add(self._row)

    def _erase_some(self, numbers: list[int]) -> None:
        self._erase(self._column, min(self._column + max(numbers[0], 1), self.columns))

    def _shift(self, count: int) -> None:
        """Take `count` characters out at the cursor; put in as many blanks where it is negative."""
        row, at = self._cells[self._row], self._column
        rest = row[at + count :] if count > 0 else [" "] * -count + row[at:]
        self._cells[self._row] = (row[:at] + rest + self._blank())[: self.columns]
        self._changed.add(self._row)

    def _lines(self, count: int) -> None:
        """Take rows out at the cursor, or put blank ones in."""
        if self._top <= self._row <= self._bottom:
            self._scroll(self._row, count)


MOVES: dict[str, Callable[[Cells, list[int]], None]] = {
    "H": lambda cells, numbers: cells._go(numbers[0] - 1, [*numbers, 0][1] - 1),
    "f": lambda cells, numbers: cells._go(numbers[0] - 1, [*numbers, 0][1] - 1),
    "A": lambda cells, numbers: cells._go(cells._row - max(numbers[0], 1), cells._column),
    "B": lambda cells, numbers: cells._go(cells._row + max(numbers[0], 1), cells._column),
    "C": lambda cells, numbers: cells._go(cells._row, cells._column + max(numbers[0], 1)),
    "D": lambda cells, numbers: cells._go(cells._row, cells._column - max(numbers[0], 1)),
    "G": lambda cells, numbers: cells._go(cells._row, numbers[0] - 1),
    "d": lambda cells, numbers: cells._go(numbers[0] - 1, cells._column),
    "J": Cells._erase_screen,
    "K": Cells._erase_row,
    "X": Cells._erase_some,
    "r": Cells._region,
    "L": lambda cells, numbers: cells._lines(-max(numbers[0], 1)),
    "M": lambda cells, numbers: cells._lines(max(numbers[0], 1)),
    "S": lambda cells, numbers: cells._scroll(cells._top, max(numbers[0], 1)),
    "T": lambda cells, numbers: cells._scroll(cells._top, -max(numbers[0], 1)),
    "P": lambda cells, numbers: cells._shift(max(numbers[0], 1)),
    "@": lambda cells, numbers: cells._shift(-max(numbers[0], 1)),
}
