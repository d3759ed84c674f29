"""Text with tones, which front ends paint or print; durations, tokens, bytes, money, paths and usage in words, with
the limits of the user's account.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, NamedTuple

from acp_tui.expressions import expression
from acp_tui.frozen import Frozen
from acp_tui.safe_text import one_line
from acp_tui.session.entries import Part, TextPart
from acp_tui.session.text.phrases import counted, duration, exit_number

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.session_updates import AccountLimit, UsageUpdate
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
_MARKS = expression(r"\*\*|`")
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


NEAR_FROM = 0.80  # the share of a limit from which it is told unasked
NAMES = {
    "five_hour": "5 h limit",
    "seven_day": "weekly limit",
    "seven_day_opus": "weekly Opus limit",
    "seven_day_sonnet": "weekly Sonnet limit",
    "overage": "extra usage limit",
    "": "usage limit",
}
_DAY = 86_400  # seconds
_WEEK = 6 * _DAY  # within it, a day of the week says which one is meant
MARGIN = 0.1  # seconds after which a time has passed for certain


def limits_of(usage: UsageUpdate | None, now: float | None = None) -> list[AccountLimit]:
    """The limits that hold at `now` (seconds since 1970), what matters most first; those that began anew are over."""
    now = time() if now is None else now
    held = [limit for limit in (usage.limits if usage is not None else ()) if (limit.resets_at or now + 1) > now]
    return sorted(held, key=lambda limit: (not is_reached(limit), not is_near(limit), -(limit.used or 0)))


def is_reached(limit: AccountLimit) -> bool:
    """Whether nothing goes on before it begins anew."""
    return limit.standing == "reached" and not limit.extra


def is_near(limit: AccountLimit) -> bool:
    """Whether it is nearly or wholly used up."""
    return limit.standing != "" or (limit.used or 0) >= NEAR_FROM


def pressing(usage: UsageUpdate | None, now: float | None = None) -> AccountLimit | None:
    """The limit that has to be told unasked, if there is one."""
    return next((limit for limit in limits_of(usage, now) if is_near(limit)), None)


def reached_words(usage: UsageUpdate | None) -> str:
    """That a limit is reached, and when it begins anew; empty if none is."""
    limit = pressing(usage)
    return limit_words(limit) if limit is not None and is_reached(limit) else ""


def seconds_left(usage: UsageUpdate | None) -> float | None:
    """Seconds until the first of the limits begins anew, a day at most; None where none says when."""
    now = time()
    left = [limit.resets_at - now for limit in limits_of(usage, now) if limit.resets_at is not None]
    return min(*left, _DAY) + MARGIN if left else None


def limit_words(limit: AccountLimit, now: float | None = None, *, short: bool = False) -> str:
    """`5 h limit 82% · resets 14:00`; without the time in short. The name is an agent's: clean it."""
    told = f"{name_of(limit)} {standing_words(limit)}".rstrip()
    resets = "" if short else resets_words(limit, now)
    return f"{told} · {resets}" if resets else told


def name_of(limit: AccountLimit) -> str:
    return NAMES.get(limit.kind) or f"{limit.kind.replace('_', ' ')[:40]} limit"


def standing_words(limit: AccountLimit) -> str:
    if limit.standing == "reached":
        return "reached, extra usage" if limit.extra else "reached"
    if limit.used is not None:
        return f"{int(100 * limit.used + 0.5)}%"
    return "nearly reached" if limit.standing == "near" else ""


def resets_words(limit: AccountLimit, now: float | None = None) -> str:
    """`resets 14:00`, `resets Mon 14:00`, `resets 4 Mar 14:00`, in the user's own time; empty if it was not told."""
    if limit.resets_at is None:
        return ""
    now = time() if now is None else now
    try:
        then, today = datetime.fromtimestamp(limit.resets_at), datetime.fromtimestamp(now)
    except (OverflowError, OSError, ValueError):  # what systems take for a time differs
        return ""
    if then.date() == today.date():
        return f"resets {then:%H:%M}"
    day = f"{then:%a}" if 0 < limit.resets_at - now < _WEEK else f"{then.day} {then:%b}"
    return f"resets {day} {then:%H:%M}"


class ContextUse(Frozen):
    """A level of use of the context: the sign and the word for it, and how loud it is said."""

    sign: str
    word: str
    tone: Tone


PLENTY = ContextUse("", "", "muted")
NEARLY_FULL = ContextUse("△ ", "filling up", "warning")
FULL = ContextUse("▲ ", "nearly full", "error")
WARN_FROM, FULL_FROM = 0.80, 0.95
LONGEST = 40  # characters of a figure; an agent may tell any number
MOST = 10  # times the size; more is told as this


def fullness(usage: UsageUpdate | None) -> ContextUse:
    """Whether the context has room; an agent that tells no size is not warned of."""
    share = _share(usage) if usage is not None and usage.size > 0 else 0.0
    return FULL if share >= FULL_FROM else NEARLY_FULL if share >= WARN_FROM else PLENTY


def usage_text(usage: UsageUpdate | None, short: bool = False) -> str:
    """Context usage and cost: `34% of 200k · $0.05`, short without the size; `△ 85% of 200k, filling up`."""
    return " · ".join(filter(None, (context_text(usage, short), cost_text(usage))))


def context_text(usage: UsageUpdate | None, short: bool = False) -> str:
    """How full the context is: `34% of 200k`, short without the size."""
    if usage is None:
        return ""
    full = fullness(usage)
    share = (
        f"{full.sign}{int(100 * _share(usage) + 0.5)}%"
        if usage.size > 0
        else f"{tokens(usage.used)} token{'' if usage.used == 1 else 's'}"
    )
    if usage.size > 0 and not short:
        share += f" of {tokens(usage.size)}"
    if full.word:
        share += f" {full.word}" if short else f", {full.word}"
    return share


def cost_text(usage: UsageUpdate | None) -> str:
    """What the session has cost, as far as the agent tells: `$0.05`."""
    cost = usage.cost if usage is not None else None
    return money(cost.amount, cost.currency[:8]) if cost is not None and cost.amount else ""


def usage_notes(usage: UsageUpdate | None) -> list[StyledText]:
    """Context usage, cost, and a limit of the account that is near or reached: all of it, and shorter.

    In the short form a reached one is left to the status line, which says it too: options need the room.
    """
    limit, notes = pressing(usage), list[StyledText]()
    for short in (False, True):
        note: StyledText = [(brief(usage_text(usage, short), LONGEST), fullness(usage).tone)]
        if limit is not None and not (short and is_reached(limit)):
            note = joined([note, [(brief(f"△ {limit_words(limit, short=short)}", LONGEST), "warning")]])
        notes.append(note)
    return notes


def usage_rows(usage: UsageUpdate) -> list[StyledText]:
    """Context usage and cost, and each limit of the account, in rows of their own."""
    limits = [(limit_words(limit), "warning" if is_near(limit) else "muted") for limit in limits_of(usage)]
    return [[row] for row in ((usage_text(usage), fullness(usage).tone), *limits)]


def _share(usage: UsageUpdate) -> float:
    return min(usage.used, MOST * usage.size) / usage.size  # an agent may tell any number, and a float has an end
