"""Who has the mouse, on a real pseudo-terminal: by config, command line and key, and after another program had it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.answering_terminal import COLUMNS, AnsweringTerminal
from tests.own_config import write_own_config

MODES = ("1000", "1003", "1006")
ASKS, COMES_BACK, PAINTED = b"\x1b[?1000h", b"\x1b[?1049h", b"sk anything"
CLICK = f"\x1b[<0;{COLUMNS - 5};2M\x1b[<0;{COLUMNS - 5};2m"  # on the state at the right of the first line


def reports(terminal: AnsweringTerminal) -> bool:
    """Whether the terminal was told, as the last word, to report the mouse."""
    told = {terminal.recorded.modes.get(mode, False) for mode in MODES}
    assert len(told) == 1
    return told.pop()


def toggle(terminal: AnsweringTerminal, *, on: bool) -> None:
    terminal.type("\x10")
    terminal.wait_until(lambda: sees(terminal, "Commands"), "the palette")
    terminal.type("Toggle mouse\r")
    terminal.wait_until(lambda: reports(terminal) is on, f"the mouse {on}")
    terminal.wait_until(lambda: not sees(terminal, "Commands"), "the end of the palette")


def sees(terminal: AnsweringTerminal, words: str) -> bool:
    return any(words in row for row in terminal.recorded.rows())


def suspend(terminal: AnsweringTerminal) -> None:
    """Give the terminal back, and have it again: no shell is there that could stop the program."""
    before = len(terminal.written)
    terminal.type("\x1a")
    terminal.wait_until(lambda: PAINTED in terminal.written[before:].partition(COMES_BACK)[2], "it is back")


def leave(terminal: AnsweringTerminal) -> None:
    terminal.type("\x11")
    assert terminal.wait_for_end() == 0
    assert terminal.recorded.is_as_before
    assert terminal.recorded.foreign == []


def test_it_is_ours_until_it_is_given_back_and_ours_again(tmp_path: Path) -> None:
    with AnsweringTerminal("acp_tui", "--demo", cwd=tmp_path) as terminal:
        terminal.wait_for("is ready")
        assert reports(terminal)
        terminal.type(CLICK)
        terminal.wait_for("Sessions")
        terminal.type("\x1b")
        terminal.wait_until(lambda: not sees(terminal, "Sessions"), "the conversation")
        toggle(terminal, on=False)
        suspend(terminal)
        assert not reports(terminal)
        toggle(terminal, on=True)
        suspend(terminal)
        assert reports(terminal)
        leave(terminal)


@pytest.mark.parametrize(
    ("arguments", "text"), [(["--demo", "--no-mouse"], ""), (["--demo"], "mouse = false\n")], ids=["argument", "config"]
)
def test_without_it_the_terminal_is_never_asked(tmp_path: Path, arguments: Sequence[str], text: str) -> None:
    write_own_config(text)
    with AnsweringTerminal("acp_tui", *arguments, cwd=tmp_path) as terminal:
        terminal.wait_for("is ready")
        assert ASKS not in terminal.written
        suspend(terminal)
        assert ASKS not in terminal.written
        toggle(terminal, on=True)
        leave(terminal)


def test_a_replay_leaves_it_to_the_terminal_too(tmp_path: Path) -> None:
    record = tmp_path / "wire.jsonl"
    with AnsweringTerminal("acp_tui", "--demo", "--record", str(record), cwd=tmp_path) as terminal:
        terminal.wait_for("is ready")
        leave(terminal)
    with AnsweringTerminal("acp_tui", "replay", str(record), "--no-mouse", cwd=tmp_path) as terminal:
        terminal.wait_for("Recording")
        assert ASKS not in terminal.written
        leave(terminal)


def test_what_a_key_chose_counts_in_the_next_run(tmp_path: Path) -> None:
    with AnsweringTerminal("acp_tui", "--demo", cwd=tmp_path) as terminal:
        terminal.wait_for("is ready")
        toggle(terminal, on=False)
        leave(terminal)
    with AnsweringTerminal("acp_tui", "--demo", cwd=tmp_path) as terminal:
        terminal.wait_for("is ready")
        assert ASKS not in terminal.written
        leave(terminal)
