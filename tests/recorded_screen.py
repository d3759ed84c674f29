"""What a terminal would show of the bytes that the program wrote, and every sequence that the program may not write.

It knows the few sequences of the program and its driver; each other one, and each control character, is `foreign`.
"""

import codecs
import re
from itertools import repeat

from rich.cells import get_character_cell_size

from acp_tui.safe_text import NO_CELL
from tests.strategies import UNSAFE

OWN = re.compile(
    r"\x1b(?:"
    r"\[\d+;\d+H"  # a place on the screen
    r"|\[[\d;]*m"  # a colour
    r"|\[(?:\d+;\d+)?r|\[\d+[ML]"  # rows that the terminal moves
    r"|\[\?(?:25|7|1000|1003|1004|1006|1015|1016|1036|1039|1049|2004|2026|2048)[hl]"  # modes
    r"|\[\?(?:1036|1039|2026|2048)\$p"  # whether there is such a mode, and how it is
    r"|P\+q[0-9a-f]+\x1b\\|\[>0q|\[c"  # what the terminal is and can do
    r"|\[>\d+u|\[<u"  # the keyboard
    r"|\[2[23];2t"  # the window's title, kept and given back
    r"|\]2;[^\x00-\x1f\x7f-\x9f]*\x07"  # the window's title
    r"|\]22;[a-z-]*\x07"  # the pointer's shape
    r"|\](?:7501|9;4)[^\x00-\x1f\x7f-\x9f]*\x07"
    r")"
)
_MODE = re.compile(r"\x1b\[\?(\d+)([hl])")
AT_FIRST = {"7": True, "25": True}  # modes that are on before the program begins: lines wrap, the cursor shows
_REGION = re.compile(r"\x1b\[(?:(\d+);(\d+))?r")
_LINES = re.compile(r"\x1b\[(\d+)([ML])")
_PLACE = re.compile(r"\x1b\[(\d+);(\d+)H")


class RecordedScreen:
    """Rows of text as they stand after all that was fed, and what should never have been sent."""

    def __init__(self) -> None:
        self.foreign: list[str] = []
        self.titles: list[str] = []
        self.modes: dict[str, bool] = {}
        self.kept = 0  # what the terminal keeps for the program: keyboard settings and titles that it did not give back
        self._decode = codecs.getincrementaldecoder("utf-8")("strict").decode
        self._rest = ""
        self._rows: dict[int, dict[int, str]] = {}
        self._texts: dict[int, str] = {}
        self._changed: set[int] = set()
        self._row = self._column = 0
        self._bottom = 0  # the last row of the region that scrolls
        self._seen: set[str] = set()

    def feed(self, data: bytes) -> None:
        """Take what was written; remember what stood on the screen then."""
        text = self._rest + self._decode(data)
        at = 0
        while (start := text.find("\x1b", at)) >= 0:
            self._put(text[at:start])
            found = OWN.match(text, start)
            if found is None:
                if len(text) - start < 200:  # perhaps not all there yet
                    break
                self.foreign.append(text[max(0, start - 60) : start + 40])
                at = start + 1
                continue
            self._obey(found[0])
            at = found.end()
        else:
            start = len(text)
            self._put(text[at:])
        self._rest = text[start:]
        self._texts |= {row: self._text(self._rows[row]) for row in self._changed}
        self._seen.update(self._texts[row] for row in self._changed)
        self._changed.clear()

    def finish(self) -> None:
        """Nothing more comes: what is left over was never a sequence of the program."""
        if self._rest:
            self.foreign.append(self._rest)

    @property
    def is_as_before(self) -> bool:
        """Whether the terminal has got back all that the program changed."""
        return self.kept == 0 and all(on is AT_FIRST.get(mode, False) for mode, on in self.modes.items())

    def rows(self) -> list[str]:
        """The rows from the first that was written to."""
        return [text for _, text in sorted(self._texts.items())]

    def __str__(self) -> str:
        """The rows that are not blank."""
        return "\n".join(row.rstrip() for row in self.rows() if row.strip())

    def has_shown(self, text: str) -> bool:
        """Whether a row showed `text` at any time."""
        return any(text in row for row in self._seen)

    def _text(self, row: dict[int, str]) -> str:
        return "".join(map(row.get, range(max(row, default=-1) + 1), repeat(" ")))

    def _obey(self, sequence: str) -> None:
        place = _PLACE.fullmatch(sequence)
        if place:
            self._row, self._column = int(place[1]) - 1, int(place[2]) - 1
        elif region := _REGION.fullmatch(sequence):
            self._row, self._column, self._bottom = 0, 0, int(region[2] or 1) - 1
        elif lines := _LINES.fullmatch(sequence):
            self._move(int(lines[1]) if lines[2] == "M" else -int(lines[1]))
        elif mode := _MODE.fullmatch(sequence):
            self.modes[mode[1]] = mode[2] == "h"
        elif sequence in ("\x1b[22;2t", "\x1b[23;2t") or sequence.endswith("u"):
            self.kept += -1 if sequence in ("\x1b[23;2t", "\x1b[<u") else 1
        elif sequence.startswith("\x1b]2;"):
            self.titles.append(sequence[4:-1])

    def _move(self, by: int) -> None:
        """Rows from the cursor's to the region's end move up by so many; blank ones come in."""
        region = range(self._row, self._bottom + 1)
        moved = {y: self._rows.get(y + by, {}) if y + by in region else {} for y in region}
        self._rows |= {y: dict(row) for y, row in moved.items()}
        self._changed.update(region)

    def _put(self, text: str) -> None:
        text = text.replace("\r", "")
        self.foreign += [
            text[max(0, found.start() - 60) : found.end()] for found in UNSAFE.finditer(text.replace(NO_CELL, ""))
        ]
        if not text:
            return
        if text.isascii() and text.isprintable():  # most of it, at a cell each
            self._rows.setdefault(self._row, {}).update(enumerate(text, self._column))
            self._changed.add(self._row)
            self._column += len(text)
            return
        for character in text:
            if character in "\r\n":
                self._column = 0
                self._row += character == "\n"
                continue
            size = get_character_cell_size(character)
            row = self._rows.setdefault(self._row, {})
            self._changed.add(self._row)
            if size:
                row[self._column] = character
                if size == 2:
                    row[self._column + 1] = ""
            elif self._column:
                row[self._column - 1] = row.get(self._column - 1, " ") + character
            self._column += size
