"""Reading a regular file in pieces: bounded, withdrawn between two of them, and never waiting for a FIFO's writer."""

import os
import stat
import threading
import time
from collections.abc import Callable
from typing import BinaryIO

from acp_tui.host.services.request_fault import RequestFault, invalid_params
from acp_tui.host.services.roots import Place

PIECE = 1 << 20  # bytes
# Bytes of the lines before those that are wanted: a quarter of a second, a full one of short lines.
MAX_SKIPPED = 1 << 30

# Bytes that an agent may have passed over at once, and in each second after that: one request may be large, but many at
# once took 20 CPU seconds and delayed all others by 5.
BURST, RATE = 2 << 30, 64 << 20

# Without waiting for a FIFO's writer, and without following a link, which is no file of this name.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class TooFar(Exception):
    """More than so many bytes would have to be passed over."""


def open_regular(path: str, place: Place) -> BinaryIO:
    """The file at a place, unbuffered. Raises `RequestFault` for what is no regular file."""
    descriptor = os.open(place.name, _FLAGS, dir_fd=place.folder)
    try:
        check_regular(path, os.fstat(descriptor).st_mode)
    except RequestFault:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb", buffering=0)


def check_regular(path: str, mode: int) -> None:
    """Raise `RequestFault` for the mode of a folder or of anything else that is no regular file."""
    if stat.S_ISDIR(mode):
        raise invalid_params(f"{path} is a folder, not a file", {"path": path})
    if not stat.S_ISREG(mode):
        raise invalid_params(f"{path} is not a regular file", {"path": path})


class TooOften(Exception):
    """An agent has too many bytes passed over."""


class SkipBudget:
    """How many bytes all requests of one agent may have passed over; for threads. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._left, self._at = float(BURST), clock()

    def spend(self, size: int) -> None:
        """Raises `TooOften` where nothing is left."""
        with self._lock:
            now = self._clock()
            self._left, self._at = min(float(BURST), self._left + (now - self._at) * RATE), now
            if self._left <= 0:
                raise TooOften
            self._left -= size


class Reader:
    """Lines of a file, as bytes; they end with a newline, and no line is held that is not asked for.

    `check` is called before each piece. `skipped`: bytes that were passed over, which the `budget` is for.
    """

    def __init__(
        self, file: BinaryIO, check: Callable[[], None] = lambda: None, budget: SkipBudget | None = None
    ) -> None:
        self._file, self._check, self._budget = file, check, budget or SkipBudget()
        self._rest = b""
        self.skipped = 0

    def skip(self, lines: int) -> None:
        """Pass over so many lines, or all that there are. Raises `TooFar` and `TooOften`."""
        while lines > 0 and (piece := self._next()):
            self._budget.spend(len(piece))
            end, found = _cut(piece, lines)
            lines -= found
            self._rest = piece[end:]
            self.skipped += end
            if self.skipped > MAX_SKIPPED:
                raise TooFar(MAX_SKIPPED)

    def read(self, lines: int | None, most: int) -> bytes:
        """So many lines, or all; somewhat more than `most` bytes if they are more than that."""
        pieces: list[bytes] = []
        size = 0
        while (lines is None or lines > 0) and size <= most and (piece := self._next()):
            if lines is not None:
                end, found = _cut(piece, lines)
                lines -= found
                piece, self._rest = piece[:end], piece[end:]
            pieces.append(piece)
            size += len(piece)
        return b"".join(pieces)

    def _next(self) -> bytes:
        self._check()
        piece, self._rest = self._rest, b""
        return piece or self._file.read(PIECE)


def _cut(piece: bytes, lines: int) -> tuple[int, int]:
    """Where the last of so many lines ends, after its newline or with the piece, and how many end up to there."""
    found = piece.count(b"\n") if b"\n" in piece else 0  # looking for the first is ten times as fast as counting
    if found < lines:
        return len(piece), found
    return len(piece) - len(piece.split(b"\n", lines)[lines]), lines
