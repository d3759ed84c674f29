"""A terminal's output as plain text: what it would show, without escape sequences.

Escape sequences and control characters go, newlines and tabs stay. Within a line carriage return, backspace,
erase-in-line and cursor-to-column do what they do on a terminal, counted in characters, so that a progress bar leaves
its last state only. Time is linear in the text; memory is that of the open line, which becomes final at MAX_LINE
characters.
"""

import re

MAX_LINE = 256 * 1024  # characters of an open line; beyond that nothing of it is overwritten
_LONGEST_SEQUENCE = 256  # characters of an unfinished one; more than any that is obeyed may be long

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LINE_CONTROL = re.compile(r"(?:\x1b\[|\x9b)([0-9]*)([GK])")
# What may follow a control: ESC and a letter, or the one C1 control that stands for both.
_CSI = r"(?:(?<=\x1b)\[|(?<=\x9b))[ -?]*"
_COMMAND = r"(?:(?<=\x1b)[\]X^_]|(?<=[\x98\x9d-\x9f]))[^\x07\n\x18\x1a\x1b\x9c]*"  # OSC, SOS, PM, APC
_ESCAPE = r"(?<=\x1b)[ -/]*"


class SequenceSplitter:
    """Splits output that comes in pieces, wherever they were cut, into text and control sequences.

    Sequences may be cut short by what cannot be a part of them. A newline ends strings that nobody ended, but those
    for a device (DCS) only if `device_lines` is not set: they may hold lines.
    """

    def __init__(self, *, device_lines: bool) -> None:
        ends = r"\x18\x1a\x1b\x9c" if device_lines else r"\x07\n\x18\x1a\x1b\x9c"
        device = rf"(?:(?<=\x1b)P|(?<=\x90))[^{ends}]*"
        ended = rf"{_CSI}[@-~]?|(?:{_COMMAND}|{device})[\x07\x18\x1a\x9c]?|{_ESCAPE}[0-~]?"
        self._sequence = re.compile(rf"({_CONTROL.pattern}(?:{ended})?)")  # begins with one set: found fast
        begun = rf"{_CSI}|(?P<command>{_COMMAND})|(?P<device>{device})|{_ESCAPE}"
        self._unfinished = re.compile(rf"{_CONTROL.pattern}(?:{begun})")
        self._string_ends = {"command": re.compile(r"[\x07\n\x18\x1a\x1b\x9c]"), "device": re.compile(f"[{ends}]")}
        self._in_string: str | None = None
        self._pending = ""

    def split(self, text: str) -> list[str]:
        """Text, a sequence, text, a sequence … and text; what the next piece may finish is kept back."""
        text = self._pending + text
        self._pending = ""
        if self._in_string is not None:
            end = self._string_ends[self._in_string].search(text)
            if end is None:
                return [""]
            self._in_string = None
            text = text[end.start() if end.group() in "\x1b\n" else end.end() :]
        parts = self._sequence.split(text)
        if len(parts) > 1 and not parts[-1] and (found := self._unfinished.fullmatch(parts[-2])):
            del parts[-2:]
            self._in_string = found.lastgroup
            self._pending = "" if found.lastgroup else _shortened(found.group())
        return parts


def _shortened(sequence: str) -> str:
    """An unfinished sequence; one that is too long to be meant is kept as a short one that does nothing."""
    if len(sequence) <= _LONGEST_SEQUENCE:
        return sequence
    return "\x1b[" if sequence.startswith(("\x1b[", "\x9b")) else "\x1b("


class EscapeStripper:
    """Strips output that comes in pieces.

    `feed` gives what is final: whole lines. What stands on the last line, which may yet be overwritten, is
    `tail`. All the text so far is everything that `feed` gave, and `tail`.
    """

    def __init__(self) -> None:
        self._splitter = SequenceSplitter(device_lines=True)
        self._line = _Line()
        self._final: list[str] = []

    def feed(self, text: str) -> str:
        for number, part in enumerate(self._splitter.split(text)):
            if number % 2:
                self._control(part)
            elif part:
                self._plain(part)
        final = "".join(self._final)
        self._final.clear()
        return final

    @property
    def tail(self) -> str:
        return self._line.text

    def _control(self, sequence: str) -> None:
        line = self._line
        if sequence == "\r":
            line.column = 0
        elif sequence == "\b":
            line.column = max(0, line.column - 1)
        elif found := _LINE_CONTROL.fullmatch(sequence):
            parameter, final = found.groups()
            if final == "G":
                line.move(int(parameter or 1))
            elif parameter in ("", "0", "2"):
                line.erase(whole=parameter == "2")

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
        if len(self._line.characters) > MAX_LINE:
            self._final.append(self._line.text)
            self._line = _Line()


def strip_escapes(text: str) -> str:
    """The text as a terminal would leave it, without escape sequences and control characters."""
    if not _CONTROL.search(text):
        return text
    stripper = EscapeStripper()
    return stripper.feed(text) + stripper.tail


class _Line:
    """The characters of one line, and the column where the next one goes."""

    def __init__(self) -> None:
        self.characters: list[str] = []
        self.column = 0

    @property
    def text(self) -> str:
        return "".join(self.characters)

    def put(self, text: str) -> None:
        end = self.column + len(text)
        self.characters[self.column : end] = text
        self.column = end

    def erase(self, *, whole: bool) -> None:
        self.column = 0 if whole else self.column
        del self.characters[self.column :]

    def move(self, column: int) -> None:
        """Go to a column, counted from 1, but never beyond the text: nothing is padded."""
        self.column = min(max(column, 1) - 1, len(self.characters))
