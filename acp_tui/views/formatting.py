"""Durations, ages, tokens, bytes, money and paths in words for the screen."""

import os
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from acp_tui.session.text.words import counted

EARLIEST = datetime.min.replace(tzinfo=UTC)  # of which no age is told
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
    return f"{count / 1_000_000:.1f} MB"


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
    home = str(Path.home())
    if path == home:
        return "~"
    return "~" + path[len(home) :] if path.startswith(home.rstrip("/") + "/") else path
