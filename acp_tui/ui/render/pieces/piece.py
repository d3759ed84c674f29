"""A piece of a text, and the text of a user in pieces."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from acp_tui.ui.render.pieces.lines import LineReader

PLAIN_LINES = 50  # of a piece of plain text


@dataclass(slots=True)
class Piece:
    """A piece of Markdown, or the inside of a fence (`code`), without its outer indentation of `indent` cells.

    `joined`: it goes on right where the previous piece was cut, so nothing stands between them; `inline`: it is
    the rest of a line, and begins no block. `ordinal` is the number of its first ordered item, where an earlier
    piece began the list. `lead` are lines repeated from an earlier piece, needed to understand this one.
    """

    code: bool = False
    indent: int = 0
    info: str = ""
    joined: bool = False
    inline: bool = False
    ordinal: int | None = None
    lead: Sequence[str] = ()
    lines: Sequence[str] = field(default_factory=list)
    size: int = 0
    is_list: bool = False
    blank: bool = False
    closed: bool = False

    def append(self, line: str) -> None:
        self.extend((line,), len(line) + 1)

    def extend(self, lines: Sequence[str], size: int) -> None:
        """Add lines, which have `size` characters with their newlines."""
        held = self.lines
        if not isinstance(held, list):
            held = self.lines = list(held)
        held.extend(lines)
        self.size += size


class PlainSplitter:
    """Text in, pieces out; all but the last are final, and `provisional` has the unfinished line as well.

    This one cuts plain text into pieces of a few lines, as the user's words are.
    """

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self._reader = LineReader()

    def feed(self, text: str) -> None:
        for line, continues in self._reader.feed(text):
            self._take(line, continues)

    def finish(self) -> None:
        for line, continues in self._reader.finish():
            self._take(line, continues)

    def provisional(self) -> tuple[int, Piece] | None:
        """The piece that has the unfinished line, and its index; None where there is none to show yet."""
        rest = self._reader.rest
        return (len(self.pieces), Piece(lines=rest.split("\n"))) if rest else None

    def _take(self, line: str, _continues: bool) -> None:
        if not self.pieces or len(self.pieces[-1].lines) >= PLAIN_LINES:
            self.pieces.append(Piece())
        self.pieces[-1].append(line)
