"""On which line each field of a TOML text begins, found in one pass.

`tomllib` tells no lines. The text is cut into tokens, each of which is looked at once, so that time grows with length.
It need not be valid TOML: what is not is passed over here, for `tomllib` to complain of.
"""

import re
from collections.abc import Iterator

from acp_tui.host.config.places import PARTS_AT_MOST, Field

FIELDS_AT_MOST = 100_000  # that are remembered, each with about 250 bytes; of others the table around them is known

# Each alternative matches as much as there is and is never tried again: a string without end is one up to the end.
_TOKEN = re.compile(
    r'(?P<word>"""(?:[^"\\]++|\\.?|"{1,2}(?!"))*+(?:"{3,5}|\Z)'
    r"|'''(?:[^']++|'{1,2}(?!'))*+(?:'{3,5}|\Z)"
    r'|"(?:[^"\\\n]++|\\[^\n]?)*+"?'
    r"|'[^'\n]*+'?"
    r"""|[^][{}=,."'#\s]++)"""
    r"|(?P<sign>\[\[|\]\]|[][{}=,.\n])"
    r"|\#[^\n]*+|[^\S\n]++",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_SHORT = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r"}


class TooManyParts(ValueError):
    """A key has more parts than any setting has; `line` is where."""

    def __init__(self, line: int) -> None:
        super().__init__(f"a name has more than {PARTS_AT_MOST} parts")
        self.line = line


def field_lines(text: str) -> dict[Field, int]:
    """The lines, from 1, on which fields (tables, keys, elements of arrays) begin. Raises `TooManyParts`."""
    return _Reader(text).read()


def tokens(text: str) -> Iterator[re.Match[str]]:
    """The text in pieces, without what nothing begins with; `word` is a name, a value or a part of one."""
    return _TOKEN.finditer(text)


class _Reader:
    """Reads a text from its beginning to its end.

    `_open` holds what is open of a value, from the outside: the path of an array and the index of the element that is
    read, or the path of an inline table and -1. What is nested deeper than PARTS_AT_MOST is counted, not remembered.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._line = 1
        self._lines: dict[Field, int] = {}
        self._last: dict[Field, int] = {}  # of each array of tables, the index of its last table
        self._table: Field = ()
        self._parts: list[str] = []  # of the name that is read
        self._dotted = False  # whether another part follows
        self._heading = ""
        self._value: Field | None = None  # what is being given a value; None before the `=`
        self._open: list[tuple[Field, int]] = []

    def read(self) -> dict[Field, int]:
        for token in tokens(self._text):
            piece = token[0]
            if token.lastgroup == "word":
                self._take_word(piece)
                self._line += piece.count("\n")
            elif piece == "\n":
                if not self._open:
                    self._parts.clear()
                    self._heading, self._value = "", None
                self._line += 1
            elif token.lastgroup == "sign":
                self._take_sign(piece)
        return self._lines

    def _take_word(self, word: str) -> None:
        if self._value is not None:
            self._element()
            return
        if self._parts and not self._dotted:
            return  # two words are no name
        if len(self._parts) == PARTS_AT_MOST:
            raise TooManyParts(self._line)
        self._parts.append(_name(word))
        self._dotted = False

    def _take_sign(self, sign: str) -> None:
        if self._value is not None:
            self._take_in_value(sign)
        elif sign == ".":
            self._dotted = True
        elif sign == "=" and self._parts and not self._heading:
            around = self._open[-1][0] if self._open else self._table
            self._value = (*around, *self._parts) if len(around) <= PARTS_AT_MOST else around
            self._remember(self._value)
        elif sign in ("[", "[[") and not (self._parts or self._heading or self._open):
            self._heading = sign
        elif sign in ("]", "]]") and self._heading and self._parts:
            self._begin_table()
        elif sign == "}" and self._open:
            self._close()

    def _take_in_value(self, sign: str) -> None:
        for one in sign:  # [[ and ]] are two here
            if one in "[{":
                self._element()
                self._open.append((self._here(), 0 if one == "[" else -1))
                self._value = self._here() if one == "[" else None
                self._parts.clear()
            elif one in "]}" and self._open:
                self._close()
            elif one == "," and self._open:
                path, index = self._open[-1]
                self._open[-1] = path, index + 1 if index >= 0 else -1
                self._value = path if index >= 0 else None
                self._parts.clear()

    def _close(self) -> None:
        self._value, _ = self._open.pop()

    def _element(self) -> None:
        if self._open and self._open[-1][1] >= 0:
            self._remember(self._here())

    def _here(self) -> Field:
        if self._open and self._open[-1][1] >= 0:
            path, index = self._open[-1]
            return (*path, index) if len(path) <= PARTS_AT_MOST else path
        return self._value or ()

    def _begin_table(self) -> None:
        path: Field = ()
        for part in self._parts[: -1 if self._heading == "[[" else None]:
            path = (*path, part)
            path = (*path, self._last[path]) if path in self._last else path
        if self._heading == "[[":
            path = (*path, self._parts[-1])
            self._last[path] = self._last.get(path, -1) + 1
            path = (*path, self._last[path])
        self._table = path
        self._remember(path)
        self._parts.clear()
        self._heading = ""

    def _remember(self, path: Field) -> None:
        if len(self._lines) < FIELDS_AT_MOST:
            for length in range(len(path), 0, -1):
                if self._lines.setdefault(path[:length], self._line) != self._line:
                    break


def _name(word: str) -> str:
    quote = word[0]
    if quote not in "'\"":
        return word
    inner = word[1:].removesuffix(quote)
    return _ESCAPE.sub(_unescaped, inner) if quote == '"' and "\\" in inner else inner


def _unescaped(escape: re.Match[str]) -> str:
    if escape[3]:
        return _SHORT.get(escape[3], escape[3])
    code = int(escape[1] or escape[2], 16)
    return chr(code) if code < 0x110000 else ""
