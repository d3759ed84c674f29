"""What a status command is told of a session; its members are in docs/configuration.md."""

from typing import Any

from acp_tui.host.connection.lifecycle import Connection
from acp_tui.protocol.vocabulary.updates import AccountLimit
from acp_tui.session.state import Session
from acp_tui.version import __version__

LONGEST, HUGE = 1000, 10**15  # characters of a name, and tokens; an agent may tell any number


def told_of(session: Session, connection: Connection, branch: str, columns: int) -> dict[str, Any]:
    """Plain data, in which None is what is not known; `columns` is the room for the answer."""
    agent, usage = connection.agent, session.usage
    context = None if usage is None else {"used": min(usage.used, HUGE), "size": min(usage.size, HUGE)}
    cost = None if usage is None else usage.cost
    return {
        "version": __version__,
        "columns": columns,
        "folder": session.cwd,
        "branch": _brief(branch),
        "agent": {"name": _brief(agent.title or agent.name), "version": _brief(agent.version)} if agent else None,
        "session": {"id": _brief(session.id), "title": _brief(session.title)},
        "model": _chosen(session, "model"),
        "mode": _chosen(session, "mode"),
        "context": context,
        "cost": None if cost is None else {"amount": cost.amount, "currency": _brief(cost.currency)},
        "limits": [_limit(limit) for limit in (() if usage is None else usage.limits)],
        "turn": {"state": _brief(session.turn.state), "stop_reason": _brief(session.turn.stop_reason)},
    }


def _limit(limit: AccountLimit) -> dict[str, Any]:
    told = {name: getattr(limit, name) for name in ("standing", "used", "resets_at", "extra")}
    return {"kind": _brief(limit.kind), **told}


def _chosen(session: Session, category: str) -> str | None:
    option = next((option for option in session.config_options if option.category == category), None)
    return None if option is None else _brief(option.value_name())


def _brief(text: str | None) -> str | None:
    return text[:LONGEST] if text else None
