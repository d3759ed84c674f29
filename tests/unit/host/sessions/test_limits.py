"""The limits of a session: what counts as spending, and when which limit is reached."""

from math import inf, nan

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.config.preferences import LimitSettings
from acp_tui.host.sessions.limits import CLOCK_SLACK, AccountWait, CostCounter, ReachedLimit, SessionLimits
from acp_tui.protocol.vocabulary.session_updates import AccountLimit, Cost, StateUpdate, UsageUpdate
from acp_tui.session.entries import NoticeEntry
from acp_tui.session.facts import PromptQueued
from acp_tui.session.state import Session
from tests.rows import each_of


def cost(amount: float, currency: str = "USD") -> Cost:
    return Cost.model_construct(amount=amount, currency=currency)  # so that NaN comes this far


def spent(*reports: float | tuple[float, str] | str) -> float:
    """`prompt` and `reopen` are what happens between the reports."""
    counter = CostCounter()
    for report in reports:
        if report == "prompt":
            counter.prompted()
        elif report == "reopen":
            counter.reopened()
        else:
            counter.report(cost(*report) if isinstance(report, tuple) else cost(float(report)))
    return round(counter.spent, 6)


@each_of(
    "reports, total",
    [
        (("prompt", 1.0, 2.5), 2.5),
        (("prompt", 1.0, 1.0, "prompt", 1.0), 1.0),
        (("prompt", nan, inf, -inf, -1.0, 0.5), 0.5),
        (("prompt", 5.0, 1.0, 5.0, 6.0), 6.0),
        (("prompt", 1.0, (90.0, "EUR"), 2.0), 2.0),
        (("prompt", (1.0, "usd"), (2.0, "USD")), 2.0),
        ((40.0, "prompt", 40.5), 0.5),
        ((10.0, 20.0, 40.0, "prompt", 40.0, 41.0), 1.0),
        (("prompt", 5.0, "reopen", 5.0, "prompt", 6.0), 6.0),
        (("prompt", 5.0, "reopen", 0.0, "prompt", 1.0), 6.0),
        (("prompt", 5.0, "reopen", "prompt", 6.0), 6.0),
        (("prompt", 5.0, "reopen", "prompt", 4.0, 4.5), 5.5),
    ],
)
def test_a_turn_is_counted_once(reports: tuple[float | tuple[float, str] | str, ...], total: float) -> None:
    assert spent(*reports) == total


@given(st.lists(st.floats() | st.sampled_from(["prompt", "reopen"])))
def test_whatever_is_reported_never_lowers_the_spending_nor_passes_the_sum_of_rises(reports: list[float | str]) -> None:
    counter, before = CostCounter(), 0.0
    for report in reports:
        if report == "prompt":
            counter.prompted()
        elif report == "reopen":
            counter.reopened()
        else:
            counter.report(cost(float(report)))
        assert before <= counter.spent < inf
        before = counter.spent
    assert before <= sum(each for each in reports if isinstance(each, float) and 0 < each < inf)


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def limited(**limits: float) -> tuple[SessionLimits, Session, Clock]:
    clock = Clock()
    session = Session("s", "/", clock=clock)
    return SessionLimits(session, LimitSettings(**limits)), session, clock


def use(limits: SessionLimits, session: Session, amount: float | None = None, used: int = 0) -> None:
    told = None if amount is None else cost(amount)
    session.apply(UsageUpdate(used=used, size=100, cost=told))
    limits.usage_changed()


def state(session: Session, name: str) -> None:
    session.apply(StateUpdate(state=name))


def test_a_cost_limit_is_reached_and_raised_by_its_own_amount() -> None:
    limits, session, _ = limited(session_cost=5.0)
    limits.costs.prompted()
    use(limits, session, 4.99)
    assert limits.reached is None
    use(limits, session, 5.02)
    reached = limits.reached
    assert reached is not None
    assert reached == ReachedLimit("session_cost", 5.02, 5.0, "USD")
    limits.raise_limit(reached)
    assert (limits.reached, limits.limit("session_cost")) == (None, 10.0)
    use(limits, session, 31.0)
    assert limits.reached is not None
    limits.raise_limit(limits.reached)
    assert (limits.reached, limits.limit("session_cost")) == (None, 35.0), "one answer is enough"


def test_another_limit_is_set_for_the_session() -> None:
    limits, session, _ = limited(session_cost=5.0)
    limits.costs.prompted()
    use(limits, session, 5.0)
    limits.change("session_cost", 8.0)
    assert (limits.reached, limits.limit("session_cost")) == (None, 8.0)
    limits.change("session_cost", 0.0)
    use(limits, session, 500.0)
    assert limits.reached is None


def test_the_minutes_of_a_turn_are_raised_for_that_turn_alone() -> None:
    limits, session, clock = limited(turn_minutes=20)
    assert (limits.reached, limits.turn_seconds_left) == (None, None)
    state(session, "running")
    assert limits.turn_seconds_left == 1200
    clock.now += 1200
    reached = limits.reached
    assert reached is not None
    assert reached == ReachedLimit("turn_minutes", 20.0, 20.0)
    limits.raise_limit(reached)
    assert (limits.reached, limits.turn_seconds_left) == (None, 1200)
    clock.now += 1201
    state(session, "idle")
    clock.now += 5000
    assert limits.reached is None, "nothing waits"
    session.apply(PromptQueued([]))
    assert limits.reached == ReachedLimit("turn_minutes", 2401 / 60, 40.0), "of a turn that has ended, too"
    limits.pass_turn()
    assert limits.reached is None
    state(session, "running")
    assert limits.turn_seconds_left == 1200


def test_a_context_that_was_emptied_has_its_limit_again() -> None:
    limits, session, _ = limited(context_percent=85)
    use(limits, session, used=84)
    assert limits.reached is None
    use(limits, session, used=85)
    reached = limits.reached
    assert reached is not None
    assert reached == ReachedLimit("context_percent", 85.0, 85.0)
    limits.raise_limit(reached)
    use(limits, session, used=99)
    assert limits.reached is None
    use(limits, session, used=10)
    use(limits, session, used=90)
    assert limits.reached == ReachedLimit("context_percent", 90.0, 85.0)


def warned(limits: SessionLimits, session: Session) -> int:
    """How often it is said that nothing binds the cost, after two turns."""
    limits.turn_ended()
    limits.turn_ended()
    return sum(isinstance(each, NoticeEntry) for each in session.entries)


def test_that_no_cost_is_reported_is_said_once() -> None:
    limits, session, _ = limited(session_cost=5.0)
    use(limits, session, used=10)
    assert warned(limits, session) == 1
    limits, session, _ = limited(turn_minutes=5.0)
    assert warned(limits, session) == 0
    limits, session, _ = limited(session_cost=5.0)
    use(limits, session, 0.0)
    assert warned(limits, session) == 0


def test_what_a_session_has_cost_that_this_one_goes_on_from_is_not_spent_here() -> None:
    source = Session("before", "/")
    source.apply(UsageUpdate(used=1, size=100, cost=cost(40.0)))
    limits, session, _ = limited(session_cost=5.0)
    limits.start_from(source)
    limits.costs.prompted()
    use(limits, session, 41.0)
    assert limits.costs.spent == 1.0


class Clocks:
    """A monotonic clock and the wall's, which tests move apart."""

    def __init__(self) -> None:
        self.monotonic, self.wall = 50.0, 1_000_000.0

    def pass_by(self, seconds: float, *, asleep: bool = False) -> None:
        self.wall += seconds
        self.monotonic += 0.0 if asleep else seconds

    def wait(self, seconds: float) -> AccountWait:
        waiting = AccountWait(lambda: self.monotonic, lambda: self.wall)
        waiting.begin(self.wall + seconds)
        return waiting


HOUR = 3600.0


@each_of(
    "jump, asleep, awake, left",
    [
        (0.0, 0.0, 0.0, HOUR),
        (0.0, 0.0, HOUR - 1, 1.0),
        (0.0, 0.0, HOUR, 0.0),
        (60.0, 0.0, HOUR - 60, 60.0),  # the wall was set forward: the monotonic clock counts
        (10 * HOUR, 0.0, 0.0, 0.0),  # by more than the whole wait: at once, which is early by less than the jump
        (0.5 * HOUR, 0.0, 0.5 * HOUR, CLOCK_SLACK),
        (0.0, 10 * HOUR, 0.0, 0.0),  # the machine slept past it
        (-60.0, 0.0, HOUR, 60.0),  # the wall was set back: it counts
        (-1000 * HOUR, 0.0, HOUR, CLOCK_SLACK),  # but not for ever
        (-1000 * HOUR, 0.0, HOUR + CLOCK_SLACK, 0.0),
    ],
)
def test_a_clock_that_jumps_neither_fires_early_nor_waits_for_ever(
    jump: float, asleep: float, awake: float, left: float
) -> None:
    clocks = Clocks()
    waiting = clocks.wait(HOUR)
    clocks.wall += jump
    clocks.pass_by(asleep, asleep=True)
    clocks.pass_by(awake)
    assert waiting.seconds_left == left


def reach_account(limits: SessionLimits, session: Session, resets_at: float = 4600.0) -> None:
    reached = AccountLimit(kind="five_hour", standing="reached", resets_at=resets_at)
    session.apply(UsageUpdate(used=1, size=100, limits=[reached]))
    limits.usage_changed()


def test_an_account_limit_holds_the_queue_where_a_user_can_be_asked() -> None:
    limits, session, clock = limited()
    limits.account.wall = clock
    reach_account(limits, session)
    assert limits.account_limit is not None
    assert not limits.holds_queue, "nobody could be asked"
    limits.attended = True
    assert limits.holds_queue
    limits.pass_account()
    assert not limits.holds_queue
    reach_account(limits, session, 9000.0)
    assert limits.holds_queue, "another limit"
    clock.now = 9000.0
    assert not limits.holds_queue, "it has begun anew"


def test_an_account_limit_without_a_time_or_with_extra_usage_holds_nothing() -> None:
    limits, session, clock = limited()
    limits.account.wall, limits.attended = clock, True
    for limit in (
        AccountLimit(kind="a", standing="reached"),
        AccountLimit(kind="a", standing="reached", extra=True, resets_at=4600.0),
        AccountLimit(kind="a", standing="near", resets_at=4600.0),
    ):
        session.apply(UsageUpdate(used=1, size=100, limits=[limit]))
        assert not limits.holds_queue, limit


def test_the_queue_continues_at_the_reset_at_most_three_times() -> None:
    limits, session, clock = limited()
    limits.account.wall, limits.attended = clock, True
    reach_account(limits, session, clock.now + 60)
    assert limits.account.until is None, "never by itself"
    assert limits.account.begin(clock.now + 60)
    for tries in (1, 2, 3):
        assert not limits.continue_if_due()
        assert limits.holds_queue
        clock.now += 60
        assert limits.continue_if_due()
        assert not limits.holds_queue
        limits.prompted()
        reach_account(limits, session, clock.now + 60)
        limits.turn_ended()
        assert (limits.account.until is not None) is (tries < 3)
    assert limits.holds_queue
    clock.now += 60
    limits.turn_ended()
    assert limits.account.tries == 0, "it has begun anew"
