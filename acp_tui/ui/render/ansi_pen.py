"""The pen that a terminal's text is written with, and how SGR sequences change it."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

TRUE_COLOUR = 1 << 24


class Pen(NamedTuple):
    """Colours are None (default), 0–255 (indexed) or `TRUE_COLOUR | 0xRRGGBB`."""

    foreground: int | None = None
    background: int | None = None
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    inverse: bool = False
    strike: bool = False


PLAIN = Pen()
FAINT = Pen(dim=True)

_SWITCHES: dict[int, dict[str, bool]] = {
    1: {"bold": True},
    2: {"dim": True},
    3: {"italic": True},
    4: {"underline": True},
    7: {"inverse": True},
    9: {"strike": True},
    21: {"underline": True},
    22: {"bold": False, "dim": False},
    23: {"italic": False},
    24: {"underline": False},
    27: {"inverse": False},
    29: {"strike": False},
}

_SGR = re.compile("(?:\x1b\\[|\x9b)([0-9;:]{0,250})m")


@lru_cache(maxsize=4096)
def repen(pen: Pen, sequence: str) -> Pen:
    """The pen after an SGR sequence; what is none, unknown or malformed changes nothing."""
    found = _SGR.fullmatch(sequence)
    if found is None:
        return pen
    codes = iter(found[1].split(";"))
    for code in codes:
        pen = _apply(pen, code, codes)
    return pen


def _apply(pen: Pen, code: str, rest: Iterator[str]) -> Pen:
    head, *subs = code.split(":")
    number = _number(head) if head else 0
    if number == 0:
        return PLAIN
    if number in _SWITCHES:
        off = number == 4 and subs[:1] == ["0"]
        return pen._replace(underline=False) if off else pen._replace(**_SWITCHES[number])
    tens, last = divmod(number, 10)
    colour: int | None = last if tens < 9 else last + 8
    if number in (38, 48, 58):
        colour = _extended(iter(subs), colon=True) if subs else _extended(rest, colon=False)
        tens = 0 if colour is None else tens
    elif last >= 8:
        colour, tens = None, tens if number in (39, 49) else 0
    if tens in (3, 9):
        return pen._replace(foreground=colour)
    return pen._replace(background=colour) if tens in (4, 10) else pen


def _extended(codes: Iterator[str], *, colon: bool) -> int | None:
    """The colour that follows 38 or 48: `5;n` or `2;r;g;b`, or `2::r:g:b` with an optional colour space."""
    form = next(codes, "")
    if form == "5":
        index = _number(next(codes, ""))
        return index if 0 <= index <= 255 else None
    if form != "2":
        return None
    parts = list(codes)[:4] if colon else [next(codes, "-") for _ in range(3)]
    red, green, blue = ([_number(part or "0") for part in parts[-3:]] + [-1, -1, -1])[:3]
    if not all(0 <= channel <= 255 for channel in (red, green, blue)):
        return None
    return TRUE_COLOUR | red << 16 | green << 8 | blue


def _number(digits: str) -> int:
    """A small decimal number, or -1."""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 4 else -1
