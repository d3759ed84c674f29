"""Words for who is logged in."""

import pytest
from hypothesis import given

from acp_tui.protocol.vocabulary.initialization import Account, AuthState, AuthStatus
from acp_tui.session.text.phrases import LONGEST, account_names, login_words
from tests.rows import each_of
from tests.strategies import texts

MAX, KEY = Account("Claude Max", ("ann@example.com", "Org"), active=True), Account("API key", active=False)


@each_of(
    ("status", "words"),
    [
        (AuthStatus("authenticated"), "Logged in"),
        (AuthStatus("authenticated", (MAX,)), "Logged in as Claude Max · ann@example.com · Org"),
        (AuthStatus("authenticated", (KEY, MAX)), "Logged in as Claude Max · ann@example.com · Org"),
        (AuthStatus("authenticated", (KEY, KEY)), "Logged in as API key and 1 more account"),
        (AuthStatus("authenticated", (KEY,), 5), "Logged in as API key and 5 more accounts"),
        (AuthStatus("authenticated", (Account(""), Account("", ("ann",)))), "Logged in as ann"),
        (AuthStatus("unauthenticated", (MAX,)), "Not logged in"),
        (AuthStatus("not_required"), "No login needed"),
        (AuthStatus("unknown", (MAX,)), "Login state unknown"),
    ],
)
def test_words(status: AuthStatus, words: str) -> None:
    assert login_words(status) == words


@pytest.mark.parametrize("state", ["unauthenticated", "not_required", "unknown"])
def test_accounts_of_another_state_are_not_shown(state: AuthState) -> None:
    assert account_names(AuthStatus(state, (MAX,))) == []


@given(texts())
def test_whatever_an_account_is_called_it_is_one_safe_line(text: str) -> None:
    for name in account_names(AuthStatus("authenticated", (Account(text, (text,)),))):
        assert len(name) <= LONGEST
        assert "\n" not in name
        assert not any(ord(sign) < 32 or ord(sign) == 127 for sign in name)
