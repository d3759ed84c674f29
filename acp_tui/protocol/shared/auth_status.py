"""Who is logged in, in both forms that agents have for it. Only the state may be acted on; accounts are for display.

The unstable `auth/status` and `auth/status_update`; and `_auth/status_update`, which the adapters of Claude and Codex
push on their own, marked by `_meta.authStatus` in the answer to `initialize`. It is read whether it was marked or not.
https://github.com/agentclientprotocol/claude-agent-acp (src/auth-status.ts)

What is wrong is told without any of the values: accounts are nobody's but the user's.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.vocabulary.initialization import Account, AuthState, AuthStatus

METHOD = "auth/status"
PUSHED = "_auth/status_update"
MARKER = "authStatus"
KEPT = 20  # accounts; of more only the number is known
LOOKED_AT = 1_000  # members of the list
LONGEST = 200  # characters of one member of an account

STATES: Mapping[str, AuthState] = {
    "authenticated": "authenticated",
    "unauthenticated": "unauthenticated",
    "not_required": "not_required",
}
_OURS = re.compile(r'auth(?:\\?/|\\u002f)status|"accounts"', re.IGNORECASE)
_TITLE = "The agent sent an invalid log-in status"


def may_name_accounts(text: str) -> bool:
    """Whether a line that cannot be read, or answers nothing, may be of this file's kind."""
    return _OURS.search(text) is not None


def is_marked(*owners: Any) -> bool:
    """Whether the `_meta` of any of these objects says that the agent pushes who is logged in."""
    metas = (owner.get("_meta") for owner in owners if isinstance(owner, dict))
    return any(isinstance(meta, dict) and isinstance(meta.get(MARKER), dict) for meta in metas)


def read_auth_status(told: Any) -> AuthStatus:
    """Read the answer to `auth/status`, or what `auth/status_update` says. Raises `ProtocolFault` without a state."""
    state = told.get("state") if isinstance(told, dict) else None
    if not isinstance(state, str):
        raise ProtocolFault(_TITLE, "state", "a string is required")
    items = told.get("accounts")
    items = items if isinstance(items, list) else []
    accounts = [account for item in items[:LOOKED_AT] if (account := _account(item)) is not None]
    more = len(accounts) - KEPT + max(0, len(items) - LOOKED_AT)
    return AuthStatus(STATES.get(state, "unknown"), tuple(accounts[:KEPT]), max(0, more))


def _account(told: Any) -> Account | None:
    if not isinstance(told, dict) or not isinstance(told.get("label"), str):
        return None  # the schema marks the items of this array as skipped when invalid
    active = told.get("active")
    more = (_text(told.get(name)) for name in ("name", "email", "organization"))
    return Account(_text(told["label"]), tuple(filter(None, more)), active if isinstance(active, bool) else None)


def _read_pushed(told: Any) -> AuthStatus:
    """Read `_auth/status_update`. Any kind of log-in but `none` is one; without a kind nothing is known."""
    status = told.get(MARKER) if isinstance(told, dict) else None
    if not isinstance(status, dict):
        raise ProtocolFault(_TITLE, MARKER, "an object is required")
    kind = status.get("kind")
    if kind == "none":
        return AuthStatus("unauthenticated")
    if not isinstance(kind, str) or not kind:
        return AuthStatus("unknown")
    account = status.get("account")
    account = account if isinstance(account, dict) else {}
    more = (_text(told) for told in (status.get("detail"), account.get("email"), account.get("organization")))
    known = Account(_text(status.get("label")), tuple(filter(None, more)), active=True)
    return AuthStatus("authenticated", (known,) if known.label or known.more else ())


def _text(told: Any) -> str:
    return told[:LONGEST].strip() if isinstance(told, str) else ""


READERS: Mapping[str, Callable[[Any], AuthStatus]] = {
    "auth/status_update": read_auth_status,
    PUSHED: _read_pushed,
}
"""By the notification that brings it."""
