"""The agent's reads and writes of text files (protocol 1's `fs/*`).

Bytes stay as they are: UTF-8 in and out, no newline is translated, a byte order mark is a character.
"""

import os
import stat
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeVar
from weakref import WeakValueDictionary

from anyio import Lock, fail_after

from acp_tui.host.system.atomic_replace import beside, keep_owner, remove, set_mode, written
from acp_tui.host.system.sandbox_paths import (
    RequestFault,
    SandboxPath,
    SandboxRoots,
    failed,
    invalid_params,
    not_found,
    reach,
)
from acp_tui.host.system.threads import Call, Stuck, Threads
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.tool_calls import (
    ContentItem,
    Diff,
    FileChange,
    ReadTextFileRequest,
    WriteTextFileRequest,
)
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.facts import FileWritten, Noticed
from acp_tui.session.state import Session
from acp_tui.session.text.line_diff import line_diff, lines_of_text

HELD = 20  # errors of one turn, the last ones; agents probe for files that need not be there
OPAQUE = "[object Object]"  # what JavaScript makes of an error object that is put into a text
TITLE = "Edit failed: the file could not be read first"
MESSAGE = "Some agents cannot create files while acp-tui reads files for them."
HINT = 'To let it create files, set fs = "write" for this agent in the config file (acp-tui config).'


class FailedReads:
    """The errors that one session's agent got for reads in this turn. A notice, once, names the setting that helps."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._messages: deque[str] = deque(maxlen=HELD)
        self._said = False

    def add(self, message: str) -> None:
        self._messages.append(message)

    def forget(self) -> None:
        self._messages.clear()

    def look(self, call: ToolCallEntry) -> None:
        """Whether this call, of the session or of a subagent, failed for one of them, and says so."""
        if self._said or not self._messages or call.status != "failed" or call.kind != "edit":
            return
        items = [item.content for item in call.content if isinstance(item, ContentItem)]
        told = "\n".join(item.text for item in items if isinstance(item, TextContent)) + str(call.raw_output)
        if any(message in told for message in (*self._messages, OPAQUE)):
            self._said = True
            self._session.apply(Noticed("warning", TITLE, MESSAGE, HINT))


PIECE = 1 << 20  # bytes
# Bytes of the lines before those that are wanted: a quarter of a second, a full one of short lines.
MAX_SKIPPED = 1 << 30

# Bytes that an agent may have passed over at once, and in each second after that: one request may be large, but many at
# once took 20 CPU seconds and delayed all others by 5.
BURST, RATE = 2 << 30, 64 << 20

# Without waiting for a FIFO's writer, and without following a link, which is no file of this name.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class SkipTooLong(Exception):
    """More than so many bytes would have to be passed over."""


def open_regular(path: str, place: SandboxPath) -> BinaryIO:
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


class SkipBudgetSpent(Exception):
    """An agent has too many bytes passed over."""


class SkipBudget:
    """How many bytes all requests of one agent may have passed over; for threads. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._left, self._at = float(BURST), clock()

    def spend(self, size: int) -> None:
        """Raises `SkipBudgetSpent` where nothing is left."""
        with self._lock:
            now = self._clock()
            self._left, self._at = min(float(BURST), self._left + (now - self._at) * RATE), now
            if self._left <= 0:
                raise SkipBudgetSpent
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
        """Pass over so many lines, or all that there are. Raises `SkipTooLong` and `SkipBudgetSpent`."""
        while lines > 0 and (piece := self._next()):
            self._budget.spend(len(piece))
            end, found = _cut(piece, lines)
            lines -= found
            self._rest = piece[end:]
            self.skipped += end
            if self.skipped > MAX_SKIPPED:
                raise SkipTooLong(MAX_SKIPPED)

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


MAX_COMPARED = 4 * 1024 * 1024  # bytes of a file that is replaced
MAX_SHOWN = 256 * 1024  # characters, before and after together, that are kept to be shown
MAX_READ = 16 * 1024 * 1024  # bytes in one answer; a bigger file is read in ranges of lines
WITHIN = 60.0  # seconds after which a request fails

T = TypeVar("T")


class Files:
    """The files under `roots`. The `budget` is what all requests of the agent have in common.

    Requests for one path take effect in the order in which they came, though the agent waits for none of them.
    """

    def __init__(self, roots: Sequence[Path], budget: SkipBudget | None = None) -> None:
        self.roots, self._budget = SandboxRoots(roots), budget or SkipBudget()
        self._turns: WeakValueDictionary[str, Lock] = WeakValueDictionary()
        self._threads = Threads()

    def within(self, roots: SandboxRoots) -> "Files":
        """The files under other roots, whose requests wait for those here and count with them."""
        files = Files((), self._budget)
        files.roots, files._turns, files._threads = roots, self._turns, self._threads
        return files

    async def read_text_file(self, request: ReadTextFileRequest) -> str:
        """The text of a file, or `limit` lines of it from `line` on; past the end is empty.

        Raises `RequestFault`: -32002 for a missing file, -32602 for what is no text file inside the roots, -32603 for
        what is too big, or cannot be read in time.
        """
        return await self._run(request.path, partial(_read, request, self.roots, self._budget))

    async def write_text_file(self, request: WriteTextFileRequest) -> FileWritten:
        """Replace or create a file, and its folders, at once and as a whole; through links, keeping the mode.

        The result tells how it differs from before. Raises `RequestFault` when the target is outside the roots or
        cannot be written (in time); it is then as it was.
        """
        return await self._run(request.path, partial(_write, request, self.roots))

    async def holds(self, path: str, new: str, old: str) -> bool:
        """Whether a file holds a text, and the one that it was to replace only as a part of that; False if unsure."""
        try:
            text = await self._run(path, partial(_beginning, path, self.roots))
        except RequestFault:
            return False
        return new in text and (not old or old in new or old not in text)

    async def _run(self, path: str, act: Callable[[Call], T]) -> T:
        call = Call()
        try:
            with fail_after(WITHIN):
                async with self._turns.setdefault(path, Lock()):
                    return await self._threads.run(partial(act, call), call)
        except TimeoutError as error:
            words = f"timed out after {WITHIN:.0f} s; the file system is slow or not responding"
            raise failed(f"{path}: {words}", {"path": path}) from error
        except Stuck as stuck:
            words = f"{stuck} reads and writes of this session are stuck; no more are accepted"
            raise failed(f"{path}: {words}", {"path": path}) from stuck


def _read(request: ReadTextFileRequest, roots: SandboxRoots, budget: SkipBudget, call: Call) -> str:
    path, first = request.path, request.line or 1
    with _told(path), reach(path, roots) as place, open_regular(path, place) as file:
        reader = Reader(file, call.check, budget)
        try:
            reader.skip(first - 1)
        except SkipBudgetSpent as error:
            words = "too many requests for lines deep in large files; try again in a few seconds"
            raise failed(f"{path}: {words}", {"path": path}) from error
        except SkipTooLong as error:
            words = f"line {first} is beyond the first {error.args[0] / (1 << 30):g} GiB, which is the search limit"
            raise failed(f"{path}: {words}", {"path": path}) from error
        data = reader.read(request.limit, MAX_READ)
    if len(data) > MAX_READ:
        raise failed(
            f"{path}: more than {MAX_READ >> 20} MiB at once; read fewer lines (line, limit)",
            {"path": path},
        )
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        where = f"byte 0x{data[error.start]:02x} at offset {reader.skipped + error.start}"
        raise invalid_params(f"{path} is not UTF-8 text: {where}", {"path": path}) from error


def _beginning(path: str, roots: SandboxRoots, call: Call) -> str:
    with _told(path), reach(path, roots) as place, open_regular(path, place) as file:
        return Reader(file, call.check).read(None, MAX_COMPARED).decode("utf-8", "replace")


def _write(request: WriteTextFileRequest, roots: SandboxRoots, call: Call) -> FileWritten:
    path, content = request.path, request.content
    try:
        data = content.encode()
    except UnicodeEncodeError as error:
        raise invalid_params(f"the content cannot be encoded as UTF-8: {error.reason}", {"path": path}) from error
    with _told(path), reach(path, roots, make=True) as place:
        before, known = _text_before(path, place, call)
        _replace(path, place, data, call)
    if known and len(before or "") + len(content) <= MAX_SHOWN:
        diff = Diff(path=path, old_text=before, new_text=content)
    else:
        diff = Diff(changes=[FileChange(operation="add" if before is None else "modify", path=path)])
    return replace(difference(path, before, content), diff=diff)


def _text_before(path: str, place: SandboxPath, call: Call) -> tuple[str | None, bool]:
    """What a file holds, and whether that is all of it: of a big one the beginning, nothing of what is no text.

    None if there is no such file.
    """
    try:
        with open_regular(path, place) as file:
            data = Reader(file, call.check).read(None, MAX_COMPARED)
            return data[:MAX_COMPARED].decode(), len(data) <= MAX_COMPARED
    except FileNotFoundError:
        return None, True
    except (OSError, UnicodeDecodeError, RequestFault):
        return "", False


def difference(path: str, before: str | None, after: str) -> FileWritten:
    """How many lines were added and removed, and the first line that differs."""
    old = lines_of_text(before or "")
    diff = line_diff(old, lines_of_text(after))
    line = (diff.spans[0][0] if diff.spans else len(old)) + 1
    return FileWritten(path, diff.added, diff.removed, line, created=before is None)


def _replace(path: str, place: SandboxPath, data: bytes, call: Call) -> None:
    before, temporary = _state_before(path, place), beside(place)
    try:
        # A new file gets the mode that the umask leaves; an old one's copy is private until it has the old mode.
        with written(temporary, 0o666 if before is None else 0o600) as file:
            file.write(data)
            if before is not None:
                keep_owner(file.fileno(), before)
                set_mode(file.fileno(), before.st_mode)
        call.commit()
        os.replace(temporary.name, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
    finally:
        remove(temporary)


def _state_before(path: str, place: SandboxPath) -> os.stat_result | None:
    try:
        before = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    check_regular(path, before.st_mode)
    if not os.access(place.name, os.W_OK, dir_fd=place.folder):
        raise failed(f"{path} is read-only", {"path": path})
    return before


@contextmanager
def _told(path: str) -> Iterator[None]:
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        raise not_found(f"{path} does not exist", {"path": path, "uri": Path(path).as_uri()}) from error
    except OSError as error:
        raise failed(f"{path}: {error.strerror or error}", {"path": path}) from error
