"""Keys as they are typed, read as commands of the table."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from acp_tui.ui.prompt.vim.keys import ACTIONS, ANY, MOTIONS, OBJECTS, OPERATORS, VISUAL, VISUAL_ACTIONS

_COUNT = r"([1-9]\d{0,2})?"  # who types more digits has slipped
_LEAD = re.compile(rf"{_COUNT}(?:([{''.join(OPERATORS)}]){_COUNT})?")
_LEAD_SELECTING = re.compile(rf"{_COUNT}()()")


class Command(NamedTuple):
    """Keys by their row in the table: `2d3f,` is number 6, operator `d`, key `f…`, character `,`."""

    number: int = 0
    operator: str = ""
    key: str = ""
    character: str = ""


UNFINISHED = Command()


def read(typed: str, *, selecting: bool = False) -> Command | None:
    """The command that was typed, UNFINISHED while more keys belong to it, None where no command begins like that."""
    lead = (_LEAD_SELECTING if selecting else _LEAD).match(typed)
    first, operator, second = lead.groups() if lead else (None, None, None)  # each may be missing
    rest = typed[lead.end() if lead else 0 :]
    number = int(first or 1) * int(second or 1) if first or second else 0
    for key in _possible(operator or "", selecting=selecting):
        if rest == key and ANY not in key:
            return Command(number, operator or "", key)
        if ANY in key and len(rest) == len(key) and rest[:-1] == key[:-1]:
            return Command(number, operator or "", key, rest[-1])
        if len(rest) < len(key) and key.startswith(rest):
            return UNFINISHED
    return None


def _possible(operator: str, *, selecting: bool) -> Iterator[str]:
    if operator:
        yield operator
    else:
        yield from (*VISUAL, *VISUAL_ACTIONS) if selecting else ACTIONS
    if operator or selecting:
        yield from (f"{reach}{sign}" for reach in "ia" for sign in OBJECTS)
    yield from MOTIONS
