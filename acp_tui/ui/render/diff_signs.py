"""Lines of a diff as they are shown: safe, and with signs where two different ones would look alike.

Ordinary lines have no signs. Where they are needed a tab is `→`, a blank at the end `·`, and what else cannot be seen,
or looks like another character, its number between ⟨ and ⟩.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from acp_tui.safe_text import REPLACEMENT, is_plain, is_text, sanitise
from acp_tui.ui.render.text import clipped
from acp_tui.ui.render.unit import StandIn
from acp_tui.ui.render.wrap import TAB, expand_tabs, tabs_in

MAX_COLUMNS = 2_000
MOST_SIGNED = 200_000  # characters of a hunk that are looked at one by one
_TWINS = (  # letters of Greek and Cyrillic, and dashes, that fonts draw as the ASCII before them
    "a0430 e0435 o043E o03BF p0440 c0441 y0443 x0445 i0456 j0458 s0455 d0501 h04BB q051B w051D l04CF v03BD "
    "A0410 A0391 B0412 B0392 E0415 E0395 Z0396 H041D H0397 I0406 I0399 J0408 K041A K039A M041C M039C N039D O041E O039F "
    "P0420 P03A1 C0421 S0405 T0422 T03A4 Y04AE Y03A5 X0425 X03A7 -2010 -2011 -2012 -2013 -2212"
)
_BLANKS = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_FOLDED = {int(twin[1:], 16): twin[0] for twin in _TWINS.split()}


class Shown(NamedTuple):
    """A line as it is drawn, and what its stand-ins are in the file."""

    text: str
    stand_ins: tuple[StandIn, ...] = ()


class Side(NamedTuple):
    """A line of a hunk: `sign` as in a patch, and what is said behind it."""

    sign: str
    text: str
    ending: str


def plain(text: str) -> Shown:
    """A line without signs: safe, tabs as blanks, of bounded length (a cut says so)."""
    safe = sanitise(clipped(text, MAX_COLUMNS).replace("\r", "␍")).replace("\n", " ")
    return Shown(expand_tabs(safe), tabs_in(safe))


def shown_lines(lines: Sequence[Side]) -> list[Shown]:
    """The lines of a hunk, with signs where a change and another line look alike, or differ in kinds of blanks only."""
    shown = [plain(line.text) for line in lines]
    room = MOST_SIGNED
    for way in (_signed, _numbered, _counted) if {"+", "-"} <= {line.sign for line in lines} else ():
        alike = [group for group in _groups(lines, shown) if _confusing(lines, shown, group)]
        if not alike:
            break
        for group in alike:
            texts = list(dict.fromkeys(lines[at].text for at in group))
            room -= sum(min(len(lines[at].text), MAX_COLUMNS) for at in group)
            for at in group:
                shown[at] = (way if room >= 0 else _counted)(lines[at].text, texts)
    return shown


def _groups(lines: Sequence[Side], shown: Sequence[Shown]) -> Iterable[list[int]]:
    """Indices of lines that are the same but for blanks and for what looks the same."""
    groups = defaultdict[str, list[int]](list)
    for at, (line, each) in enumerate(zip(lines, shown, strict=True)):
        groups["".join(_folded(each.text).split()) + line.ending].append(at)
    return groups.values()


def _confusing(lines: Sequence[Side], shown: Sequence[Shown], group: Sequence[int]) -> bool:
    texts = {lines[at].text: at for at in group}
    if len(texts) == 1 or not any(lines[at].sign != " " for at in group):
        return False
    looks = {_folded(shown[at].text).rstrip() for at in texts.values()}
    tabs, blanks = ({text.count(sign) for text in texts} for sign in "\t ")
    exchanged = len(tabs) > 1 and len(blanks) > 1 and not any("→" in shown[at].text for at in group)
    return len(looks) < len(texts) or exchanged


def _folded(text: str) -> str:
    """The text as a reader would take it: the same for characters that look the same."""
    if text.isascii():
        return text
    folded = unicodedata.normalize("NFC", text).translate(_FOLDED)
    return _BLANKS.sub(lambda found: " " * cell_len(found[0]), folded)


def _signed(text: str, _others: Sequence[str]) -> Shown:
    return _with_signs(text, frozenset())


def _numbered(text: str, _others: Sequence[str]) -> Shown:
    """With numbers for letters that look like others, too."""
    return _with_signs(text, _FOLDED.keys())


def _counted(text: str, others: Sequence[str]) -> Shown:
    """What differs is beyond the end, written as a sign of ours, or too much: say where it is, and number the lines."""
    shown = plain(text)
    at = _parting(text, next(each for each in others if each != text))
    near = " ".join(f"U+{ord(sign):04X}" for sign in text[at : at + 1]) or "the end"
    number = f", {others.index(text) + 1:,} of {len(others):,}" if len(others) > 2 else ""
    text = f"{shown.text} ⟨column {at + 1:,} is {near}{number}⟩"
    return Shown(text, (*shown.stand_ins, (len(shown.text), len(text), "")))


def _parting(one: str, other: str) -> int:
    """How many characters two texts begin alike, found by halves: a line may be a megabyte."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def _with_signs(text: str, letters: Iterable[int]) -> Shown:
    text, rest = text[:MAX_COLUMNS], clipped(text, MAX_COLUMNS)[MAX_COLUMNS:]
    parted = unicodedata.normalize("NFC", text) != text
    body = len(text) if rest else len(text.rstrip(" "))

    def stand_in(at: int, sign: str) -> str:
        if sign == "\t":
            return "→"
        if at >= body:
            return "·"
        marks = parted and (unicodedata.combining(sign) or unicodedata.normalize("NFC", sign) != sign)
        seen = sign == " " or (is_plain(sign) and not marks and ord(sign) not in letters)
        return "" if seen else f"⟨U+{ord(sign):04X}⟩"

    drawn = _drawn((sign, stand_in(at, sign)) for at, sign in enumerate(text))
    return drawn._replace(text=sanitise(drawn.text) + rest)


def _drawn(signs: Iterable[tuple[str, str]]) -> Shown:
    """Characters, each with what stands for it, if anything; tabs go on to the next stop."""
    parts: list[str] = []
    stand_ins: list[StandIn] = []
    length = column = 0
    for sign, instead in signs:
        shown = instead or sign
        if sign == "\t":
            shown = instead.ljust(TAB - column % TAB)
        if shown != sign and (sign == "\t" or (is_text(sign) and sanitise(sign) != REPLACEMENT)):
            stand_ins.append((length, length + len(shown), sign))
        parts.append(shown)
        length += len(shown)
        column += cell_len(shown)
    return Shown("".join(parts), tuple(stand_ins))
