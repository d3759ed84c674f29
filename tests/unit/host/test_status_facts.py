"""What the status command is told: plain data, of bounded size, whatever the agent said."""

import json
from typing import Any

from acp_tui import __version__
from acp_tui.host.connection.lifecycle import Connection
from acp_tui.host.status_command import HUGE, LONGEST, told_of
from acp_tui.protocol.vocabulary.config_options import ConfigOptionUpdate, ConfigValue, SelectOption
from acp_tui.protocol.vocabulary.initialization import Implementation
from acp_tui.protocol.vocabulary.session_updates import AccountLimit, Cost, SessionInfoUpdate, UsageUpdate
from acp_tui.session.state import Session
from tests.unit.session.speech import idle, running


def told(session: Session, connection: Connection | None = None, branch: str = "") -> Any:
    """As the command gets it."""
    return json.loads(json.dumps(told_of(session, connection or Connection(), branch, 80), allow_nan=False))


def model(name: str) -> ConfigOptionUpdate:
    values = [ConfigValue(value="m", name=name)]
    return ConfigOptionUpdate(
        config_options=[SelectOption(id="model", name="Model", category="model", current_value="m", values=values)]
    )


def test_what_is_not_known_is_null() -> None:
    assert told(Session("", "/p")) == {
        "version": __version__,
        "columns": 80,
        "folder": "/p",
        "branch": None,
        "agent": None,
        "session": {"id": None, "title": None},
        "model": None,
        "mode": None,
        "context": None,
        "cost": None,
        "limits": [],
        "turn": {"state": "idle", "stop_reason": None},
    }


def test_what_is_known_is_told() -> None:
    session = Session("s1", "/p")
    limit = AccountLimit(kind="five_hour", standing="near", used=0.82, resets_at=1_788_465_600.0)
    cost = Cost(amount=0.05, currency="USD")
    session.apply(SessionInfoUpdate(title="Fix it"))
    session.apply(model("Sonnet 5"))
    session.apply(UsageUpdate(used=68_000, size=200_000, cost=cost, limits=[limit]))
    session.apply(running())
    session.apply(idle("max_tokens"))
    facts = told(session, Connection(agent=Implementation(name="oc", title="OpenCode", version="1.18")), "main")
    assert facts["branch"] == "main"
    assert facts["agent"] == {"name": "OpenCode", "version": "1.18"}
    assert facts["session"] == {"id": "s1", "title": "Fix it"}
    assert facts["model"] == "Sonnet 5"
    assert facts["context"] == {"used": 68_000, "size": 200_000}
    assert facts["cost"] == {"amount": 0.05, "currency": "USD"}
    assert facts["limits"] == [
        {"kind": "five_hour", "standing": "near", "used": 0.82, "resets_at": 1_788_465_600.0, "extra": False}
    ]
    assert facts["turn"] == {"state": "idle", "stop_reason": "max_tokens"}


def test_nothing_that_an_agent_tells_makes_it_long() -> None:
    session, long = Session("i" * 10**6, "/p"), "\ud800" * 10**6
    session.apply(SessionInfoUpdate(title=long))
    session.apply(model(long))
    session.apply(UsageUpdate(used=10**400, size=10**5000, cost=Cost(amount=1.0, currency=long)))
    session.apply(running())
    session.apply(idle(long))
    facts = told(session, Connection(agent=Implementation(name=long, version=long)), long)
    assert facts["context"] == {"used": HUGE, "size": HUGE}
    assert len(json.dumps(facts)) < 10 * 6 * LONGEST
