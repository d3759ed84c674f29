"""What a start may load before a user sees the first frame: a start is felt, and what it costs is mostly imports."""

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

FIRST_FRAME = """
import sys
import acp_tui.cli, acp_tui.compose, acp_tui.ui.terminal.terminal_driver
from acp_tui.host.client import Client
from pathlib import Path
from acp_tui.host.catalog.launch_plan import AgentCommand, LaunchPlan
client = Client(LaunchPlan(AgentCommand(("agent",)), Path("/")))
client.roots(client.begin_session())  # the header asks for these, and so must make no conversation
print(*sys.modules)
"""

LATER = ("pydantic", "pydantic_core", "markdown_it", "pygments", "tomllib", "acp_tui.headless")
LATER_WORDS = ("acp_tui.protocol.base", "acp_tui.protocol.v1", "acp_tui.protocol.v2", "acp_tui.session.folds.table")
LATER_PARTS = (
    "acp_tui.host.connection.connection",
    "acp_tui.host.sessions.conversation",
    "acp_tui.host.records",
    "acp_tui.session.text.secret_masking",
    "acp_tui.ui.screen_completion",
    "acp_tui.ui.render.markdown",
)


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("COV_", "COVERAGE"))}
    command = [sys.executable, "-c", FIRST_FRAME]
    told = subprocess.run(command, check=False, env=environment, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    return set(told.stdout.split())


def test_the_first_frame_is_there(loaded: set[str]) -> None:
    assert {"textual", "acp_tui.ui.conversation_screen", "acp_tui.host.client", "acp_tui.session.state"} <= loaded


def test_it_does_without(loaded: set[str]) -> None:
    later = {*LATER, *LATER_WORDS, *LATER_PARTS}
    assert sorted(module for module in loaded if any(f"{module}.".startswith(f"{one}.") for one in later)) == []


def test_what_it_does_without_is_there() -> None:
    assert [name for name in (*LATER, *LATER_WORDS, *LATER_PARTS) if find_spec(name) is None] == []
