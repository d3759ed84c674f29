"""Agents that end, hang up, or do not end: the turn is over, the transcript stays, no process is left."""

import asyncio
import os
import signal
from pathlib import Path

import anyio
import pytest

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.connection.agent_process import AgentProcess
from tests.agents.scripted import write_script
from tests.integration.driver import BOUND, Driver, connected
from tests.processes import processes_of_group

pytestmark = pytest.mark.anyio

SCRIPT = """
import subprocess
agent.initialize()
session = agent.new_session()
prompt = agent.expect("session/prompt")
agent.say("half a sen")
agent.update({{"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T", "status": "in_progress"}})
agent.stderr("about to go\\n")
{ending}
"""


@pytest.fixture(autouse=True)
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AgentProcess, "grace", 0.15)


@pytest.fixture
def long_grace(short_grace: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """For who ends by itself, however late a busy machine tells us."""
    monkeypatch.setattr(AgentProcess, "grace", 10 * BOUND)


@pytest.mark.usefixtures("long_grace")
@pytest.mark.parametrize(
    ("ending", "told"),
    [
        ("agent.exit(3)", "Exit code 3"),
        ("agent.exit(0)", "Exit code 0"),
        ("raise RuntimeError('a bug of the agent')", "a bug of the agent"),
        ("agent.kill_self(9)", "SIGKILL"),
        ("agent.kill_self(11)", "SIGSEGV"),
        ("agent.raw(b'{\"jsonrpc\":'); agent.exit(4)", "Exit code 4"),
    ],
)
async def test_an_agent_that_ends_in_a_turn_ends_the_turn(tmp_path: Path, ending: str, told: str) -> None:
    await ends_the_turn(tmp_path, ending, told)


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        ("agent.close_stdout(); agent.serve()", "closed its stdout but is still running"),
        ("agent.close_stdout(); agent.ignore_signals(); agent.hang()", "closed its stdout"),
        ("os.close(0); agent.ask('_x', {}); agent.hang()", "closed its stdin but is still running"),
        ("subprocess.Popen(['sleep', '62']); agent.exit(5)", "Exit code 5"),
    ],
)
async def test_an_agent_that_goes_and_is_not_gone_ends_the_turn(tmp_path: Path, ending: str, told: str) -> None:
    await ends_the_turn(tmp_path, ending, told)


async def ends_the_turn(tmp_path: Path, ending: str, told: str) -> None:
    script = write_script(tmp_path, SCRIPT.format(ending=ending))
    async with connected(script.argv, tmp_path) as driver:
        driver.submit("go")
        driver.submit("queued")
        await driver.closed()
        assert not driver.session.turn.active
        assert driver.session.closed
        assert driver.said() == ["half a sen"]
        [call] = driver.tool_calls()
        assert call.sealed
        assert told.lower() in driver.noticed().lower()
        assert "about to go" in driver.noticed()
        assert told.lower() in driver.fault().lower()
        assert len(driver.session.queue) == 1


async def test_permissions_settle_when_the_agent_dies(tmp_path: Path) -> None:
    ending = 'agent.permission({"toolCallId": "t"}); agent.receive(); agent.exit(1)'
    script = write_script(tmp_path, SCRIPT.format(ending=ending))
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.asked()
        key = driver.session.permissions[0].key
        driver.client.of(driver.session).choose("nothing", "x")
        driver.client.of(driver.session).cancel()
        await driver.closed()
        assert driver.session.permissions == []
        driver.client.of(driver.session).questions.answer_permission(key, "yes")
        driver.client.of(driver.session).cancel()
        driver.submit("too late")
        assert len(driver.session.queue) == 1


@pytest.mark.usefixtures("long_grace")
async def test_an_agent_that_is_killed_from_outside_is_told(tmp_path: Path) -> None:
    script = write_script(tmp_path, SCRIPT.format(ending="agent.hang()"))
    async with connected(script.argv, tmp_path) as driver:
        driver.submit("go")
        await driver.until(driver.tool_calls)
        assert driver.client._supervisor.process is not None
        os.kill(driver.client._supervisor.process.pid, signal.SIGKILL)
        await driver.closed()
        assert "SIGKILL" in driver.fault()
        assert driver.client.connection.exit_code == -signal.SIGKILL


@pytest.mark.parametrize(
    "stubborn",
    [
        "agent.hang()",
        "agent.ignore_signals(); agent.hang()",
        "agent.ignore_signals(); agent.raw(b'x' * 10_000_000); agent.hang()",
        "subprocess.Popen(['sleep', '63']); agent.serve()",
        "subprocess.Popen(['sh', '-c', 'trap \"\" TERM HUP INT; sleep 64 & wait']); agent.serve()",
        "subprocess.Popen(['sh', '-c', 'trap \"\" TERM; sleep 65']); agent.ignore_signals(); agent.hang()",
    ],
)
async def test_whoever_does_not_end_is_ended(tmp_path: Path, stubborn: str) -> None:
    script = write_script(tmp_path, SCRIPT.format(ending=stubborn))
    async with connected(script.argv, tmp_path) as driver:
        driver.submit("go")
        await driver.until(driver.tool_calls)
        driver.client.close()
        await driver.closed()
        assert driver.client.connection.fault is None
        assert "Disconnected during a turn" in driver.noticed()


async def test_cancelling_the_task_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AgentProcess, "grace", 2.0)  # within which its end is known, too
    script = write_script(tmp_path, SCRIPT.format(ending="agent.ignore_signals(); agent.say('deaf'); agent.hang()"))
    driver = Driver(Client(LaunchPlan(AgentCommand(tuple(script.argv)), tmp_path)))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(driver.client.run)
        driver.submit("go")
        await driver.until(lambda: "deaf" in "".join(driver.said()))
        tasks.cancel_scope.cancel()
    assert driver.client.connection.phase == "closed"
    assert driver.client.connection.exit_code == -signal.SIGKILL
    assert driver.client._supervisor.process is not None
    assert processes_of_group(driver.client._supervisor.process.pid) == []


@pytest.mark.parametrize("times", [1, 2])
async def test_a_task_that_the_event_loop_cancels_leaves_nothing_behind(tmp_path: Path, times: int) -> None:
    script = write_script(tmp_path, SCRIPT.format(ending="agent.ignore_signals(); agent.hang()"))
    driver = Driver(Client(LaunchPlan(AgentCommand(tuple(script.argv)), tmp_path)))
    task = asyncio.create_task(driver.client.run())
    driver.submit("go")
    await driver.until(driver.tool_calls)
    for _ in range(times):
        task.cancel()
        await anyio.wait_all_tasks_blocked()
    with pytest.raises(asyncio.CancelledError):
        await task
    process = driver.client._supervisor.process
    assert process is not None
    await process.exited()
    assert processes_of_group(process.pid) == []


async def test_an_agent_that_leaves_a_daemon_with_its_pipes_does_not_hold_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AgentProcess, "watch_descendants", AgentProcess.exited)  # nobody sees how it leaves its parents
    ending = """
daemon = subprocess.Popen(["sleep", "66"], start_new_session=True)  # returns when `sleep` runs, in its own group
agent.say(f" {daemon.pid}")
agent.exit(6)
"""
    script = write_script(tmp_path, SCRIPT.format(ending=ending))
    async with connected(script.argv, tmp_path) as driver:
        driver.submit("go")
        await driver.closed()
        assert "Exit code 6" in driver.fault()
        daemon = int("".join(driver.said()).split()[-1])
        assert processes_of_group(daemon) == ["sleep 66"]
        os.kill(daemon, signal.SIGKILL)


async def test_an_agent_that_does_not_read_blocks_nothing(tmp_path: Path) -> None:
    ending = "agent.wait = [agent.say('.') for _ in range(3)]; agent.hang()"
    script = write_script(tmp_path, SCRIPT.format(ending=ending))
    async with connected(script.argv, tmp_path) as driver:
        driver.submit("go")
        await driver.until(lambda: "..." in "".join(driver.said()))
        assert driver.client.unsent_since is None
        link = driver.client.of(driver.session)._link
        assert link is not None
        link.connection.notify(link.dialect.cancel("x" * 1_000_000))
        link.connection.notify(link.dialect.cancel("x"))
        assert driver.client.unsent_since is not None
        driver.client.of(driver.session).cancel()
        assert driver.session.turn.cancel_requested_at is not None


async def test_an_agent_that_never_reads_what_it_asks_for_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_tui.host.connection.connection.UNSENT_CAP", 100_000)
    ending = "[agent.ask('_nothing' + 'x' * 70, {}) for _ in range(20_000)]; agent.hang()"
    script = write_script(tmp_path, SCRIPT.format(ending=ending))
    async with connected(script.argv, tmp_path) as driver:
        driver.submit("go")
        await driver.closed()
        assert "is not reading its input" in driver.fault()


async def test_a_permission_after_a_cancel_is_answered_at_once(tmp_path: Path) -> None:
    ending = """
agent.expect("session/cancel")
asked = agent.permission({"toolCallId": "t2", "title": "Too late"})
agent.say(agent.answer_to(asked)["result"]["outcome"]["outcome"])
agent.end_turn(prompt, "cancelled")
second = agent.expect("session/prompt")
asked = agent.permission({"toolCallId": "t3", "title": "In time"})
agent.answer_to(asked)
agent.end_turn(second)
agent.serve()
"""
    script = write_script(tmp_path, SCRIPT.format(ending=ending))
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.until(driver.tool_calls)
        driver.client.of(driver.session).cancel()
        await driver.idle()
        assert "cancelled" in "".join(driver.said())
        assert [call.id for call in driver.tool_calls()] == ["t", "t2"]
        driver.submit("again")
        await driver.asked()
        driver.client.of(driver.session).questions.answer_permission(driver.session.permissions[0].key, "yes")
        await driver.idle(turns=2)
