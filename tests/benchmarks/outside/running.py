"""One run of one client on a pseudo-terminal of 120x40, and what it cost. POSIX only; CPU and memory: Linux only."""

import fcntl
import os
import random
import select
import shlex
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.benchmarks.outside.agent import end_mark
from tests.benchmarks.outside.cells import Cells

ROWS, COLUMNS = 40, 120
READ = 1 << 17  # bytes that are taken at once; the client never waits for the emulator, only for this
QUIET = 0.4  # seconds without output after which a client has nothing to do any more
PATIENCE = 60.0  # seconds for anything but a workload
NEW_SESSION = b"\x0e"  # Ctrl+N
LETTERS = "bdfghjkmpqvwxz"
ANSWERS = {b"\x1b[?2026$p": b"\x1b[?2026;2$y", b"\x1b[>0q": b"\x1bP>|least\x1b\\", b"\x1b[c": b"\x1b[?64;1;2;22c"}
PROC = Path("/proc")
PROGRAM = [sys.executable, "-m", "acp_tui"]
AGENT = [sys.executable, "-I", "-S", str(Path(__file__).with_name("agent.py"))]
FLOOR = [sys.executable, "-I", "-S", str(Path(__file__).with_name("floor.py"))]


@dataclass(frozen=True, slots=True)
class Work:
    """What the agent does: a workload's name and numbers, chunks per second (0: as fast as it is read)."""

    name: str
    numbers: tuple[int, ...]
    rate: float = 0.0
    sessions: int = 1
    keys_during: bool = False
    keys_after: bool = False
    limit: float = 120.0
    """Seconds that it may take."""


@dataclass(slots=True)
class Process:
    """A client's process; without `/proc` it knows nothing and says None."""

    identity: int

    def cpu(self) -> float | None:
        """Seconds of CPU of all its threads, its own and the system's for it, by the clock that Linux has for it."""
        if sys.platform == "linux":
            with suppress(OSError):
                return time.clock_gettime(~self.identity << 3 | 2)  # as clock_getcpuclockid(3) names it; exact
        return None

    def memory(self, name: str) -> float | None:
        """Megabytes of `VmHWM` (the most there ever was) or `VmRSS` (now)."""
        with suppress(OSError):
            for text in (PROC / str(self.identity) / "status").read_text().splitlines():
                if text.startswith(f"{name}:"):
                    return int(text.split()[1]) * 1024 / 1e6
        return None


@dataclass(slots=True)
class Log:
    """What the agent wrote down: the nanosecond of each event of each session."""

    path: Path
    events: dict[tuple[str, int], int] = field(default_factory=dict)
    _read: int = 0

    def has(self, event: str, session: int) -> bool:
        if (event, session) not in self.events and self.path.exists():
            text = self.path.read_text(encoding="utf-8")
            for line in text[self._read : text.rfind("\n") + 1].splitlines():
                name, number, at = line.split()
                self.events.setdefault((name, int(number)), int(at))
            self._read = text.rfind("\n") + 1
        return (event, session) in self.events


class Terminal:
    """`with Terminal(command, folder) as terminal`: a process on a terminal whose screen is known."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self.cells = Cells(ROWS, COLUMNS)
        self.written = 0
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        known = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        places = {"HOME": folder, "XDG_STATE_HOME": folder / "state", "XDG_CONFIG_HOME": folder / "config"}
        named = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", "TMPDIR": str(folder)}
        (folder / "project").mkdir()
        self._process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder / "project",
            env=known | named | {name: str(path) for name, path in places.items()},
            start_new_session=True,
        )
        os.close(slave)
        os.set_blocking(self._master, False)
        self.process = Process(self._process.pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _type: type | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        with suppress(AssertionError):
            self.wait(lambda: self._process.poll() is not None, "its end", 5, ended=True)
        with suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()
        os.close(self._master)

    def type(self, keys: bytes) -> None:
        os.write(self._master, keys)

    @property
    def is_raw(self) -> bool:
        """Whether the client reads keys itself; before that the terminal would echo them."""
        return not termios.tcgetattr(self._master)[3] & termios.ECHO

    def wait(self, done: Callable[[], bool], what: str, limit: float = PATIENCE, ended: bool = False) -> None:
        """Read until something is so."""
        deadline = time.monotonic() + limit
        while not done():
            assert time.monotonic() < deadline, f"{what} did not come\n" + "\n".join(self.cells.shown)
            code = self._process.poll()
            assert ended or code is None, f"it ended with {code} before {what}\n" + "\n".join(self.cells.shown)
            self.read(0.02)

    def wait_for(self, text: str, limit: float = PATIENCE) -> int:
        """Read until a row shows this; the nanosecond at which it did."""
        self.cells.watch(text)
        self.wait(lambda: text in self.cells.seen, text, limit)
        return self.cells.seen[text]

    def rest(self, seconds: float = QUIET) -> None:
        """Read until nothing has come for so long."""
        while self.read(seconds):
            pass

    def pause(self, seconds: float) -> None:
        """Read for so long."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.read(left)

    def read(self, wait: float) -> bool:
        """Take what there is, or what comes in this time; whether there was anything."""
        if not select.select([self._master], [], [], wait)[0]:
            return False
        parts, size = [], 0
        with suppress(BlockingIOError, OSError):  # OSError: the client has closed its end
            while size < READ and (part := os.read(self._master, READ)):
                parts.append(part)
                size += len(part)
        data = b"".join(parts)
        if not data:
            time.sleep(min(wait, 0.02))
        self.written += size
        for question, answer in ANSWERS.items():
            if question in data:
                self.type(answer)
        self.cells.feed(data, time.monotonic_ns())
        return bool(data)


def run(client: Sequence[str], work: Work) -> dict[str, float]:
    """The figures of one run; CPU and memory on Linux only. AssertionError: it hangs."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        log = Log(folder / "agent.log")
        numbers = (work.sessions, work.rate, work.name, *work.numbers)
        with Terminal([*client, *AGENT, str(log.path), *map(str, numbers)], folder) as terminal:
            open_sessions(terminal, log, work.sessions, one_by_one=client[: len(FLOOR)] != FLOOR)
            return measured(terminal, log, work)


def open_sessions(terminal: Terminal, log: Log, count: int, one_by_one: bool) -> None:
    """Open so many sessions and prompt each; one by one with the client's own keys, or all at once by the floor."""
    for session in range(1, count + 1) if one_by_one else [count]:
        if one_by_one and session > 1:
            terminal.type(NEW_SESSION)
        terminal.wait(lambda number=session: log.has("session", number) and terminal.is_raw, "a session")  # type: ignore[misc]
        terminal.rest()
        word = f"go{session}"
        terminal.type(word.encode())
        terminal.wait_for(word)
        if session < count:
            terminal.type(b"\r")
            terminal.wait(lambda number=session: log.has("prompt", number), "a prompt")  # type: ignore[misc]
    terminal.rest()


def measured(terminal: Terminal, log: Log, work: Work) -> dict[str, float]:
    """Send the last prompt and look until the end of its session's answer is on the screen, and at keys."""
    session = work.sessions
    end = end_mark(session)
    cpu, written, frames = terminal.process.cpu(), terminal.written, terminal.cells.frames
    terminal.cells.watch(end)
    terminal.type(b"\r")
    keys: list[float] = []
    if work.keys_during:
        terminal.wait(lambda: log.has("first", session), "a first chunk", work.limit)  # a flood may never show it
        keys = key_times(terminal, lambda: end in terminal.cells.seen)
    terminal.wait(lambda: end in terminal.cells.seen and log.has("first", session), end, work.limit)
    seconds = (terminal.cells.seen[end] - log.events["first", session]) / 1e9
    figures = {
        "wall": seconds * 1000,
        "bytes": (terminal.written - written) / seconds / 1000,
        "frames": (terminal.cells.frames - frames) / seconds,
    }
    after = terminal.process.cpu()
    if cpu is not None and after is not None:
        figures |= {"cpu": (after - cpu) * 1000, "cpu share": (after - cpu) / seconds * 100}
    if work.keys_after:
        terminal.rest()
        keys = key_times(terminal, lambda: False)
    memory = {"peak": terminal.process.memory("VmHWM"), "final": terminal.process.memory("VmRSS")}
    figures |= {name: size for name, size in memory.items() if size is not None}
    return figures | ({"key": percentile(keys)} if keys else {})


def key_times(terminal: Terminal, done: Callable[[], bool], count: int = 50) -> list[float]:
    """Type, one key at a time; milliseconds from each key to its letter on the screen.

    The next key comes 30 to 120 ms after the last was seen, so that they fall anywhere between two frames.
    """
    chance, typed, times = random.Random(4), "zqz", []
    terminal.type(typed.encode())
    terminal.wait_for(typed)
    for _ in range(count):
        terminal.pause(chance.uniform(0.03, 0.12))
        if done():
            break
        key = chance.choice(LETTERS)
        typed += key
        terminal.cells.watch(typed)
        began = time.monotonic_ns()
        terminal.type(key.encode())
        times.append((terminal.wait_for(typed) - began) / 1e6)
    return times


def percentile(times: Sequence[float], part: int = 95) -> float:
    """The time that `part` of a hundred do not pass; of one time, itself."""
    return statistics.quantiles(times, n=100, method="inclusive")[part - 1] if len(times) > 1 else times[0]


def client_command(text: str | None) -> list[str]:
    """A client's command up to the `--` before the agent's; the program of this checkout if none is named."""
    return [*(shlex.split(text) if text else PROGRAM), "--"]


def floor_command(sessions: int) -> list[str]:
    return [*FLOOR, str(sessions)]
