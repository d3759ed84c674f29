"""A JSON file of what is kept across runs, private to the user.

Trouble with a file never raises: state is not worth an error, `problem` says in words what it is.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from acp_tui.host.store.atomic_file import append_private, read_private, write_private

CAP = 8 * 1024 * 1024  # bytes that are read; a larger file is not ours

T = TypeVar("T")


class JsonFile:
    """The file at `path`; with `None` nothing is kept beyond this run."""

    def __init__(self, path: Path | None, cap: int = CAP) -> None:
        self.path, self._cap = path, cap
        self.problem = ""

    def load(self, read: Callable[[Any], T]) -> T | None:
        """What `read` makes of the JSON; None where there is no file, or a damaged one, for which it may raise."""
        if self.path is None:
            return None
        try:
            return read(json.loads(read_private(self.path, self._cap)))
        except FileNotFoundError:
            pass
        except OSError as error:
            self.problem = f"{self.path}: {error.strerror or error}"
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
            self.problem = f"{self.path}: damaged, so it is ignored"
        return None

    def store(self, value: Any, indent: int | None = None) -> None:
        if self.path is None:
            return
        try:
            write_private(self.path, json.dumps(value, indent=indent).encode(), sync=False)  # it is on the loop
        except OSError as error:
            self.problem = f"{self.path}: {error.strerror or error}"

    def delete(self) -> None:
        """Keep nothing any more; a file that cannot be deleted stays."""
        if self.path is not None:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)


def read_object(value: Any) -> dict[str, Any]:
    """The reader of `load` for a file that holds one JSON object."""
    if not isinstance(value, dict):
        raise TypeError
    return value


def json_object(line: bytes) -> dict[str, Any] | None:
    """A line of a file of JSON objects; None for what is none (torn, damaged)."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def json_line(value: dict[str, Any]) -> bytes:
    """A line of such a file. The leading newline ends what a broken write may have left; empty lines are skipped."""
    return b"\n" + json.dumps(value).encode() + b"\n"


def json_lines(path: Path, most: int = CAP) -> list[bytes]:
    """The lines of such a file that are not empty, of its last `most` bytes; raises OSError."""
    return [line for line in read_private(path, most, end=True).split(b"\n") if line]


def append_object(path: Path, value: dict[str, Any]) -> None:
    """Add a line to such a file; raises OSError, also where only a part of it was taken."""
    append_private(path, json_line(value))
