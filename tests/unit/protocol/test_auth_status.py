"""Who is logged in: read in both forms, bounded, and never in the words of what is wrong."""

from typing import Any

import pytest

from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.negotiation import choose
from acp_tui.protocol.vocabulary.initialization import (
    AUTH_READERS,
    KEPT,
    LONGEST,
    LOOKED_AT,
    PUSHED,
    Account,
    AuthStatus,
    read_auth_status,
)
from tests.rows import each_of

INFO = {"name": "a", "version": "1"}


def pushed(status: Any) -> AuthStatus:
    return AUTH_READERS[PUSHED]({"authStatus": status})


@each_of(
    ("capabilities", "asked", "tells"),
    [
        ({"auth": {"status": {}}}, True, False),
        ({"auth": {"status": None}}, False, False),
        ({"auth": {"status": 5}, "_meta": {"authStatus": None}}, False, False),
        ({"_meta": {"authStatus": {}}}, False, True),
        ({"_meta": []}, False, False),
    ],
)
@each_of("version", [1, 2])
def test_that_an_agent_can_say_it(version: int, capabilities: dict[str, Any], *, asked: bool, tells: bool) -> None:
    member = "agentCapabilities" if version == 1 else "capabilities"
    can = choose({"protocolVersion": version, "info": INFO, member: capabilities}, "auto")[1].capabilities
    assert (can.auth_status, can.tells_auth_status) == (asked, tells)


def test_in_version_2_the_marker_may_stand_with_the_log_ins() -> None:
    told: Any = {"session": {}, "auth": {"_meta": {"authStatus": {}}, "status": {}}}
    can = choose({"protocolVersion": 2, "info": INFO, "capabilities": told}, "2")[1].capabilities
    assert (can.auth_status, can.tells_auth_status) == (True, True)


def test_the_standard_form() -> None:
    accounts = [
        {"label": "Claude Max", "active": True, "name": "Ann", "email": "ann@example.com", "organization": None},
        {"label": "API key", "active": "yes", "email": 5},
        {"name": "without a label"},
        "odd",
    ]
    status = read_auth_status({"state": "authenticated", "accounts": accounts})
    first = Account("Claude Max", ("Ann", "ann@example.com"), active=True)
    assert status == AuthStatus("authenticated", (first, Account("API key")))
    assert status.shown == (first,)


@pytest.mark.parametrize("state", ["unauthenticated", "not_required", "unknown"])
def test_states(state: str) -> None:
    assert read_auth_status({"state": state}).state == state


@pytest.mark.parametrize("accounts", [None, "x", 5, {}, [5, None, []]])
def test_a_newer_state_and_odd_accounts(accounts: Any) -> None:
    assert read_auth_status({"state": "_on_fire", "accounts": accounts}) == AuthStatus("unknown")


@pytest.mark.parametrize("told", [None, [], "secret", {}, {"state": None}, {"state": 5, "accounts": "secret"}])
def test_without_a_state_it_is_wrong_and_the_words_name_nobody(told: Any) -> None:
    with pytest.raises(ProtocolFault) as caught:
        read_auth_status(told)
    assert "secret" not in str(caught.value)


def test_few_and_short_ones_are_kept_and_the_rest_is_counted() -> None:
    accounts = [{"label": "x" * 100_000, "email": "y" * 100_000}] * 50_000
    status = read_auth_status({"state": "authenticated", "accounts": accounts})
    assert len(status.accounts) == KEPT
    assert status.more_accounts == 50_000 - KEPT
    assert {len(text) for each in status.accounts for text in (each.label, *each.more)} == {LONGEST}
    odd = [5] * (LOOKED_AT + 7)
    assert read_auth_status({"state": "unknown", "accounts": odd}) == AuthStatus("unknown")


def test_the_form_that_claude_and_codex_push() -> None:
    account = {"plan": "max", "email": "ann@example.com", "organization": "Org"}
    told = {"kind": "account", "label": "Claude Max", "detail": "claude.ai", "account": account}
    expected = Account("Claude Max", ("claude.ai", "ann@example.com", "Org"), active=True)
    assert pushed(told) == AuthStatus("authenticated", (expected,))
    assert pushed({"kind": "none", "label": "Not logged in"}) == AuthStatus("unauthenticated")
    assert pushed({"kind": "a newer one"}) == AuthStatus("authenticated")
    assert pushed({"label": "Claude Max"}) == AuthStatus("unknown")
    assert pushed({"kind": 5, "account": 5}) == AuthStatus("unknown")
    assert pushed({"kind": "api_key", "label": 5, "detail": [], "account": []}) == AuthStatus("authenticated")


@pytest.mark.parametrize("told", [None, [], {}, {"authStatus": None}, {"authStatus": "secret"}])
def test_what_is_pushed_without_a_status_is_wrong(told: Any) -> None:
    with pytest.raises(ProtocolFault) as caught:
        AUTH_READERS[PUSHED](told)
    assert "secret" not in str(caught.value)


def test_no_account_is_in_what_is_logged() -> None:
    assert "ann" not in repr(read_auth_status({"state": "authenticated", "accounts": [{"label": "ann"}]}))
