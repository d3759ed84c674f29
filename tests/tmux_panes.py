"""The whole program in a real tmux, and the cells that tmux shows of it."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import NamedTuple, Self

from tests.answering_terminal import UNKNOWN
from tests.processes import alive

PATIENCE = 60.0  # seconds for anything that must happen; far more than it takes, for machines that are busy
LOOK = 0.02  # seconds between two looks at a pane, which tells nobody of its changes
_SEQUENCE = re.compile(r"\x1b\[([\d;:]*)m|\x1b\]8;[^\x1b\x07]*(?:\x1b\\|\x07)|[\x0e\x0f]")
_SHOWN_IN_BLANKS = ("4", "7", "9", "53")  # lines through, under and over, and reversed colours


class Cell(NamedTuple):
    """A character, what is seen of its attributes and colour, and its background."""

    character: str
    look: frozenset[str]
    ground: str


BLANK = Cell(" ", frozenset(), "")
Cells = list[list[Cell]]


def cells_of(captured: str) -> Cells:
    """The rows of a `capture-pane -e`, whose attributes go on from row to row; without default blanks at their ends.

    Of a blank only what can be seen counts: tmux keeps the colour of a text that is not there.
    """
    rows: Cells = []
    look: dict[str, str] = {}
    for line in captured.split("\n"):
        row: list[Cell] = []
        at = 0
        for found in _SEQUENCE.finditer(line):
            row += [_cell(character, look) for character in line[at : found.start()]]
            at = found.end()
            if found[1] is not None:
                _obey(found[1], look)
        row += [_cell(character, look) for character in line[at:]]
        while row and row[-1] == BLANK:
            row.pop()
        rows.append(row)
    return rows


def _cell(character: str, look: Mapping[str, str]) -> Cell:
    ground = look.get("ground", "")
    shown = {kind: code for kind, code in look.items() if kind != "ground"}
    if character == " " and not shown.keys() & {*_SHOWN_IN_BLANKS}:
        shown = {}
    return Cell(character, frozenset(f"{kind}={code}" for kind, code in shown.items()), ground)


def _obey(codes: str, look: dict[str, str]) -> None:
    """What a `CSI … m` changes: attributes by their first code, and both colours."""
    rest = codes.split(";")
    while rest:
        code = rest.pop(0)
        if code in {"", "0"}:
            look.clear()
        elif code in {"38", "48"}:
            size = 4 if rest[0] == "2" else 2
            look["colour" if code == "38" else "ground"] = ";".join(rest[:size])
            del rest[:size]
        elif code in {"39", "49"}:
            look.pop("colour" if code == "39" else "ground", None)
        elif len(code) > 1 and code[:-1] in {"3", "9", "4", "10"}:
            look["colour" if code[:-1] in {"3", "9"} else "ground"] = code
        else:
            look[code.partition(":")[0]] = code


def text_of(cells: Cells) -> str:
    return "\n".join("".join(cell.character for cell in row) for row in cells)


class Tmux:
    """`with Tmux(tmp_path) as tmux`: a server of its own, without the user's configuration."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._home = TemporaryDirectory()  # the path of a socket must be short
        self._environ = {name: value for name, value in os.environ.items() if name not in UNKNOWN}
        self._pids: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _type: type | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        if self._pids:
            self("kill-server")
        wait_until(lambda: not any(map(alive, self._pids)), lambda: "the programs end with their terminal")
        self._home.cleanup()

    def __call__(self, *arguments: str) -> str:
        """What a command of tmux prints."""
        command = ["tmux", "-S", f"{self._home.name}/tmux", "-f", os.devnull, *arguments]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
            env={**self._environ, "LC_ALL": "C.UTF-8"},
        ).stdout

    def run(self, name: str, arguments: Sequence[str], environ: Mapping[str, str], size: tuple[int, int]) -> "Pane":
        """The program in a window of its own, of so many columns and rows."""
        columns, rows = map(str, size)
        given = [f"{key}={value}" for key, value in {"COLORTERM": "truecolor", **environ}.items()]
        command = ["env", *given, sys.executable, "-m", "acp_tui", *arguments]
        self("new-session", "-d", "-s", name, "-x", columns, "-y", rows, "-c", str(self._folder), *command)
        pane = Pane(self, name, Path(self._home.name, f"{name}.written"))
        self._pids.append(int(pane.ask("pane_pid")))
        return pane


class Pane:
    """One program."""

    def __init__(self, tmux: Tmux, name: str, written: Path) -> None:
        self._tmux, self._name, self._written = tmux, f"{name}:", written
        tmux("pipe-pane", "-O", "-t", self._name, f"exec cat >'{written}'")

    def ask(self, name: str) -> str:
        """A variable of tmux's."""
        return self._tmux("display-message", "-p", "-t", self._name, f"#{{{name}}}").strip()

    def cells(self) -> Cells:
        return cells_of(self._tmux("capture-pane", "-p", "-e", "-N", "-t", self._name))

    def cursor(self) -> tuple[int, int]:
        """Column and row, from 0; where it is hidden too, for a terminal may show there what is being composed."""
        x, y = self.ask("cursor_x},#{cursor_y").split(",")
        return int(x), int(y)

    def has_written(self, patterns: Sequence[bytes]) -> bool:
        """Whether the program has written each of these sequences, as far as tmux has told by now."""
        written = self._written.read_bytes() if self._written.exists() else b""
        return all(re.search(pattern, written) for pattern in patterns)

    def press(self, keys: str) -> None:
        """Type; escape sequences are keys."""
        self._tmux("send-keys", "-t", self._name, "-H", *(f"{byte:x}" for byte in keys.encode()))

    def resize(self, columns: int, rows: int) -> None:
        self._tmux("resize-window", "-t", self._name, "-x", str(columns), "-y", str(rows))

    def spill(self, text: str) -> None:
        """Write on the terminal as another program would that shares it."""
        with Path(self.ask("pane_tty")).open("w", encoding="utf-8") as terminal:
            terminal.write(text)


def wait_until(done: Callable[[], bool], what: Callable[[], str]) -> None:
    """Look again and again until something is so; `what` says, in the end, what is not."""
    deadline = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < deadline, what()
        time.sleep(LOOK)
