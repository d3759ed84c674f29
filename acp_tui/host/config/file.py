"""One config file: read, and asked what it says and where.

What makes settings of a text is loaded only where there is one: most users have no file, and a start is felt.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from acp_tui.host.config.places import PARTS_AT_MOST, Field, Place, line_of, spelled, unusable
from acp_tui.startup import late

if TYPE_CHECKING:
    from acp_tui.host.config.settings import FileSettings

MAX_BYTES = 1024 * 1024
MAX_FOREIGN = 512 * 1024
"""Bytes of a file of a project: every word of it is looked at, and may have to be read by somebody."""
WARNINGS_AT_MOST = 100  # of one file
_SETTINGS = "acp_tui.host.config.settings"

T = TypeVar("T")


@dataclass(frozen=True)
class ConfigFile:
    """What stands in the file at `path`; an empty `text` where there is no file.

    `digest` is the SHA-256 of the bytes that were read.
    """

    path: Path
    text: str
    digest: str = ""

    @classmethod
    def read(cls, path: Path, *, foreign: bool = False) -> ConfigFile:
        """Read the file. Raises `UserFault` with file, line and field; no file at all is an empty one.

        A `foreign` file must be a regular one: a pipe or a device never ends, or never begins.
        """
        try:
            data = read_bytes(path, foreign=foreign)
        except (FileNotFoundError, NotADirectoryError):
            return cls(path, "")
        except OSError as error:
            raise unusable(Place(path), error.strerror or str(error)) from error
        file = cls(path, _text(path, data), hashlib.sha256(data).hexdigest())
        if file.text:
            file.settings  # noqa: B018 - what is wrong with it is to be said now
        return file

    @cached_property
    def settings(self) -> FileSettings:
        """All that the file says, and the defaults for what it does not say."""
        if any(line.count(".") >= PARTS_AT_MOST for line in self.text.split("\n")):
            self.lines  # noqa: B018 - a name of too many parts is refused before it is parsed
        read: FileSettings = late(_SETTINGS).read_settings(self.path, self.text, self.place)
        return read

    @cached_property
    def lines(self) -> Mapping[Field, int]:
        """On which line each field begins. Raises `UserFault` for a name of too many parts."""
        lines: Mapping[Field, int] = late(_SETTINGS).read_lines(self.path, self.text)
        return lines

    def says(self, field: str, otherwise: T) -> T:
        """What the file says of a field of the settings; without a file, `otherwise`."""
        said: T = getattr(self.settings, field) if self.text else otherwise
        return said

    def place(self, *field: str | int) -> Place:
        """Where a field stands, for a complaint."""
        return Place(self.path, line_of(self.lines, field), spelled(field))

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What the file says that nobody reads, each with its place."""
        if not self.text:
            return ()
        unknown = late(_SETTINGS).strangers(self.settings)
        told = []
        for field, known in islice(unknown, WARNINGS_AT_MOST):
            near = late(_SETTINGS).nearest(field, known)
            told.append(f"{self.place(*field)}: there is no such setting.{f' Do you mean {near}?' if near else ''}")
        if more := sum(1 for _ in unknown):
            told.append(f"{Place(self.path)}: {more:,} more settings that do not exist")
        return tuple(told)


def read_bytes(path: Path, *, foreign: bool) -> bytes:
    """What the file holds. Raises OSError, also for more than MAX_BYTES.

    A `foreign` file, which a project names, has MAX_FOREIGN at most, and must be a regular one: it is not waited for.
    """
    most = MAX_FOREIGN if foreign else MAX_BYTES

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | (getattr(os, "O_NONBLOCK", 0) if foreign else 0))

    with open(path, "rb", opener=opener) as file:
        if foreign and not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes")
    return data


def _text(path: Path, data: bytes) -> str:
    try:
        return data.decode().removeprefix("\ufeff").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise unusable(Place(path, line), "it is not UTF-8") from error
