"""The agent's reads and writes of text files (protocol 1's `fs/*`); must not know who asks or who watches.

Bytes stay as they are: UTF-8 in and out, no newline is translated, a byte order mark is a character.
"""

import os
import secrets
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO
from weakref import WeakValueDictionary

from anyio import Lock, to_thread

from acp_tui.host.request_fault import RequestFault, failed, invalid_params, not_found, not_offered
from acp_tui.host.roots import resolve
from acp_tui.protocol.files import ReadTextFileRequest, WriteTextFileRequest
from acp_tui.protocol.tool_calls import Diff, FileChange
from acp_tui.session.facts import FileWritten

MAX_COMPARED = 4 * 1024 * 1024  # bytes of a file that is replaced
MAX_SHOWN = 256 * 1024  # characters, before and after together, that are kept to be shown
MAX_READ = 16 * 1024 * 1024  # bytes in one answer; a bigger file is read in ranges of lines

# What was resolved is opened without following a link put there since, and without waiting for a FIFO's writer.
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_WRITE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class Files:
    """The files under `roots`; what is not to be read or written at all is refused as not offered.

    Requests for one path take effect in the order in which they came, though the agent waits for none of them.
    """

    def __init__(self, roots: Sequence[Path], read: bool, write: bool) -> None:
        self.roots, self.read, self.write = tuple(roots), read, write
        self._turns: WeakValueDictionary[str, Lock] = WeakValueDictionary()

    async def read_text_file(self, request: ReadTextFileRequest) -> str:
        """The text of a file, or `limit` lines of it from `line` on; past the end is empty.

        Raises `RequestFault`: -32002 for a missing file, -32602 for what is no text file inside the roots.
        """
        if not self.read:
            raise not_offered("fs/read_text_file")
        wanted = request.path, self.roots, request.line or 1, request.limit
        async with self._turn(request.path):
            return await to_thread.run_sync(_read, *wanted, abandon_on_cancel=True)

    async def write_text_file(self, request: WriteTextFileRequest) -> FileWritten:
        """Replace or create a file, and its folders, at once and as a whole; through links, keeping the mode.

        The result tells how it differs from before. Raises `RequestFault` when the target is outside the roots or
        cannot be written; it is then as it was.
        """
        if not self.write:
            raise not_offered("fs/write_text_file")
        async with self._turn(request.path):
            return await to_thread.run_sync(_write, request.path, self.roots, request.content)

    def _turn(self, path: str) -> Lock:
        return self._turns.setdefault(path, Lock())


def _read(path: str, roots: Sequence[Path], first: int, limit: int | None) -> str:
    target = resolve(path, roots)
    with _told(path), _open(path, target) as file:
        skipped = sum(_length_of_lines(file, first - 1))
        data = _read_lines(file, limit) if limit is not None else file.read(MAX_READ + 1)
    if len(data) > MAX_READ:
        raise failed(
            f"{path} holds more than the {MAX_READ >> 20} MiB that are read at once; ask for fewer lines (line, limit)",
            {"path": path},
        )
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        where = f"byte 0x{data[error.start]:02x} at offset {skipped + error.start}"
        raise invalid_params(f"{path} is not UTF-8 text: {where}", {"path": path}) from error


def _open(path: str, target: Path) -> BinaryIO:
    descriptor = os.open(target, _READ_FLAGS)
    try:
        _must_be_regular(path, os.fstat(descriptor).st_mode)
    except RequestFault:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def _length_of_lines(file: BinaryIO, count: int) -> Iterator[int]:
    """Read `count` lines of any length without holding one, and give the sizes of their pieces in bytes."""
    while count > 0 and (piece := file.readline(1 << 20)):
        yield len(piece)
        count -= piece.endswith(b"\n")


def _read_lines(file: BinaryIO, limit: int) -> bytes:
    """Up to `limit` lines; a little more than MAX_READ bytes if they are more than that."""
    lines: list[bytes] = []
    size = 0
    while len(lines) < limit and size <= MAX_READ and (line := file.readline(MAX_READ + 1)):
        lines.append(line)
        size += len(line)
    return b"".join(lines)


def _write(path: str, roots: Sequence[Path], content: str) -> FileWritten:
    try:
        data = content.encode()
    except UnicodeEncodeError as error:
        raise invalid_params(f"the content is not text that UTF-8 can hold: {error.reason}", {"path": path}) from error
    target = resolve(path, roots)
    with _told(path):
        _make_folder(path, target.parent)
        if resolve(str(target.parent), roots) != target.parent:
            raise failed(f"{path} was moved while it was being written", {"path": path})
        before, known = _text_before(target)
        _replace(path, target, data)
    return replace(difference(path, before, content), diff=_diff(path, before, content, known=known))


def _make_folder(path: str, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise failed(f"{path}: a file is where its folder should be", {"path": path}) from error


def _text_before(target: Path) -> tuple[str | None, bool]:
    """What a file holds, and whether that is all of it: of a big one the beginning, nothing of what is no text.

    None if there is no such file.
    """
    try:
        with _open(str(target), target) as file:
            return file.read(MAX_COMPARED).decode(), not file.read(1)
    except FileNotFoundError:
        return None, True
    except (OSError, UnicodeDecodeError, RequestFault):
        return "", False


def _diff(path: str, before: str | None, after: str, *, known: bool) -> Diff:
    """What is written, with both texts if the one before is `known` and they are not too long."""
    if known and len(before or "") + len(after) <= MAX_SHOWN:
        return Diff(path=path, old_text=before, new_text=after)
    return Diff(changes=[FileChange(operation="add" if before is None else "modify", path=path)])


def difference(path: str, before: str | None, after: str) -> FileWritten:
    """How many lines were added and removed, wherever they stand, and the first line that differs."""
    old, new = (before or "").splitlines(), after.splitlines()
    same = next((index for index, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), None)
    line = (min(len(old), len(new)) if same is None else same) + 1
    added, removed = Counter(new), Counter(old)
    return FileWritten(path, (added - removed).total(), (removed - added).total(), line, created=before is None)


def _replace(path: str, target: Path, data: bytes) -> None:
    """Write `data` beside `target` and put it in its place."""
    before = _state_before(path, target)
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}")
    try:
        # A new file gets the mode that the umask leaves; an old one's copy is private until it has the old mode.
        with os.fdopen(os.open(temporary, _WRITE_FLAGS, 0o666 if before is None else 0o600), "wb") as file:
            file.write(data)
            if before is not None:
                _keep_owner_and_mode(file.fileno(), before)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _state_before(path: str, target: Path) -> os.stat_result | None:
    try:
        before = target.lstat()
    except FileNotFoundError:
        return None
    _must_be_regular(path, before.st_mode)
    if not os.access(target, os.W_OK):
        raise failed(f"{path} is read-only", {"path": path})
    return before


def _keep_owner_and_mode(descriptor: int, before: os.stat_result) -> None:
    if not hasattr(os, "fchown"):
        return
    with suppress(PermissionError):  # only a privileged person writes files of others and can give them back
        os.fchown(descriptor, before.st_uid, before.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(before.st_mode))


def _must_be_regular(path: str, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise invalid_params(f"{path} is a folder, not a file", {"path": path})
    if not stat.S_ISREG(mode):
        raise invalid_params(f"{path} is not a regular file", {"path": path})


@contextmanager
def _told(path: str) -> Iterator[None]:
    """Turn what the operating system says into an answer for the agent."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        raise not_found(f"{path} does not exist", {"path": path, "uri": Path(path).as_uri()}) from error
    except OSError as error:
        raise failed(f"{path}: {error.strerror or error}", {"path": path}) from error
