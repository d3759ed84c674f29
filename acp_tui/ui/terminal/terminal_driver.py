"""A Textual driver for POSIX terminals that survives odd input, the end of input and slow terminals.

Eight things differ from Textual's own: input that cannot be parsed is dropped and the keyboard lives on; the
end of input is told to the app, which leaves instead of spinning; a terminal that is gone is not written to,
because a full queue without a reader would block the loop; what a slow terminal did not take at once is not lost;
Alt with a letter is a key where the terminal would make another letter of it, and types nothing, however fast it is
repeated; the terminal is asked for its colours; a frame is one write.

Nothing waits for an answer but the end, so that none is left to the shell.
"""

import os
import re
import select
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from io import TextIOWrapper
from threading import get_ident
from time import monotonic
from typing import Any, Protocol, cast

from textual import constants, events
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.keys import Keys, _character_to_key
from textual.message import Message

from acp_tui.safe_text import is_text
from acp_tui.ui.terminal.terminal_capabilities import (
    ATTRIBUTES,
    QUESTIONS,
    MillionsOfColours,
    TerminalAnswers,
    can_be_asked,
    mode,
    mode_told,
    tells_millions,
)

PASTE_START, PASTE_END = "\x1b[200~", "\x1b[201~"
READ_SIZE = 64 * 1024
POLL_SECONDS = 0.1
ESCAPE_PREFIXES = (1036, 1039)  # xterm's modes: Meta and Alt send an escape before the letter
LONGER = "[OP]"  # after an escape, the beginning of longer sequences
SHIFTED = {"ctrl+shift+minus": "ctrl+underscore", "alt+shift+minus": "alt+underscore"}  # as kitty's protocol has them
OTHER_KEY = re.compile(r"\x1b\[27;(?P<modifiers>\d+);(?P<code>\d+)~")  # xterm's modifyOtherKeys, as tmux has it too
FRAME_BEGINS, FRAME_ENDS = "\x1b[?2026h", "\x1b[?2026l"  # synchronized output, where the terminal has it
RESET = 2  # a mode that is known, and not set
ANSWERED_WITHIN = 6.0  # seconds; a terminal that was silent for so long stays so
GIVEN_UP_AFTER = 10.0  # seconds without the end of an answer that has begun
AWAITED_FOR = 60.0  # seconds; from then on a key that looks like the beginning of an answer is one at once


class HasInputEnd(Protocol):
    """The app, as the driver knows it."""

    asks_for_colours: bool
    """Whether it would draw with more colours than it does, if the terminal had them."""

    def input_ended(self) -> None:
        """Nobody can type any more: leave."""


def alt_key(sequence: str, *, alt: bool = False) -> events.Key | None:
    """The key that an escape and one sign are, or a sign after one (`alt`); None for all others.

    Textual waits whether more comes, so that the next escape makes text of them; of digits it makes the signs that
    a Mac writes with Option, of Alt+Backspace Ctrl+W, and of Alt+Enter Enter.
    """
    sign = sequence if alt else sequence.removeprefix("\x1b")
    if len(sign) != 1 or (not alt and (len(sequence) != 2 or sign in LONGER)):
        return None
    if sign in "\x7f\b":
        return events.Key("alt+backspace", None)
    if sign in "\r\n":
        return events.Key("alt+enter", None)
    if not is_text(sign) or sequence in ("\x1bb", "\x1bf"):  # what Macs send for Alt with an arrow
        return None
    name = _character_to_key(sign)
    return events.Key(f"alt+shift+{name.lower()}" if len(name) == 1 and name.isupper() else f"alt+{name}", None)


class ForgivingParser(XTermParser):
    """Textual's parser, for which a sequence that names an impossible key is no key instead of the end."""

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        if (key := alt_key(sequence, alt=alt)) is not None:
            return [key]
        if other := OTHER_KEY.fullmatch(sequence):
            sequence = f"\x1b[{other['code']};{other['modifiers']}u"
        try:
            found = list(super()._sequence_to_key_events(sequence, alt))
        except (ValueError, OverflowError):
            return [events.Key(Keys.Ignore.value, sequence)]
        if alt and len(sequence) == 1 and sequence != "\x1b":  # else Alt+Ctrl+K would be Ctrl+K
            found = [events.Key(f"alt+{key.key}", None) for key in found]
        return [events.Key(SHIFTED[key.key], None) if key.key in SHIFTED else key for key in found]

    def parse_mouse_code(self, code: str) -> Message | None:
        try:
            return super().parse_mouse_code(code)
        except (ValueError, OverflowError, ZeroDivisionError, IndexError):
            return None


class TerminalInput:
    """Turns what a terminal sends into messages. Pastes are cut out whole: a parser takes seconds for a megabyte.

    Answers of the terminal go to `answered`.
    """

    def __init__(self, answered: Callable[[str], None] = lambda _: None) -> None:
        self.answers = TerminalAnswers()
        self._answered = answered
        self._parser = ForgivingParser()
        self._since = monotonic()
        self._pasting = False
        self._paste: list[str] = []
        self._held = ""
        self._held_since = 0.0
        self._escaped = False  # whether the last that came was an escape that nothing followed for a while

    def feed(self, text: str) -> Iterator[Message]:
        """The messages in `text`; what is not finished waits for the next call."""
        text, self._held = self._held + text, ""
        if self._escaped:
            self._escaped = False
            if self.answers.begins("\x1b" + text):
                text = "\x1b" + text
        while text:
            if self._pasting:
                before, mark, text = text.partition(PASTE_END)
                self._paste.append(self._keep_back(before) if not mark else before)
                if mark:
                    yield events.Paste("".join(self._paste))
                    self._pasting = False
            else:
                before, mark, text = text.partition(PASTE_START)
                typed = self._without_answers(before, last=not mark)
                if typed:
                    yield from self._guarded(self._parser.feed(typed))
                if mark:
                    self._pasting, self._paste = True, []

    def tick(self) -> Iterator[Message]:
        """The messages that time alone finishes: an escape that nothing followed."""
        yield from self._guarded(self._parser.tick())
        if monotonic() - self._since >= AWAITED_FOR:
            self.answers.awaited = 0
        waited = monotonic() - self._held_since
        if self._held == "\x1b" and not self._pasting and waited >= constants.ESCAPE_DELAY:
            self._held, self._escaped = "", True
            yield events.Key("escape", "\x1b")
        elif self._held and not self._pasting and waited >= GIVEN_UP_AFTER:
            typed, self._held = self.answers.typed(self._held), ""
            if typed:  # nothing would be the end of all input
                yield from self._guarded(self._parser.feed(typed))

    def _without_answers(self, text: str, *, last: bool) -> str:
        """What of it was typed; at its end, if it is the `last` there is, the beginning of an answer is held back."""
        typed, answers, rest = self.answers.take(text)
        for answer in answers:
            self._answered(answer)
        if rest and last:
            self._held, self._held_since = rest, monotonic()
            return typed
        return typed + rest

    def _keep_back(self, text: str) -> str:
        count = next((n for n in range(len(PASTE_END) - 1, 0, -1) if text.endswith(PASTE_END[:n])), 0)
        self._held = text[len(text) - count :]
        return text[: len(text) - count]

    def _guarded(self, messages: Iterable[Message]) -> Iterator[Message]:
        try:
            yield from messages
        except Exception:  # noqa: BLE001 (loop guard: whatever the parser makes of odd input, the keyboard lives on)
            self._parser = ForgivingParser()


def writes_whole(file: TextIOWrapper) -> TextIOWrapper:
    """The same terminal, written to until it has all: with PYTHONUNBUFFERED, Python forgets the rest of a cut write.

    It gets UTF-8 whatever the locale or PYTHONIOENCODING say, or each sign that we draw would be six letters.
    """
    return open(file.fileno(), "w", encoding="utf-8", errors="replace", newline="", closefd=False)


class FrameWrites:
    """Makes one write of what is written between the marks of a frame: each one wakes the thread that writes.

    A signal may come, or Ctrl+C end the frame, wherever it is: no frame is held longer than until the next one begins.
    """

    def __init__(self) -> None:
        self._held: list[str] | None = None
        self._thread = 0

    def take(self, data: str) -> str:
        """What is to be written now. Other threads' writes are never held."""
        held = self._held  # a signal's handler may let go of it meanwhile
        if held is not None and get_ident() != self._thread:
            return data
        if data == FRAME_BEGINS:
            cut_off = self.let_go()
            self._held, self._thread = [data], get_ident()
            return cut_off
        if held is None:
            return data
        held.append(data)
        if data != FRAME_ENDS:
            return ""
        self._held = None
        return "".join(held)

    def let_go(self) -> str:
        """What is held of a frame that was cut off, as a whole frame; nothing is held then."""
        held, self._held = self._held, None
        return "".join([*held, FRAME_ENDS]) if held else ""


class TerminalDriver(LinuxDriver):
    """Textual's driver for POSIX terminals, with the differences named above."""

    _gone = False

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._can_be_asked = False
        if self._file is not None:
            self._can_be_asked = self.input_tty and self._file.isatty() and can_be_asked(os.environ)
            self._file = writes_whole(self._file)
        self._asked_at = 0.0
        self._set_modes: list[int] = []
        self._frame = FrameWrites()

    def write(self, data: str) -> None:
        if (data := self._frame.take(data)) and self._writes():
            super().write(data)

    def close(self) -> None:
        self._write_held()
        if self._writes():
            super().close()

    def start_application_mode(self) -> None:
        self._decode = getincrementaldecoder("utf-8")("ignore").decode
        self._typed = TerminalInput(self._take_answer)
        start: Callable[[], None] = super().start_application_mode
        start()
        if self._can_be_asked and self._writes():
            self._ask()

    def stop_application_mode(self) -> None:
        self._write_held()  # else what leaves the terminal would be held too: SIGTSTP may come within a frame
        self._end_asking()
        super().stop_application_mode()
        while self._set_modes:
            self.write(f"\x1b[?{self._set_modes.pop()}l")

    def run_input_thread(self) -> None:
        """Read until the app ends the input or nobody can type any more."""
        while not self.exit_event.is_set():
            if select.select([self.fileno], [], [], POLL_SECONDS)[0]:
                data = self._read()
                if not data:
                    self._end_input()
                    return
                self._send(self._typed.feed(self._decode(data)))
            self._send(self._typed.tick())

    def _ask(self) -> None:
        """How Alt is sent now and how many colours there are, if that counts; and what every terminal answers."""
        colours = QUESTIONS if getattr(self._app, "asks_for_colours", False) else ""
        self._typed.answers.awaited += 1
        self._asked_at = monotonic()
        self.write("".join(mode(number) for number in ESCAPE_PREFIXES) + colours + ATTRIBUTES)

    def _take_answer(self, answer: str) -> None:
        if self.exit_event.is_set():
            return
        told = mode_told(answer)
        if told is not None and told[0] in ESCAPE_PREFIXES and told[1] == RESET and told[0] not in self._set_modes:
            self._set_modes.append(told[0])
            self.write(f"\x1b[?{told[0]}h")
        elif tells_millions(answer):
            self.process_message(MillionsOfColours())

    def _write_held(self) -> None:
        if (held := self._frame.let_go()) and self._writes():
            super().write(held)

    def _end_asking(self) -> None:
        """Read away what the terminal has still to answer: whoever has it next would take that for typed.

        Ctrl+C ends the wait.
        """
        if not self._typed.answers.awaited or self._key_thread is None or self._gone:
            return
        self.exit_event.set()
        self._key_thread.join()
        self._disable_mouse_support()
        while self._typed.answers.awaited and not self._gone:
            left = self._asked_at + ANSWERED_WITHIN - monotonic()
            if left <= 0 or not select.select([self.fileno], [], [], left)[0]:
                self._can_be_asked = False
                break
            data = self._read()
            self._gone = not data
            typed = [each.key for each in self._typed.feed(self._decode(data)) if isinstance(each, events.Key)]
            if b"\x03" in data or "ctrl+c" in typed:  # as it is sent by most, and by the protocol of kitty
                break
        self._typed.answers.awaited = 0
        self.exit_event.clear()

    def _read(self) -> bytes:
        """What has been typed; empty at the end of input (Linux says EIO once the terminal is closed)."""
        try:
            return os.read(self.fileno, READ_SIZE)
        except OSError:
            return b""

    def _send(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.process_message(message)

    def _writes(self) -> bool:
        return not self._gone and self._writer_thread is not None and self._writer_thread.is_alive()

    def _end_input(self) -> None:
        self._gone = True
        app = cast("HasInputEnd", self._app)
        self._loop.call_soon_threadsafe(app.input_ended)
