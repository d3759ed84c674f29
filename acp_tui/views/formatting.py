"""Text with tones, which front ends paint or print; durations, tokens, bytes, money and paths in words.

A view limits foreign text in characters (`brief`). A front end makes it safe, measures it in cells and cuts it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from acp_tui.safe_text import one_line
from acp_tui.session.entries import Part, TextPart
from acp_tui.session.text.phrases import counted, duration, exit_number

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.tool_calls import TerminalExitStatus

Tone = str
"""`muted`, `faint`, `user`, `agent`, `key`, `success`, `warning`, `error`, and `bold`, `italic`, `strike`; or nothing.

A front end gives each a colour; what is said must be understood without it.
"""
Span = tuple[str, Tone]
StyledText = list[Span]
SEPARATOR = " · "
ELLIPSIS = "…"


class SplitRow(NamedTuple):
    """A row whose `text` gives way to what stands at its right; of a path the end says more than the beginning.

    `value` is the id of what a click on it opens, if anything.
    """

    lead: StyledText
    text: str
    right: StyledText
    value: str = ""
    is_path: bool = False


def plain(text: Iterable[Span]) -> str:
    return "".join(words for words, _ in text)


def brief(text: str, limit: int) -> str:
    """Foreign text on one line in at most so many characters, with `…` where it was cut."""
    most = 8 * limit + 80  # of which it may lose what is not shown
    line = one_line(text if len(text) <= most else text[:most] + ELLIPSIS)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + ELLIPSIS


def brief_path(path: str, limit: int) -> str:
    """A path of one line in at most so many characters, cut in the middle: how it begins, and the file's name."""
    folder, _, name = path.rpartition("/")
    room = limit - len(name) - len("…/")
    if len(path) <= limit:
        return path
    return f"{folder[:room]}{ELLIPSIS}/{name}" if room > 0 else ELLIPSIS + path[1 - limit :]


def joined(parts: Iterable[StyledText], separator: Span = (SEPARATOR, "muted")) -> StyledText:
    """The parts that are not empty in one text, with the separator between two."""
    whole: StyledText = []
    for part in parts:
        if plain(part):
            whole += [separator, *part] if whole else part
    return whole


EARLIEST = datetime.min.replace(tzinfo=UTC)  # of which no age is told
SHORTEST_TOLD = 1.0  # seconds; what is quicker does not tell how long it took
LARGEST = 10**12  # tokens; an agent may tell any number
SYMBOLS = {
    "USD": "$",
    "EUR": "€",
    "GBP": "£",
    "JPY": "¥",
    "CNY": "CN¥",
    "INR": "₹",
    "KRW": "₩",
    "BRL": "R$",
    "CAD": "CA$",
    "AUD": "A$",
}
_MARKS = re.compile(r"\*\*|`")
UNDIVIDED = frozenset(("JPY", "KRW", "VND", "CLP"))  # have no hundredth part


def age(then: datetime, now: datetime) -> str:
    """How long ago, in the one unit that matters: `now`, `5 min`, `3 h`, `2 days`, `4 Mar 2026`."""
    if then == EARLIEST:
        return ""
    seconds = (now - then).total_seconds()
    if seconds < 60:
        return "now"
    if seconds < 3600:
        return f"{int(seconds // 60)} min"
    if seconds < 86_400:
        return f"{int(seconds // 3600)} h"
    days = int(seconds // 86_400)
    if days < 14:
        return "1 day" if days == 1 else f"{days} days"
    return f"{then.astimezone():%d %b %Y}".lstrip("0")


def tokens(count: int) -> str:
    """A number of tokens, short: `950`, `1.3k`, `200k`, `1M`."""
    count = min(count, LARGEST)
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if abs(count) >= size:
            return f"{count / size:.1f}".removesuffix(".0") + unit
    return str(count)


def byte_size(count: int) -> str:
    """A number of bytes in decimal units: `12 B`, `10.2 KB`, `1.0 MB`."""
    if count < 1_000:
        return f"{count} B"
    if count < 1_000_000:
        return f"{count / 1_000:.1f} KB"
    return f"{count / 1_000_000:,.1f} MB"


def money(amount: float, currency: str) -> str:
    """An amount with its currency (ISO 4217): `$0.05`, `€1.20`, `1.20 CHF`; less than a cent is told as `<$0.01`."""
    code = currency.upper()
    digits = 0 if code in UNDIVIDED else 2
    least = 10.0**-digits
    small = 0 < abs(amount) < least
    told = f"{least if small else abs(amount):,.{digits}f}"
    told = f"{SYMBOLS[code]}{told}" if code in SYMBOLS else f"{told} {currency}"
    return ("<" if small else "") + ("−" if amount < 0 else "") + told


def lines_in(text: str) -> str:
    """How many lines a text has, in words; a newline at its end begins none."""
    return counted(text.count("\n") + (not text.endswith("\n")), "line")


def elsewhere(folders: Iterable[str], roots: Sequence[str]) -> list[str]:
    """Which folders lie outside all `roots` as they are written; nothing is looked up on the disk."""
    normal = [os.path.normpath(root) for root in roots]
    return [folder for folder in folders if not any(Path(os.path.normpath(folder)).is_relative_to(r) for r in normal)]


def home_path(path: str) -> str:
    """The path with the user's own folder written as `~`."""
    home = os.path.expanduser("~")  # noqa: PTH111 (`Path.home` raises where there is none)
    if path == home:
        return "~"
    return "~" + path[len(home) :] if path.startswith(home.rstrip("/") + "/") else path


def last_line(parts: Sequence[Part], most: int = 400) -> str:
    """The last line of a growing text that has words, from its last characters, without Markdown's marks."""
    part = parts[-1] if parts else None
    if not isinstance(part, TextPart):
        return ""
    text = "".join(chunk[-most:] for chunk in part.chunks[-most:])[-most:].rstrip()
    return brief(_MARKS.sub("", text.rsplit("\n", 1)[-1]), 200).strip(" #>-")


def capitalised(words: str) -> str:
    return words[:1].upper() + words[1:]


def exit_words(status: TerminalExitStatus) -> tuple[bool | None, str]:
    """Whether a command ended well (None where its agent does not say), and how."""
    if status.signal:
        return False, f"terminated by {one_line(status.signal, 20)}"
    if status.exit_code is None:
        return None, "exited"
    return status.exit_code == 0, f"exit {exit_number(status.exit_code)}"


def seconds(span: float) -> str:
    """A duration with tenths as long as they matter: `3.2 s`, `48 s`, `2 min 05 s`."""
    return f"{span:.1f} s" if span < 10 else duration(span)
