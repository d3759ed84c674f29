"""Units of a message's text: Markdown, and plain lines as the user wrote them."""

from collections.abc import Sequence

from rich.style import Style

from acp_tui.protocol.updates import Role
from acp_tui.ui.render.markdown import lines_of
from acp_tui.ui.render.markdown_split import Piece
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.wrap import (
    LEFT,
    MEASURE,
    Line,
    Run,
    blank_row,
    block_edge,
    edge,
    expand_tabs,
    half_row,
    margin,
    rows_of,
)
from acp_tui.ui.transcript.unit import Row
from acp_tui.ui.transcript.units import FixedUnit

_ITALIC = Style(italic=True)
USER_BAR = "▌"


class ProseUnit(FixedUnit):
    """One piece of Markdown; `spaced` puts a blank row before it."""

    __slots__ = ("_piece", "_role", "_spaced")

    def __init__(self, piece: Piece, role: Role, *, spaced: bool) -> None:
        self._piece, self._role, self._spaced = piece, role, spaced

    def estimate(self, width: int) -> int:
        return text_height(self._piece, min(MEASURE, width - LEFT) - self._piece.indent) + self._spaced

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        base = palette.muted + _ITALIC if self._role == "thought" else palette.text
        rows = piece_rows(self._piece, width, palette, base, margin())
        return [blank_row(), *rows] if self._spaced else rows


class PlainUnit(FixedUnit):
    """Lines exactly as the user wrote them, on the user's wash behind the user's bar; above the first half a row."""

    __slots__ = ("_first", "_piece")

    def __init__(self, piece: Piece, *, first: bool) -> None:
        self._piece, self._first = piece, first

    def estimate(self, width: int) -> int:
        return text_height(self._piece, min(MEASURE, width - LEFT)) + self._first

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        rows = user_rows([[(expand_tabs(line), palette.text)] for line in self._piece.lines], width, palette)
        return [user_edge(width, palette, top=True), *rows] if self._first else rows


class UserEdge(FixedUnit):
    """The wash ends half a row below the user's text; the other half parts the message from what follows."""

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        return [user_edge(width, palette, top=False)]


def text_height(piece: Piece, cells: int) -> int:
    """About how many rows: one for every line, and one for every full row of characters."""
    return len(piece.lines) + sum(map(len, piece.lines)) // max(10, cells)


def piece_rows(
    piece: Piece, width: int, palette: Palette, base: Style, before: Sequence[Run], *, spaced: bool = False
) -> list[Row]:
    """A piece of Markdown behind `before`, parsed and set anew at each call; `spaced` puts an empty line above it."""
    room = max(1, edge(width) - sum(len(text) for text, _ in before) - piece.indent)
    lines = [Line(())] if spaced else []
    lines += lines_of(piece, palette, base, room)
    lead = [*before, (" " * piece.indent, base)]
    measure = max(1, MEASURE - piece.indent)
    return rows_of(lines, edge(width), margin=lead, measure=measure, first=0 if spaced else 1)


def user_bar(palette: Palette) -> list[Run]:
    """What stands before every row of the user's."""
    return [(" ", Style.null()), (USER_BAR, palette.user), (" ", palette.user_background)]


def user_rows(lines: Sequence[Sequence[Run]], width: int, palette: Palette) -> list[Row]:
    """Lines of runs on the user's wash."""
    wash, bar = palette.user_background, user_bar(palette)
    washed = [Line([(text, style + wash) for text, style in runs], bar, bar, wash, wide=True) for runs in lines]
    return rows_of(washed, block_edge(width))


def user_edge(width: int, palette: Palette, *, top: bool) -> Row:
    """The half row above or below the user's wash."""
    return half_row(palette.user_background, 1, max(0, block_edge(width) - 2), top=top, bar=palette.user)
