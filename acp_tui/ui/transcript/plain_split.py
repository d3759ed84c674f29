"""Cuts plain text that arrives in chunks into pieces of a few lines; the person's words are no Markdown."""

from acp_tui.ui.render.lines import LineReader
from acp_tui.ui.render.markdown_split import Piece

PIECE_LINES = 50


class PlainSplitter:
    """The same door as the Markdown splitter's."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self._reader = LineReader()

    def feed(self, text: str) -> None:
        for line, _ in self._reader.feed(text):
            self._take(line)

    def finish(self) -> None:
        for line, _ in self._reader.finish():
            self._take(line)

    def provisional(self) -> tuple[int, Piece] | None:
        rest = self._reader.rest
        return (len(self.pieces), Piece(lines=rest.split("\n"))) if rest else None

    def _take(self, line: str) -> None:
        if not self.pieces or len(self.pieces[-1].lines) >= PIECE_LINES:
            self.pieces.append(Piece())
        self.pieces[-1].append(line)
