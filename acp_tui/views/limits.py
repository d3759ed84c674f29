"""Usage in words: how full the context is, what it has cost, and the limits of the user's account."""

from __future__ import annotations

from datetime import datetime
from time import time
from typing import TYPE_CHECKING

from acp_tui.frozen import Frozen
from acp_tui.views.formatting import StyledText, Tone, brief, joined, money, tokens

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.session_updates import AccountLimit, UsageUpdate

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
    return "" if usage is None or usage.cost is None else money(usage.cost.amount, usage.cost.currency[:8])


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
