"""Lending the terminal to a command, on a real pseudo-terminal, while the app paints all the time."""

import fcntl
import os
import signal
import struct
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.pilot.test_terminal import LEAVES_ALTERNATE_SCREEN, PATIENCE, Terminal

ENTERS_ALTERNATE_SCREEN = b"\x1b[?1049h"


@contextmanager
def lending(*command: str) -> Iterator[Terminal]:
    terminal = Terminal("tests.pilot.lending_app", *command)
    try:
        terminal.wait_for(b"READY")
        yield terminal
    finally:
        terminal.close()


@pytest.fixture(params=[False, True], ids=["lent", "joined"], autouse=True)
def keeps(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the command has our terminal, or one of its own that is joined to it so that its output can be kept."""
    if request.param:
        monkeypatch.setenv("KEEPS", "1")
    return bool(request.param)


def shell(script: str) -> tuple[str, ...]:
    return ("sh", "-c", script)


def test_the_command_has_the_terminal_to_itself_and_the_app_lives_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = tmp_path / "ticks"
    monkeypatch.setenv("TICKS", str(ticks))
    with lending(*shell("printf LENT; read line; printf '[%s]' \"$line\"; exit 3")) as terminal:
        terminal.type(b"e")
        terminal.wait_for(b"LENT")
        begin = terminal.written.rindex(LEAVES_ALTERNATE_SCREEN)
        ticks.unlink()
        deadline = time.monotonic() + PATIENCE
        while not ticks.exists():
            assert time.monotonic() < deadline, "it stands still"
        terminal.type(b"typed\r")
        terminal.wait_for(b"[typed]")
        end = terminal.written.index(b"[typed]")
        lent = terminal.written[begin + len(LEAVES_ALTERNATE_SCREEN) : end]
        assert b"\x1b[?1049h" not in lent
        assert b"\x07" not in lent, "the app wrote while the terminal was lent"
        terminal.wait_for(b"CODE=3 ALIVE")
        assert ENTERS_ALTERNATE_SCREEN in terminal.written[end:]
        terminal.type(b"x")
        assert terminal.wait_for_end() == 0


def test_ctrl_c_is_the_commands() -> None:
    with lending(*shell("trap 'exit 7' INT; printf LENT; read line")) as terminal:
        terminal.type(b"e")
        terminal.wait_for(b"LENT")
        terminal.type(b"\x03")
        terminal.wait_for(b"CODE=7")


def test_a_command_that_leaves_the_terminal_without_echo_does_not_matter() -> None:
    with lending(*shell("stty -echo -icanon; printf LENT; kill -9 $$")) as terminal:
        for time_lent in (b"1", b"2"):  # what was said of the first may be painted again during the second
            terminal.type(b"e")
            terminal.wait_for(time_lent + b": CODE=-9")
        terminal.type(b"x")
        assert terminal.wait_for_end() == 0
        assert b"Traceback" not in terminal.written


def test_what_cannot_be_started_is_said_on_the_apps_own_screen() -> None:
    with lending("no-such-command-at-all") as terminal:
        terminal.type(b"e")
        terminal.wait_for(b"cannot be started")
        terminal.type(b"x")
        assert terminal.wait_for_end() == 0


def test_when_the_app_is_told_to_leave_the_command_ends_first() -> None:
    with lending(*shell("echo LENT $$ END; exec sleep 1000")) as terminal:
        terminal.type(b"e")
        terminal.wait_for(b" END")
        pid = int(terminal.written.split(b"LENT ")[1].split()[0])
        os.kill(terminal.pid, signal.SIGTERM)
        assert terminal.wait_for_end() == 0
        assert b"Traceback" not in terminal.written
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_what_a_joined_command_wrote_is_kept_and_its_terminal_is_like_ours(keeps: bool) -> None:
    script = "printf 'SIZE %s.' \"$(stty size)\"; stty -a </dev/tty | grep -c ' echo '; echo why >&2; exit 2"
    with lending(*shell(script)) as terminal:
        terminal.type(b"e")
        terminal.wait_for(b"CODE=2 ")
        assert b"SIZE 30 100." in terminal.written
        if keeps:
            terminal.wait_for(rb"1\r\nwhy\r\n'")


def test_a_command_hears_of_a_new_size() -> None:
    with lending(*shell("trap 'stty size; exit 0' WINCH; printf LENT; while :; do sleep 0.05; done")) as terminal:
        terminal.type(b"e")
        terminal.wait_for(b"LENT")
        fcntl.ioctl(terminal.master, termios.TIOCSWINSZ, struct.pack("HHHH", 31, 97, 0, 0))
        terminal.wait_for(b"31 97")
        terminal.wait_for(b"CODE=0")
