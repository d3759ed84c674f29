"""Where in a config file a field stands, and how that is complained of."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.safe_text import named, quoted

Field = tuple[str | int, ...]
_BARE = re.compile(r"[A-Za-z0-9_-]+")
PARTS_AT_MOST = 8  # names in one key, such as `a.b.c`: the time of `tomllib` grows with their square; a setting has six
NAME_AT_MOST = 120  # characters of a name in a complaint


class Place(Frozen):
    """A field of a config file, as it is named to the user; line 0 is unknown."""

    path: Path
    line: int = 0
    field: str = ""

    def __str__(self) -> str:
        """`FILE, line 12, agents.kimi.args`."""
        parts = [named(self.path), f"line {self.line}" if self.line else "", self.field]
        return ", ".join(part for part in parts if part)


class UnusableConfig(UserFault):
    """A config file that cannot be used, and at which `line` (from 1; 0 if it is about none)."""

    def __init__(self, place: Place, reason: str) -> None:
        self.line = place.line
        super().__init__("The config file cannot be used", f"{place}: {reason}", "Correct it with: acp-tui config")


def spelled(field: Sequence[str | int]) -> str:
    """The field as one would write it in TOML: `agents.kimi.args[1]`."""
    text = ""
    for part in field:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            name = part if len(part) <= NAME_AT_MOST else f"{part[:NAME_AT_MOST]}…"
            text += ("." if text else "") + (name if _BARE.fullmatch(name) else quoted(name))
    return text


def line_of(lines: Mapping[Field, int], field: Field) -> int:
    """The line (from 1) where `field`, or the nearest table around it, begins; 0 if there is none."""
    return next((lines[field[:length]] for length in range(len(field), 0, -1) if field[:length] in lines), 0)
