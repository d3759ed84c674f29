"""The one door to standard output and standard error: all that this program writes there, outside of the screen.

What goes through it is made safe for a terminal, wherever it came from. `take_streams` puts the door into the place of
Python's own streams too, so that what others write (argparse, tracebacks, warnings) passes it as well.
"""

import errno
import os
import queue
import select
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import Literal, TextIO, cast

from acp_tui.errors import Fault
from acp_tui.safe_text import one_line, sanitise

if sys.platform != "win32":
    import termios

AsideTone = Literal["plain", "muted", "error"]
_STYLES: dict[AsideTone, str] = {"plain": "", "muted": "2", "error": "31"}  # dim and red, as each terminal has them
_PIECE = 1 << 16  # bytes written at once, so that a reader that goes away is noticed soon


def take_streams() -> None:
    """Make standard output and error UTF-8, and safe, for as long as the program runs.

    A stream that was closed is replaced, or the next file that is opened would get its number. What is written to
    standard output fails as it would have: an answer that nobody got is no success.
    """
    for name, flags in (("stdin", os.O_RDONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, flags)
            setattr(sys, name, open(descriptor, "r" if name == "stdin" else "w"))  # noqa: PTH123, SIM115 (it stays open)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")  # whatever PYTHONIOENCODING says
        if not isinstance(stream, _SafeStream):
            setattr(sys, name, cast("TextIO", _SafeStream(stream)))


def write_output(text: str) -> None:
    """Write a line, or several, to standard output, whatever its encoding can show.

    A reader that went away has read enough: that raises `SystemExit`. Raises `Fault` if it cannot be written at all.
    """
    with _read_to_its_end():
        sys.stdout.write(_encodable(sanitise(text), sys.stdout) + "\n")
        sys.stdout.flush()


def agreed(question: str) -> bool:
    """No, unless the user types yes; what was typed before the question stood there does not answer it."""
    if sys.platform != "win32":
        termios.tcflush(sys.stdin, termios.TCIFLUSH)
    write_output(question)
    return sys.stdin.buffer.readline().strip().lower() in (b"y", b"yes")


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output: to a file or a pipe as they are, to a terminal as text that is made safe.

    Raises as `write_output` does.
    """
    if sys.stdout.isatty():
        write_output(data.decode(errors="replace").removesuffix("\n"))
        return
    with _read_to_its_end():
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


@contextmanager
def _read_to_its_end() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        # What is left in the buffer is written once more when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise SystemExit(1) from None
        raise Fault("Cannot write to stdout", _reason(error)) from error


def write_error(text: str) -> None:
    """Write a line, or several, to standard error; nobody is left to hear that this failed."""
    with suppress(OSError):
        sys.stderr.write(_encodable(sanitise(text), sys.stderr) + "\n")
        sys.stderr.flush()


def fault_text(fault: Fault) -> str:
    """A fault as lines: its title, its message, its hint. Further lines of the last two are set in.

    So no line that is foreign looks like one of ours.
    """
    below = [sanitise(part).replace("\n", "\n  ") for part in (fault.message, fault.hint) if part]
    return "\n".join([one_line(fault.title), *below])


def _encodable(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)


class _SafeStream:
    """A text stream that is written to as `sanitise` says, and is in all else the stream that it stands for."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write the text; the result is its length, as the caller counts."""
        self._stream.write(_encodable(sanitise(text), self._stream))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


class Output:
    """Both streams, written by one thread, so that their order on a terminal is that of the calls.

    A reader that is slow delays nobody. When the reader of the answer went away, nothing more is written; `failed`
    says that it could not be written for another reason, which is told beside it.
    `ended` is called, in that thread, when that or `close` has ended it.
    """

    def __init__(self, answer: int, aside: int, ended: Callable[[], None]) -> None:
        """Write to the descriptors `answer` and `aside`."""
        self._answer, self._aside, self._ended = answer, aside, ended
        self._colours = os.isatty(aside) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self.failed = False
        self._queue: queue.SimpleQueue[tuple[int, str] | None] = queue.SimpleQueue()
        # A daemon: a reader that never reads must not keep this program from ending.
        threading.Thread(target=self._run, name="output", daemon=True).start()

    def answer(self, text: str) -> None:
        """Write `text` to standard output as it is, after all that was given before: a pipe gets each character."""
        self._queue.put((self._answer, text))

    def aside(self, text: str, tone: AsideTone = "plain") -> None:
        """Write a line to standard error, made safe, after all that was given before; a terminal shows its tone."""
        safe, style = sanitise(text), _STYLES[tone] if self._colours else ""
        line = safe.removesuffix("\n")
        self._queue.put((self._aside, f"\x1b[{style}m{line}\x1b[m\n" if style else safe))

    def close(self) -> None:
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
            _write(self._aside, f"[error: The answer could not be written: {sanitise(_reason(error))}]\n")


def _reason(error: OSError) -> str:
    return "stdout is closed" if error.errno == errno.EBADF else error.strerror or str(error)


def _write(descriptor: int, text: str) -> None:
    data = memoryview(text.encode(errors="replace"))
    while data:
        try:
            data = data[os.write(descriptor, data[:_PIECE]) :]
        except BlockingIOError:  # somebody who shares the stream made it so
            select.select([], [descriptor], [])
