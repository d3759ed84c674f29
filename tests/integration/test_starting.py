import os
import sys
from pathlib import Path

import anyio
import pytest

from acp_tui.errors import AgentFault, UserFault
from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.connection import lifecycle
from acp_tui.session.changes import Change
from acp_tui.session.entries import NoticeEntry
from tests.agents.scripted import Gate, write_script
from tests.integration.driver import connected

pytestmark = pytest.mark.anyio


async def test_a_program_that_does_not_exist_is_told_with_what_to_try(tmp_path: Path) -> None:
    async with connected(["no-such-agent-anywhere"], tmp_path) as driver:
        await driver.closed()
        fault = driver.client.connection.fault
        assert isinstance(fault, AgentFault)
        assert "not found" in fault.title
        assert "no-such-agent-anywhere" in fault.message
        assert fault.hint
        assert fault.title in driver.noticed()
        assert driver.session.closed


async def test_a_file_that_is_not_executable_is_told(tmp_path: Path) -> None:
    (tmp_path / "agent").write_text("#!/bin/sh\n")
    async with connected([str(tmp_path / "agent")], tmp_path) as driver:
        await driver.closed()
        assert "cannot be executed" in driver.fault()
        assert "chmod +x" in driver.fault()


async def test_a_file_without_interpreter_is_told(tmp_path: Path) -> None:
    (tmp_path / "agent").write_text("#!/no/such/interpreter\n")
    (tmp_path / "agent").chmod(0o755)
    async with connected([str(tmp_path / "agent")], tmp_path) as driver:
        await driver.closed()
        assert "interpreter" in driver.fault()


async def test_a_folder_is_no_agent(tmp_path: Path) -> None:
    async with connected([str(tmp_path)], tmp_path) as driver:
        await driver.closed()
        assert "is a folder" in driver.fault()


async def test_a_folder_that_does_not_exist_is_the_users_fault(tmp_path: Path) -> None:
    async with connected([sys.executable], tmp_path / "nowhere") as driver:
        await driver.closed()
        assert isinstance(driver.client.connection.fault, UserFault)
        assert "nowhere" in driver.fault()


async def test_a_relative_program_is_found_from_our_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = write_script(tmp_path, "agent.initialize(); agent.new_session(); agent.serve()")
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path)
    async with connected([f"./{script.path.name}"], tmp_path / "project") as driver:
        await driver.ready()


async def test_variables_reach_the_agent_and_its_folder_is_ours(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize({"protocolVersion": 1, "agentInfo": {"name": os.environ["ACP_TEST"], "version": os.getcwd()}})
        agent.serve()
        """,
    )
    client = Client(LaunchPlan(AgentCommand(tuple(script.argv), {"ACP_TEST": "given"}), tmp_path))
    ready = anyio.Event()
    client.subscribe(lambda: ready.set() if client.connection.phase == "ready" else None)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(client.run)
        await ready.wait()
        client.close()
    agent = client.connection.agent
    assert agent is not None
    assert (agent.name, agent.version) == ("given", os.path.realpath(tmp_path))  # noqa: ASYNC240 - a test


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        ("agent.exit(3)", "Exit code 3"),
        ("agent.exit(0)", "Exit code 0"),
        ("agent.kill_self(15)", "SIGTERM"),
        ("agent.receive(); agent.exit(4)", "Exit code 4"),
        ("agent.initialize(); agent.receive(); agent.exit(5)", "Exit code 5"),
    ],
)
async def test_an_agent_that_ends_before_it_is_ready_is_told_with_its_last_words(
    tmp_path: Path, ending: str, told: str
) -> None:
    words = "".join(f"agent.stderr('line {number}\\n');" for number in range(30))
    script = write_script(tmp_path, f"{words} agent.stderr('missing key'); {ending}")
    async with connected(script.argv, tmp_path) as driver:
        await driver.closed()
        assert "exited during start-up" in driver.fault()
        assert told.lower() in driver.fault().lower()
        assert "missing key" in driver.fault()
        assert "line 29" in driver.fault()
        assert "line 3\n" not in driver.fault()
        assert "Try the command in your shell" in driver.fault()
        assert driver.client.stderr_tail(1) == ["missing key"]


async def test_an_agent_that_answers_nothing_is_told_and_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle, "PATIENCE", 0.05)
    gate = Gate(tmp_path / "gate")
    script = write_script(
        tmp_path,
        f"""
        agent.wait_for({str(gate.path)!r})
        agent.initialize()
        agent.new_session()
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        await driver.until(lambda: driver.client.connection.late)
        assert driver.client.connection.step == "connecting to the agent"
        assert driver.client.connection.phase == "starting"
        gate.open()
        await driver.ready()
        assert driver.client.connection.step == ""
    gate.close()


async def test_a_version_that_we_do_not_speak_is_told(tmp_path: Path) -> None:
    script = write_script(tmp_path, "agent.initialize({'protocolVersion': 7}); agent.serve()")
    async with connected(script, tmp_path) as driver:
        await driver.closed()
        assert "protocol version" in driver.fault()
        assert "7" in driver.fault()


async def test_a_refused_introduction_is_told(tmp_path: Path) -> None:
    script = write_script(
        tmp_path, "agent.stderr('old\\n'); agent.fail(agent.expect('initialize'), -32603, 'too old'); agent.serve()"
    )
    async with connected(script, tmp_path) as driver:
        await driver.closed()
        assert "refused the connection" in driver.fault()
        assert "too old (code -32603)" in driver.fault()


@pytest.mark.parametrize("beside", ["initialize", "error", "nowhere"])
async def test_a_log_in_that_is_asked_for_is_told_with_the_ways(tmp_path: Path, beside: str) -> None:
    methods = [
        {"id": "key", "name": "API key", "description": "set KEY"},
        {"id": "login", "name": "Browser", "type": "terminal", "args": ["login", "now"]},
    ]
    result = {"protocolVersion": 1, "agentCapabilities": {}, "authMethods": methods if beside == "initialize" else []}
    data = {"authMethods": methods} if beside == "error" else None
    script = write_script(
        tmp_path,
        f"""
        agent.initialize({result!r})
        agent.fail(agent.expect("session/new"), -32000, "Authentication required", {data!r})
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        await driver.closed()
        assert "login" in driver.fault()
        assert "Log in with the agent's own command line" in driver.fault()
        if beside != "nowhere":
            assert "API key: set KEY" in driver.fault()
            assert "agent.py login now" in driver.fault()


async def test_a_session_that_is_refused_is_told(tmp_path: Path) -> None:
    script = write_script(
        tmp_path, "agent.initialize(); agent.fail(agent.expect('session/new'), -32602, 'no room'); agent.serve()"
    )
    async with connected(script, tmp_path) as driver:
        await driver.closed()
        assert "could not open a session" in driver.fault()
        assert "no room" in driver.fault()


async def test_a_session_without_an_id_is_told(tmp_path: Path) -> None:
    script = write_script(tmp_path, "agent.initialize(); agent.answer(agent.expect('session/new'), {}); agent.serve()")
    async with connected(script, tmp_path) as driver:
        await driver.closed()
        assert "sessionId" in driver.fault()


async def test_a_second_session_that_is_refused_leaves_the_first_alone(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize()
        agent.new_session()
        agent.fail(agent.expect("session/new"), -32602, "one is enough")
        agent.turn("still here")
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        other = driver.client.open_session()
        changes: list[Change] = []
        other.subscribe(changes.append)
        driver.submit("hello")
        await driver.idle()
        assert driver.said() == ["still here"]
        [notice] = other.entries
        assert isinstance(notice, NoticeEntry)
        assert "one is enough" in notice.message


async def test_closing_before_it_ran_starts_nothing(tmp_path: Path) -> None:
    client = Client(LaunchPlan(AgentCommand((sys.executable, "-c", "raise SystemExit(9)")), tmp_path))
    client.close()
    await client.run()
    assert client.connection.phase == "closed"
    assert client.connection.exit_code is None
