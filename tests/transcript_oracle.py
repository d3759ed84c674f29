"""An independent full layout of a fake transcript, and where its window must be after each act.

Everything is laid out anew each time from the texts alone: no heights, estimates or anchors; only what came of the
same text at the same place and width is at hand. `top`
is the row at which the window must begin; where an act leaves that open (dragging by estimates), the
window must still be an unbroken piece of the full layout, and `adopt` takes over where it is.
"""

import random
from dataclasses import dataclass, field
from functools import lru_cache

from acp_tui.session.entries import Entry
from tests.transcript_fakes import GUTTER, text_in, wrapped

LETTERS = "abcdefgh "
WIDE = "日本語ü👍"


@dataclass(frozen=True)
class Line:
    """One row: whose it is, which line of the entry's text (-2, -1: blank and heading), and from which character."""

    place: int
    line: int
    offset: int
    text: str


@lru_cache(1_000)
def laid_out(place: int, name: str, text: str | None, width: int) -> tuple[Line, ...]:
    """The rows of an entry; of a folded one, which has no text, those above it only."""
    rows = [Line(place, -2, 0, ""), Line(place, -1, 0, f"* {name}")]
    lines = [] if text is None else [line for paragraph in text.split("\n\n") for line in paragraph.split("\n")]
    for number, line in enumerate(lines):
        for offset, piece in wrapped(line, max(2, width - len(GUTTER))):
            rows.append(Line(place, number, offset, (GUTTER + piece).rstrip()))
    return tuple(rows)


@dataclass
class Oracle:
    width: int
    height: int
    entries: list[Entry | None] = field(default_factory=list)
    folded: set[int] = field(default_factory=set)
    top: int = 0
    following: bool = True
    rows: list[Line] = field(default_factory=list)
    anchor: tuple[int, int, int] | None = None

    def lay_out(self) -> None:
        self.rows = [row for place in range(len(self.entries)) for row in self.rows_of(place)]

    def rows_of(self, place: int) -> tuple[Line, ...]:
        entry = self.entries[place]
        if entry is None:
            return ()
        text = None if place in self.folded else text_in(entry)
        return laid_out(place, entry.id, text, self.width)

    @property
    def end(self) -> int:
        return max(0, len(self.rows) - self.height)

    def window(self) -> list[str]:
        lines = [row.text for row in self.rows[self.top : self.top + self.height]]
        return lines + [""] * (self.height - len(lines))

    def place_top(self, top: int) -> None:
        """The window begins at `top`, as near as the ends allow; at the end it follows."""
        self.top = max(0, min(top, self.end))
        self.following = self.top >= self.end
        self.remember()

    def remember(self) -> None:
        row = self.rows[self.top] if self.top < len(self.rows) else None
        self.anchor = None if row is None else (row.place, row.line, row.offset)

    def changed(self) -> None:
        """Entries changed or the width did: the character at the top stays there, or the end does."""
        self.lay_out()
        if self.following or self.anchor is None:
            self.place_top(self.end)
            return
        place, line, offset = self.anchor
        found = [
            index
            for index, row in enumerate(self.rows)
            if (row.place, row.line) == (place, line) and row.offset <= offset
        ]
        if not found:
            found = [index for index, row in enumerate(self.rows) if row.place >= place][:1] or [len(self.rows) - 1]
        top = max(0, min(found[-1], self.end))
        self.following = top >= self.end
        self.top = top
        if top != found[-1]:
            self.remember()

    def toggled(self, place: int) -> None:
        """The entry's first row stays where it is, or comes to the top (bottom) if it is above (below)."""
        before = next(index for index, row in enumerate(self.rows) if row.place == place)
        below = max(0, min(before - self.top, self.height - 1))
        self.folded ^= {place}
        self.lay_out()
        self.place_top(next(index for index, row in enumerate(self.rows) if row.place == place) - below)

    def adopt(self, first: tuple[int, int, int]) -> None:
        """Take over a window that no rule foresees, by the character with which it begins."""
        found = [top for top, row in enumerate(self.rows) if (row.place, row.line, row.offset) == first]
        assert len(found) == 1, "the window's first row is no row of the full layout"
        assert found[0] <= self.end
        self.place_top(found[0])


def random_text(chance: random.Random, mark: str) -> str:
    """Some lines, each unmistakable, some long, some wide, some blank."""
    lines: list[str] = []
    for number in range(chance.choice((1, 1, 2, 3, 8, 40))):
        letters = LETTERS if chance.random() < 0.7 else WIDE
        lines.append(f"{mark}.{number} " + "".join(chance.choices(letters, k=chance.choice((0, 3, 20, 90)))))
        if chance.random() < 0.2:
            lines.append("")
    return "\n".join(lines)
