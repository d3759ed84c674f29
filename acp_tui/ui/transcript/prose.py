"""Units of a message's text: Markdown, plain lines, and the blank row after an entry; knows no entries."""

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

_ITALIC = Style(italic=True)
USER_BAR = "▌"


class ProseUnit:
    """One piece of Markdown; `spaced` puts a blank row before it."""

    __slots__ = ("_piece", "_role", "_spaced", "version")

    def __init__(self, piece: Piece, role: Role, *, spaced: bool) -> None:
        self._piece, self._role, self._spaced = piece, role, spaced
        self.version = 0

    def estimate(self, width: int) -> int:
        piece = self._piece
        cells = max(10, min(MEASURE, width - LEFT) - piece.indent)
        return len(piece.lines) + sum(map(len, piece.lines)) // cells + self._spaced

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        base = palette.muted + _ITALIC if self._role == "thought" else palette.text
        before: list[Run] = [*margin(), (" " * self._piece.indent, base)]
        room = max(1, edge(width) - LEFT - self._piece.indent)
        lines = lines_of(self._piece, palette, base, room)
        measure = max(1, MEASURE - self._piece.indent)
        rows = rows_of(lines, edge(width), margin=before, measure=measure, first=1)
        return [blank_row(), *rows] if self._spaced else rows


class PlainUnit:
    """Lines exactly as the person wrote them, on the person's wash behind the person's bar."""

    __slots__ = ("_first", "_piece", "version")

    def __init__(self, piece: Piece, *, first: bool) -> None:
        self._piece, self._first = piece, first
        self.version = 0

    def estimate(self, width: int) -> int:
        cells = max(10, min(MEASURE, width - LEFT))
        return len(self._piece.lines) + sum(map(len, self._piece.lines)) // cells + self._first

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        rows = user_rows([[(expand_tabs(line), palette.text)] for line in self._piece.lines], width, palette)
        return [user_edge(width, palette, top=True), *rows] if self._first else rows


class UserEdge:
    """The wash ends half a row below the person's text; the other half parts the message from what follows."""

    version = 0

    def estimate(self, width: int) -> int:  # noqa: ARG002 - the unit's contract
        return 1

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        return [user_edge(width, palette, top=False)]


class BlankUnit:
    """The blank row after an entry."""

    version = 0

    def estimate(self, width: int) -> int:  # noqa: ARG002 - the unit's contract
        return 1

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:  # noqa: ARG002 - the unit's contract
        return [blank_row()]


def user_bar(palette: Palette) -> list[Run]:
    """What stands before every row of the person's."""
    return [(" ", Style.null()), (USER_BAR, palette.user), (" ", palette.user_background)]


def user_rows(lines: Sequence[Sequence[Run]], width: int, palette: Palette) -> list[Row]:
    """Lines of runs on the person's wash."""
    wash, bar = palette.user_background, user_bar(palette)
    washed = [Line([(text, style + wash) for text, style in runs], bar, bar, wash, wide=True) for runs in lines]
    return rows_of(washed, block_edge(width))


def user_edge(width: int, palette: Palette, *, top: bool) -> Row:
    """The half row above or below the person's wash."""
    return half_row(palette.user_background, 1, max(0, block_edge(width) - 2), top=top, bar=palette.user)


def line_unit_rows(runs: Sequence[Run], width: int, sign: str = "", style: Style | None = None) -> list[Row]:
    """One logical line behind the margin and a sign."""
    return rows_of([Line(runs, margin(sign, style), margin())], min(edge(width), LEFT + MEASURE))
