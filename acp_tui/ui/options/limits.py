"""Limits of the user's account in words: which one matters now, how much of it is used, and when it begins anew."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from time import time
from typing import TYPE_CHECKING

from textual.timer import Timer
from textual.widget import Widget

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.updates import AccountLimit, UsageUpdate

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


class ResetTimer:
    """Has a part of the screen look again when a limit begins anew, for then nothing else happens."""

    def __init__(self, part: Widget, look: Callable[[], object]) -> None:
        self._part, self._look = part, look
        self._timer: Timer | None = None

    def wait(self, usage: UsageUpdate | None) -> None:
        if self._timer is not None:
            self._timer.stop()
        left = seconds_left(usage)
        self._timer = None if left is None else self._part.set_timer(left, self._passed(usage))

    def _passed(self, usage: UsageUpdate | None) -> Callable[[], None]:
        def passed() -> None:
            self._look()
            self.wait(usage)

        return passed


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
