"""What rules for one agent call it."""

from pathlib import Path

from acp_tui.host.catalog.launch_plan import AgentCommand, LaunchPlan
from acp_tui.host.client import Client
from tests.rows import each_of


@each_of(
    ("command", "name"),
    [
        (AgentCommand(("opencode", "acp")), "opencode"),
        (AgentCommand(("/opt/bin/opencode", "acp")), "opencode"),
        (AgentCommand(("opencode", "acp"), name="mine"), "mine"),
        (AgentCommand(("/home/me/agent.py", "--acp")), "agent.py"),
        (AgentCommand(()), ""),
    ],
)
def test_it_is_the_same_however_the_agent_is_started(command: AgentCommand, name: str) -> None:
    for title in ("OpenCode", ""):  # a run leaves the title to the agent
        assert Client(LaunchPlan(command, Path(), title))._context.rules.agent == name
