"""What a terminal would show of a command's output, as plain text; must not know terminals or colours.

Escape sequences and control characters go, newlines and tabs stay. Within a line carriage return,
backspace, erase-in-line and cursor-to-column do what they do on a terminal, counted in characters, so that a
progress bar leaves its last state only. Time is linear in the text; memory is that of the open line, which
becomes final at MAX_LINE characters.
"""

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SEQUENCE_END = re.compile(r"[^ -?]")  # ends a control sequence: neither a parameter nor an intermediate
_COMMAND_END = re.compile(r"[\x07\n\x18\x1a\x1b\x9c]")  # ends OSC, SOS, PM, APC (a newline: nobody ended it)
_DEVICE_END = re.compile(r"[\x18\x1a\x1b\x9c]")  # ends DCS, which may hold lines
MAX_LINE = 1024 * 1024  # characters of an open line; beyond that nothing of it is overwritten
_KEPT_PARAMETERS = 16  # of a control sequence; those that matter here are shorter


class EscapeStripper:
    """Strips output that comes in pieces, wherever they were cut.

    `feed` gives what is final: whole lines. What stands on the last line, which may yet be overwritten, is
    `tail`. All the text so far is everything that `feed` gave, and `tail`.
    """

    def __init__(self) -> None:
        self._line = _Line()
        self._final: list[str] = []
        self._read = self._ground
        self._parameters = ""
        self._end = _COMMAND_END

    def feed(self, text: str) -> str:
        """Take the next piece; the lines that are complete now."""
        at = 0
        while at < len(text):
            at = self._read(text, at)
        final = "".join(self._final)
        self._final.clear()
        return final

    @property
    def tail(self) -> str:
        """The open last line as it stands now."""
        return self._line.text

    def _ground(self, text: str, at: int) -> int:
        found = _CONTROL.search(text, at)
        end = found.start() if found else len(text)
        if end > at:
            self._plain(text[at:end])
        if not found:
            return end
        match found.group():
            case "\r":
                self._line.column = 0
            case "\b":
                self._line.column = max(0, self._line.column - 1)
            case "\x1b":
                self._read = self._escape
            case control:
                self._introduce(control)
        return end + 1

    def _plain(self, text: str) -> None:
        """Put text without controls; of its lines, all but the last are final as they stand, however many."""
        first = text.find("\n")
        if first >= 0:
            last = text.rfind("\n") + 1
            self._line.put(text[:first])
            self._final += (self._line.text, text[first:last])
            self._line = _Line()
            text = text[last:]
        self._line.put(text)
        if self._line.length > MAX_LINE:
            self._final.append(self._line.text)
            self._line = _Line()

    def _escape(self, text: str, at: int) -> int:
        """After ESC: intermediates, then one final character, which may introduce a longer sequence."""
        character = text[at]
        if " " <= character <= "/":
            return at + 1
        self._read = self._ground
        if "@" <= character <= "_":
            self._introduce(chr(ord(character) + 0x40))
        return at + 1 if "0" <= character <= "~" else at

    def _introduce(self, control: str) -> None:
        """Begin what a C1 control (or ESC and its letter) begins; other controls begin nothing."""
        if control == "\x9b":
            self._read, self._parameters = self._sequence, ""
        elif control == "\x90":
            self._read, self._end = self._string, _DEVICE_END
        elif control in "\x98\x9d\x9e\x9f":
            self._read, self._end = self._string, _COMMAND_END

    def _sequence(self, text: str, at: int) -> int:
        found = _SEQUENCE_END.search(text, at)
        end = found.start() if found else len(text)
        self._parameters = (self._parameters + text[at : min(end, at + _KEPT_PARAMETERS)])[:_KEPT_PARAMETERS]
        if not found:
            return end
        self._read = self._ground
        if found.group() == "K" and self._parameters in ("", "0", "2"):
            self._line.erase(whole=self._parameters == "2")
        elif found.group() == "G":
            self._line.move(int(self._parameters) if self._parameters.isdecimal() else 1)
        return end + 1 if "@" <= found.group() <= "~" else end

    def _string(self, text: str, at: int) -> int:
        found = self._end.search(text, at)
        if not found:
            return len(text)
        self._read = self._escape if found.group() == "\x1b" else self._ground
        return found.start() if found.group() == "\n" else found.end()


def strip_escapes(text: str) -> str:
    """The text as a terminal would leave it, without escape sequences and control characters."""
    if not _CONTROL.search(text):
        return text
    stripper = EscapeStripper()
    return stripper.feed(text) + stripper.tail


class _Line:
    """One line and the column where the next character goes.

    `pieces` are runs of text until something is overwritten, and single characters from then on.
    """

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.length = 0
        self.column = 0
        self._single = False

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def put(self, text: str) -> None:
        end = self.column + len(text)
        if self.column == self.length and not self._single:
            self.pieces.append(text)
        else:
            self._explode()
            self.pieces[self.column : end] = text
        self.column = end
        self.length = max(self.length, end)

    def erase(self, *, whole: bool) -> None:
        self._explode()
        self.column = 0 if whole else self.column
        del self.pieces[self.column :]
        self.length = self.column

    def move(self, column: int) -> None:
        """Go to a column, counted from 1, but never beyond the text: nothing is padded."""
        self.column = min(max(column, 1) - 1, self.length)

    def _explode(self) -> None:
        if not self._single:
            self.pieces = list(self.text)
            self._single = True
