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

STARTED = """
import sys, acp_tui.startup
acp_tui.startup.stand_in()
import acp_tui.compose, anyio._backends._asyncio, acp_tui.ui.terminal.terminal_driver
import acp_tui.host.agent.connected_agent, acp_tui.host.records.records, acp_tui.ui.deferred_parts
print(*sys.modules)
"""
PROMPT_IS_WRITTEN = """
import sys, acp_tui.ui.deferred_parts
acp_tui.ui.deferred_parts._warm()
print(*sys.modules)
"""
TLS_IS_USED = """
import sys, acp_tui.startup
acp_tui.startup.stand_in()
import asyncio, ssl, acp_tui.host.catalog.download
assert ssl.create_default_context().verify_mode is ssl.CERT_REQUIRED
assert ssl is not sys.modules["ssl"] and ssl.SSLContext is sys.modules["ssl"].SSLContext
import hashlib
assert hashlib.sha256(b"").hexdigest().startswith("e3b0c44298fc1c149afbf4c8996fb924")
print(*sys.modules)
"""

STARTED_WITHOUT = (
    *("_ssl", "_hashlib", "html.entities"),
    "acp_tui.ui.entries.drawings",
    "acp_tui.ui.command_palette",
    "acp_tui.ui.sessions.browser",
    "acp_tui.ui.sessions.past_session_actions",
    "acp_tui.ui.sessions.subagents_screen",
    "acp_tui.ui.branches.tree_screen",
    "acp_tui.ui.undo.undo_panel",
)
INTRODUCED = """
import sys, acp_tui.host.agent.connected_agent
print(*sys.modules)
"""
LATER = ("pydantic", "pydantic_core", "markdown_it", "pygments", "tomllib", "acp_tui.headless")
LATER_WORDS = ("acp_tui.protocol.base", "acp_tui.protocol.v1", "acp_tui.protocol.v2", "acp_tui.session.folds.table")
RECORDS = ("records", "record_info", "index", "search", "event_codec", "session_recording", "redaction", "wire_record")
LATER_PARTS = (
    "acp_tui.host.connection.connection",
    "acp_tui.host.sessions.conversation",
    *(f"acp_tui.host.records.{name}" for name in RECORDS),
    "acp_tui.session.text.secret_masking",
    "acp_tui.ui.deferred_parts",
    "acp_tui.ui.render.markdown",
    "acp_tui.ui.render.text_splitter",
)


def modules_after(program: str) -> set[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("COV_", "COVERAGE"))}
    command = [sys.executable, "-c", program]
    told = subprocess.run(command, check=False, env=environment, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    return set(told.stdout.split())


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    return modules_after(FIRST_FRAME)


def test_the_first_frame_is_there(loaded: set[str]) -> None:
    assert {"textual", "acp_tui.ui.conversation_screen", "acp_tui.host.client", "acp_tui.session.state"} <= loaded


def test_it_does_without(loaded: set[str]) -> None:
    later = {*LATER, *LATER_WORDS, *LATER_PARTS}
    assert sorted(module for module in loaded if any(f"{module}.".startswith(f"{one}.") for one in later)) == []


def test_what_it_does_without_is_there() -> None:
    assert [name for name in (*LATER, *LATER_WORDS, *LATER_PARTS) if find_spec(name) is None] == []


def test_what_follows_the_first_frame_does_without() -> None:
    loaded = modules_after(STARTED)
    assert "acp_tui.ui.deferred_parts" in loaded
    assert sorted(loaded & {*STARTED_WITHOUT}) == []


def test_what_draws_the_turn_is_loaded_while_its_prompt_is_written() -> None:
    assert {"acp_tui.ui.entries.drawings", "markdown_it"} <= modules_after(PROMPT_IS_WRITTEN)


def test_who_uses_tls_has_it() -> None:
    assert "_ssl" in modules_after(TLS_IS_USED)


def test_a_session_is_asked_for_without_the_expressions_that_find_secrets() -> None:
    loaded = modules_after(INTRODUCED)
    assert "acp_tui.host.agent.openings" in loaded
    assert "acp_tui.session.text.secret_masking" not in loaded
