"""Where in a TOML text a field stands, and how that is complained of; must not know what fields there are.

`tomllib` tells no lines. A field stands where the text, read from its beginning and cut after ever more lines,
first holds it: slow, exact, and only done when there is something to complain about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_tui.errors import UserFault
from acp_tui.safe_text import named, quoted

if TYPE_CHECKING:
    import tomllib

Field = tuple[str | int, ...]
_LINE = re.compile(r"line (\d+)")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Place:
    """A field of a config file, as it is named to a person; line 0 is unknown."""

    path: Path
    line: int = 0
    field: str = ""

    def __str__(self) -> str:
        """`FILE, line 12, agents.kimi.args`."""
        parts = [named(self.path), f"line {self.line}" if self.line else "", self.field]
        return ", ".join(part for part in parts if part)


def unusable(place: Place, reason: str) -> UserFault:
    """A complaint about a whole file."""
    return UserFault("The config file cannot be used", f"{place}: {reason}", "Correct it with: acp-tui config")


def spelled(field: Sequence[str | int]) -> str:
    """The field as one would write it in TOML: `agents.kimi.args[1]`."""
    text = ""
    for part in field:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + (part if _BARE.fullmatch(part) else quoted(part))
    return text


def line_of(text: str, field: Sequence[str | int]) -> int:
    """The line (from 1) where `field`, or the nearest table around it, begins; 0 if there is none."""
    lines = text.splitlines()
    for length in range(len(field), 0, -1):
        readable = 0
        for count in range(1, len(lines) + 1):
            read = _read("\n".join(lines[:count]))
            if read is not None and _holds(read, field[:length]):
                return _first_with_words(lines, readable)
            readable = count if read is not None else readable
    return 0


def line_of_fault(text: str, error: tomllib.TOMLDecodeError) -> int:
    """The line (from 1) that `tomllib` complains of."""
    told = _LINE.search(str(error))
    return int(told[1]) if told else max(1, len(text.splitlines()))


def _first_with_words(lines: list[str], index: int) -> int:
    while index < len(lines) - 1 and not lines[index].split("#")[0].strip():
        index += 1
    return index + 1


def _read(text: str) -> dict[str, Any] | None:
    import tomllib  # noqa: PLC0415 (without a file there is nothing to read)

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _holds(read: Any, field: Sequence[str | int]) -> bool:
    for part in field:
        if isinstance(part, int):
            if not isinstance(read, list) or part >= len(read):
                return False
        elif not isinstance(read, dict) or part not in read:
            return False
        read = read[part]
    return True
