"""In a real tmux: what the terminal shows after it moved rows is what it shows when all of them are painted."""

import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from acp_tui.ui.status.status_line import SPINNER
from tests.agents.scripted import Gate, write_script
from tests.tmux_panes import BLANK, Cell, Cells, Pane, Tmux, cells_of, text_of, wait_until

AGENT = """
agent.initialize()
agent.new_session()
prompt = agent.expect("session/prompt")

def piece(number):
    agent.wait_for({gate!r})
    agent.say(f"- piece {{number}}: **bold**, `code`, 日本 e\u0301 " + "and words " * (number * 7 % 30) + "\\n")

def call():
    rows = "\\n".join(f"output row {{row}}" for row in range(9))
    content = [{{"type": "content", "content": {{"type": "text", "text": rows}}}}]
    call = {{"toolCallId": "1", "title": "Notes", "kind": "read", "status": "completed"}}
    agent.update({{"sessionUpdate": "tool_call", **call, "content": content}})

for number in range(12):
    piece(number)
call()
for number in range(12, 18):
    piece(number)
agent.wait_for({gate!r})
agent.end_turn(prompt)
agent.serve()
"""
WHEEL_UP, WHEEL_DOWN = "\x1b[<64;30;12M", "\x1b[<65;30;12M"
ESCAPE, REDRAW, PALETTE, DETAILS, SIDEBAR = "\x1b[27u", "\x0c", "\x10", "\x0f", "\x18b"
MOVES = (rb"\x1b\[\d+M", rb"\x1b\[\d+L")  # rows are deleted, and inserted
TURN_LENGTH = re.compile(r"[\d.]+ s")  # the row below a turn that has ended
SPILT, DRAFT = "written by another", "half a prompt"


def test_cells_are_read_as_tmux_writes_them() -> None:
    rows = cells_of("\x1b[1m\x1b[38;2;1;2;3ma\x1b[39m\x1b[48;5;7m \x1b[0m \n\x1b[31;4m b\x0f\x1b[0m \nc")
    assert text_of(rows) == "a \n b\nc"
    assert rows[0] == [Cell("a", frozenset({"1=1", "colour=2;1;2;3"}), ""), Cell(" ", frozenset(), "5;7")]
    assert rows[1][0] == Cell(" ", frozenset({"4=4", "colour=31"}), "")
    assert cells_of("\x1b[31m \x1b[32mx") == cells_of(" \x1b[0;32mx")
    assert cells_of("\x1b[4m x")[0][0] != BLANK


class Both:
    """Two programs that are used alike: in one the terminal moves rows, in the other all is painted."""

    def __init__(self, tmux: Tmux, folder: Path) -> None:
        self.moved, self.moved_gate = self._start(tmux, folder, "moved", setting="true")
        self.painted, self.painted_gate = self._start(tmux, folder, "painted", setting="false")

    def _start(self, tmux: Tmux, folder: Path, name: str, *, setting: str) -> tuple[Pane, Gate]:
        home = folder / name
        (home / "acp-tui").mkdir(parents=True)
        (home / "acp-tui" / "config.toml").write_text(f"scroll_by_terminal = {setting}\n")
        gate = Gate(home / "gate")
        script = write_script(home, AGENT.format(gate=str(gate.path)))
        environ = {f"XDG_{kind}_HOME": str(home) for kind in ("CONFIG", "STATE", "DATA", "CACHE")}
        return tmux.run(name, ["--", *script.argv], environ, (90, 28)), gate

    def press(self, keys: str) -> None:
        self.moved.press(keys)
        self.painted.press(keys)

    def go_on(self) -> None:
        self.moved_gate.open()
        self.painted_gate.open()

    def until(self, text: str) -> None:
        """Wait until both show a text, and the same cells."""
        self.until_alike(lambda shown: text in shown, text)

    def until_gone(self, text: str) -> None:
        self.until_alike(lambda shown: text not in shown, f"no {text}")

    def until_alike(self, holds: Callable[[str], bool], what: str) -> None:
        seen: list[Cells] = []

        def alike() -> bool:
            seen[:] = _still(self.moved), _still(self.painted)
            return seen[0] == seen[1] and holds(text_of(seen[0]))

        wait_until(alike, lambda: f"{what}\n{_difference(*seen)}")
        wait_until(lambda: self.moved.cursor() == self.painted.cursor(), lambda: f"{what}: the cursor")

    def resize(self, columns: int, rows: int) -> None:
        """Resize both, and wait for headers that end at the new right edge."""

        def fits(shown: str) -> bool:
            header = shown.split("\n", maxsplit=1)[0].rstrip()
            return header.endswith("working") and columns - 6 < len(header) <= columns

        for pane in (self.moved, self.painted):
            pane.resize(columns, rows)
        self.until_alike(fits, f"{columns} columns")

    def redraw(self) -> None:
        """Write over both, and have all of it painted again."""
        before = _still(self.moved)
        after: Cells = []
        for pane in (self.moved, self.painted):
            pane.spill(f"\x1b7\x1b[5;9H{SPILT}\x1b8")
        wait_until(lambda: SPILT in text_of(_still(self.moved)), lambda: f"{SPILT} is not to be seen")
        self.press(REDRAW)

        def same() -> bool:
            after[:] = _still(self.moved)
            return after == before

        wait_until(same, lambda: f"all painted again\n{_difference(before, after)}")
        self.until_gone(SPILT)


def _still(pane: Pane) -> Cells:
    """The cells of a pane; rows of time are left blank: the two programs began their turns at different moments."""
    return [[] if _of_time(row) else row for row in pane.cells()]


def _of_time(row: list[Cell]) -> bool:
    text = "".join(cell.character for cell in row).strip(" ┃")  # beside it may be a scrollbar
    return any(sign in text for sign in SPINNER) or TURN_LENGTH.fullmatch(text) is not None


def _end_of(text: str, cells: Cells) -> tuple[int, int]:
    """Column and row behind a text of single-width characters."""
    rows = text_of(cells).split("\n")
    y = next(y for y, row in enumerate(rows) if text in row)
    return rows[y].index(text) + len(text), y


def _difference(one: Cells, other: Cells) -> str:
    rows = [y for y, (left, right) in enumerate(zip(one, other, strict=False)) if left != right]
    return f"rows that differ: {rows}\n{text_of(one)}\n--- other\n{text_of(other)}"


@pytest.fixture
def both(tmp_path: Path) -> Iterator[Both]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    folder = tmp_path / "project"
    folder.mkdir()
    with Tmux(folder) as tmux:
        yield Both(tmux, tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
def test_rows_that_tmux_moves_are_those_that_are_painted(both: Both) -> None:
    both.until("Scripted is ready")
    both.press("go\r")
    for number in range(10):
        both.go_on()
        both.until(f"piece {number}:")
    both.redraw()
    both.press(WHEEL_UP * 2)
    both.until_gone("piece 9:")
    both.press(PALETTE)
    both.until("Find commands")
    both.go_on()
    both.press(ESCAPE)
    both.until_gone("Find commands")
    both.press(WHEEL_UP + WHEEL_DOWN * 9)
    both.until("piece 10:")
    both.go_on()
    both.until("9 lines")
    both.press(DETAILS)
    both.until("output row 0")
    both.redraw()
    both.press(DRAFT)
    both.until(DRAFT)
    both.press(SIDEBAR)
    both.until("appear here")
    for number in range(12, 15):
        both.go_on()
        both.until(f"piece {number}:")
        wait_until(
            lambda: both.moved.cursor() == _end_of(DRAFT, both.moved.cells()), lambda: "the cursor in the prompt"
        )
    both.redraw()
    both.press(SIDEBAR)
    both.until_gone("appear here")
    both.resize(60, 22)
    for number in range(15, 18):
        both.go_on()
        both.until(f"piece {number}:")
    both.redraw()
    both.resize(90, 28)
    both.press(WHEEL_UP * 3)
    both.until_gone("piece 17:")
    both.go_on()
    both.until("● ready")
    both.press(DETAILS)
    both.until_gone("output row 8")
    both.redraw()
    assert not any(both.painted.has_written([move]) for move in MOVES)
    wait_until(lambda: both.moved.has_written(MOVES), lambda: "rows are moved both ways")
