"""What is known of a session, as rows of a name and a value."""

from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.sessions.limits import ReachedLimit
from acp_tui.protocol.capabilities import AgentCapabilities, McpServer, SystemPrompt
from acp_tui.protocol.vocabulary.initialization import Account, AuthMethod, AuthStatus
from acp_tui.protocol.vocabulary.session_updates import AccountLimit, StateUpdate, TokenUsage, UsageUpdate
from acp_tui.session.state import Session
from acp_tui.ui.text_panels import fact_lines, text_of
from acp_tui.views.session_facts import Group, mcp_groups, reached_limit_words, status_groups, usage_groups
from tests.pilot.fake_client import FakeClient, say, tell_options, tell_usage
from tests.rows import each_of
from tests.strategies import UNSAFE, texts
from tests.unit.session.speech import running

SERVERS = (
    McpServer("files", "stdio", "mcp-files", (".", "--token", "hunter2"), {"API_KEY": "s3cret"}),
    McpServer("docs", "http", url="https://me:pw@example.com/mcp?api_key=abc", headers={"Authorization": "Bearer x"}),
)


def rows(groups: list[Group]) -> dict[str, dict[str, str]]:
    return {heading: dict(told) for heading, told in groups}


def test_the_status_tells_agent_session_options_and_files() -> None:
    client = FakeClient()
    session = client.open_session()
    tell_options(session)
    tell_usage(session)
    told = rows(status_groups(client, session, [("Log", "/state/acp-tui.log")]))
    assert told["Agent"] == {"Name": "OpenCode 1.18", "Command": "fake-agent", "Protocol": "not negotiated yet"}
    assert told["Session"]["ID"] == "s1"
    assert told["Session"]["Context"] == "34% of 200k"
    assert told["Session"]["MCP servers"] == "none"
    assert told["Options"] == {"Mode": "Ask", "Model": "Sonnet 5", "Thinking": "High", "Fast": "Off"}
    assert told["Files"] == {"Log": "/state/acp-tui.log"}
    assert "Account limits" not in told


def test_the_status_of_a_session_names_its_folders_and_servers() -> None:
    client = Client(
        LaunchPlan(
            AgentCommand(("agent", "--api-key", "secret")),
            Path("/p"),
            roots=("/q", "/r"),
            mcp_servers=tuple(SERVERS),
        )
    )
    session = client.open_session()
    told = status_groups(client, session, [])
    assert [row for heading, rows in told if heading == "Session" for row in rows] == [
        ("ID", "none yet"),
        ("Folder", "/p"),
        ("Additional folders", "/q"),
        ("", "/r"),
        ("MCP servers", "files, docs"),
    ]
    assert "secret" not in text_of(told)


@pytest.mark.parametrize(
    ("prompt", "can", "words"),
    [
        (SystemPrompt(), "override", ""),
        (SystemPrompt("Own.", ("Add.", "More.")), "override", "replaced (4 characters), appended (9 characters)"),
        (SystemPrompt("Own.", ("Add.",)), "append", "appended (4 characters)"),
        (SystemPrompt("Own."), "append", "replacing it is not supported by this agent"),
        (SystemPrompt("", ("Add.",)), "", "not supported by this agent"),
    ],
)
def test_the_status_tells_what_is_added_to_the_system_prompt(
    prompt: SystemPrompt, can: Literal["", "append", "override"], words: str
) -> None:
    client = Client(LaunchPlan(AgentCommand(("agent",)), Path("/p"), system_prompt=prompt))
    client.connection.capabilities = AgentCapabilities(system_prompt=can)
    told = rows(status_groups(client, client.begin_session(), []))
    assert told["Session"].get("System prompt", "") == words


def test_the_usage_tells_tokens_by_kind_and_limits() -> None:
    session = Session("s", "/p")
    tell_usage(session)
    session.apply(running())
    tokens = TokenUsage(input_tokens=2, output_tokens=10**400, cached_write_tokens=45_190)
    session.apply(StateUpdate(state="idle", stop_reason="end_turn", usage=tokens))
    limits = [AccountLimit(kind="five_hour", used=0.82), AccountLimit(kind="seven_day")]
    session.apply(UsageUpdate(used=68_000, size=200_000, limits=limits))
    assert rows(usage_groups(session)) == {
        "Session": {"Context": "34% of 200k (68,000 of 200,000 tokens)", "Cost": "$0.05"},
        "Tokens of the last turn": {
            "Input": "2".rjust(21),
            "Output": f"{10**15:,}",
            "Cache write": "45,190".rjust(21),
        },
        "Account limits": {"5 h limit": "82%", "Weekly limit": "not reached"},
    }


def test_an_agent_that_tells_nothing_shows_that() -> None:
    assert text_of(usage_groups(Session("s", "/p"))).count("ot reported by the agent") == 4


def test_servers_are_shown_without_what_is_secret() -> None:
    told = mcp_groups(SERVERS, AgentCapabilities(mcp_http=True))
    assert rows(told) == {
        "files": {"Type": "stdio", "Command": "mcp-files . --token •••", "Variables": "API_KEY=•••"},
        "docs": {"Type": "http", "Address": "https://•••@example.com/mcp?api_key=•••", "Headers": "Authorization"},
    }
    assert rows(mcp_groups(SERVERS, AgentCapabilities()))["docs"]["Type"].startswith("http: not supported")


def test_values_of_variables_are_not_shown_wherever_they_stand() -> None:
    servers = (
        McpServer("files", command="/bin/hunter2", args=("hunter2", "-x=hunter2,a"), put_in=("hunter2",)),
        McpServer("docs", "http", url="https://example.com/hunter2/mcp", put_in=("hunter2",), not_sent=("cwd",)),
    )
    told = rows(mcp_groups(servers, AgentCapabilities(mcp_http=True)))
    assert told["files"]["Command"] == "/bin/••• ••• -x=•••,a"
    assert (told["docs"]["Address"], told["docs"]["Not sent"]) == ("https://example.com/•••/mcp", "cwd")


def test_without_servers_it_is_said_how_one_is_added() -> None:
    assert "acp-tui --mcp FILE" in text_of(mcp_groups((), AgentCapabilities()))


GROUPS = st.lists(
    st.tuples(texts(), st.lists(st.tuples(texts() | st.just(""), texts()), max_size=4)), min_size=1, max_size=3
)


@given(GROUPS, st.integers(10, 100))
def test_rows_keep_within_the_width_and_are_clean(groups: list[Group], width: int) -> None:
    for line in fact_lines(groups, width):
        assert line.cell_length <= width
        assert not UNSAFE.search(line.plain)
    assert not UNSAFE.search(text_of(groups))


def test_who_is_logged_in_is_told_and_not_copied() -> None:
    client = FakeClient()
    session, connection = client.open_session(), client.connection
    assert "Login" not in rows(status_groups(client, session, []))["Agent"]
    connection.capabilities = AgentCapabilities(tells_auth_status=True)
    assert rows(status_groups(client, session, []))["Agent"]["Login"] == "not reported by the agent"
    accounts = (Account("Claude Max", ("ann@example.com",)), Account("API key\x1b[2J"))
    connection.auth_status = AuthStatus("authenticated", accounts, more_accounts=3)
    told = [row for heading, rows in status_groups(client, session, []) if heading == "Agent" for row in rows]
    assert told[-2:] == [
        ("Login", "Logged in as Claude Max · ann@example.com and 4 more accounts"),
        ("Account 2", "API key"),
    ]
    copied = text_of(status_groups(client, session, [], accounts=False))
    assert "Login: Logged in\n" in copied
    assert "Claude" not in copied


def test_where_nobody_is_logged_in_it_says_how_to() -> None:
    client = FakeClient()
    session = client.open_session()
    client.connection.auth_status = AuthStatus("unauthenticated")
    assert rows(status_groups(client, session, []))["Agent"]["Login"] == "Not logged in"
    client.connection.auth_methods = (AuthMethod(method_id="m", name="M"),)
    told = rows(status_groups(client, session, [], '"Log in" in the palette'))
    assert told["Agent"]["Login"] == 'Not logged in: "Log in" in the palette'


def test_the_status_names_the_agents_own_cli_where_it_is_known() -> None:
    client = FakeClient()
    session = client.open_session()
    say(session, "hello")
    assert "Own CLI" not in rows(status_groups(client, session, []))["Session"]
    client.command = AgentCommand(("opencode", "acp"))
    own = rows(status_groups(client, session, []))["Session"]["Own CLI"]
    assert own == "cd /home/someone/project && opencode --session s1"


@each_of(
    "reached, words",
    [
        (ReachedLimit("session_cost", 5.02, 5.0, "USD"), "Session cost limit reached: $5.02 of $5.00"),
        (
            ReachedLimit("session_cost", 1234.5, 1000.0, "CHF"),
            "Session cost limit reached: 1,234.50 CHF of 1,000.00 CHF",
        ),
        (ReachedLimit("turn_minutes", 20.04, 20.0), "Turn time limit reached: 20 min of 20 min"),
        (ReachedLimit("turn_minutes", 0.6, 0.5), "Turn time limit reached: 36 s of 30 s"),
        (ReachedLimit("turn_minutes", 0.052, 0.05), "Turn time limit reached: 3 s of 3 s"),
        (ReachedLimit("context_percent", 85.9, 85.0), "Context limit reached: 85% of 85%"),
    ],
)
def test_a_limit_that_is_reached_says_by_how_much(reached: ReachedLimit, words: str) -> None:
    assert reached_limit_words(reached) == words
