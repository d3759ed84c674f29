"""How a session stands, by sign and word; and names by which sessions are told apart."""

import pytest

from acp_tui.host.connection.lifecycle import Connection, Phase
from acp_tui.protocol.vocabulary.initialization import Implementation
from acp_tui.protocol.vocabulary.updates import StateUpdate
from acp_tui.session.facts import AgentGone
from acp_tui.session.state import Session
from acp_tui.ui.sessions.strip import names_of, standing_of
from tests.pilot.fake_client import ask_permission

KNOWN = Implementation(name="Agent", version="1")


@pytest.mark.parametrize(
    ("phase", "agent", "exit_code", "told"),
    [
        ("starting", None, None, "◌ starting"),
        ("ready", KNOWN, None, "● ready"),
        ("gone", None, None, "✗ not started"),
        ("gone", None, 1, "✗ agent exited"),
        ("gone", KNOWN, None, "✗ agent exited"),
        ("closed", KNOWN, 0, "✗ agent exited"),
        ("closing", KNOWN, None, "◌ closing"),
    ],
)
def test_it_stands_as_its_agent_does(
    phase: Phase, agent: Implementation | None, exit_code: int | None, told: str
) -> None:
    look = standing_of(Session("s", "/"), Connection(phase, agent=agent, exit_code=exit_code))
    assert f"{look.sign} {look.words}" == told


def test_it_stands_as_its_turn_does() -> None:
    session, connection = Session("s", "/"), Connection("ready", agent=KNOWN)
    session.apply(StateUpdate(state="running"))
    assert standing_of(session, connection).words == "working"
    ask_permission(session)
    assert standing_of(session, connection).words == "waiting for you"
    session.apply(AgentGone("The agent exited"))
    assert standing_of(session, connection).words == "session closed"


def test_sessions_in_which_nothing_was_said_are_told_apart() -> None:
    assert names_of([Session("s", "/"), Session("s", "/", title="Fix"), Session("s", "/"), Session("s", "/")]) == [
        "new session",
        "Fix",
        "new session 2",
        "new session 3",
    ]
