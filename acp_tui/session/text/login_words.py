"""Words for who is logged in; what the agent calls it is safe to show, on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_tui.safe_text import one_line
from acp_tui.session.text.words import counted

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.initialization import Account, AuthStatus

LONGEST = 160  # characters of one account
_STATES = {
    "authenticated": "Logged in",
    "unauthenticated": "Not logged in",
    "not_required": "No log-in needed",
    "unknown": "Log-in state unknown",
}


def state_words(status: AuthStatus) -> str:
    """The state alone, which names nobody."""
    return _STATES[status.state]


def login_words(status: AuthStatus) -> str:
    """`Logged in as Claude Max · ann@example.com and 2 more accounts`; other states without accounts."""
    names = account_names(status)
    if not names:
        return state_words(status)
    more = len(names) - 1 + status.more_accounts
    others = f" and {counted(more, 'more account')}" if more else ""
    return f"{state_words(status)} as {names[0]}{others}"


def account_names(status: AuthStatus) -> list[str]:
    """The accounts in use, each as one line; none unless somebody is logged in."""
    shown = status.shown if status.state == "authenticated" else ()
    return [name for account in shown if (name := _name(account))]


def _name(account: Account) -> str:
    return one_line(" · ".join(filter(None, (account.label, *account.more))), LONGEST)
