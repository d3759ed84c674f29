"""Ctrl+Z on a real terminal under a shell with job control: the shell is there, and `fg` brings everything back."""

import os
import shutil
import signal
import sys
from collections.abc import Iterator

import pytest
from textual._ansi_sequences import SYNC_END, SYNC_START

from tests.pilot.test_terminal import LEAVES_ALTERNATE_SCREEN, Terminal

ENTERS_ALTERNATE_SCREEN = b"\x1b[?1049h"


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    opened = Terminal("tests.pilot.a_shell")
    try:
        yield opened
    finally:
        opened.close()


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs a shell with job control")
def test_suspended_and_back(terminal: Terminal) -> None:
    terminal.wait_for(b"SHELL$ ")
    terminal.type(f"{sys.executable} -m acp_tui --demo\r".encode())
    terminal.wait_for(b"sk anything")
    terminal.type(b"draft\x1a")
    terminal.wait_for(b"Stopped")
    stopped = len(terminal.written)
    assert LEAVES_ALTERNATE_SCREEN in terminal.written
    terminal.type(b"echo in the $((40 + 2)) shell\r")
    terminal.wait_for(b"in the 42 shell")
    assert ENTERS_ALTERNATE_SCREEN not in terminal.written[stopped:]
    terminal.written = terminal.written.split(b"in the 42 shell", 1)[1]
    terminal.wait_for(b"SHELL$ ")
    terminal.written = b""
    terminal.type(b"fg\r")
    terminal.wait_for(ENTERS_ALTERNATE_SCREEN)
    terminal.wait_for(b"draft")
    terminal.type(b"\x11")
    terminal.wait_for(LEAVES_ALTERNATE_SCREEN)
    terminal.wait_for(b"SHELL$ ")
    terminal.type(b"exit\r")
    assert terminal.wait_for_end() == 0


def test_without_a_shell_it_goes_on() -> None:
    opened = Terminal("acp_tui", "--demo")
    try:
        opened.wait_for(b"sk anything")
        opened.type(b"\x1a")
        opened.wait_for(LEAVES_ALTERNATE_SCREEN)
        opened.written = opened.written.split(LEAVES_ALTERNATE_SCREEN, 1)[1]  # it may be back already
        opened.wait_for(ENTERS_ALTERNATE_SCREEN)
        opened.wait_for(b"Model")
        opened.type(b"\x11")
        assert opened.wait_for_end() == 0
    finally:
        opened.close()


def test_stopped_within_a_frame_it_leaves_the_terminal_too() -> None:
    opened = Terminal("tests.pilot.lending_app")

    def stopped() -> bool:
        pid, status = os.waitpid(opened.pid, os.WNOHANG | os.WUNTRACED)
        return pid != 0 and os.WIFSTOPPED(status)

    try:
        opened.wait_for(b"READY")
        opened.type(b"t")
        opened.wait_until(stopped)
        opened.wait_for(LEAVES_ALTERNATE_SCREEN + b"\x1b[?25h")
        left, _, _ = opened.written.partition(LEAVES_ALTERNATE_SCREEN)
        assert left.rfind(SYNC_END.encode()) > left.rfind(SYNC_START.encode()), "the terminal waits for no frame's end"
        opened.written = b""
        os.kill(opened.pid, signal.SIGCONT)
        opened.wait_for(ENTERS_ALTERNATE_SCREEN)
        opened.wait_for(b"READY")
        opened.type(b"x")
        assert opened.wait_for_end() == 0
    finally:
        opened.close()
