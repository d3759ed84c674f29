"""The whole program on a real pseudo-terminal, driven by keys, and the screen that it draws there."""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.answering_terminal import QUESTION, XTERM
from tests.recorded_screen import RecordedScreen

PATIENCE = 60.0  # seconds for anything that must happen; far more than it takes, for machines that are busy
AGAIN = 2.0  # seconds after which a key that came too early is pressed again
ESCAPE = "\x1b[27u"  # in kitty's way: a bare one and a key behind it would be another key


class DrivenScreen:
    """`with DrivenScreen("--demo", cwd=folder) as screen`; the arguments are those of the command line."""

    def __init__(self, *arguments: str, cwd: Path, rows: int = 30, columns: int = 100) -> None:
        self.recorded = RecordedScreen()
        self._exit_code = 0
        self.pid, self._master = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.environ |= {"TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": str(rows)}
            os.chdir(cwd)
            os.execv(sys.executable, [sys.executable, "-m", "acp_tui", *arguments])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _type: type | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        if not self._ended():
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        if self._master >= 0:
            os.close(self._master)

    def shows(self, text: str) -> bool:
        """Whether a row shows this now."""
        return any(text in row for row in self.recorded.rows())

    def wait_for(self, text: str) -> None:
        """Read until this has been on the screen at any time."""
        self.wait_until(lambda: self.recorded.has_shown(text), text)

    def wait_until_gone(self, text: str) -> None:
        """Read until this is off the screen."""
        self.wait_until(lambda: not self.shows(text), f"no {text}")

    def wait_until(self, done: Callable[[], bool], what: str) -> None:
        """Read until something is so."""
        deadline = time.monotonic() + PATIENCE
        while not done():
            assert time.monotonic() < deadline, f"{what}\n{self.recorded}"
            assert not self._ended(), f"it ended before {what}\n{self.recorded}"
            self._read()

    def press(self, keys: str) -> None:
        """Type; escape sequences are keys, and Esc is ESCAPE."""
        os.write(self._master, keys.encode())

    def press_until(self, keys: str, done: Callable[[], bool], again: float = AGAIN) -> None:
        """Press keys, again where they came too early, until something is so; once too often must do no harm."""
        deadline = time.monotonic() + PATIENCE
        while not done():
            assert time.monotonic() < deadline, f"{keys!r}\n{self.recorded}"
            self.press(keys)
            pause = time.monotonic() + again
            while time.monotonic() < pause and not done():
                self._read()

    def signal(self, number: int) -> None:
        """Send the program a signal."""
        os.kill(self.pid, number)

    def hang_up(self) -> None:
        """Close the terminal, as an emulator does that ends."""
        os.close(self._master)
        self._master = -1

    @property
    def settings(self) -> list[object]:
        """How the terminal treats what is typed and written (termios)."""
        return termios.tcgetattr(self._master)

    def escape_from(self, shown: str) -> None:
        """Press Esc, once, as soon as this is on the screen, and wait until it is off it."""
        self.wait_until(lambda: self.shows(shown), shown)
        self.press(ESCAPE)
        self.wait_until_gone(shown)

    def quit(self) -> int:
        """Press Ctrl+Q, and again if it asks because a turn had not ended yet; the exit code.

        What an agent says can be on the screen before the answer that ends its turn.
        """
        self.press("\x11")
        deadline = time.monotonic() + PATIENCE
        while not (self._ended() or self.shows("again to quit.")):
            assert time.monotonic() < deadline, f"it does not end\n{self.recorded}"
            self._read()
        if self.pid:
            self.press("\x11")
        return self.wait_for_end()

    def wait_for_end(self) -> int:
        """Read until the program has ended; its exit code."""
        deadline = time.monotonic() + PATIENCE
        while not self._ended():
            assert time.monotonic() < deadline, f"it does not end\n{self.recorded}"
            self._read()
        while self._read():
            pass
        self.recorded.finish()
        return self._exit_code

    def _ended(self) -> bool:
        if self.pid:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pid, self._exit_code = 0, os.waitstatus_to_exitcode(status)
        return not self.pid

    def take(self, data: bytes) -> None:
        """Show what the program has written, and answer its questions as xterm does."""
        self.recorded.feed(data)
        for question in QUESTION.findall(data):
            os.write(self._master, XTERM.get(question, b""))

    def _read(self) -> bool:
        """Read what is there, or wait for a moment; whether there was anything."""
        if self._master < 0:
            time.sleep(0.02)
        elif select.select([self._master], [], [], 0.02)[0]:
            with suppress(OSError):  # EIO: the program closed its end
                data = os.read(self._master, 65536)
                self.take(data)
                return True
        return False
