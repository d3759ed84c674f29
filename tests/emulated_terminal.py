"""A terminal's cells, of the sequences that a frame is made of: places, looks, links, and rows that are moved.

A sequence that it does not know fails, so that nothing that the program writes goes unjudged. Rows that come in, and
cells after `scramble`, hold what no program writes: a frame that leaves them as they are is seen.
"""

import re
from functools import lru_cache
from itertools import count
from typing import Any

from rich.cells import get_character_cell_size
from rich.color import ColorSystem
from rich.console import Console
from rich.style import Style
from textual.strip import Strip

Colour = tuple[int, ...] | None
Look = tuple[Colour, Colour, tuple[int, ...], str]
"""Codes of foreground, background and attributes, and the link."""
Cell = tuple[str, Look]
"""A character with its combining ones; empty for the second half of a wide one."""

SEQUENCE = re.compile(
    r"\x1b\[(?P<codes>[\d;]*)(?P<what>[HmrMLJ])"
    r"|\x1b\]8;(?P<link>[^\x1b]*)\x1b\\"
    r"|(?P<other>\x1b\[\?\d+[hl]|\x1b\[2[23];2t|\x1b\](?:2|22|52|9;4|777|99|7501);?[^\x07\x1b]*(?:\x07|\x1b\\))"
    r"|(?P<line>\n)|(?P<bell>\x07)"
)
GARBAGE = count()
PLAIN = Style()


class Cells:
    """What a terminal of this size shows, and where its cursor is.

    With `ids`, links to the same address are told apart by their ids: Textual makes new ones with each rendering.
    """

    def __init__(self, width: int, height: int, *, ids: bool = False) -> None:
        self._ids = ids
        self.rows: list[list[Cell]] = []
        self.resize(width, height)
        self.x = self.y = 0
        self._top, self._bottom = 0, height - 1
        self._colours: dict[str, tuple[int, ...]] = {}
        self._attributes: set[int] = set()
        self._link = ""
        self._look: Look = self._looks()

    def resize(self, width: int, height: int) -> None:
        """Nothing that was there is kept."""
        self.width, self.height = width, height
        self._top, self._bottom = 0, height - 1
        self.scramble()

    def scramble(self, number: int | None = None) -> None:
        """Whatever stands there was written by others; of the same `number` it is the same."""
        look = _foreign(next(GARBAGE) if number is None else number)
        self.rows = [[(f"{y}:{x}", look) for x in range(self.width)] for y in range(self.height)]

    def feed(self, text: str) -> None:
        """Obey what a program wrote. AssertionError: a sequence that is none of those known."""
        at = 0
        for found in SEQUENCE.finditer(text):
            self._put(text[at : found.start()])
            at = found.end()
            if found["what"]:
                self._obey(found["what"], [int(code or 0) for code in found["codes"].split(";") if found["codes"]])
            elif found["link"] is not None:
                self._link = found["link"].strip(";") if self._ids else found["link"].partition(";")[2]
                self._look = self._looks()
            elif found["line"]:
                self.y = min(self.y + 1, self.height - 1)
        self._put(text[at:])

    def clear(self) -> None:
        """Blank, in the look that is set."""
        self.rows = [[(" ", self._look)] * self.width for _ in range(self.height)]

    def text(self) -> list[str]:
        """The rows without their looks."""
        return ["".join(character for character, _ in row) for row in self.rows]

    def _looks(self) -> Look:
        return self._colours.get("39"), self._colours.get("49"), tuple(sorted(self._attributes)), self._link

    def _obey(self, what: str, codes: list[int]) -> None:
        if what == "H":
            self.y, self.x = (code - 1 for code in codes or (1, 1))
        elif what == "m":
            self._style(codes or [0])
        elif what == "J":
            assert codes == [2]
            self.clear()
        elif what == "r":
            self._top, self._bottom = (codes[0] - 1, codes[1] - 1) if codes else (0, self.height - 1)
            assert self._top < self._bottom, "a region of one row is none, and is not set"
            self.x = self.y = 0
        elif self._top <= self.y <= self._bottom:
            self._move(codes[0], up=what == "M")

    def _move(self, by: int, *, up: bool) -> None:
        """DL (`up`) or IL: the rows from the cursor's to the region's last."""
        foreign = _foreign(next(GARBAGE))
        bottom = min(self._bottom + 1, self.height)
        old = self.rows[self.y : bottom]
        by = min(by, len(old))
        new: list[list[Cell]] = [[("new", foreign)] * self.width for _ in range(by)]
        self.rows[self.y : bottom] = [*old[by:], *new] if up else [*new, *old[: len(old) - by]]

    def _style(self, codes: list[int]) -> None:
        codes = list(codes)
        while codes:
            code = codes.pop(0)
            ground = "49" if code // 10 in (4, 10) else "39"
            if code == 0:
                self._colours, self._attributes = {}, set()
            elif code in (38, 48):
                size = 4 if codes[0] == 2 else 2
                self._colours[ground] = (code, *codes[:size])
                del codes[:size]
            elif code in (39, 49):
                self._colours.pop(ground, None)
            elif code // 10 in (3, 4, 9, 10):
                self._colours[ground] = (code,)
            else:
                assert code < 10 or code in (21, 51, 52, 53), f"{code} takes away, or is unknown"
                self._attributes.add(code)
        self._look = self._looks()

    def _put(self, text: str) -> None:
        if not text or self.y >= self.height:
            return
        assert min(text) >= " ", f"{text!r} is no text"
        row = self.rows[self.y]
        if text.isascii():
            self._set(row, [(character, self._look) for character in text])
            return
        for character in text:
            size = width_of(character)
            if size:
                self._set(row, [(character, self._look), ("", self._look)][:size])
            elif 0 < self.x <= self.width:
                at = self.x - 1 if row[self.x - 1][0] or self.x == 1 else self.x - 2
                row[at] = (row[at][0] + character, row[at][1])

    def _set(self, row: list[Cell], cells: list[Cell]) -> None:
        """Write cells; of a wide character that is half written over, the other half is blank."""
        cells = cells[: max(0, self.width - self.x)]
        end = self.x + len(cells)
        if cells and self.x and not row[self.x][0]:
            row[self.x - 1] = (" ", row[self.x - 1][1])
        if cells and end < self.width and not row[end][0]:
            row[end] = (" ", row[end][1])
        row[self.x : end] = cells
        self.x = end


def _foreign(number: int) -> Look:
    return (number,), None, (), "nothing that a program writes"


def written_by_textual(update: Any, console: Console) -> str:
    """What Textual writes for an update of the screen; nothing that strips remember to have been written before."""
    render = Strip.render

    def rendered(strip: Strip, console: Console) -> str:
        system = console._color_system or ColorSystem.TRUECOLOR
        for _, style, _ in strip:
            if style is not None:
                style._ansi = None
        return "".join(Style.render(style or PLAIN, text, color_system=system) for text, style, _ in strip)

    setattr(Strip, "render", rendered)  # noqa: B010 (all that is drawn goes through it)
    try:
        return str(update.render_segments(console))
    finally:
        setattr(Strip, "render", render)  # noqa: B010


@lru_cache(maxsize=4096)
def width_of(character: str) -> int:
    """Cells of one character."""
    return get_character_cell_size(character)
