"""The agent dies or is restarted: what was said stays, sessions come back by whatever the agent can."""

import signal
from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.connection.agent_process import AgentProcess
from tests.agents.scripted import write_script
from tests.integration.driver import Driver, attended, driven, nothing_is_left, start_of
from tests.processes import processes_of_group

pytestmark = pytest.mark.anyio

HEAD = """
agent.initialize({{"protocolVersion": 1, "agentCapabilities": {able}}})
if agent.life == 1:
    agent.new_session()
    prompt = agent.expect("session/prompt")
    agent.say("half a sen")
    agent.update({{"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T", "status": "in_progress"}})
    agent.permission({{"toolCallId": "t"}})
    agent.stderr("about to go\\n")
    agent.receive()
    agent.kill_self()
"""
RESUME = '{"loadSession": True, "sessionCapabilities": {"resume": {}}}'
LOAD = '{"loadSession": True}'
TELL = """
request = agent.expect("session/load")
text = lambda role, words: {"sessionUpdate": role + "_message_chunk", "content": {"type": "text", "text": words}}
TOLD
agent.answer(request, {})
agent.turn("whole again")
agent.serve()
"""


async def dead(driver: Driver) -> None:
    """A prompt, an answer that breaks off, a permission that nobody can answer any more, a prompt in the queue."""
    driver.submit("go")
    await driver.asked()
    driver.submit("queued")
    driver.client.of(driver.session).questions.answer_permission(driver.session.permissions[0].key, "yes")
    await driver.gone()
    assert not driver.session.turn.active
    assert driver.session.closed
    assert "SIGKILL" in driver.noticed()
    assert "about to go" in driver.noticed()
    assert driver.client.connection.exit_code == -signal.SIGKILL
    assert [call.sealed for call in driver.tool_calls()] == [True]
    assert driver.session.permissions == []


async def test_a_session_is_resumed_and_its_queue_goes_out(tmp_path: Path) -> None:
    life = 'agent.answer(agent.expect("session/resume"), None)\nagent.turn("whole again")\nagent.serve()\n'
    script = write_script(tmp_path, HEAD.format(able=RESUME) + life)
    async with attended(script.as_process, tmp_path) as driver:
        await dead(driver)
        driver.client.restart()
        assert driver.client.connection.phase == "starting"
        assert driver.client.connection.fault is None
        await driver.until(lambda: "whole again" in driver.said())
        await driver.idle(2)
        assert driver.said("user") == ["go", "queued"]
        assert driver.said() == ["half a sen", "whole again"]
        assert not driver.session.closed
        assert driver.client.connection.starts == 2
        assert "Agent restarted" not in driver.noticed()
    assert script.received("session/resume")[0]["params"]["sessionId"] == "session-1"
    assert len(script.received("session/new")) == 1


async def test_a_session_is_loaded_without_showing_anything_twice(tmp_path: Path) -> None:
    told = """
agent.update(text("user", "go"))
agent.update(text("agent", "half a sentence"))
agent.update({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T", "status": "pending"})
agent.update({"sessionUpdate": "session_info_update", "title": "Named"})
"""
    script = write_script(tmp_path, HEAD.format(able=LOAD) + TELL.replace("TOLD", told))
    async with attended(script, tmp_path) as driver:
        await dead(driver)
        driver.client.restart()
        await driver.until(lambda: "whole again" in driver.said())
        assert driver.said() == ["half a sen", "whole again"]
        assert driver.said("user") == ["go", "queued"]
        assert len(driver.tool_calls()) == 1
        assert driver.session.title == "Named"
        assert "may not remember" not in driver.noticed()


async def test_an_agent_that_tells_less_than_was_said_is_told(tmp_path: Path) -> None:
    script = write_script(tmp_path, HEAD.format(able=LOAD) + TELL.replace("TOLD", ""))
    async with attended(script, tmp_path) as driver:
        await dead(driver)
        driver.client.restart()
        await driver.until(lambda: "whole again" in driver.said())
        assert "It sent 0 of 1 prompt again." in driver.noticed()


@pytest.mark.parametrize("able", ["{}", RESUME])
async def test_a_session_that_cannot_be_brought_back_begins_anew_below_what_was_said(tmp_path: Path, able: str) -> None:
    refusals = (
        'agent.fail(agent.expect("session/resume"), -32002)\nagent.fail(agent.expect("session/load"), -32603)\n'
        if able == RESUME
        else ""
    )
    life = refusals + 'agent.new_session("session-2")\nagent.turn("who are you?")\nagent.serve()\n'
    script = write_script(tmp_path, HEAD.format(able=able) + life)
    async with attended(script, tmp_path) as driver:
        await dead(driver)
        driver.client.restart()
        await driver.until(lambda: len(driver.said()) == 2)
        assert driver.said() == ["half a sen", "who are you?"]
        assert driver.said("user") == ["go", "queued"]
        assert "Agent restarted" in driver.noticed()
        assert driver.session.id == "session-2"


async def test_new_ids_that_repeat_old_ones_do_not_touch_what_was_said(tmp_path: Path) -> None:
    life = """
agent.new_session("session-2")
prompt = agent.expect("session/prompt")
agent.update({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Another", "status": "completed"})
agent.end_turn(prompt)
agent.serve()
"""
    script = write_script(tmp_path, HEAD.format(able="{}") + life)
    async with attended(script, tmp_path) as driver:
        await dead(driver)
        driver.client.restart()
        await driver.until(lambda: len(driver.tool_calls()) == 2)
        assert [call.title for call in driver.tool_calls()] == ["T", "Another"]


async def test_choices_are_made_again_models_first_and_what_cannot_be_is_said(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
agent.initialize({"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"resume": {}}}})
def option(name, current, category=None):
    values = [{"value": value, "name": value.upper()} for value in ("a", "b")]
    named = {"id": name, "name": name, "category": category, "type": "select"}
    return {**named, "currentValue": current, "options": values}
def listing(**now):
    listed = [option(name, current, "model" if name == "model" else None) for name, current in now.items()]
    return {"configOptions": listed}
if agent.life == 1:
    agent.new_session(config_options=listing(effort="a", model="a", gone="a", same="a")["configOptions"])
    agent.answer(agent.expect("session/set_config_option"), listing(effort="b", model="a", gone="a", same="a"))
    agent.answer(agent.expect("session/set_config_option"), listing(effort="b", model="a", gone="b", same="a"))
    agent.answer(agent.expect("session/set_config_option"), listing(effort="b", model="b", gone="b", same="a"))
    agent.answer(agent.expect("session/set_config_option"), listing(effort="b", model="b", gone="b", same="b"))
    agent.turn("done")
    agent.receive()
    agent.exit(1)
agent.answer(agent.expect("session/resume"), listing(effort="a", model="a", same="b"))
first = agent.expect("session/set_config_option")
assert first["params"]["configId"] == "model", first
agent.answer(first, listing(effort="a", model="b", same="b"))
agent.fail(agent.expect("session/set_config_option"), -32602, "not with this model")
agent.turn("after that")
agent.serve()
        """,
    )
    async with attended(script, tmp_path) as driver:
        await driver.ready()
        for name in ("effort", "gone", "model", "same"):
            driver.client.of(driver.session).choose(name, "b")
        driver.submit("go")
        await driver.idle()
        driver.submit("die")
        await driver.gone()
        driver.submit("next")
        driver.client.restart()
        await driver.until(lambda: "after that" in driver.said())
        assert "gone B: the option no longer exists" in driver.noticed()
        assert "effort B: not with this model" in driver.noticed()
    order = [one["method"] for one in script.received() if "method" in one]
    assert order[-3:] == ["session/set_config_option", "session/set_config_option", "session/prompt"]


async def test_a_living_agent_is_restarted_in_the_middle_of_a_turn(tmp_path: Path) -> None:
    life = 'agent.answer(agent.expect("session/resume"), None)\nagent.turn("whole again")\nagent.serve()\n'
    script = write_script(tmp_path, HEAD.format(able=RESUME) + life)
    async with attended(script.as_process, tmp_path) as driver:
        driver.submit("go")
        await driver.asked()
        first = driver.client._supervisor.process
        driver.client.restart()
        driver.submit("again")
        await driver.until(lambda: "whole again" in driver.said())
        assert driver.said() == ["half a sen", "whole again"]
        assert first is not None
        assert processes_of_group(first.pid) == []


async def test_several_sessions_come_back_and_an_agent_can_die_again(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
agent.initialize({"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"resume": {}}}})
for name in ("first", "second"):
    if agent.life == 1:
        agent.new_session(name)
    else:
        agent.answer(agent.expect("session/resume"), {})
agent.expect("session/prompt")
agent.exit(agent.life)
        """,
    )
    async with attended(script, tmp_path) as driver:
        other = driver.client.open_session()
        for life in (1, 2, 3):
            driver.submit("die")
            await driver.gone()
            assert driver.client.connection.exit_code == life
            assert other.closed
            driver.client.restart()
            await driver.until(lambda: not other.closed and not driver.session.closed)
        assert (driver.session.id, other.id) == ("first", "second")


async def test_an_agent_that_could_not_start_can_be_started_later(tmp_path: Path) -> None:
    script = write_script(tmp_path, "agent.initialize(); agent.new_session(); agent.turn('here'); agent.serve()")
    script.path.chmod(0o644)
    async with attended([str(script.path)], tmp_path) as driver:
        driver.submit("hello")
        await driver.until(lambda: driver.client.connection.phase == "gone")
        assert "chmod +x" in driver.fault()
        script.path.chmod(0o755)
        driver.client.restart()
        await driver.until(driver.said)
        assert not driver.session.closed


async def test_listing_ends_with_the_agent(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize({"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"list": {}}}})
        agent.new_session()
        agent.expect("session/list")
        agent.exit(1)
        """,
    )
    async with attended(script, tmp_path) as driver:
        await driver.ready()
        driver.client.known_sessions.ask()
        await driver.gone()
        assert not driver.client.known_sessions.list.loading
        assert "exited" in driver.client.known_sessions.list.problem
        driver.client.known_sessions.ask()
        assert "not connected" in driver.client.known_sessions.list.problem


@pytest.mark.parametrize(
    ("seed", "own_process"), [*((seed, False) for seed in range(10)), *((seed, True) for seed in (2, 5))]
)
async def test_a_kill_at_any_moment_loses_nothing_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, *, own_process: bool
) -> None:
    helper = 'import subprocess\nhelper = subprocess.Popen(["sleep", "61"])' if own_process else ""
    if own_process:
        monkeypatch.setattr(AgentProcess, "grace", 0.15)  # its helper holds the pipes
    # After so many bytes of its output in all, wherever that is in its life, the first process kills itself.
    limit = (seed * 997 + 13) % 6000
    script = write_script(
        tmp_path,
        f"""
{helper}
if agent.life == 1:
    plain, left = agent.raw, [{limit}]
    def raw(data):
        plain(data[:left[0]])
        left[0] -= len(data)
        if left[0] <= 0:
            agent.kill_self()
    agent.raw = raw
agent.initialize({{"protocolVersion": 1, "agentCapabilities": {{"sessionCapabilities": {{"resume": {{}}}}}}}})
if agent.life == 1:
    agent.new_session()
else:
    message = agent.receive()
    agent.answer(message, {{"sessionId": "session-1"}})
while True:
    prompt = agent.expect("session/prompt")
    agent.update({{"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T", "status": "in_progress"}})
    for number in range(40):
        agent.say(f"{{number}} ")
    agent.end_turn(prompt)
        """,
    )
    async with attended(script.as_process if own_process else script, tmp_path) as driver:
        driver.submit("one")
        driver.submit("two")
        connection = driver.client.connection
        await driver.until(lambda: connection.phase == "gone")
        first = driver.client._supervisor.process
        before = [entry.id for entry in driver.session.entries]
        assert not driver.session.turn.active
        assert all(call.sealed for call in driver.tool_calls())
        driver.client.restart()
        driver.submit("after")
        await driver.until(lambda: "after" in driver.said("user") and not driver.session.turn.active)
        assert [entry.id for entry in driver.session.entries][: len(before)] == before
        assert driver.said("user") == ["one", "two", "after"]
        assert driver.said()[-1] == "".join(f"{number} " for number in range(40))
        assert first is not None
        nothing_is_left(first)


async def test_what_has_changed_since_it_was_agreed_to_is_not_started_again(tmp_path: Path) -> None:
    script = write_script(tmp_path, "agent.initialize()\nagent.new_session()\nagent.serve()\n")
    agreed = True

    def check() -> None:
        if not agreed:
            raise UserFault("What the project starts has changed", "run.sh")

    command = AgentCommand(tuple(script.argv), check=check)
    client = Client(LaunchPlan(command, tmp_path), attended=True, start=start_of(script))
    async with driven(Driver(client)) as driver:
        await driver.ready()
        agreed = False
        driver.client.restart()
        await driver.until(lambda: driver.client.connection.phase == "gone")
        assert driver.client.connection.starts == 1
        assert "What the project starts has changed" in driver.noticed()
