"""The content blocks of a tool call: text that is Markdown set like a message's, any other text as it is.

What was read, found or printed is not the agent's own writing: it is Markdown only where a fence says so, because
the signs of a program would be taken for emphasis and headings. Nothing is split before somebody looks.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, partial

from acp_tui.protocol.content import ContentBlock, EmbeddedResource, TextContent, TextResource, for_agent_only
from acp_tui.ui.render.markdown_split import Piece, Splitter
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.render.wrap import MEASURE, Line, edge, wrap
from acp_tui.ui.transcript.content import BlockUnit, placeholder
from acp_tui.ui.transcript.diff import more_row, renumbered
from acp_tui.ui.transcript.paint import text_of
from acp_tui.ui.transcript.prose import piece_rows, text_height
from acp_tui.ui.transcript.terminal import BAR
from acp_tui.ui.transcript.tool_output import MOST_CHARACTERS, RAW_KINDS, Output, preview, unfenced, whole
from acp_tui.ui.transcript.unit import Row, Unit
from acp_tui.ui.transcript.units import FixedUnit

PREVIEW_CHARACTERS = 8_000  # that are split for a preview of a few rows
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_DATA = ("{", "[{", "<")


def block_units(
    block: ContentBlock, kind: str, indent: int, limit: int | None = None, *, loud: bool = False
) -> list[Unit]:
    """A content block of a tool of that kind, to a `limit` of rows; `loud` is for what a person must read."""
    if for_agent_only(block) and (limit is not None or not isinstance(block, TextContent)):
        return [ToolBlock(block, indent)]
    if isinstance(block, TextContent):
        text = block.text
        if is_markdown(text, kind):
            document = Document(text, loud=loud)
            return document.units(indent) if limit is None else [DocumentPreview(document, indent, limit)]
        output = Output(lambda: text)
    elif isinstance(block, EmbeddedResource) and isinstance(block.resource, TextResource):
        resource = block.resource
        output = Output(lambda: resource.text, resource.uri, label=sanitise_line(resource.uri))
    else:
        return [ToolBlock(block, indent)]
    return whole(output, indent) if limit is None else preview(output, indent, limit)


def is_markdown(text: str, kind: str) -> bool:
    """Whether text of a tool of that kind is set as Markdown; what is one single fence is code."""
    text = text.strip()
    if not text or unfenced(text)[0] is not text:
        return False
    if _FENCE.search(text):
        return True
    return kind not in RAW_KINDS and not text.startswith(_DATA)


class Document(FixedUnit):
    """A text and its pieces, which are cut when first looked at."""

    def __init__(self, text: str, *, loud: bool = False) -> None:
        self._text, self._loud = text.strip("\n"), loud

    @property
    def size(self) -> int:
        return len(self._text)

    @cached_property
    def lines(self) -> int:
        """How many lines there are to read: not blank, and no end of a fence."""
        return sum(1 for line in self._text.split("\n") if line.strip() and not _FENCE.match(line))

    @cached_property
    def pieces(self) -> list[Piece]:
        text = self._text
        if (cut := len(text) - MOST_CHARACTERS) > 0:
            text = f"{text[:MOST_CHARACTERS]}\n\n… {cut:,} more characters"
        return _pieces(text)

    @cached_property
    def opening(self) -> list[Piece]:
        return _pieces(self._text[:PREVIEW_CHARACTERS]) if len(self._text) > PREVIEW_CHARACTERS else self.pieces

    def units(self, indent: int) -> list[Unit]:
        return list(self._units(self.pieces, indent))

    def first_rows(self, limit: int, width: int, palette: Palette, indent: int) -> tuple[list[Row], int]:
        """The rows up to a limit, and about how many lines follow."""
        rows: list[Row] = []
        units = list(self._units(self.opening, indent))
        while units and len(rows) <= limit:
            rows += units.pop(0).rows(width, palette)
        kept = renumbered(rows[:limit])
        if len(rows) <= limit and not units and self.opening is self.pieces:
            return kept, 0
        shown = sum(not row.wrapped and bool(text_of(row)[row.gutter :].strip()) for row in kept)
        return kept, max(1, self.lines - shown)

    def _units(self, pieces: Sequence[Piece], indent: int) -> Iterator[Unit]:
        for index, piece in enumerate(pieces):
            if piece.code:
                yield from whole(Output(partial("\n".join, piece.lines), language=piece.info), indent + piece.indent)
            else:
                spaced = index > 0 and not piece.joined and not pieces[index - 1].code
                yield PieceUnit(piece, indent, spaced=spaced, loud=self._loud)


class PieceUnit(FixedUnit):
    """One piece of prose behind the bar, set like a message's, but quieter."""

    def __init__(self, piece: Piece, indent: int, *, spaced: bool, loud: bool) -> None:
        self._piece, self._indent, self._spaced, self._loud = piece, indent, spaced, loud

    def estimate(self, width: int) -> int:
        return text_height(self._piece, min(MEASURE, width - self._indent)) + self._spaced

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        base = palette.text if self._loud else palette.muted
        bar = [(" " * self._indent + BAR, palette.border)]
        return piece_rows(self._piece, width, palette, base, bar, spaced=self._spaced)


class DocumentPreview(FixedUnit):
    """The first rows of a document, and a row that says how many lines follow."""

    def __init__(self, document: Document, indent: int, limit: int) -> None:
        self._document, self._indent, self._limit = document, indent, limit

    def estimate(self, width: int) -> int:
        return min(self._limit + 1, 1 + self._document.size // max(1, width - self._indent))

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        rows, hidden = self._document.first_rows(self._limit, width, palette, self._indent)
        return [*rows, more_row(hidden, palette, self._indent)] if hidden else rows


class ToolBlock(BlockUnit):
    """A block that is no text, behind the bar."""

    def __init__(self, block: ContentBlock, indent: int) -> None:
        super().__init__(block)
        self._indent = indent

    def estimate(self, width: int) -> int:
        return 1 + self._picture.height(self._room(width))

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        bar = [(" " * self._indent + BAR, palette.border)]
        told = wrap(Line(placeholder(self.block, palette), bar, bar), edge(width), 0)
        return [*told, *self._picture.rows(bar, self._room(width), palette)]

    def _room(self, width: int) -> int:
        return edge(width) - self._indent - len(BAR)


def _pieces(text: str) -> list[Piece]:
    splitter = Splitter()
    splitter.feed(text)
    splitter.finish()
    return splitter.pieces
