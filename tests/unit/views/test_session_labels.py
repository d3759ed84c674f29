"""How a session stands, by sign and word; and names by which sessions are told apart."""

from pathlib import Path

import pytest

from acp_tui.host.catalog.launch_plan import AgentCommand, LaunchPlan
from acp_tui.host.client import Client
from acp_tui.host.connection.lifecycle import Connection, Phase
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.initialization import Implementation
from acp_tui.protocol.vocabulary.session_updates import MessageUpdate, StateUpdate
from acp_tui.session.facts import AgentGone, Branched
from acp_tui.session.state import CopiedHistory, Session
from acp_tui.views.status import agent_title, name_of, names_of, standing_of
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


def test_a_branch_is_called_by_its_own_first_prompt() -> None:
    parent, branch = Session("s", "/project"), Session("b", "/project")
    for number in range(20):
        parent.apply(prompted(f"u{number}", f"message {number}"))
    branch.apply(CopiedHistory(parent, "", 15))
    branch.apply(Branched("s", "u15", 15, "message 15"))
    assert name_of(branch) == "message 0"
    branch.apply(prompted("b1", "instead"))
    assert name_of(branch) == "instead"


def test_a_branch_with_the_title_of_another_session_is_called_by_its_own_first_prompt() -> None:
    parent, branch, other = (Session(name, "/p", title="Fix") for name in ("s", "b", "c"))
    for session in (branch, other):
        session.apply(CopiedHistory(parent, "", 0))
        session.apply(Branched("s", "u1", 0, "fix it"))
        session.apply(prompted("b1", "now with tests"))
    assert names_of([parent, branch]) == ["Fix", "now with tests"]
    other.title = "Tests"
    assert names_of([parent, other]) == ["Fix", "Tests"]


def prompted(message_id: str, text: str) -> MessageUpdate:
    return MessageUpdate(session_update="user_message", message_id=message_id, content=[TextContent(text=text)])


@pytest.mark.parametrize(
    ("agent", "argv", "told"),
    [
        (Implementation(name="a", title="Agent\x1b[2J", version="1.0"), ("x",), "Agent 1.0"),
        (Implementation(name="n" * 50, version="v" * 20), ("x",), f"{'n' * 39}… {'v' * 15}…"),
        (None, ("/usr/bin/agent", "--acp"), "agent"),
        (None, (), "agent"),
    ],
)
def test_an_agent_is_called_as_it_says_and_before_that_by_its_command(
    agent: Implementation | None, argv: tuple[str, ...], told: str
) -> None:
    client = Client(LaunchPlan(AgentCommand(argv), Path("/")))
    client.connection.agent = agent
    assert agent_title(client, Session("s", "/")) == told
