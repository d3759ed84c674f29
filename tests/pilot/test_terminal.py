"""The whole program on a real pseudo-terminal: however it ends, no process stays and the terminal is as it was."""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.answering_terminal import QUESTION, XTERM

LEAVES_ALTERNATE_SCREEN = b"\x1b[?1049l"
PATIENCE = 60.0  # seconds; far more than anything takes, for machines that are busy
AGAIN = 2.0  # seconds after which a key that came too early is pressed again


class Terminal:
    """The program under test, its terminal, and what it wrote there."""

    def __init__(self, module: str = "acp_tui", *arguments: str) -> None:
        self.written = b""
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm-256color"
            os.execv(sys.executable, [sys.executable, "-m", module, *arguments])
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))

    def type(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def wait_for(self, text: bytes) -> None:
        """Read until the program wrote `text`."""
        self.wait_until(lambda: text in self.written)

    def wait_until(self, done: Callable[[], bool]) -> None:
        """Read until something is so."""
        deadline = time.monotonic() + PATIENCE
        while not done():
            assert time.monotonic() < deadline, self.written[-2000:]
            self._read()

    def press_until(self, keys: bytes, text: bytes, again: float = AGAIN) -> None:
        """Type keys, again where they came too early, until the program wrote `text`; once too often does no harm."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.written:
            assert time.monotonic() < deadline, self.written[-2000:]
            self.type(keys)
            pause = time.monotonic() + again
            while time.monotonic() < pause and text not in self.written:
                self._read()

    def wait_for_end(self) -> int:
        """Read until the program has ended; its exit code."""
        deadline = time.monotonic() + PATIENCE
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while self._read():
                    pass
                self.pid = 0
                return os.waitstatus_to_exitcode(status)
            assert time.monotonic() < deadline, "it does not end"
            self._read()

    def hang_up(self) -> None:
        os.close(self.master)
        self.master = -1

    def _read(self) -> bool:
        """Read what is there, or wait for a moment; whether there was anything."""
        if self.master < 0:
            select.select([], [], [], 0.02)
        elif select.select([self.master], [], [], 0.02)[0]:
            with contextlib.suppress(OSError):  # EIO: the program closed its end
                data = os.read(self.master, 65536)
                self.written += data
                for question in QUESTION.findall(data):
                    os.write(self.master, XTERM.get(question, b""))
                return bool(data)
        return False

    def close(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        if self.master >= 0:
            os.close(self.master)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    opened = Terminal("acp_tui", "--demo")
    try:
        opened.wait_for(b"Model")
        yield opened
    finally:
        opened.close()


def children(pid: int) -> list[int]:
    """The processes that `pid` started and that still run."""
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    if not listed.exists():
        pytest.skip("this system does not tell a process's children")
    return [int(child) for child in listed.read_text().split()]


def wait_for_end_of(processes: list[int]) -> None:
    """Their parent has ended; who is left of them is buried by the system."""
    deadline = time.monotonic() + PATIENCE
    while any(Path(f"/proc/{process}").exists() for process in processes):
        assert time.monotonic() < deadline, processes


WAYS: dict[str, Callable[[Terminal], None]] = {
    "Ctrl+Q": lambda terminal: terminal.type(b"\x11"),
    "Ctrl+C twice": lambda terminal: terminal.type(b"\x03\x03"),
    "Ctrl+D": lambda terminal: terminal.type(b"\x04"),
    "SIGTERM": lambda terminal: os.kill(terminal.pid, signal.SIGTERM),
    "SIGHUP": lambda terminal: os.kill(terminal.pid, signal.SIGHUP),
    "keys that cannot be parsed, then Ctrl+Q": lambda terminal: terminal.type(
        b"\x1b[99999999;1u\x1b[97:65;2u\xff\xfe\x1b[1;1;99999999u\x11"
    ),
}


@pytest.mark.parametrize("leave", WAYS.values(), ids=WAYS.keys())
def test_leaving_ends_the_agent_and_restores_the_terminal(
    terminal: Terminal, leave: Callable[[Terminal], None]
) -> None:
    agents = children(terminal.pid)
    assert agents
    leave(terminal)
    assert terminal.wait_for_end() == 0
    assert LEAVES_ALTERNATE_SCREEN in terminal.written
    assert b"Traceback" not in terminal.written
    wait_for_end_of(agents)


def test_a_closed_terminal_ends_it_too(terminal: Terminal) -> None:
    agents = children(terminal.pid)
    terminal.hang_up()
    assert terminal.wait_for_end() == 0
    wait_for_end_of(agents)
