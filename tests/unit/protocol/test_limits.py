"""Account limits are read in the form of Claude's adapter, however much of it is missing or odd."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.protocol.update_readers import CLAUDE, KINDS_AT_MOST, LATEST, MOST_USED
from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.v2.dialect import Version2Dialect
from acp_tui.protocol.vocabulary.session_updates import AccountLimit, UsageUpdate
from tests.rows import each_of
from tests.unit.protocol.official import json_values
from tests.unit.protocol.told import only

RESETS = 1_788_465_600.0


def told(info: Any, dialect: Version1Dialect | Version2Dialect | None = None, **members: Any) -> UsageUpdate:
    """What is read of a usage update with this about the account."""
    update = {"sessionUpdate": "usage_update", "used": 1, "size": 2, "_meta": {CLAUDE: info}, **members}
    return only(UsageUpdate, (dialect or Version1Dialect()).read_update({"sessionId": "s", "update": update})[1])


@pytest.mark.parametrize("dialect", [Version1Dialect(), Version2Dialect()])
def test_one_limit_is_told_with_its_reset(dialect: Version1Dialect | Version2Dialect) -> None:
    info = {"status": "allowed_warning", "resetsAt": RESETS, "rateLimitType": "five_hour", "utilization": 0.82}
    usage = told(info, dialect)
    assert usage.limits == [AccountLimit(kind="five_hour", standing="near", used=0.82, resets_at=RESETS)]
    assert usage.meta == {CLAUDE: info}  # as it came, for exports


def test_newer_ones_tell_all_windows_at_once() -> None:
    windows = {"five_hour": {"utilization": 0.24, "resetsAt": RESETS}, "seven_day": {"utilization": 0.13}}
    assert told({"status": "allowed", "rateLimitType": "five_hour", "unifiedWindows": windows}).limits == [
        AccountLimit(kind="five_hour", used=0.24, resets_at=RESETS),
        AccountLimit(kind="seven_day", used=0.13),
    ]


def test_beyond_a_limit_the_work_may_go_on_for_money() -> None:
    (limit,) = told({"status": "rejected", "rateLimitType": "seven_day", "isUsingOverage": True}).limits
    assert (limit.standing, limit.extra) == ("reached", True)
    (limit,) = told({"status": "rejected", "rateLimitType": "seven_day", "isUsingOverage": False}).limits
    assert (limit.standing, limit.extra) == ("reached", False)


@each_of(
    "info",
    [None, {}, [], "rejected", 7, {"status": "allowed"}, {"resetsAt": RESETS}, {"unifiedWindows": {"five_hour": 1}}],
)
def test_what_says_nothing_is_no_limit(info: Any) -> None:
    assert not told(info).has("limits")


def test_odd_members_are_left_out_one_by_one() -> None:
    info = {"status": "rejected", "rateLimitType": 5, "resetsAt": "tomorrow", "utilization": True, "unifiedWindows": []}
    assert told(info).limits == [AccountLimit(kind="", standing="reached")]
    info = {"status": ["rejected"], "rateLimitType": "new_kind", "resetsAt": -5, "utilization": 10**400}
    assert told(info).limits == [AccountLimit(kind="new_kind")]
    assert told({"rateLimitType": "x", "resetsAt": RESETS * 1000}).limits[0].resets_at is None


def test_an_agent_cannot_tell_limits_in_our_words() -> None:
    assert not told(None, limits=[{"kind": "five_hour", "standing": "reached"}]).has("limits")


NUMBERS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
INFOS = st.fixed_dictionaries(
    {},
    optional={
        "status": st.sampled_from(["allowed", "allowed_warning", "rejected", "new"]) | json_values,
        "rateLimitType": st.sampled_from(["five_hour", "seven_day"]) | json_values,
        "resetsAt": NUMBERS,
        "utilization": NUMBERS,
        "isUsingOverage": json_values,
        "unifiedWindows": st.dictionaries(
            st.text(max_size=5), st.dictionaries(st.sampled_from(["utilization", "resetsAt"]), NUMBERS) | NUMBERS
        )
        | json_values,
    },
)


@given(INFOS | json_values)
def test_whatever_is_told_reads_as_sound_limits(info: Any) -> None:
    limits = told(info).limits
    assert len({limit.kind for limit in limits}) == len(limits) <= KINDS_AT_MOST + 1
    for limit in limits:
        assert limit.used is None or 0 <= limit.used <= MOST_USED
        assert limit.resets_at is None or 0 < limit.resets_at <= LATEST
