"""Frames of a screen as SVG: words at their columns, each row drawn once, one animation without a script.

Blanks are places, not letters: every renderer shows the columns where they are, whatever its font.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from rich.cells import get_character_cell_size
from rich.color import ColorType
from rich.style import Style

ROUNDS = 3  # of the animation, which then rests on its first frame
WIDE, HIGH, SIZE, BASE = 8.4, 18, 14, 13.5  # of a cell, of the letters, and their line in the cell, in pixels
EDGE, BAR = 12, 30  # around the screen, and above it
TITLE = "acp-tui"
LIGHTS = ("#ff5f57", "#febc2e", "#28c840")
BLOCKS = {"█": (0, 0, 1, 1), "▌": (0, 0, 0.5, 1), "▐": (0.5, 0, 0.5, 1), "▀": (0, 0, 1, 0.5), "▄": (0, 0.5, 1, 0.5)}
"""Characters that are drawn as a part of their cell (left, top, width, height): no font makes them meet."""

Cell = tuple[str, Style]  # the second half of a wide character is empty
Row = tuple[Cell, ...]


class Window(NamedTuple):
    """The colours around the screen, of a theme."""

    ground: str
    text: str
    line: str
    title: str


WINDOWS = {
    "acp-dark": Window("#0e1014", "#dadde4", "#30343c", "#8b909a"),
    "acp-light": Window("#fbfaf7", "#23262d", "#d6d2c8", "#6b6f76"),
}


@dataclass(frozen=True)
class Frame:
    at: float  # seconds
    rows: tuple[Row, ...]


def still(rows: Sequence[Row], about: str, theme: str = "acp-dark") -> str:
    """A picture that does not move."""
    return Film([Frame(0, tuple(rows)), Frame(0, tuple(rows))], about, theme).draw()


class Film:
    """Frames as SVG; colours are classes, each row is drawn once. The last frame only says when the others end."""

    def __init__(self, frames: Sequence[Frame], about: str, theme: str = "acp-dark") -> None:
        *self._frames, end = frames
        self._began, self._seconds = frames[0].at, end.at - frames[0].at
        self._about, self._window = about, WINDOWS[theme]
        self._inks: dict[str, str] = {}
        self._rows: dict[Row, str] = {}
        self._columns, self._count = len(end.rows[0]), len(end.rows)
        self._high = self._count * HIGH

    def draw(self, only: int | None = None) -> str:
        """The whole film; `only` one frame of it, for those who look at it without a browser."""
        body = "".join(self._frame(number, frame) for number, frame in enumerate(self._frames))
        rows = "".join(f'<g id="{name}">{self._row(row)}</g>' for row, name in self._rows.items())
        width, height = round(self._columns * WIDE + 2 * EDGE), self._high + BAR + EDGE
        moved = f' transform="translate(0 {-only * self._high})"' if only else ""
        ground, _, line, _ = self._window
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
            f"<title>{TITLE}: {escape(self._about)}</title><style>{self._styles(moves=only is None)}</style>"
            f'<rect width="{width}" height="{height}" rx="8" fill="{ground}" stroke="{line}"/>{self._bar(width)}'
            f"<defs>{rows}</defs>"
            f'<svg x="{EDGE}" y="{BAR}" width="{self._columns * WIDE:g}" height="{self._high}">'
            f'<g class="film"{moved}>{body}</g></svg></svg>\n'
        )

    def _frame(self, number: int, frame: Frame) -> str:
        top = number * self._high
        return "".join(
            f'<use href="#{self._rows.setdefault(row, f"r{len(self._rows)}")}" y="{top + at * HIGH}"/>'
            for at, row in enumerate(frame.rows)
            if any(sign != " " or style.bgcolor for sign, style in row)
        )

    def _row(self, row: Row) -> str:
        spans: list[tuple[int, str, Style]] = []
        column = 0
        for style, cells in groupby(row, key=lambda cell: cell[1]):
            signs = [sign for sign, _ in cells]
            spans.append((column, "".join(signs), style))
            column += len(signs)
        ends = [*(start for start, _, _ in spans[1:]), column]
        drawn = list(zip(spans, ends, strict=True))
        grounds = (self._ground(start, end, style) for (start, _, style), end in drawn)
        return "".join([*grounds, *(self._text(start, text, style) for (start, text, style), _ in drawn)])

    def _ground(self, start: int, end: int, style: Style) -> str:
        colour = _hex(style.color if style.reverse else style.bgcolor)
        if not colour or colour == self._window.ground:
            return ""
        return self._rect(start * WIDE, 0, (end - start) * WIDE, HIGH, colour)

    def _rect(self, left: float, top: float, width: float, height: float, colour: str) -> str:
        place = f'x="{left:g}" y="{top:g}" ' if top else f'x="{left:g}" ' if left else ""
        return f'<rect {place}width="{width:.4g}" height="{height:g}" class="{self._ink(colour)}"/>'

    def _text(self, start: int, text: str, style: Style) -> str:
        """Words at their columns: whatever the font, no word is further off than its own length."""
        colour = _hex(style.bgcolor if style.reverse else style.color) or self._window.text
        marks = f"{' b' if style.bold else ''}{' i' if style.italic else ''}{' u' if style.underline else ''}"
        drawn, column = "", start
        for word in re.findall(r" +|[█▌▐▀▄]|[^ █▌▐▀▄]+", text):
            cells = sum(max(1, get_character_cell_size(sign)) for sign in word)
            if word in BLOCKS:
                left, top, width, height = BLOCKS[word]
                drawn += self._rect((column + left) * WIDE, top * HIGH, width * WIDE, height * HIGH, colour)
            elif word.strip():
                length = f' textLength="{cells * WIDE:.4g}"' if cells > 1 else ""
                place = f'x="{column * WIDE:.5g}" y="{BASE}"{length}'
                drawn += f'<text {place} class="{self._ink(colour)}{marks}">{escape(word)}</text>'
            column += cells
        return drawn

    def _ink(self, colour: str) -> str:
        return self._inks.setdefault(colour, f"c{len(self._inks)}")

    def _styles(self, *, moves: bool) -> str:
        inks = "".join(f".{name}{{fill:{colour}}}" for colour, name in self._inks.items())
        letters = (
            f"text{{font:{SIZE}px 'Fira Code','JetBrains Mono','SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;"
            "white-space:pre}"
            "g rect{shape-rendering:crispEdges}.b{font-weight:700}.i{font-style:italic}.u{text-decoration:underline}"
        )
        if not moves or len(self._frames) == 1:
            return inks + letters
        steps = "".join(
            f"{(frame.at - self._began) / self._seconds:.3%}{{transform:translateY({-number * self._high}px)}}"
            for number, frame in enumerate(self._frames)
        )
        last = -(len(self._frames) - 1) * self._high
        return (
            f"{inks}{letters}@keyframes film{{{steps}to{{transform:translateY({last}px)}}}}"
            f".film{{animation:film {self._seconds:.2f}s step-end {ROUNDS}}}"
            "@media(prefers-reduced-motion:reduce){.film{animation:none}}"
        )

    def _bar(self, width: int) -> str:
        lights = "".join(f'<circle cx="{18 + 18 * at}" cy="15" r="5.5" fill="{one}"/>' for at, one in enumerate(LIGHTS))
        return f'{lights}<text x="{width / 2:g}" y="20" text-anchor="middle" fill="{self._window.title}">{TITLE}</text>'


def _hex(colour: Any) -> str:
    if colour is None or colour.type is ColorType.DEFAULT:
        return ""
    return str(colour.get_truecolor().hex)
