"""The Markdown files of a folder of prompts: found, with bounds, and read. A project's folder comes from anybody."""

import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from acp_tui.frozen import Frozen
from acp_tui.host.config.source_files import is_ours, read_bytes
from acp_tui.host.prompts.front_matter import FrontMatter, Unreadable, split
from acp_tui.safe_text import named

ENDING = ".md"
FILES_AT_MOST = 1_000
ENTRIES_AT_MOST = 10_000  # of one folder that are looked at
DEPTH_AT_MOST = 8  # folders below each other
MAX_BYTES = 256 * 1024  # of a file: a prompt of 40,000 words
MAX_TOGETHER = 16 * 1024 * 1024  # bytes

Stamp = tuple[str, int, int, int]


class PromptFile(Frozen):
    """A file that was found, by its way from the folder; `stamp` is another one when the file changed.

    `kind` says what it is where it is no file that can be read.
    """

    path: Path
    parts: tuple[str, ...]
    stamp: Stamp
    kind: str = ""

    @property
    def size(self) -> int:
        """Bytes, as they were counted when it was found."""
        return self.stamp[2]


class Search:
    """The prompt files below a folder, in the order of their names; `problems` says what is left out, and why.

    In a `foreign` folder, a project's, no link is followed and nothing counts that another user may have put there;
    `here` says that the project is the folder that one has gone to work in. Blocks.
    """

    def __init__(self, folder: Path, *, foreign: bool = False, here: bool = False) -> None:
        self.problems: list[str] = []
        self._folder, self._foreign, self._here = folder, foreign, here
        self._seen: set[tuple[int, int]] = set()  # folders, by which links lead back
        self.files: list[PromptFile] = []
        size = 0
        for file in self._below(folder, ()):
            size += min(file.size, MAX_BYTES)
            if len(self.files) == FILES_AT_MOST or size > MAX_TOGETHER:
                self.problems.append(f"{named(folder)}: too many prompts, only the first {len(self.files):,} are used")
                break
            self.files.append(file)

    def _below(self, folder: Path, parts: tuple[str, ...]) -> Iterator[PromptFile]:
        for name in self._names(folder):
            path = folder / name
            found = self._stat(path)
            if found is None:
                continue
            if stat.S_ISDIR(found.st_mode):
                if len(parts) < DEPTH_AT_MOST and self._counts(path) and self._is_new(found):
                    yield from self._below(path, (*parts, name))
            elif name.lower().endswith(ENDING) and self._counts(path):
                stamp = (str(path), found.st_mtime_ns, found.st_size, found.st_ino)
                yield PromptFile(path, (*parts, name[: -len(ENDING)]), stamp, _odd_kind(found.st_mode))

    def _stat(self, path: Path) -> os.stat_result | None:
        """What is there, of a link what it leads to, unless the folder is foreign or that is nowhere."""
        for follow in (not self._foreign, False):
            try:
                return path.stat(follow_symlinks=follow)
            except OSError:
                continue
        return None  # it went away meanwhile

    def _names(self, folder: Path) -> list[str]:
        try:
            self._is_new(folder.stat())
            with os.scandir(folder) as entries:
                names = [entry.name for entry in islice(entries, ENTRIES_AT_MOST + 1)]
        except OSError as error:
            if folder != self._folder or not isinstance(error, FileNotFoundError | NotADirectoryError):
                self.problems.append(f"{named(folder)}: {error.strerror or error}")
            return []
        if len(names) > ENTRIES_AT_MOST:
            names.pop()
            self.problems.append(f"{named(folder)}: only its first {ENTRIES_AT_MOST:,} files are read")
        return sorted(name for name in names if not name.startswith("."))

    def _is_new(self, folder: os.stat_result) -> bool:
        key = folder.st_dev, folder.st_ino
        new = key not in self._seen
        self._seen.add(key)
        return new

    def _counts(self, path: Path) -> bool:
        ours = not self._foreign or is_ours(path, here=self._here)
        if not ours:
            self.problems.append(f"{named(path)}: belongs to another user; not used")
        return ours


class Unusable(Exception):
    """A prompt file that cannot be used: which, at which line, and why, in words."""


def read(file: PromptFile) -> tuple[FrontMatter, str]:
    """What a prompt file says of itself, and its text. Raises `Unusable`."""
    if file.kind:
        raise Unusable(f"{named(file.path)}: {file.kind}")
    try:
        data = read_bytes(file.path, foreign=True, most=MAX_BYTES)
        front, text = split(_text(data))
        if not text:
            raise Unreadable(0, "no text below the front matter" if data.strip() else "empty")
    except Unreadable as error:
        line = f", line {error.line}" if error.line else ""
        raise Unusable(f"{named(file.path)}{line}: {error}") from error
    except OSError as error:
        raise Unusable(f"{named(file.path)}: {error.strerror or error}") from error
    return front, text


def _odd_kind(mode: int) -> str:
    return "" if stat.S_ISREG(mode) else "a link" if stat.S_ISLNK(mode) else "not a regular file"


def _text(data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Unreadable(data[: error.start].count(b"\n") + 1, "not UTF-8") from error
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
