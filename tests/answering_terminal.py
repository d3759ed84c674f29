"""The whole program on a pseudo-terminal that answers what it is asked, as a test wants it."""

import array
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import tty
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.recorded_screen import RecordedScreen

PATIENCE = 60.0  # seconds for anything that must happen; far more than it takes, for machines that are busy
ROWS, COLUMNS = 30, 100
UNKNOWN = ("COLORTERM", "NO_COLOR", "TMUX", "STY", "TERM_PROGRAM", "XTERM_VERSION", "VTE_VERSION", "COLUMNS", "LINES")

VERSION, ATTRIBUTES = b"\x1bP>|XTerm(379)\x1b\\", b"\x1b[?64;1;2;22c"
XTERM = {
    b"\x1b[?1036$p": b"\x1b[?1036;2$y",
    b"\x1b[?1039$p": b"\x1b[?1039;2$y",
    b"\x1b[>0q": VERSION,
    b"\x1b[c": ATTRIBUTES,
}
"""The answers of a plain xterm to the questions."""
QUESTION = re.compile(rb"\x1b\[\?\d+\$p|\x1b\[>0q|\x1b\[c|\x1bP\+q[0-9a-f]*\x1b\\")


class AnsweringTerminal:
    """`with AnsweringTerminal("acp_tui", "--demo", cwd=folder) as terminal`; `answers` are by question."""

    def __init__(
        self,
        module: str,
        *arguments: str,
        cwd: Path,
        answers: Mapping[bytes, bytes] = XTERM,
        environ: Mapping[str, str] = {"TERM": "xterm"},
    ) -> None:
        self.recorded = RecordedScreen()
        self.written = b""
        self.answers = answers
        self._asked_up_to = 0
        self._master, self._slave = os.openpty()
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            cwd=cwd,
            env={name: value for name, value in os.environ.items() if name not in UNKNOWN} | {**environ},
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _type: type | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        os.close(self._master)
        os.close(self._slave)

    def type(self, keys: bytes | str) -> None:
        os.write(self._master, keys.encode() if isinstance(keys, str) else keys)

    def type_and_wait_until_read(self, keys: bytes) -> None:
        """Type, and return when nothing waits to be read any more."""
        self.type(keys)
        self.wait_until(lambda: self.waiting == 0, f"{keys!r} is read")

    @property
    def waiting(self) -> int:
        """How many characters have been typed that nobody has read; whole lines only, in a terminal's usual state."""
        waiting = array.array("i", [0])
        fcntl.ioctl(self._slave, termios.FIONREAD, waiting)
        return waiting[0]

    def left_over(self) -> bytes:
        """What the next program would read as typed."""
        tty.setraw(self._slave, termios.TCSANOW)
        return os.read(self._slave, 4096) if self.waiting else b""

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def wait_for(self, text: str) -> None:
        """Read until this has been on the screen at any time."""
        self.wait_until(lambda: self.recorded.has_shown(text), text)

    def wait_for_bytes(self, written: bytes) -> None:
        """Read until this was written."""
        self.wait_until(lambda: written in self.written, repr(written))

    def wait_until(self, done: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not done():
            assert time.monotonic() < deadline, f"{what}\n{self.recorded}\n{self.written[-300:]!r}"
            assert self.process.poll() is None, f"it ended before {what}\n{self.recorded}"
            self._read()

    def wait_for_end(self) -> int:
        """Read until the program has ended; its exit code."""
        deadline = time.monotonic() + PATIENCE
        while (code := self.process.poll()) is None:
            assert time.monotonic() < deadline, f"it does not end\n{self.recorded}"
            self._read()
        while self._read():
            pass
        self.recorded.finish()
        return code

    def _read(self) -> bool:
        """Read what is there, or wait for a moment, and answer; whether there was anything."""
        if not select.select([self._master], [], [], 0.02)[0]:
            return False
        data = os.read(self._master, 65536)
        self.written += data
        self.recorded.feed(data)
        for question in QUESTION.finditer(self.written, self._asked_up_to):
            self._asked_up_to = question.end()
            self.type(self.answers.get(question[0], b""))
        return True
