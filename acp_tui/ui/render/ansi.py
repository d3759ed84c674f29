"""A terminal's bytes to lines of styled runs; must not know sessions, widgets or themes.

It is no screen: there is one line at a time, written at its end or overwritten after CR, BS or a cursor move
within the line. Colours and attributes (SGR) are kept, as is erasing within the line; every other sequence is
swallowed, and so is what never ends. No sequence and no control character reaches the output. A sequence ends
at a line feed at the latest, so that one that was left open hides no more than its own line.
"""

import codecs
import re

from acp_tui.ui.render.ansi_line import Line, WritingLine, plain_line
from acp_tui.ui.render.ansi_pen import PLAIN, repen

MAX_LINES = 10_000
_LONGEST_SEQUENCE = 256  # more than what any sequence that is obeyed may be long

_STRING_END = re.compile("[\x07\x18\x1a\x1b\x9c\n]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SEQUENCE = re.compile(
    "("
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI, perhaps cut short
    "|(?:\x1b[\\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x18\x1a\x1b\x9c]*[\x07\x18\x1a\x9c]?"  # OSC, DCS, SOS, PM, APC
    "|\x1b[ -/]*[0-~]?"  # charsets, keypad modes, ST …
    "|[\x00-\x1f\x7f-\x9f]"
    ")"
)
_UNFINISHED = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*\\Z"
    "|(?P<string>(?:\x1b[\\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x18\x1a\x1b\x9c]*\\Z)"
    "|\x1b[ -/]*\\Z"
)
_INTERMEDIATES = frozenset(map(chr, range(0x20, 0x30)))
_CURSOR = re.compile("(?:\x1b\\[|\x9b)([0-9]{0,4})([KGCD])")


class LineEmulator:
    """Feed it chunks of bytes, cut anywhere; read `lines`.

    Lines beyond `max_lines` go from the beginning; `dropped` counts them.
    """

    def __init__(self, max_lines: int = MAX_LINES) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._max_lines = max_lines
        self._lines: list[Line] = []
        self._forgotten = 0
        self._line = WritingLine()
        self._pen = PLAIN
        self._pending = ""
        self._in_string = False

    @property
    def dropped(self) -> int:
        """How many lines are no longer held."""
        return max(0, self.total - self._max_lines)

    @property
    def total(self) -> int:
        """How many lines there have been, with the one being written if it holds anything."""
        return self._forgotten + len(self._lines) + (not self._line.empty)

    @property
    def lines(self) -> list[Line]:
        """What is held: finished lines, and the one being written if it holds anything."""
        return self.tail(self._max_lines)

    def tail(self, count: int) -> list[Line]:
        """The last `count` lines of those held, without a copy of the rest."""
        finished = self._lines[-min(count, self._max_lines) :] if count > 0 else []
        return finished if self._line.empty else [*finished, self._line.runs()][-count:]

    def slice(self, start: int, end: int) -> list[Line]:
        """Lines by their number since the beginning (0-based, `end` excluded); dropped ones are missing."""
        first = self.dropped
        found = self._lines[max(start, first) - self._forgotten : max(end - self._forgotten, 0)]
        if not self._line.empty and start <= self.total - 1 < end:
            found.append(self._line.runs())
        return found

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        text = self._pending + self._decoder.decode(data)
        self._pending = ""
        if self._in_string:
            text = self._skip_string(text)
        text = self._hold_unfinished(text)
        *complete, last = text.replace("\r\n", "\n").split("\n")
        for line in complete:
            if self._line.pristine and not _CONTROL.search(line):
                self._lines.append(plain_line(line, self._pen))
                continue
            self._write(line)
            self._lines.append(self._line.runs())
            self._line = WritingLine()
        self._write(last)
        if len(self._lines) > self._max_lines * 2:
            excess = len(self._lines) - self._max_lines
            del self._lines[:excess]
            self._forgotten += excess

    def _skip_string(self, text: str) -> str:
        """What follows the end of the string sequence (OSC, DCS …) that an earlier chunk began."""
        end = _STRING_END.search(text)
        if end is None:
            return ""
        self._in_string = False
        return text[end.start() :] if end.group() in "\x1b\n" else text[end.end() :]

    def _hold_unfinished(self, text: str) -> str:
        """Keep back a sequence that the next chunk may finish."""
        found = _UNFINISHED.search(text, text.rfind("\n") + 1)
        if found is None:
            return text
        if found["string"]:
            self._in_string = True
        else:
            self._pending = _shortened(found.group())
        return text[: found.start()]

    def _write(self, text: str) -> None:
        """Write one line, or the beginning of one, control by control."""
        parts = _SEQUENCE.split(text)
        line = self._line
        line.write(parts[0], self._pen)
        for control, written in zip(parts[1::2], parts[2::2], strict=True):
            if control[-1] == "m":
                self._pen = repen(self._pen, control)
            else:
                _move(line, control)
            if written:
                line.write(written, self._pen)


def _move(line: WritingLine, control: str) -> None:
    """Obey CR, BS, HT, and of the sequences EL, CHA, CUF and CUB; every other is swallowed here."""
    if control == "\r":
        line.move(0)
    elif control == "\b":
        line.move(line.column - 1)
    elif control == "\t":
        line.tab()
    elif cursor := _CURSOR.fullmatch(control):
        parameter, final = cursor.groups()
        count = max(int(parameter or 1), 1)
        if final == "K":
            line.erase(parameter)
        else:
            line.move({"G": count - 1, "C": line.column + count, "D": line.column - count}[final])


def _shortened(sequence: str) -> str:
    """An unfinished sequence; one that is too long to be meant is kept as a short one that does nothing."""
    if len(sequence) <= _LONGEST_SEQUENCE:
        return sequence
    if sequence[1:2] == "[" or sequence[0] == "\x9b":
        return "\x1b[? " if sequence[-1] in _INTERMEDIATES else "\x1b[?"
    return "\x1b("
