"""Writes to standard output and error without ever holding up the one who writes; must not know what is written."""

import os
import queue
import select
import threading
from collections.abc import Callable
from contextlib import suppress

_PIECE = 1 << 16  # bytes written at once, so that a reader that goes away is noticed soon


class Output:
    """Both streams, written by one thread, so that their order on a terminal is that of the calls.

    A reader that is slow delays nobody. When the reader of the answer went away, nothing more is written; `failed`
    says that it could not be written for another reason, which is told beside it.
    `ended` is called, in that thread, when that or `close` has ended it.
    """

    def __init__(self, answer: int, aside: int, ended: Callable[[], None]) -> None:
        """Write to the descriptors `answer` and `aside`."""
        self._answer, self._aside, self._ended = answer, aside, ended
        self.failed = False
        self._queue: queue.SimpleQueue[tuple[int, str] | None] = queue.SimpleQueue()
        # A daemon: a reader that never reads must not keep this program from ending.
        threading.Thread(target=self._run, name="output", daemon=True).start()

    def answer(self, text: str) -> None:
        """Write `text` to standard output, after all that was given before."""
        self._queue.put((self._answer, text))

    def aside(self, text: str) -> None:
        """Write `text` to standard error, after all that was given before."""
        self._queue.put((self._aside, text))

    def close(self) -> None:
        """End when everything is written."""
        self._queue.put(None)

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            descriptor, text = item
            try:
                _write(descriptor, text)
            except OSError as error:  # a closed pipe or terminal, a full disk
                if descriptor == self._answer:
                    self._give_up(error)
                    break
        self._ended()

    def _give_up(self, error: OSError) -> None:
        if isinstance(error, BrokenPipeError):
            return
        self.failed = True
        with suppress(OSError):
            _write(self._aside, f"[error: The answer cannot be written: {error.strerror or error}]\n")


def _write(descriptor: int, text: str) -> None:
    data = memoryview(text.encode(errors="replace"))
    while data:
        try:
            data = data[os.write(descriptor, data[:_PIECE]) :]
        except BlockingIOError:  # somebody who shares the stream made it so
            select.select([], [descriptor], [])
