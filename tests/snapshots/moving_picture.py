"""Makes `screenshots/demo.svg` and its light twin: `python -m tests.snapshots.moving_picture`.

The program is driven on a pseudo-terminal as a user would, with their pauses, and what it writes becomes a film. It
begins with the diff that waits for a key, plays to the end and from the beginning, and rests on that diff; where motion
is not wanted it stands there.
"""

import codecs
import os
import re
import time
from collections.abc import Iterable, Sequence
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from rich.ansi import AnsiDecoder
from rich.style import Style

from acp_tui.demo.project import COMMAND, create
from tests.driven_screen import DrivenScreen
from tests.emulated_terminal import Cells, Look
from tests.recorded_screen import OWN
from tests.snapshots.svg_film import Film, Frame, Row

FOLDER = Path(__file__).parents[2] / "screenshots"
PICTURES = {"acp-dark": FOLDER / "demo.svg", "acp-light": FOLDER / "demo-light.svg"}
ABOUT = "the demo agent fixes a test, and its diff waits for a key"
MOST = 2_000_000  # bytes
COLUMNS, ROWS = 100, 28
BEGINNING = "● ready"  # what the first frame shows
PROMPT = "Find out why the login test fails, and fix it"
ASKED, END = ("src/login.py", "NOTES.md"), "stay aligned."  # files that are asked about, and the last words
PANEL = "▌"  # begins the rows of a question
READING, DECIDING, AT_END = 1.5, 3.5, 4.0  # seconds: before the prompt, for each permission, of the last frame
TYPED = 30  # letters that are typed in a second
HOME = "/home/someone"  # in place of a folder whose name is as long
PICTURED = re.compile(r"\x1b\[[\d;]*[HmrML]")  # the sequences that draw; others ask the terminal and set its modes
FRAME = 0.08  # seconds that a frame stands at least


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
        elif shown != (frames[-1].rows if frames else None) and (
            frames or any(BEGINNING in row for row in texts(shown))
        ):
            frames.append(Frame(at, shown))
    frames.append(Frame(written[-1][0] + AT_END, frames[-1].rows))
    return frames


def asks(rows: Iterable[str], file: str) -> bool:
    """Whether a question about this file is on the screen."""
    return any(row.lstrip().startswith(PANEL) and file in row for row in rows)


def begun_at(frames: Sequence[Frame], file: str) -> list[Frame]:
    """The same film begun where the question about this file stands longest; what was before it comes last."""
    *shown, end = frames
    lasting = [after.at - frame.at for frame, after in zip(shown, [*shown[1:], end], strict=True)]
    first = max((at for at, frame in enumerate(shown) if asks(texts(frame.rows), file)), key=lasting.__getitem__)
    began, resting = shown[0].at, shown[first]
    behind = [Frame(frame.at - resting.at, frame.rows) for frame in shown[first:]]
    before = [Frame(end.at - resting.at + frame.at - began, frame.rows) for frame in shown[:first]]
    return [*behind, *before, Frame(end.at - began, resting.rows)]


def texts(rows: Sequence[Row]) -> list[str]:
    """The rows without their styles."""
    return ["".join(sign for sign, _ in row) for row in rows]


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


def make(folder: Path, pace: float = 0.02, speed: float = 1, theme: str = "acp-dark") -> list[Frame]:
    """The frames, made anew in a folder for what is needed on the way; `pace` is the demo's seconds for a word."""
    config = folder / "config" / "acp-tui" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'theme = "{theme}"\n', encoding="utf-8")
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
    for file in ASKED:
        asked = partial(lambda file: asks(screen.recorded.rows(), file), file)
        screen.wait_until(asked, file)
        screen.pause(DECIDING / speed)
        screen.press_until("\r", lambda: not asked())  # noqa: B023 - it is called at once
    screen.wait_until(lambda: screen.shows(END) and screen.shows(BEGINNING), END)
    screen.pause(1 / speed)


def main() -> None:
    """Write both pictures."""
    for theme, file in PICTURES.items():
        with TemporaryDirectory() as folder:
            film = begun_at(make(Path(folder), theme=theme), ASKED[0])
        picture = Film(film, ABOUT, theme).draw()
        assert len(picture.encode()) <= MOST
        file.write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
