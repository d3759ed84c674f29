"""Blocks that are typeset by themselves: source text in colours, line by line, and tables without boxes.

Pygments is loaded with the first line of code. What it cannot colour, and what is too much to colour, is plain.
A table has aligned columns, a bold header, a thin rule under it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from itertools import zip_longest
from pathlib import PurePath
from time import thread_time
from typing import TYPE_CHECKING

from rich.style import Style

from acp_tui.startup import late
from acp_tui.ui.render.palette import SYNTAX, Palette
from acp_tui.ui.render.wrap import Line, Run, break_text, cells_of, slice_runs

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

Token = tuple[str, str]  # text, and a key of `Palette.syntax` or "" for plain
CodeLine = list[Token]

LEX_LIMIT = 100_000  # characters that are lexed ahead for one visible line
LINE_LIMIT = 4_000  # a longer line is data, not code
PATIENCE, PER_CHARACTER = 0.1, 20e-6  # seconds that lexing may take; some lexers look for the same end from each word

_AS_IT_IS = {"stripnl": False, "ensurenl": False}  # tokens whose texts together are the text
_WILD = frozenset("*?[]")
_KEYS = {name: key for key, (_, _, names) in SYNTAX.items() for name in names.split()}


@lru_cache(maxsize=256)
def key_of(token: "_TokenType") -> str:
    """The key of `Palette.syntax` for a token type of Pygments; "" is plain text."""
    path = str(token).removeprefix("Token.")
    while path and path not in _KEYS:
        path = path.rpartition(".")[0]
    return _KEYS.get(path, "")


@lru_cache(maxsize=64)
def lexer_for(language: str) -> "Lexer | None":
    """The lexer for a fence's language (its first word); None where it is unknown or plain text."""
    name = language.split(maxsplit=1)[0].strip("{}.,:").lower() if language.strip() else ""
    if not name or name in ("text", "plain", "plaintext", "txt", "output", "console-output"):
        return None
    lexers = late("pygments.lexers")
    try:
        lexer: Lexer = lexers.get_lexer_by_name(name, **_AS_IT_IS)
    except lexers.ClassNotFound:
        return None
    return lexer


def lexer_for_path(path: str) -> "Lexer | None":
    """The lexer for a file's name, the one that Pygments rates highest; None where it is unknown."""
    name = PurePath(path).name
    found = frozenset(
        (lexer, "*" in pattern)
        for known in (_ending(name), "")
        for lexer, pattern in _patterns().get(known, ())
        if fnmatchcase(name, pattern)
    )
    return _rated(found) if found else None


@lru_cache(maxsize=64)
def _rated(found: frozenset[tuple[str, bool]]) -> "Lexer | None":
    """The best of some lexers, each told with whether its pattern has a `*`; by the rule of Pygments."""
    lexers = late("pygments.lexers")
    classes = [(lexers.find_lexer_class(name), starred) for name, starred in found]
    best, _ = max(classes, key=lambda each: (each[0].priority + (0 if each[1] else 0.5), each[0].__name__))
    lexer: Lexer = best(**_AS_IT_IS)
    return lexer


@cache
def _patterns() -> dict[str, list[tuple[str, str]]]:
    """Names of lexers and patterns of file names, by how a name must end, and by "" where it may end in many ways.

    Pygments tries all its 850 patterns for each name, and compiles them for the first (40 ms); a few are enough.
    """
    patterns: dict[str, list[tuple[str, str]]] = {}
    for lexer, _, filenames, _ in late("pygments.lexers").get_all_lexers():
        for pattern in filenames:
            ending = _ending(pattern)
            patterns.setdefault("" if _WILD.intersection(ending) else ending, []).append((lexer, pattern))
    return patterns


def _ending(name: str) -> str:
    return name.rpartition(".")[2]


class Highlighter:
    """The coloured lines of one text, lexed no further than somebody looked.

    `lines` must be sanitised and never change. A line far ahead of what was lexed starts anew just before it, and
    so may mistake the inside of a long string or comment for code.
    """

    def __init__(self, lines: list[str], lexer: "Lexer | None") -> None:
        self._lines = lines
        self._lexer = lexer
        self._done: dict[int, CodeLine] = {}
        self._stream: Iterator[CodeLine] = iter(())
        self._next = -1

    def line(self, index: int, *, plain: bool = False) -> CodeLine:
        """The line with that index, as tokens whose texts together are the line; `plain` in one, not lexed."""
        if plain or self._lexer is None or len(self._lines[index]) > LINE_LIMIT:
            return [(self._lines[index], "")]
        if index not in self._done:
            self._advance(index, self._lexer)
        return self._done.get(index) or [(self._lines[index], "")]

    def _advance(self, index: int, lexer: "Lexer") -> None:
        if self._next < 0 or index < self._next or self._is_far(index, self._next):
            start = index if self._is_far(index, 0) else 0
            self._stream, self._next = self._lex(start, lexer), start
        for line in self._stream:
            self._done[self._next] = line
            self._next += 1
            if self._next > index:
                return

    def _is_far(self, index: int, start: int) -> bool:
        return sum(map(len, self._lines[start:index])) > LEX_LIMIT

    def _lex(self, start: int, lexer: "Lexer") -> Iterator[CodeLine]:
        text = "\n".join(line if len(line) <= LINE_LIMIT else "" for line in self._lines[start:])
        line: CodeLine = []
        for key, value in _tokens(text, lexer):
            first, *rest = value.split("\n")
            if first:
                line.append((first, key))
            for part in rest:
                yield line
                line = [(part, key)] if part else []
        yield line


def _tokens(text: str, lexer: "Lexer") -> Iterator[tuple[str, str]]:
    """Keys and texts; a text whose lexer takes too long is plain from there on."""
    tokens = lexer.get_tokens_unprocessed(text)
    spent = 0.0
    while True:
        began = thread_time()
        at, token, value = next(tokens, (len(text), None, ""))
        spent += thread_time() - began
        if token is None:
            return
        if spent > PATIENCE + at * PER_CHARACTER:
            yield "", text[at:]
            return
        yield key_of(token), value


def highlight(text: str, lexer: "Lexer | None") -> list[CodeLine]:
    lines = text.split("\n")
    highlighter = Highlighter(lines, lexer)
    return [highlighter.line(index) for index in range(len(lines))]


def styled(line: CodeLine, palette: Palette, wash: Style) -> list[tuple[str, Style]]:
    plain = palette.text + wash
    syntax = palette.syntax
    return [(text, syntax[key] + wash if key else plain) for text, key in line]


GAP = 2
NARROWEST = 4  # cells; a table that would need narrower columns is told row by row

Cell = Sequence[Sequence[Run]]  # its lines


@dataclass(slots=True)
class Table:
    """Rows of cells, the header first; `alignments` are left, center or right, one for each column."""

    rows: list[list[Cell]]
    alignments: list[str]


def typeset(table: Table, width: int, palette: Palette) -> list[Line]:
    """The table in at most `width` cells; each screen row is a logical line."""
    columns = len(table.alignments)
    natural = [
        max((cells_of(line) for row in table.rows if column < len(row) for line in row[column]), default=0)
        for column in range(columns)
    ]
    room = width - GAP * (columns - 1)
    if room < sum(min(cells, NARROWEST) for cells in natural):
        return _as_records(table, palette)
    widths = fit_columns(natural, room)
    lines: list[Line] = []
    for number, row in enumerate(table.rows):
        lines.extend(_row_lines(row, widths, table.alignments))
        if number == 0:
            rule = (" " * GAP).join("─" * cells for cells in widths)
            lines.append(Line((), ((rule, palette.border),), wide=True))
    return lines


def fit_columns(natural: Sequence[int], room: int) -> list[int]:
    """Column widths that together fit into `room`: only the widest columns give way, and evenly."""
    widths = [min(cells, room) for cells in natural]
    for _ in range(sum(widths) - room):
        widest = max(widths)
        widths[len(widths) - 1 - widths[::-1].index(widest)] -= 1
    return widths


def _row_lines(row: Sequence[Cell], widths: Sequence[int], alignments: Sequence[str]) -> list[Line]:
    cells = [row[column] if column < len(row) else () for column in range(len(widths))]
    stacks = [_break_cell(cell, width) for cell, width in zip(cells, widths, strict=True)]
    lines: list[Line] = []
    for level in zip_longest(*stacks, fillvalue=()):
        runs: list[Run] = []
        for cell, width, alignment in zip(level, widths, alignments, strict=True):
            runs += _aligned(cell, width, alignment)
        lines.append(Line(runs[:-1], wide=True))  # nothing stands behind the last column
    return lines


def _break_cell(cell: Cell, width: int) -> list[Sequence[Run]]:
    room = max(2, width)
    return [
        slice_runs(line, start, end)
        for line in cell
        for start, end in break_text("".join(text for text, _ in line), room, room)
    ]


def _aligned(cell: Sequence[Run], width: int, alignment: str) -> list[Run]:
    spare = max(0, width - cells_of(cell))
    left = spare if alignment == "right" else spare // 2 if alignment == "center" else 0
    before = [(" " * left, Style.null())] if left else []
    return [*before, *cell, (" " * (spare - left + GAP), Style.null())]


def _as_records(table: Table, palette: Palette) -> list[Line]:
    """Too narrow for columns: each row as lines of `header: cell`, with a blank line between rows."""
    header, *rows = table.rows
    if not rows:
        return [Line(line) for cell in header for line in cell]
    lines: list[Line] = []
    for row in rows:
        if lines:
            lines.append(Line(()))
        for name, cell in zip_longest(header, row, fillvalue=()):
            first, *others = cell or [()]
            title = [run for line in name for run in line]
            lines += [Line([*title, (": ", palette.muted), *first]), *map(Line, others)]
    return lines
