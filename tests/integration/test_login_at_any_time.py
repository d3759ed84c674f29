"""An agent wants a log-in in the middle of things: whatever it was asked for is asked for again after it."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.client import AgentCommand, Client
from acp_tui.protocol.sessions import SessionInfo
from tests.agents.scripted import Script, write_script
from tests.integration.driver import Driver, attended, driven

pytestmark = pytest.mark.anyio

OPTION = {
    "id": "model",
    "name": "Model",
    "type": "select",
    "category": "model",
    "currentValue": "a",
    "options": [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}],
}
MODES = {"currentModeId": "a", "availableModes": [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]}
MODELS = {"currentModelId": "a", "availableModels": [{"modelId": "a", "name": "A"}, {"modelId": "b", "name": "B"}]}
ABLE: dict[str, Any] = {
    "protocolVersion": 1,
    "authMethods": [{"id": "browser", "name": "Browser"}, {"id": "here", "name": "Here", "type": "terminal"}],
    "agentCapabilities": {
        "loadSession": True,
        "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, "delete": {}, "fork": {}},
    },
}
LOGS_IN = """
agent.fail(agent.expect(METHOD), -32000, "Log in first")
agent.answer(agent.expect("authenticate"), {})
again = agent.expect(METHOD)
"""


def agent(folder: Path, body: str, *, loads: bool = True, **names: Any) -> Script:
    """A script that can all of it, and in which these names are known."""
    known = "".join(f"{name} = {value!r}\n" for name, value in names.items())
    able = {**ABLE, "agentCapabilities": {**ABLE["agentCapabilities"], "loadSession": loads}}
    return write_script(folder, known + f"agent.initialize({able!r})\n" + body)


async def log_in(driver: Driver) -> None:
    await driver.until(lambda: driver.client.connection.login)
    driver.client.log_in("browser")


@pytest.mark.parametrize(
    ("method", "opened", "result"),
    [
        ("session/set_config_option", {"configOptions": [OPTION]}, {"configOptions": [OPTION | {"currentValue": "b"}]}),
        ("session/set_mode", {"modes": MODES}, {}),
        ("session/set_model", {"models": MODELS}, {}),
    ],
)
async def test_a_choice_is_made_after_it(tmp_path: Path, method: str, opened: Any, result: Any) -> None:
    body = "agent.new_session(**OPENED)\n" + LOGS_IN + "agent.answer(again, RESULT)\nagent.serve()"
    script = agent(tmp_path, body, METHOD=method, OPENED=opened, RESULT=result)
    async with attended(script.argv, tmp_path) as driver:
        await driver.ready()
        option = driver.session.config_options[0]
        driver.client.choose(driver.session, option.id, "b")
        await driver.until(lambda: driver.client.connection.login)
        assert driver.session.config_in_flight == {option.id: "b"}
        assert "Log in first" not in driver.noticed()
        await log_in(driver)
        await driver.until(lambda: not driver.session.config_in_flight)
        assert [option.current_value for option in driver.session.config_options] == ["b"]
        assert driver.client.connection.login is None
        assert [str(one) for one in driver.client.choices_offered(driver.session)] == [f"{option.name}=B"]
    asked = [one["params"] for one in script.received(method)]
    assert len(asked) == 2
    assert asked[0] == asked[1]


async def test_a_choice_outlives_the_restart_that_a_log_in_takes(tmp_path: Path) -> None:
    body = """
if agent.life == 1:
    agent.new_session(config_options=[OPTION])
    agent.fail(agent.expect("session/set_config_option"), -32000, "Log in first")
    agent.serve()
agent.answer(agent.expect("session/resume"), {"configOptions": [OPTION]})
agent.answer(agent.expect("session/set_config_option"), {"configOptions": [OPTION | {"currentValue": "b"}]})
agent.serve()
"""
    script = agent(tmp_path, body, OPTION=OPTION)
    async with attended(script.argv, tmp_path) as driver:
        await driver.ready()
        driver.client.choose(driver.session, "model", "b")
        await driver.until(lambda: driver.client.connection.login)
        assert driver.client.terminal_login("here") is not None
        driver.client.login_finished(0)
        await driver.until(lambda: driver.session.config_options[0].current_value == "b")
        assert not driver.session.config_in_flight
        assert [str(one) for one in driver.client.choices_offered(driver.session)] == ["Model=B"]


@pytest.mark.parametrize("method", ["session/load", "session/resume"])
async def test_a_known_session_is_opened_after_it(tmp_path: Path, method: str) -> None:
    body = "agent.new_session()\n" + LOGS_IN + "agent.answer(again, {})\nagent.turn('done')\nagent.serve()"
    script = agent(tmp_path, body, loads=method == "session/load", METHOD=method)
    async with attended(script.argv, tmp_path) as driver:
        await driver.ready()
        driver.session = driver.client.load_session(SessionInfo(session_id="old", cwd=str(tmp_path)))
        driver.session.subscribe(driver._on_change)
        await log_in(driver)
        driver.submit("hello")
        await driver.idle()
        assert not driver.session.closed
    assert len(script.received(method)) == 2
    assert script.received("session/prompt")[0]["params"]["sessionId"] == "old"


async def test_a_session_is_forked_after_it(tmp_path: Path) -> None:
    body = "agent.new_session()\n" + LOGS_IN + 'agent.answer(again, {"sessionId": "fork"})\nagent.serve()'
    script = agent(tmp_path, body, METHOD="session/fork")
    async with attended(script.argv, tmp_path) as driver:
        await driver.ready()
        forked = driver.client.fork_session(driver.session)
        forked.subscribe(driver._on_change)
        await log_in(driver)
        await driver.until(lambda: forked.id == "fork")


async def test_a_session_is_put_away_after_it(tmp_path: Path) -> None:
    body = "agent.new_session()\n" + LOGS_IN + 'agent.answer(again, {})\nagent.turn("done")\nagent.serve()'
    body = body.replace("agent.new_session()", 'agent.new_session("one")\nagent.new_session("two")')
    script = agent(tmp_path, body, METHOD="session/close")
    async with attended(script.argv, tmp_path) as driver:
        await driver.ready()
        other = driver.client.open_session()
        other.subscribe(driver._on_change)
        await driver.until(lambda: other.id)
        driver.client.close_session(other)
        await log_in(driver)
        driver.submit("hello")
        await driver.idle()
    assert [one["params"]["sessionId"] for one in script.received("session/close")][:2] == ["two", "two"]


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_session_is_deleted_after_it(tmp_path: Path, restarted: bool) -> None:
    body = "agent.new_session()\n" + LOGS_IN + "agent.answer(again, {})\nagent.serve()"
    if restarted:
        refuses = 'agent.fail(agent.expect(METHOD), -32000, "Log in first"); agent.serve()'
        opens = 'agent.answer(agent.expect("session/resume"), {})'
        body = f"if agent.life == 1: agent.new_session(); {refuses}\n{opens}\n"
        body += "agent.answer(agent.expect(METHOD), {})\nagent.serve()"
    script = agent(tmp_path, body, METHOD="session/delete")
    async with attended(script.argv, tmp_path) as driver:
        await driver.ready()
        driver.client.known_sessions.list.subscribe(driver._on_connection)
        driver.client.known_sessions.list.entries = [SessionInfo(session_id="old", cwd="/")]
        driver.client.known_sessions.delete("old")
        await driver.until(lambda: driver.client.connection.login)
        assert driver.client.known_sessions.list.problem == "Log in first (code -32000)"
        if restarted:
            driver.client.terminal_login("here")
            driver.client.login_finished(0)
        else:
            driver.client.log_in("browser")
        await driver.until(lambda: not driver.client.known_sessions.list.entries)
        assert driver.client.known_sessions.list.problem == ""


async def test_a_refusal_without_words_is_a_wish_to_log_in_all_the_same(tmp_path: Path) -> None:
    body = "agent.new_session()\n" + LOGS_IN.replace("Log in first", "") + "agent.end_turn(again)\nagent.serve()"
    script = agent(tmp_path, body, METHOD="session/prompt")
    async with attended(script.argv, tmp_path) as driver:
        await driver.ready()
        driver.submit("hello")
        await driver.until(lambda: driver.client.connection.login)
        assert driver.client.connection.login is not None
        assert driver.client.connection.login.reason == "It goes on only after a log-in."
        await log_in(driver)
        await driver.idle()


async def test_a_refusal_while_a_log_in_is_under_way_does_not_end_it(tmp_path: Path) -> None:
    body = """
agent.new_session()
agent.fail(agent.expect("session/prompt"), -32000, "Log in first")
under_way = agent.expect("authenticate")
agent.fail(agent.expect("session/list"), -32000, "Log in first")
agent.answer(under_way, {})
agent.answer(agent.expect("session/list"), {"sessions": [{"sessionId": "a", "cwd": "/"}]})
agent.turn("done")
agent.serve()
"""
    script = agent(tmp_path, body)
    async with attended(script.argv, tmp_path) as driver:
        await driver.ready()
        driver.client.known_sessions.list.subscribe(driver._on_connection)
        driver.submit("hello")
        await log_in(driver)
        driver.client.known_sessions.ask()
        await driver.until(lambda: driver.client.known_sessions.list.entries)
        await driver.idle()
        assert driver.said() == ["done"]


async def test_in_version_2_too_a_prompt_waits_for_it_and_is_shown_once(tmp_path: Path) -> None:
    body = """
agent.initialize({"protocolVersion": 2, "info": {"name": "scripted", "version": "2"},
    "capabilities": {"session": {"prompt": {}}},
    "authMethods": [{"type": "agent", "methodId": "browser", "name": "B"}]})
agent.new_session(config_options=[OPTION])
agent.fail(agent.expect("session/prompt"), -32000, "Log in first")
agent.fail(agent.expect("session/set_config_option"), -32000, "Log in first")
agent.answer(agent.expect("auth/login"), {})
agent.answer(agent.expect("session/set_config_option"), {"configOptions": [OPTION | {"currentValue": "b"}]})
prompt = agent.expect("session/prompt")
agent.answer(prompt, {"messageId": "u"})
agent.update({"sessionUpdate": "user_message", "messageId": "u", "content": prompt["params"]["prompt"]})
agent.update({"sessionUpdate": "state_update", "state": "running"})
agent.update({"sessionUpdate": "agent_message", "messageId": "a", "content": [{"type": "text", "text": "done"}]})
agent.update({"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"})
agent.serve()
"""
    option = {name: value for name, value in OPTION.items() if name != "id"} | {"configId": "model"}
    script = write_script(tmp_path, f"OPTION = {option!r}\n" + body)
    client = Client(AgentCommand(tuple(script.argv), protocol="2"), str(tmp_path), attended=True)
    async with driven(Driver(client)) as driver:
        await driver.ready()
        driver.submit("hello")
        driver.client.choose(driver.session, "model", "b")
        await driver.until(lambda: driver.client.connection.login and len(script.received("session/prompt")) == 1)
        await driver.until(lambda: driver.session.queue)
        await log_in(driver)
        await driver.until(lambda: driver.said() == ["done"] and not driver.session.turn.active)
        assert driver.said("user") == ["hello"]
        assert driver.session.config_options[0].current_value == "b"
