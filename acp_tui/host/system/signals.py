"""The signals that would end this program as it stands.

A terminal that is left so stays as the screen had it, and nobody asks the agents to end.
"""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import NoReturn

_NAMES = (
    *("SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGXCPU"),
    *("SIGIO", "SIGPWR", "SIGSTKFLT"),
)


def ending() -> list[int]:
    """The numbers of those that this system has.

    Not among them: SIGINT, which each front end takes in its own way; those that Python ignores; SIGKILL, which
    nothing hears; those after which memory is not to be trusted (SIGSEGV and its like).
    """
    if os.name == "nt":  # where a handler would not keep the program alive
        return []
    return [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]


@contextmanager
def hearing(act: Callable[[int], object], numbers: Sequence[int] | None = None) -> Iterator[None]:
    """Call `act` with each of these signals, by default those of `ending`, between any two steps of the main thread.

    In another thread none is heard.
    """
    before = {}
    numbers = ending() if numbers is None else numbers
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
        with hearing(heard.append, [*ending(), signal.SIGINT]):
            yield
    finally:
        for number in heard:
            signal.raise_signal(number)
