"""Writing one session down as it happens.

The event loop only hands over what happened; a thread makes lines of it and appends them. The file begins with
the first word of the conversation. Its header says what session it is; since a title or an id may come later,
lines of the kind `about` say it again. To make room for new records the oldest ones are deleted; one that is being
written, here or by another run of this program, is locked and stays.
"""

import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from acp_tui.host.config.state_files import private_folder
from acp_tui.host.records.event_codec import LINE_CAP, Timed, line_of, lines_of, whose
from acp_tui.host.system.paths import open_regular
from acp_tui.protocol.vocabulary.session_updates import (
    CompactionSummaryChunk,
    CompactionUpdate,
    MessageChunk,
    MessageUpdate,
    UnknownUpdate,
)
from acp_tui.protocol.vocabulary.tool_calls import (
    TerminalOutputChunk,
    TerminalUpdate,
    ToolCallContentChunk,
    ToolCallUpdate,
)
from acp_tui.session.facts import ElicitationReceived, Noticed, PromptQueued
from acp_tui.session.folds.messages import parts_of, text_of
from acp_tui.session.text.mentions import begins_with_tag

if sys.platform != "win32":  # there, what is open cannot be deleted anyway
    import fcntl

log = logging.getLogger(__name__)

VERSION = 1
TOTAL = 2 * 1024 * 1024 * 1024  # bytes of all records together
CAP = 64 * 1024 * 1024  # bytes of one record; what comes after is not recorded
OUTPUT_CAP = 16 * 1024 * 1024  # bytes of one record after which terminals are left out, so that words find room
ABOUT_EVERY = 32 * 1024  # bytes after which a record says again what it is, so that its end tells
HELD = 2_000  # events before the first word that are kept for it
FLUSHED = 100  # lines that are copied at a time
TITLE = 120  # characters of a prompt that stand for a missing title

_BEGINS_A_RECORD = (
    MessageUpdate,
    MessageChunk,
    ToolCallUpdate,
    ToolCallContentChunk,
    TerminalUpdate,
    TerminalOutputChunk,
    CompactionUpdate,
    CompactionSummaryChunk,
    UnknownUpdate,
    PromptQueued,
    ElicitationReceived,
)

# Around what another record held, which is copied, so that either record can be deleted.
BEGINS, ENDS = "history begins", "history ends"
_BEGINS, _ENDS = (line_of({"kind": kind}) for kind in (BEGINS, ENDS))
_ENDING = _ENDS[:-2]  # a message may follow
_ABOUT = (b'{"kind":"record"', b'{"kind":"about"')


@dataclass(slots=True)
class EarlierRecord:
    """What another record holds that a session goes on from, and how that comes; on its way to the thread that writes.

    `place` says where that record is. `cut` finds, in so many of its bytes, the place where what is taken over ends;
    it may take seconds. `problem` says why `lines` did not give all of its first `size` bytes.
    """

    place: Callable[[], Path | None]
    message: str
    cut: Callable[[Path, int], int] = lambda _, size: size
    path: Path = Path()
    size: int = 0
    problem: str = ""

    def look(self) -> bool:
        """Whether there is one, by now. One that is gone has nothing to copy, which is told when it is to be copied."""
        path = self.place()
        self.path = path or self.path
        with suppress(OSError):
            self.size = self.path.stat().st_size
        return path is not None

    def lines(self, room: int) -> Iterator[bytes]:
        """At most `room` bytes of its lines, but for those that say what record it is and for a torn one at the end.

        Each history that has no end there, because of a crash or of the room, has one here, for which there is room.
        """
        unended = 0
        try:
            self.size = self.cut(self.path, self.size)
            for line in self._read():
                room -= len(line)
                if room < 0:
                    self.problem = "It is too long."
                    break
                unended += (line == _BEGINS) - line.startswith(_ENDING)
                yield line
        except OSError as error:
            self.problem = f"{self.path}: {error.strerror}"
        yield from [_ENDS] * unended

    def _read(self) -> Iterator[bytes]:
        with open_regular(self.path) as file:
            while file.tell() < self.size and (line := file.readline(LINE_CAP)).endswith(b"\n"):
                if not line.startswith(_ABOUT):
                    yield line


class SessionRecording:
    """One record that is being written, by one thread. `notices` holds what the user must be told of it."""

    def __init__(
        self,
        folder: Path,
        about: Callable[[], dict[str, str]],
        cap: int = CAP,
        *,
        start: Mapping[str, Any] = MappingProxyType({}),
        run: bool = False,
    ) -> None:
        self._folder, self._about, self._cap = folder, about, cap
        self._head = {"start": dict(start), **({"run": True} if run else {})}
        self._output_cap = min(OUTPUT_CAP, cap // 2)
        self.path: Path | None = None
        self.notices: list[Noticed] = []
        self._earlier: EarlierRecord | None = None
        self._held: list[Timed] = []
        self._lines: list[bytes] = []
        self._descriptor = -1
        self._size = self._since_about = 0
        self._seconds = 0.0  # of the last event
        self._said: dict[str, str] = {}
        self._prompt = self._injected = ""  # the latter is the id of a message
        self._last_prompt = ""
        self._ended = self._without_output = False

    def write(self, batch: Sequence[Timed]) -> None:
        self._try(lambda: self._hold(batch) if self.path is None else self._append(batch))

    def follow(self, earlier: EarlierRecord) -> None:
        """Take over what another record holds by now; where nothing was said here yet, once that happens."""
        self._earlier = earlier if earlier.look() else None
        if self.path is not None:
            self._try(self._take_over)

    def give_up(self, reason: str) -> None:
        """Nothing more can be written, which is told once; the file is the thread's to close."""
        if not self._ended:
            self._ended = True
            self.notices.append(Noticed("warning", "Recording of this session has stopped", reason))

    def close(self) -> None:
        self._ended = True
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _try(self, act: Callable[[], None]) -> None:
        if self._ended:
            return
        try:
            act()
        except OSError as error:
            self.give_up(error.strerror or str(error))
            self.close()

    def _hold(self, batch: Sequence[Timed]) -> None:
        self._held.extend(batch)
        if any(isinstance(event, _BEGINS_A_RECORD) for _, event in batch):
            held, self._held = self._held, []
            self._note_prompt(held)
            self._begin()
            self._take_over()
            self._append(held)
        else:
            del self._held[:-HELD]

    def _begin(self) -> None:
        """Create the file, whose name sorts by time and which nobody else can have or read."""
        private_folder(self._folder)
        now = datetime.now(UTC)
        path = self._folder / f"{now:%Y%m%d-%H%M%S}-{os.urandom(4).hex()}.jsonl"
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        hold(self._descriptor)
        self.path = path
        self._said = self._named()
        begun = {"kind": "record", "version": VERSION, "started": now.isoformat(), **self._head}
        self._add(line_of({**begun, **self._said}))

    def _take_over(self) -> None:
        """Copy what was said before; it leaves at least half of the room to what is said from now on."""
        earlier, self._earlier = self._earlier, None
        if earlier is None:
            return
        self._add(line_of({"kind": BEGINS}))
        for line in earlier.lines(self._cap // 2 - self._size):
            self._add(line)
            if len(self._lines) >= FLUSHED:
                self._flush()
        self._add(line_of({"kind": ENDS, "message": earlier.message}))
        if earlier.problem:
            self._tell(0.0, Noticed("warning", "Earlier messages are only partly recorded", earlier.problem))
        self._add_about()
        self._flush()

    def _append(self, batch: Sequence[Timed]) -> None:
        self._note_prompt(batch)
        self._seconds = batch[-1][0] if batch else self._seconds
        if self._without_output:
            batch = [timed for timed in batch if not _is_output(timed[1])]
        for event, line in lines_of(batch):
            if self._size + len(line) > self._cap:
                self._full(batch[-1][0])
                return
            self._add(line)
            if self._since_about > ABOUT_EVERY:
                self._add_about()
                self._flush()
            if not self._without_output and self._size > self._output_cap and _is_output(event):
                self._leave_out_output(batch[-1][0])
        if self._named() != self._said:
            self._add_about()
        self._flush()

    def _leave_out_output(self, seconds: float) -> None:
        self._without_output = True
        message = f"The record has reached {_size(self._output_cap)}. Messages and tool calls are still recorded."
        self._tell(seconds, Noticed("info", "Terminal output is no longer recorded", message))

    def _full(self, seconds: float) -> None:
        message = f"The record has reached {_size(self._cap)}, the limit for one session."
        self._tell(seconds, Noticed("warning", "Recording of this session has stopped", message))
        self._flush()
        self.close()

    def _tell(self, seconds: float, notice: Noticed) -> None:
        for _, line in lines_of([(seconds, notice)]):
            self._add(line)
        self.notices.append(notice)

    def _add_about(self) -> None:
        self._said = self._named()
        now = datetime.now(UTC).isoformat(timespec="milliseconds")  # `t` stands still while the machine sleeps
        self._add(line_of({"kind": "about", "t": round(self._seconds, 3), "at": now, **self._said}))
        self._since_about = 0

    def _named(self) -> dict[str, str]:
        about = self._about()
        own = {"own_prompt": self._prompt} if about.get("parent") and self._prompt else {}
        last = {"last_prompt": self._last_prompt} if self._last_prompt not in ("", self._prompt) else {}
        return {**about, "title": about.get("title") or self._prompt, **own, **last}

    def _note_prompt(self, batch: Sequence[Timed]) -> None:
        for _, event in batch:
            if isinstance(event, MessageUpdate) and event.from_here:
                self._last_prompt = _words_of_prompt(event) or self._last_prompt
        for _, event in batch if not self._prompt else ():
            words = _words_of_prompt(event)
            if words and isinstance(event, MessageUpdate | MessageChunk) and not getattr(event, "from_here", False):
                if begins_with_tag(words):
                    self._injected = event.message_id
                if event.message_id == self._injected:
                    continue
            if words:
                self._prompt = words
                return

    def _add(self, line: bytes) -> None:
        self._lines.append(line)
        self._size += len(line)
        self._since_about += len(line)

    def _flush(self) -> None:
        data, self._lines = b"".join(self._lines), []
        while data:
            data = data[os.write(self._descriptor, data) :]


def _is_output(event: Any) -> bool:
    """Of a terminal, be it a subagent's."""
    return isinstance(whose(event)[1], TerminalOutputChunk)


def _size(count: int) -> str:
    return f"{count / (1024 * 1024):g} MiB"


def _words_of_prompt(event: Any) -> str:
    blocks = event.blocks if isinstance(event, PromptQueued) else None
    if isinstance(event, MessageUpdate) and event.role == "user":
        blocks = event.content
    elif isinstance(event, MessageChunk) and event.role == "user":
        blocks = [event.content]
    words = " ".join(text_of(parts_of(blocks or [])).split())
    return words if len(words) <= TITLE else words[: TITLE - 1] + "…"


def hold(descriptor: int) -> None:
    """Keep the record that is open for writing from being deleted, until it is closed."""
    if sys.platform != "win32":
        fcntl.flock(descriptor, fcntl.LOCK_SH)


def make_room(folder: Path, total: int = TOTAL) -> list[Path]:
    """Delete the records that were written to longest ago until the rest has `total` bytes; those that went.

    The log says what went. Raises nothing: a record that cannot be deleted stays.
    """
    gone: list[Path] = []
    sizes = sorted(_sizes(folder), reverse=True)
    excess = sum(size for _, size, _ in sizes) - total
    while excess > 0 and sizes:
        _, size, path = sizes.pop()
        if _deleted(path):
            gone.append(path)
            excess -= size
    if gone:
        names = f"{gone[0].name} to {gone[-1].name}" if gone[1:] else gone[0].name
        log.warning("records exceed %d bytes in all: deleted the %d oldest, %s", total, len(gone), names)
    return gone


def _sizes(folder: Path) -> list[tuple[int, int, Path]]:
    found = []
    for path in folder.glob("*.jsonl"):
        try:
            state = path.stat()
        except OSError:
            continue  # it went meanwhile
        found.append((state.st_mtime_ns, state.st_size, path))
    return found


def _deleted(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        if sys.platform != "win32":
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
