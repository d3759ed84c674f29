"""Quitting: sessions are put away where the agent can, and nobody can keep a user from leaving."""

from pathlib import Path

import anyio
import pytest

from acp_tui.host.connection.agent_process import AgentProcess
from tests.agents.scripted import write_script
from tests.integration.driver import BOUND, attended
from tests.processes import processes_of_group

pytestmark = pytest.mark.anyio

ABLE = {"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"close": {}}}}


async def test_sessions_are_put_away_before_the_agent_ends(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        f"""
        agent.initialize({ABLE!r})
        agent.new_session("first")
        agent.new_session("second")
        agent.answer(agent.expect("session/close"), None)
        agent.fail(agent.expect("session/close"), -32603)
        agent.serve()
        """,
    )
    async with attended(script, tmp_path) as driver:
        other = driver.client.open_session()
        await driver.until(lambda: other.id == "second")
        driver.client.close()
        assert driver.client.connection.phase == "closing"
        await driver.closed()
        assert driver.client.connection.fault is None
        assert driver.client.connection.exit_code == 0
    assert sorted(one["params"]["sessionId"] for one in script.received("session/close")) == ["first", "second"]


@pytest.mark.parametrize(
    "ending", ["agent.expect('session/close'); agent.exit(7)", "agent.close_stdout(); agent.serve()"]
)
async def test_an_agent_that_ends_while_it_says_goodbye_is_no_fault(tmp_path: Path, ending: str) -> None:
    script = write_script(tmp_path, f"agent.initialize({ABLE!r}); agent.new_session(); agent.turn('x'); {ending}")
    async with attended(script, tmp_path) as driver:
        driver.submit("hello")
        await driver.until(driver.said)
        driver.client.close()
        await driver.closed()
        assert driver.client.connection.fault is None


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first request alone would end nobody for as long as anything here is waited for."""
    monkeypatch.setattr(AgentProcess, "grace", 10 * BOUND)
    monkeypatch.setattr("acp_tui.host.client.FAREWELL", 10 * BOUND)
    monkeypatch.setattr("acp_tui.host.system.terminals.KILL_GRACE", 10 * BOUND)


@pytest.mark.usefixtures("patient")
async def test_a_second_request_ends_an_agent_that_ignores_everything(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        f"""
        import subprocess
        agent.ignore_signals()
        agent.initialize({ABLE!r})
        agent.new_session()
        subprocess.Popen(["sh", "-c", "trap '' TERM HUP INT; while :; do sleep 60; done"])
        agent.expect("session/prompt")
        agent.say("never mind you")
        agent.hang()
        """,
    )
    async with attended(script.argv, tmp_path) as driver:
        driver.submit("hello")
        await driver.until(driver.said)
        driver.client.close()
        await anyio.wait_all_tasks_blocked()
        driver.client.close()
        await driver.closed()
        process = driver.client._supervisor.process
        assert process is not None
        assert processes_of_group(process.pid) == []


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(
    "served", ["agent.serve()", "while True: agent.receive()"], ids=["goodbye answered", "goodbye unanswered"]
)
async def test_a_second_request_ends_commands_that_ignore_everything(tmp_path: Path, served: str) -> None:
    script = write_script(
        tmp_path,
        f"""
        agent.initialize({ABLE!r})
        session = agent.new_session()
        stubborn = "trap '' TERM HUP INT; while :; do sleep 60; done"
        agent.request("terminal/create", {{"sessionId": session, "command": "sh", "args": ["-c", stubborn]}})
        agent.say("it runs")
        {served}
        """,
    )
    async with attended(script.argv, tmp_path) as driver:
        await driver.until(driver.said)
        agent = driver.client._supervisor.agent
        assert agent is not None
        [opened] = agent._sessions.opened
        [terminal] = opened.workspace.terminals._terminals.values()
        driver.client.close()
        await anyio.wait_all_tasks_blocked()
        driver.client.close()
        await driver.closed()
        assert processes_of_group(terminal.process._process.pid) == []


async def test_what_a_session_asked_is_answered_when_it_is_put_away(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize()
        agent.new_session()
        prompt = agent.expect("session/prompt")
        asked = agent.permission({"toolCallId": "t"})
        outcome = agent.answer_to(asked)["result"]["outcome"]["outcome"]
        agent.expect("session/cancel")
        agent.session_id = "second"
        agent.new_session()
        agent.say(outcome)
        agent.serve()
        """,
    )
    async with attended(script, tmp_path) as driver:
        driver.submit("go")
        await driver.asked()
        driver.client.close_session(driver.session)
        second = driver.client.open_session()
        second.subscribe(driver._on_change)
        await driver.until(lambda: second.entries)
        assert driver.client.sessions == [second]


async def test_leaving_while_the_agent_is_gone_or_wants_a_log_in(tmp_path: Path) -> None:
    script = write_script(tmp_path, "agent.initialize(); agent.exit(1)")
    async with attended(script, tmp_path) as driver:
        await driver.gone()
        driver.client.close()
        await driver.closed()
        driver.client.restart()
        assert driver.client.connection.phase == "closed"
    script = write_script(
        tmp_path, "agent.initialize(); agent.fail(agent.expect('session/new'), -32000); agent.serve()"
    )
    async with attended(script, tmp_path) as driver:
        await driver.until(lambda: driver.client.connection.login)
        driver.client.close()
        await driver.closed()
