"""Limits that the user sets for a session: its cost, the minutes of a turn, how full the context is.

They bind only what the agent reports, and nothing here ends anything: a conversation holds its queue while a limit is
reached, and a front end asks what then.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Literal

from acp_tui.frozen import Frozen
from acp_tui.host.config.preferences import LimitSettings
from acp_tui.session.facts import Noticed
from acp_tui.session.state import Session

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.session_updates import AccountLimit, Cost

LimitName = Literal["session_cost", "turn_minutes", "context_percent"]
MINUTE = 60.0  # seconds
TRIES = 3  # times that the queue continues at a reset without another question
CLOCK_SLACK = 600.0  # seconds after the first of two clocks for which the other one is waited for


class CostCounter:
    """Spending of one session since it was opened here, of the running totals that its agent reports.

    A total that is not finite, negative, in another currency than the first one, or not above the highest one adds
    nothing. What is reported before the first prompt of an opening is where counting starts.
    """

    def __init__(self) -> None:
        self.spent, self.currency = 0.0, ""
        self._highest, self._prompted, self._reported = 0.0, False, False

    def reopened(self) -> None:
        """Another process reports from now on, which may count from zero or repeat what it knows."""
        self._prompted = self._reported = False

    def prompted(self) -> None:
        self._prompted = True

    def report(self, cost: "Cost") -> None:
        amount, currency = cost.amount, cost.currency.upper()
        if not isfinite(amount) or amount < 0 or currency != (self.currency or currency):
            return
        first, self._reported, self.currency = not self._reported, True, currency
        if self._prompted and amount > self._highest:
            self.spent += amount - self._highest
        self._highest = amount if first else max(amount, self._highest)


class ReachedLimit(Frozen):
    """A limit, and the `value` that has reached it, in the same unit: money in `currency`, minutes, percent."""

    name: LimitName
    value: float
    limit: float
    currency: str = ""


class AccountWait:
    """Waiting until a limit of the account resets, by two clocks in seconds: a monotonic and the wall's.

    The later one counts, so that a wall clock that is set forward continues nothing early; but not for longer than
    CLOCK_SLACK, or one that is set back, or a machine that slept, would have it wait for ever.
    """

    def __init__(self, clock: Callable[[], float], wall: Callable[[], float] = time.time) -> None:
        self._clock, self.wall = clock, wall
        self.until: float | None = None  # seconds since 1970
        self.tries = 0
        self._due = 0.0

    def begin(self, resets_at: float) -> bool:
        """Wait until then; not once more than TRIES, which is the result."""
        if self.tries >= TRIES:
            return False
        self.tries += 1
        self.until, self._due = resets_at, self._clock() + resets_at - self.wall()
        return True

    def stop(self) -> None:
        self.until = None

    @property
    def seconds_left(self) -> float | None:
        if self.until is None:
            return None
        left = self.until - self.wall(), self._due - self._clock()
        return max(0.0, min(max(left), min(left) + CLOCK_SLACK))


class SessionLimits:
    """The limits of one session, and which of them is reached.

    While a limit of the account is reached and its reset is known, the queue waits, too, if it is `attended` by
    a user who can be asked; a prompt that the user sends does not wait.
    """

    def __init__(self, session: Session, limits: LimitSettings, source: Session | None = None) -> None:
        """`source` is the session that this one goes on from."""
        self._session, self.limits, self.costs = session, limits, CostCounter()
        self.account = AccountWait(session.clock)
        self._passed: tuple[str, float | None] | None = None  # the account's limit that the user passes by
        self.attended = False
        self._continues = False  # at the account's reset, with the next prompt
        self._raised: dict[LimitName, float] = {}
        self._turn = 0.0  # when the turn began whose minutes were raised
        self._warned = False
        self.start_from(source)

    def start_from(self, source: Session | None) -> None:
        """What a session has cost that this one goes on from was not spent here."""
        if source is not None and source.usage is not None and source.usage.cost is not None:
            self.costs.report(source.usage.cost)
            self.costs.reopened()

    def usage_changed(self) -> None:
        """Count what the session's usage reports now; a context that was emptied has its own limit again."""
        usage = self._session.usage
        if usage is not None and usage.cost is not None:
            self.costs.report(usage.cost)
        if self._context_percent < self.limits.context_percent:
            self._raised.pop("context_percent", None)

    def limit(self, name: LimitName) -> float:
        """The limit as the user has raised it; 0 is none."""
        if name == "turn_minutes" and self._turn != self._session.turn.started_at:
            return self.limits.turn_minutes
        own: float = getattr(self.limits, name)
        return own + self._raised.get(name, 0.0) if own else 0.0

    @property
    def reached(self) -> ReachedLimit | None:
        """The first limit that is reached now."""
        values = (self.costs.spent, self._turn_minutes, self._context_percent)
        for name, value in zip(_NAMES, values, strict=True):
            if 0 < (limit := self.limit(name)) <= value:
                return ReachedLimit(name, value, limit, self.costs.currency if name == "session_cost" else "")
        return None

    @property
    def account_limit(self) -> "AccountLimit | None":
        """The limit of the account that is reached and resets last, if that is known."""
        usage, now = self._session.usage, self.account.wall()
        found: AccountLimit | None = None
        for each in usage.limits if usage is not None else ():
            if each.standing == "reached" and not each.extra and (each.resets_at or 0) > now:
                found = each if found is None or (each.resets_at or 0) > (found.resets_at or 0) else found
        return None if found is None or (found.kind, found.resets_at) == self._passed else found

    @property
    def holds_queue(self) -> bool:
        account = self.account.until is not None or (self.account_limit is not None and not self._continues)
        return self.reached is not None or (self.attended and account)

    def pass_account(self) -> None:
        """The user has the queue continue now."""
        if (limit := self.account_limit) is not None:
            self._passed = limit.kind, limit.resets_at
        self.account.stop()

    def continue_if_due(self) -> bool:
        """Let the queue continue if the account's limit has reset; whether it has."""
        due = self.account.seconds_left == 0
        if due:
            self.account.stop()
            self._continues = True
        return due

    def prompted(self) -> None:
        self.costs.prompted()
        self._continues = False

    def turn_ended(self) -> None:
        """Report once that nothing binds the cost; wait again for an account that is still limited after its reset."""
        if self.limits.session_cost and not self.costs.currency and not self._warned:
            self._warned = True
            warning = Noticed("warning", "The cost limit has no effect", "The agent has reported no cost so far.")
            self._session.apply(warning)
        limit = self.account_limit
        if limit is None:
            self.account.tries = 0
        elif self.account.tries and limit.resets_at is not None:
            self.account.begin(limit.resets_at)

    @property
    def turn_seconds_left(self) -> float | None:
        """Seconds until the turn at hand reaches its limit; None without a turn or a limit, and when it has."""
        left = (self.limit("turn_minutes") - self._turn_minutes) * MINUTE
        return left if self._session.turn.active and left > 0 else None

    def next_limit(self, reached: ReachedLimit) -> float:
        """The limit raised by its own amount, as often as it takes to be above what has reached it."""
        own: float = getattr(self.limits, reached.name)
        return reached.limit + own * (1 + (reached.value - reached.limit) // own)

    def raise_limit(self, reached: ReachedLimit) -> None:
        """Continue up to the next limit; that of minutes is raised for this turn alone."""
        own: float = getattr(self.limits, reached.name)
        self._raised[reached.name] = self.next_limit(reached) - own
        self._note_turn(reached.name)

    def change(self, name: LimitName, value: float) -> None:
        """Another limit for this session; 0 is none."""
        self.limits = replace(self.limits, **{name: value})
        self._raised.pop(name, None)

    def pass_turn(self) -> None:
        """The user has ended the turn: its minutes hold nothing up."""
        self._raised["turn_minutes"] = float("inf")
        self._note_turn("turn_minutes")

    def _note_turn(self, name: LimitName) -> None:
        if name == "turn_minutes":
            self._turn = self._session.turn.started_at

    @property
    def _turn_minutes(self) -> float:
        """Of a turn that has ended only while prompts wait: one that the user sends then is their answer."""
        turn = self._session.turn
        ended = turn.ended_at if self._session.queue else turn.started_at
        until = self._session.clock() if turn.active else ended
        return 0.0 if until is None else (until - turn.started_at) / MINUTE

    @property
    def _context_percent(self) -> float:
        usage = self._session.usage
        return 100 * usage.used / usage.size if usage is not None and usage.size > 0 else 0.0


_NAMES: tuple[LimitName, ...] = ("session_cost", "turn_minutes", "context_percent")
