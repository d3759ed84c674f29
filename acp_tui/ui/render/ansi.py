"""A terminal's bytes to lines of styled runs.

It is no screen: there is one line at a time, written at its end or overwritten after CR, BS or a cursor move
within the line. Colours and attributes (SGR) are kept, as is erasing within the line; every other sequence is
swallowed, and so is what never ends. No sequence and no control character reaches the output. A sequence ends
at a line feed at the latest, so that one that was left open hides no more than its own line.
"""

import codecs
import re

from acp_tui.session.text.escapes import SequenceSplitter
from acp_tui.ui.render.ansi_line import Line, WritingLine, plain_line
from acp_tui.ui.render.ansi_pen import PLAIN, repen

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
        """Write text without controls but newlines and tabs."""
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
