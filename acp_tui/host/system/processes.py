"""The processes of this machine: who started whom, and when; and the signals that would end this program as it stands.

A process is named by its number and the time of its start, because its number is given to another one when it has
ended. Linux tells of single processes (`/proc`); elsewhere one `ps` tells of all of them.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import current_thread, main_thread
from typing import NamedTuple, NoReturn

from acp_tui.startup import late

PROC = Path("/proc")
_PS = ("/bin/ps", "-A", "-o", "pid=", "-o", "ppid=", "-o", "pgid=", "-o", "stat=", "-o", "lstart=")


class Process(NamedTuple):
    """A process that had not ended when it was looked at.

    `start` is when it started: clock ticks since boot from `/proc`, else the date and time of `ps` (UTC) with `_` for
    blanks. `session` is 0 where the system does not tell it.
    """

    pid: int
    start: str
    parent: int
    group: int
    session: int = 0


_ENDED = (FileNotFoundError, ProcessLookupError)  # what it says of one that has


class ProcFileSystem:
    """Each answer is of the moment in which it is given, and read from `/proc` alone; raises `OSError`."""

    def find(self, pid: int) -> Process | None:
        with suppress(*_ENDED, ValueError, IndexError):
            # The name stands in parentheses and may hold anything, parentheses too.
            fields = _read(f"/proc/{pid}/stat").rpartition(b") ")[2].split()
            if fields[0] not in (b"Z", b"X"):
                return Process(pid, fields[19].decode(), int(fields[1]), int(fields[2]), int(fields[3]))
        return None

    def children(self, parent: Process) -> list[Process]:
        pids: list[int] = []
        with suppress(*_ENDED):  # a thread, or the process
            for thread in os.listdir(f"/proc/{parent.pid}/task"):  # noqa: PTH208 (a tenth of the time)
                pids += map(int, _read(f"/proc/{parent.pid}/task/{thread}/children").split())
        found = [one for one in map(self.find, pids) if one is not None and one.parent == parent.pid]
        return found if found and same(self.find(parent.pid), parent) else []

    def members(self, leader: int) -> list[Process]:
        """The processes of the group and of the session that have this number."""
        found = [self.find(pid) for pid in _numbers() if leader in _group_and_session(pid)]
        return [one for one in found if one is not None]


class Listing:
    """All processes, as they were at one moment."""

    def __init__(self, listed: Iterable[Process]) -> None:
        self._by_pid = {one.pid: one for one in listed}
        self._by_parent: dict[int, list[Process]] = {}
        for one in self._by_pid.values():
            self._by_parent.setdefault(one.parent, []).append(one)

    def find(self, pid: int) -> Process | None:
        return self._by_pid.get(pid)

    def children(self, parent: Process) -> list[Process]:
        return self._by_parent.get(parent.pid, []) if same(self.find(parent.pid), parent) else []

    def members(self, leader: int) -> list[Process]:
        return [one for one in self._by_pid.values() if leader in (one.group, one.session)]


Table = ProcFileSystem | Listing


def same(one: Process | None, other: Process) -> bool:
    """Whether the process that was found is this one, and no other that got its number."""
    return one is not None and one.start == other.start


LISTS_CHILDREN = (PROC / f"self/task/{os.getpid()}/children").exists()
"""Whether the kernel lists the children of a process (CONFIG_PROC_CHILDREN)."""


def table() -> Table | None:
    """The processes now; `None` where nothing tells them. Without `LISTS_CHILDREN` it reads all processes.

    With it, one process costs some 20 microseconds; psutil reads all of them for the children of one (2 ms for 100
    processes), adds 19 ms and 1.5 MB at its import, and a `/bin/sh` that outlives us could not use it.
    """
    if LISTS_CHILDREN:
        return ProcFileSystem()
    listed = list(_listed_by_proc() if sys.platform == "linux" else _listed_by_ps())
    return Listing(listed) if any(one.pid == os.getpid() for one in listed) else None


def send(number: int, to: Process) -> None:
    """Send a signal, unless the process has ended or is not ours to signal."""
    with suppress(OSError):
        if sys.platform != "linux":
            os.kill(to.pid, number)
            return
        handle = _handle(to.pid)  # with it the number cannot pass to another process between the look and the signal
        try:
            if not same(ProcFileSystem().find(to.pid), to):
                return
            if handle is None:
                os.kill(to.pid, number)
            else:
                signal.pidfd_send_signal(handle, number)
        finally:
            if handle is not None:
                os.close(handle)


def with_variable(content: bytes) -> Iterator[tuple[int, str]]:
    """The number and the command line of each process in whose first environment this occurs (Linux)."""
    for pid in _numbers() if PROC.is_dir() else ():
        with suppress(OSError):
            if content in _read(f"/proc/{pid}/environ"):
                words = _read(f"/proc/{pid}/cmdline").split(b"\0")
                yield pid, b" ".join(words).strip().decode(errors="replace")


def _handle(pid: int) -> int | None:
    if sys.platform == "linux" and hasattr(os, "pidfd_open"):
        with suppress(OSError):
            return os.pidfd_open(pid)
    return None


def _numbers() -> list[int]:
    return [int(name) for name in os.listdir(PROC) if name.isdecimal()]  # noqa: PTH208 (as above)


def _group_and_session(pid: int) -> tuple[int, int]:
    with suppress(OSError):
        return os.getpgid(pid), os.getsid(pid)
    return 0, 0


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        pieces = []
        while piece := os.read(descriptor, 65536):
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        os.close(descriptor)


def _listed_by_proc() -> Iterator[Process]:
    with suppress(OSError):
        yield from (one for one in map(ProcFileSystem().find, _numbers()) if one is not None)


def _listed_by_ps() -> Iterator[Process]:
    with suppress(OSError, subprocess.SubprocessError):
        environment = {"LC_ALL": "C", "TZ": "UTC0"}  # as the watchdog has it: both write a start in the same way
        done = subprocess.run(_PS, capture_output=True, text=True, env=environment, check=True, timeout=5)  # noqa: S603
        yield from read_ps(done.stdout)


def read_ps(text: str) -> Iterator[Process]:
    """The processes of a listing with the columns pid, ppid, pgid, stat, lstart; zombies are left out."""
    for line in text.splitlines():
        match line.split():
            case [pid, parent, group, state, *start] if start and not state.startswith("Z"):
                yield Process(int(pid), "_".join(start), int(parent), int(group))


def ending(returncode: int) -> str:
    """`exit code 3`, or `killed by SIGKILL` where the code is negative, as Python tells a signal."""
    return f"exit code {returncode}" if returncode >= 0 else f"killed by {signal_name(-returncode)}"


def signal_name(number: int) -> str:
    """`SIGINT`; a number that has no name here is `signal 99`."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


_M_MMAP_THRESHOLD = -3  # of mallopt(3)
_LARGE = 128 * 1024  # bytes; where the C library begins


def return_large_blocks() -> None:
    """Have the GNU C library give large blocks back when they are freed. Elsewhere nothing happens.

    By itself it raises the size from which it does so to that of the largest block that was freed, up to 32 MiB. From
    then on smaller ones lie within the heap, which does not shrink: after a message of 5 MB, 20 MB that nobody used.
    """
    if sys.platform == "linux":
        with suppress(ImportError, OSError, AttributeError):  # a Python without ctypes, a C library without the call
            late("ctypes").CDLL(None).mallopt(_M_MMAP_THRESHOLD, _LARGE)


_NAMES = (
    *("SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGXCPU"),
    *("SIGIO", "SIGPWR", "SIGSTKFLT"),
)


def ending_signals() -> list[int]:
    """The numbers of those that this system has.

    Not among them: SIGINT, which each front end takes in its own way; those that Python ignores; SIGKILL, which
    nothing hears; those after which memory is not to be trusted (SIGSEGV and its like).
    """
    if os.name == "nt":  # where a handler would not keep the program alive
        return []
    return [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]


@contextmanager
def hearing(act: Callable[[int], object], numbers: Sequence[int] | None = None) -> Iterator[None]:
    """Call `act` with each of these signals, by default those that end it, between any two steps of the main thread.

    In another thread none is heard.
    """
    before = {}
    numbers = ending_signals() if numbers is None else numbers
    for number in numbers if current_thread() is main_thread() else ():
        before[number] = signal.signal(number, lambda heard, _frame: act(heard))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def leave(number: int) -> NoReturn:
    """Unwind this program, with the exit code that shells have for the signal."""
    raise SystemExit(128 + number)


@contextmanager
def deferred() -> Iterator[None]:
    """Around the start of a process: what would unwind us comes afterwards, so that none starts that nobody knows."""
    heard: list[int] = []
    try:
        with hearing(heard.append, [*ending_signals(), signal.SIGINT]):
            yield
    finally:
        for number in heard:
            signal.raise_signal(number)
