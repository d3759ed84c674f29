"""A Textual driver for POSIX terminals that survives odd input, the end of input and slow terminals.

Four things differ from Textual's own: input that cannot be parsed is dropped and the keyboard lives on; the
end of input is told to the app, which leaves instead of spinning; a terminal that is gone is not written to,
because a full queue without a reader would block the loop; what a slow terminal did not take at once is not lost.
"""

import os
import select
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator
from io import TextIOWrapper
from typing import Any, Protocol, cast

from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.keys import Keys
from textual.message import Message

PASTE_START, PASTE_END = "\x1b[200~", "\x1b[201~"
READ_SIZE = 64 * 1024
POLL_SECONDS = 0.1


class HasInputEnd(Protocol):
    """The app, as the driver knows it."""

    def input_ended(self) -> None:
        """Nobody can type any more: leave."""


class ForgivingParser(XTermParser):
    """Textual's parser, for which a sequence that names an impossible key is no key instead of the end."""

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        try:
            return list(super()._sequence_to_key_events(sequence, alt))
        except (ValueError, OverflowError):
            return [events.Key(Keys.Ignore.value, sequence)]

    def parse_mouse_code(self, code: str) -> Message | None:
        try:
            return super().parse_mouse_code(code)
        except (ValueError, OverflowError, ZeroDivisionError, IndexError):
            return None


class TerminalInput:
    """Turns what a terminal sends into messages. Pastes are cut out whole: a parser takes seconds for a megabyte."""

    def __init__(self) -> None:
        self._parser = ForgivingParser()
        self._pasting = False
        self._paste: list[str] = []
        self._held = ""

    def feed(self, text: str) -> Iterator[Message]:
        """The messages in `text`; what is not finished waits for the next call."""
        text, self._held = self._held + text, ""
        while text:
            if self._pasting:
                before, mark, text = text.partition(PASTE_END)
                self._paste.append(self._keep_back(before) if not mark else before)
                if mark:
                    yield events.Paste("".join(self._paste))
                    self._pasting = False
            else:
                before, mark, text = text.partition(PASTE_START)
                if before:
                    yield from self._guarded(self._parser.feed(before))
                if mark:
                    self._pasting, self._paste = True, []

    def tick(self) -> Iterator[Message]:
        """The messages that time alone finishes: an escape that nothing followed."""
        yield from self._guarded(self._parser.tick())

    def _keep_back(self, text: str) -> str:
        """Hold what may be the beginning of a paste's end; the result is the rest."""
        count = next((n for n in range(len(PASTE_END) - 1, 0, -1) if text.endswith(PASTE_END[:n])), 0)
        self._held = text[len(text) - count :]
        return text[: len(text) - count]

    def _guarded(self, messages: Iterable[Message]) -> Iterator[Message]:
        try:
            yield from messages
        except Exception:  # noqa: BLE001 (loop guard: whatever the parser makes of odd input, the keyboard lives on)
            self._parser = ForgivingParser()


def writes_whole(file: TextIOWrapper) -> TextIOWrapper:
    """The same terminal, written to until it has all: with PYTHONUNBUFFERED, Python forgets the rest of a cut write."""
    return open(file.fileno(), "w", encoding=file.encoding, errors=file.errors, newline="", closefd=False)


class TerminalDriver(LinuxDriver):
    """Textual's driver for POSIX terminals, with the differences named above."""

    _gone = False

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        if self._file is not None:
            self._file = writes_whole(self._file)

    def write(self, data: str) -> None:
        if self._writes():
            super().write(data)

    def close(self) -> None:
        if self._writes():
            super().close()

    def _writes(self) -> bool:
        return not self._gone and self._writer_thread is not None and self._writer_thread.is_alive()

    def run_input_thread(self) -> None:
        """Read until the app ends the input or nobody can type any more."""
        decode = getincrementaldecoder("utf-8")("ignore").decode
        terminal = TerminalInput()
        while not self.exit_event.is_set():
            if select.select([self.fileno], [], [], POLL_SECONDS)[0]:
                data = self._read()
                if not data:
                    self._end_input()
                    return
                self._send(terminal.feed(decode(data)))
            self._send(terminal.tick())

    def _read(self) -> bytes:
        """What has been typed; empty at the end of input (Linux says EIO once the terminal is closed)."""
        try:
            return os.read(self.fileno, READ_SIZE)
        except OSError:
            return b""

    def _send(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.process_message(message)

    def _end_input(self) -> None:
        self._gone = True
        app = cast("HasInputEnd", self._app)
        self._loop.call_soon_threadsafe(app.input_ended)
