"""Limits of the user's account, of which the protocol knows nothing: read in the forms that agents have for them.

Claude's adapter puts what it learns with each answer of the model into the `_meta` of `usage_update`: of one limit the
status, and since September 2026 of all of them the part that is used. Any of it may be missing.
https://github.com/agentclientprotocol/claude-agent-acp
"""

from itertools import islice
from typing import Any, Literal

from acp_tui.protocol.reading import read
from acp_tui.protocol.vocabulary.updates import AccountLimit, Update, UsageUpdate

CLAUDE = "_claude/rateLimit"
KINDS_AT_MOST = 8  # Claude has five
LATEST = 253_402_300_799  # the last second of the year 9999
MOST_USED = 10.0  # times a limit; more is no share
_STANDINGS: dict[Any, Literal["near", "reached"]] = {"allowed_warning": "near", "rejected": "reached"}


def read_usage(_memory: object, update: dict[str, Any]) -> list[Update]:
    """Read `usage_update`, and what its `_meta` says of the account; what is odd there is left out."""
    told = read(UsageUpdate, {name: value for name, value in update.items() if name != "limits"})
    limits = _claude((told.meta or {}).get(CLAUDE))
    return [told.model_copy(update={"limits": limits}) if limits else told]


def _claude(info: Any) -> list[AccountLimit]:
    if not isinstance(info, dict):
        return []
    windows = info.get("unifiedWindows")
    windows = islice(windows.items(), KINDS_AT_MOST) if isinstance(windows, dict) else ()
    limits = {kind: _limit(kind, window) for kind, window in windows if isinstance(window, dict)}
    kind = info.get("rateLimitType")
    kind = kind if isinstance(kind, str) else ""
    status = info.get("status")
    standing = _STANDINGS.get(status, "") if isinstance(status, str) else ""
    window, main = limits.get(kind), _limit(kind, info)
    if kind or standing or main.used is not None:
        limits[kind] = AccountLimit(
            kind=kind,
            standing=standing,
            used=main.used if window is None or main.used is not None else window.used,
            resets_at=main.resets_at if window is None or main.resets_at is not None else window.resets_at,
            extra=standing == "reached" and info.get("isUsingOverage") is True,
        )
    return list(limits.values())


def _limit(kind: str, told: dict[str, Any]) -> AccountLimit:
    used, resets_at = _number(told.get("utilization"), MOST_USED), _number(told.get("resetsAt"), LATEST)
    return AccountLimit(kind=kind, used=used, resets_at=resets_at or None)


def _number(value: Any, most: float) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        return None
    return float(value)
