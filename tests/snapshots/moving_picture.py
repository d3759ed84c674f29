"""Makes `screenshots/demo.svg`, a moving picture of the demo: `python -m tests.snapshots.moving_picture`.

The program is driven on a pseudo-terminal as a user would, with their pauses, and what it writes becomes a film: each
row is drawn once, frames stand below each other, and one CSS animation moves them past. So it is as crisp as text,
needs no script and no font from elsewhere, and repeats by itself.
"""

import codecs
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch
from xml.sax.saxutils import escape

from rich.ansi import AnsiDecoder
from rich.cells import get_character_cell_size
from rich.color import ColorType
from rich.style import Style

from acp_tui.demo.project import COMMAND, create
from tests.driven_screen import DrivenScreen
from tests.emulated_terminal import Cells, Look
from tests.recorded_screen import OWN

PICTURE = Path(__file__).parents[2] / "screenshots" / "demo.svg"
MOST = 2_000_000  # bytes
COLUMNS, ROWS = 96, 32
BEGINNING = "● ready"  # what the first frame shows
PROMPT = "Find out why the login test fails, and fix it"
ASKED, END = ("▌ Edit src/login.py", "▌ Write NOTES.md"), "stay aligned."
READING, DECIDING, AT_END = 2.2, 2.6, 5.0  # seconds: before the prompt, for each permission, of the last frame
TYPED = 30  # letters that are typed in a second
HOME = "/home/someone"  # in place of a folder whose name is as long
PICTURED = re.compile(r"\x1b\[[\d;]*[HmrML]")  # the sequences that draw; others ask the terminal and set its modes
FRAME = 0.08  # seconds that a frame stands at least
WIDE, HIGH, SIZE, BASE = 8.4, 18, 14, 13.5  # of a cell, of the letters, and their line in the cell, in pixels
EDGE, BAR = 12, 30  # around the screen, and above it
GROUND, TITLE = "#0e1014", "acp-tui"
LIGHTS = ("#ff5f57", "#febc2e", "#28c840")
BLOCKS = {"█": (0, 0, 1, 1), "▌": (0, 0, 0.5, 1), "▐": (0.5, 0, 0.5, 1), "▀": (0, 0, 1, 0.5), "▄": (0, 0.5, 1, 0.5)}
"""Characters that are drawn as a part of their cell (left, top, width, height): no font makes them meet."""

Cell = tuple[str, Style]  # the second half of a wide character is empty
Row = tuple[Cell, ...]


@dataclass(frozen=True)
class Frame:
    at: float  # seconds
    rows: tuple[Row, ...]


def picture(screen: Cells) -> tuple[Row, ...]:
    """What a terminal shows."""
    return tuple(tuple((sign, style_of(look)) for sign, look in row) for row in screen.rows)


@cache
def style_of(look: Look) -> Style:
    """A cell's look as Rich has it; links are not drawn."""
    colour, ground, attributes, _ = look
    pen = AnsiDecoder()
    list(pen.decode(f"\x1b[{';'.join(map(str, (0, *attributes, *(colour or ()), *(ground or ()))))}m"))
    return pen.style


def frames_of(written: Sequence[tuple[float, str]], columns: int = COLUMNS, rows: int = ROWS) -> list[Frame]:
    """The frames of what was written, with its seconds; what stands for less than FRAME is a part of the next one."""
    screen, frames = Cells(columns, rows), list[Frame]()
    screen.clear()
    for at, data in written:
        screen.feed(data)
        shown = picture(screen)
        if frames and at - frames[-1].at < FRAME:
            frames[-1] = Frame(frames[-1].at, shown)
        elif shown != (frames[-1].rows if frames else None) and (frames or _shows(shown, BEGINNING)):
            frames.append(Frame(at, shown))
    frames.append(Frame(written[-1][0] + AT_END, frames[-1].rows))
    return frames


def _shows(rows: Sequence[Row], words: str) -> bool:
    return any(words in "".join(sign for sign, _ in row) for row in rows)


class Film:
    """Frames as SVG; colours are classes, each row is drawn once."""

    def __init__(self, frames: Sequence[Frame]) -> None:
        *self._frames, end = frames
        self._began, self._seconds = frames[0].at, end.at - frames[0].at
        self._inks: dict[str, str] = {}
        self._rows: dict[Row, str] = {}
        self._columns, self._count = len(end.rows[0]), len(end.rows)
        self._high = self._count * HIGH

    def draw(self, only: int | None = None) -> str:
        """The whole film; `only` one frame of it, for those who look at it without a browser."""
        body = "".join(self._frame(number, frame) for number, frame in enumerate(self._frames))
        rows = "".join(f'<g id="{name}">{self._row(row)}</g>' for row, name in self._rows.items())
        width, height = round(self._columns * WIDE + 2 * EDGE), self._high + BAR + EDGE
        moved = "" if only is None else f' transform="translate(0 {-only * self._high})"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
            f"<title>{TITLE}: the demo agent fixes a test</title><style>{self._styles(still=only is not None)}</style>"
            f'<rect width="{width}" height="{height}" rx="8" fill="{GROUND}" stroke="#30343c"/>{_bar(width)}'
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
        if not colour or colour == GROUND:
            return ""
        return self._rect(start * WIDE, 0, (end - start) * WIDE, HIGH, colour)

    def _rect(self, left: float, top: float, width: float, height: float, colour: str) -> str:
        place = f'x="{left:g}" y="{top:g}" ' if top else f'x="{left:g}" ' if left else ""
        return f'<rect {place}width="{width:.4g}" height="{height:g}" class="{self._ink(colour)}"/>'

    def _text(self, start: int, text: str, style: Style) -> str:
        """Words at their columns: whatever the font, no word is further off than its own length."""
        colour = _hex(style.bgcolor if style.reverse else style.color) or "#dadde4"
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

    def _styles(self, *, still: bool) -> str:
        inks = "".join(f".{name}{{fill:{colour}}}" for colour, name in self._inks.items())
        letters = (
            f"text{{font:{SIZE}px 'Fira Code','JetBrains Mono','SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;"
            "white-space:pre}"
            ".b{font-weight:700}.i{font-style:italic}.u{text-decoration:underline}"
        )
        if still:
            return inks + letters
        steps = "".join(
            f"{(frame.at - self._began) / self._seconds:.3%}{{transform:translateY({-number * self._high}px)}}"
            for number, frame in enumerate(self._frames)
        )
        last = -(len(self._frames) - 1) * self._high
        return (
            f"{inks}{letters}@keyframes film{{{steps}to{{transform:translateY({last}px)}}}}"
            f".film{{animation:film {self._seconds:.2f}s step-end infinite}}"
            f"@media(prefers-reduced-motion:reduce){{.film{{animation:none;transform:translateY({last}px)}}}}"
        )


def _bar(width: int) -> str:
    lights = "".join(f'<circle cx="{18 + 18 * at}" cy="15" r="5.5" fill="{one}"/>' for at, one in enumerate(LIGHTS))
    title = f'<text x="{width / 2:g}" y="20" text-anchor="middle" fill="#8b909a">{TITLE}</text>'
    return lights + title


def _hex(colour: Any) -> str:
    if colour is None or colour.type is ColorType.DEFAULT:
        return ""
    return str(colour.get_truecolor().hex)


class Filmed(DrivenScreen):
    """The program on a terminal, and what it has `written` with the seconds since it began."""

    def __init__(self, *arguments: str, cwd: Path) -> None:
        self.written: list[tuple[float, str]] = []
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._began, self._rest = time.monotonic(), ""
        super().__init__(*arguments, cwd=cwd, rows=ROWS, columns=COLUMNS)

    def take(self, data: bytes) -> None:
        super().take(data)
        text = self._rest + self._decode(data)
        last = text.rfind("\x1b")
        cut = last if last >= 0 and OWN.match(text, last) is None else len(text)  # within a sequence
        self._rest, text = (
            text[cut:],
            OWN.sub(lambda found: found[0] if PICTURED.fullmatch(found[0]) else "", text[:cut]),
        )
        self.written.append((time.monotonic() - self._began, text))

    def pause(self, seconds: float) -> None:
        """Watch for so long."""
        end = time.monotonic() + seconds
        self.wait_until(lambda: time.monotonic() >= end, "the end of a pause")


def make(folder: Path, pace: float = 0.02, speed: float = 1) -> list[Frame]:
    """The frames, made anew in a folder for what is needed on the way; `pace` is the demo's seconds for a word."""
    environ = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("CONFIG", "STATE", "CACHE", "DATA")}
    environ |= {"COLORTERM": "truecolor", "ACP_TUI_DEMO_PACE": str(pace)}
    with TemporaryDirectory(prefix="", dir="/tmp") as home, patch.dict(os.environ, {**environ, "HOME": home}):
        os.environ.pop("NO_COLOR", None)
        create(Path(home, "shop"))
        with Filmed("--", *COMMAND, cwd=Path(home, "shop")) as screen:
            play(screen, speed)
    return frames_of([(at, text.replace(home, HOME)) for at, text in screen.written])


def play(screen: Filmed, speed: float) -> None:
    """What a user does with the demo."""
    screen.wait_until(lambda: screen.shows(BEGINNING), BEGINNING)
    screen.pause(READING / speed)
    for letter in PROMPT:
        screen.press(letter)
        screen.pause(1 / TYPED / speed)
    screen.press("\r")
    for asked in ASKED:
        screen.wait_until(partial(screen.shows, asked), asked)
        screen.pause(DECIDING / speed)
        screen.press_until("\r", lambda: not screen.shows(asked))  # noqa: B023 - it is called at once
    screen.wait_until(lambda: screen.shows(END) and screen.shows(BEGINNING), END)
    screen.pause(1 / speed)


def main() -> None:
    """Write the picture."""
    with TemporaryDirectory() as folder:
        picture = Film(make(Path(folder))).draw()
    assert len(picture.encode()) <= MOST
    PICTURE.write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
