"""Limits of the account in words, whatever the agent told of them."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.protocol.update_readers import LATEST, MOST_USED
from acp_tui.protocol.vocabulary.session_updates import AccountLimit, Cost, UsageUpdate
from acp_tui.session.state import Session
from acp_tui.views.formatting import (
    LONGEST,
    cost_text,
    limit_words,
    limits_of,
    plain,
    pressing,
    reached_words,
    resets_words,
    usage_notes,
    usage_rows,
    usage_text,
)
from acp_tui.views.status import status_of
from tests.pilot.fake_client import FakeClient
from tests.rows import each_of
from tests.unit.session.speech import idle, running

NOW = datetime(2026, 11, 23, 12, 0).timestamp()  # a Monday, in the time zone of the machine
FAR = datetime(2100, 1, 1).timestamp()


def at(*when: int) -> float:
    return datetime(*when).timestamp()  # type: ignore[arg-type]


def limit(kind: str = "five_hour", **members: object) -> AccountLimit:
    return AccountLimit.model_validate({"kind": kind, **members})


def usage(*limits: AccountLimit) -> UsageUpdate:
    return UsageUpdate(used=68_000, size=200_000, cost=Cost(amount=0.05, currency="USD"), limits=list(limits))


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (limit(used=0.824), "5 h limit 82%"),
        (limit("seven_day", used=0.5, resets_at=at(2026, 11, 23, 14)), "weekly limit 50% · resets 14:00"),
        (limit("seven_day_opus", standing="near"), "weekly Opus limit nearly reached"),
        (limit(standing="reached", used=1.0, resets_at=at(2026, 11, 24, 9, 5)), "5 h limit reached · resets Tue 09:05"),
        (limit("overage", standing="reached", extra=True), "extra usage limit reached, extra usage"),
        (limit("", resets_at=at(2026, 12, 24, 0, 0)), "usage limit · resets 24 Dec 00:00"),
        (limit("new_kind", used=1.25), "new kind limit 125%"),
    ],
)
def test_a_limit_in_words(told: AccountLimit, words: str) -> None:
    assert limit_words(told, NOW) == words


def test_what_matters_most_comes_first_and_what_began_anew_is_over() -> None:
    calm, near, reached = limit("a", used=0.3), limit("b", used=0.8), limit("c", standing="reached")
    over = limit("d", standing="reached", resets_at=NOW)
    assert limits_of(usage(calm, over, near, reached), NOW) == [reached, near, calm]
    assert pressing(usage(calm, over), NOW) is None
    assert limits_of(None) == limits_of(UsageUpdate(used=1, size=2)) == []


@each_of(
    ("told", "notes"),
    [
        (None, ["", ""]),
        (usage(limit(used=0.5)), ["34% of 200k · $0.05", "34% · $0.05"]),
        (
            usage(limit(used=0.82, resets_at=FAR)),
            ["34% of 200k · $0.05 · △ 5 h limit 82% · resets 1 Jan 00:00", "34% · $0.05 · △ 5 h limit 82%"],
        ),
        (  # which leaves the options their room
            usage(limit(standing="reached", resets_at=FAR)),
            ["34% of 200k · $0.05 · △ 5 h limit reached · resets 1 Jan 00:00", "34% · $0.05"],
        ),
    ],
)
def test_a_limit_that_is_near_stands_beside_the_usage_from_most_to_least(
    told: UsageUpdate | None, notes: list[str]
) -> None:
    assert [plain(each) for each in usage_notes(told)] == notes


def test_each_limit_has_a_row_and_is_loud_where_it_is_near() -> None:
    assert usage_rows(usage(limit(used=0.5), limit("seven_day", used=0.8))) == [
        [("34% of 200k · $0.05", "muted")],
        [("weekly limit 80%", "warning")],
        [("5 h limit 50%", "muted")],
    ]


def test_a_limit_that_is_reached_says_why_it_is_quiet() -> None:
    client, now = FakeClient(), 100.0
    session = Session("s", "/p", clock=lambda: now)
    session.apply(usage(limit(standing="reached", resets_at=FAR)))
    words = "5 h limit reached · resets 1 Jan 00:00"
    assert status_of(session, client.connection, now).text == f"△ {words}"
    session.apply(running())
    assert status_of(session, client.connection, now + 75).text == f"No output for 1 min 15 s · {words}"
    session.apply(idle("error"))
    assert status_of(session, client.connection, now).text == f"✗ Turn failed · {words}"
    session.apply(running())
    session.apply(idle("refusal"))
    assert status_of(session, client.connection, now).text == f"The agent refused · {words}"
    session.apply(usage(limit(standing="reached", extra=True)))
    session.apply(running())
    session.apply(idle())
    assert status_of(session, client.connection, now).text == ""
    assert reached_words(session.usage) == ""


LIMITS = st.builds(
    AccountLimit,
    kind=st.text(),
    standing=st.sampled_from(["", "near", "reached"]),
    used=st.none() | st.floats(0, MOST_USED),
    resets_at=st.none() | st.floats(0, LATEST, exclude_min=True),
    extra=st.booleans(),
)


@given(st.lists(LIMITS, max_size=4), st.floats(0, LATEST))
def test_any_limit_has_words_and_a_bound(limits: list[AccountLimit], now: float) -> None:
    for each in limits:
        assert len(limit_words(each, now)) < 120
        assert resets_words(each, now).startswith("resets ") is (each.resets_at is not None)
    assert all(len(plain(each)) <= 2 * LONGEST + 3 for each in usage_notes(usage(*limits)))


def test_usage() -> None:
    usage = UsageUpdate(used=68_000, size=200_000, cost=Cost(amount=0.05, currency="USD"))
    assert usage_text(usage) == "34% of 200k · $0.05"
    assert usage_text(usage, short=True) == "34% · $0.05"
    assert usage_text(UsageUpdate(used=1300, size=0)) == "1.3k tokens"
    assert usage_text(UsageUpdate(used=10**400, size=0)) == "1000000M tokens"
    assert usage_text(None) == ""


@pytest.mark.parametrize(
    ("used", "told", "short"),
    [
        (159_000, "80% of 200k", "80%"),
        (160_000, "△ 80% of 200k, filling up", "△ 80% filling up"),
        (189_999, "△ 95% of 200k, filling up", "△ 95% filling up"),
        (190_000, "▲ 95% of 200k, nearly full", "▲ 95% nearly full"),
        (400_000, "▲ 200% of 200k, nearly full", "▲ 200% nearly full"),
        (10**400, "▲ 1000% of 200k, nearly full", "▲ 1000% nearly full"),
    ],
)
def test_a_full_context_is_said_by_sign_and_word(used: int, told: str, short: str) -> None:
    usage = UsageUpdate(used=used, size=200_000)
    assert (usage_text(usage), usage_text(usage, short=True)) == (told, short)


def test_a_cost_of_nothing_is_no_cost() -> None:
    assert cost_text(UsageUpdate(used=1, size=2, cost=Cost(amount=0.0, currency="USD"))) == ""
    assert cost_text(UsageUpdate(used=1, size=2, cost=Cost(amount=0.01, currency="USD"))) == "$0.01"
