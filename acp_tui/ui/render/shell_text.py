"""Commands of a shell: the program of each part in one ink, operators muted, if wanted each part in a row of its own.

Only drawing: the rows have the text as it was written, and `copied` gives it back.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from rich.style import Style

from acp_tui.ui.render.blocks import CodeLine, Highlighter, lexer_for, styled
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.wrap import Line, Row, slice_runs, wrap

_PARTS = ("&&", "||", ";", "&", "|")
_OPENING, _CLOSING = ("(", "{", "$(", "<(", ">("), (")", "}")
_BEFORE_PROGRAM = ("if", "then", "else", "elif", "do", "while", "until", "time", "!")
_OWN_INK = ("string", "variable", "constant", "comment")


class ShellLine(NamedTuple):
    """A line of a command: its tokens, and the offsets behind its operators, each with whether that is a pipe."""

    tokens: CodeLine
    ends: list[tuple[int, bool]]

    def spans(self, room: int) -> list[tuple[int, int]]:
        """Where its parts start and end, without the blanks between them; one of more cells is parted at its pipes."""
        text, start = "".join(text for text, _ in self.tokens), 0
        found: list[tuple[int, int]] = []
        for end in (*(at for at, pipes in self.ends if not pipes), len(text)):
            pipes = [at for at, pipes in self.ends if pipes and start < at < end and end - start > room]
            for stop in (*pipes, end):
                if start < stop:
                    found.append((start, stop))
                start = stop + len(text[stop:]) - len(text[stop:].lstrip(" "))
        return found or [(0, 0)]


class _Reader:
    """Reads the tokens of Pygments line by line; it `expects` a program at the beginning and behind operators."""

    def __init__(self) -> None:
        self._expects, self._depth, self._before = True, 0, ""

    def read(self, tokens: CodeLine) -> ShellLine:
        line, at = ShellLine([], []), 0
        if self._before != "\\":  # else the line goes on
            self._expects = True
        self._before, comment = " ", False
        for number, (text, key) in enumerate(tokens):
            at += len(text)
            following = tokens[number + 1][0] if number + 1 < len(tokens) else ""
            comment = comment or (text[:1] == "#" and not key and self._before.isspace())
            ink = "comment" if comment else self._ink(text, key, following)
            if ink == "operator" and text in _PARTS and not self._depth:
                if line.ends and line.ends[-1][0] == at - len(text):  # `;;`
                    line.ends.pop()
                line.ends.append((at, text == "|"))
            line.tokens.append((text, ink))
            self._before = text
        return line

    def _ink(self, text: str, key: str, following: str) -> str:
        begins = self._before.isspace() or self._before in (*_PARTS, *_OPENING, "`")
        if not text.strip():
            return ""
        if text in _PARTS and self._before[-1:] not in ("<", ">") and following[:1] != ">":
            self._expects = True
            return "operator"
        if text in _OPENING and (self._expects or text != "{"):
            self._expects, self._depth = True, self._depth + 1
            return "operator"
        if text in _CLOSING and self._depth and key != "constant":
            self._expects, self._depth = False, self._depth - 1
            return "operator"
        if text[:1] in ("<", ">"):
            return "operator" if key != "string" else key
        if text == "`":
            self._expects = True
            return key
        return self._word(text, key, following, begins=begins)

    def _word(self, text: str, key: str, following: str, *, begins: bool) -> str:
        own = key if key in _OWN_INK else ""
        if not self._expects or not begins or (text == "\\" and key == "constant"):
            return own
        if key == "keyword":
            self._expects = text in _BEFORE_PROGRAM
            return key
        if following == "=" and key == "variable":
            return own
        self._expects = False
        return own if own or " " in text else "function"


@lru_cache(maxsize=16)  # a panel is drawn with each key, and reading 30,000 characters takes 100 ms
def shell_lines(texts: tuple[str, ...]) -> list[ShellLine]:
    """A command, line by line; the texts must be sanitised."""
    highlighter, reader = Highlighter(list(texts), lexer_for("bash")), _Reader()
    return [reader.read(highlighter.line(number)) for number in range(len(texts))]


def command_rows(texts: Sequence[str], width: int, palette: Palette, indent: int, *, in_parts: bool) -> list[Row]:
    """The rows of a command with its `$`; `in_parts`: each part of a list begins in a new row."""
    rows: list[Row] = []
    for number, line in enumerate(shell_lines(tuple(texts))):
        sign = " " * indent + ("  " if number else "$ ")
        margin, runs = " " * len(sign), styled(line.tokens, palette, Style.null())
        spans = line.spans(width - len(sign)) if in_parts else [(0, sum(len(text) for text, _ in runs))]
        hang = [(margin + "  " * (len(spans) > 1), palette.text)]
        for start, end in spans:
            gutter = [(margin if start else sign, palette.accent)]
            for row in wrap(Line(slice_runs(runs, start, end), gutter, hang), width, number):
                own = tuple((first + start, last + start, source) for first, last, source in row.stand_ins)
                goes_on = row.wrapped or end != spans[-1][1]
                rows.append(replace(row, offset=row.offset + start, wrapped=goes_on, stand_ins=own))
    return rows
