"""An agent wants a log-in in the middle of things: whatever it was asked for is asked for again after it."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from tests.agents.scripted import Script, write_script
from tests.integration.driver import Driver, attended, driven, start_of

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
    driver.client.logins.log_in("browser")


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
    async with attended(script, tmp_path) as driver:
        await driver.ready()
        option = driver.session.config_options[0]
        driver.client.of(driver.session).choose(option.id, "b")
        await driver.until(lambda: driver.client.connection.login)
        assert driver.session.config_in_flight == {option.id: "b"}
        assert "Log in first" not in driver.noticed()
        await log_in(driver)
        await driver.until(lambda: not driver.session.config_in_flight)
        assert [option.current_value for option in driver.session.config_options] == ["b"]
        assert driver.client.connection.login is None
        assert driver.offered() == [f"{option.name}=B"]
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
    async with attended(script.as_process, tmp_path) as driver:
        await driver.ready()
        driver.client.of(driver.session).choose("model", "b")
        await driver.until(lambda: driver.client.connection.login)
        assert driver.client.logins.command("here") is not None
        driver.client.logins.finished(0)
        await driver.until(lambda: driver.session.config_options[0].current_value == "b")
        assert not driver.session.config_in_flight
        assert driver.offered() == ["Model=B"]


@pytest.mark.parametrize("method", ["session/load", "session/resume"])
async def test_a_known_session_is_opened_after_it(tmp_path: Path, method: str) -> None:
    body = "agent.new_session()\n" + LOGS_IN + "agent.answer(again, {})\nagent.turn('done')\nagent.serve()"
    script = agent(tmp_path, body, loads=method == "session/load", METHOD=method)
    async with attended(script, tmp_path) as driver:
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
    async with attended(script, tmp_path) as driver:
        await driver.ready()
        forked = driver.client.fork_session(driver.session)
        forked.subscribe(driver._on_change)
        await log_in(driver)
        await driver.until(lambda: forked.id == "fork")


async def test_a_session_is_put_away_after_it(tmp_path: Path) -> None:
    body = "agent.new_session()\n" + LOGS_IN + 'agent.answer(again, {})\nagent.turn("done")\nagent.serve()'
    body = body.replace("agent.new_session()", 'agent.new_session("one")\nagent.new_session("two")')
    script = agent(tmp_path, body, METHOD="session/close")
    async with attended(script, tmp_path) as driver:
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
    async with attended(script, tmp_path) as driver:
        await driver.ready()
        driver.client.known_sessions.list.subscribe(driver._on_connection)
        driver.client.known_sessions.list.entries = [SessionInfo(session_id="old", cwd="/")]
        driver.client.known_sessions.delete("old")
        await driver.until(lambda: driver.client.connection.login)
        assert driver.client.known_sessions.list.problem == "Log in first (code -32000)"
        if restarted:
            driver.client.logins.command("here")
            driver.client.logins.finished(0)
        else:
            driver.client.logins.log_in("browser")
        await driver.until(lambda: not driver.client.known_sessions.list.entries)
        assert driver.client.known_sessions.list.problem == ""


async def test_a_refusal_without_words_is_a_wish_to_log_in_all_the_same(tmp_path: Path) -> None:
    body = "agent.new_session()\n" + LOGS_IN.replace("Log in first", "") + "agent.end_turn(again)\nagent.serve()"
    script = agent(tmp_path, body, METHOD="session/prompt")
    async with attended(script, tmp_path) as driver:
        await driver.ready()
        driver.submit("hello")
        await driver.until(lambda: driver.client.connection.login)
        assert driver.client.connection.login is not None
        assert driver.client.connection.login.reason == "Log in to continue."
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
    async with attended(script, tmp_path) as driver:
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
    client = Client(
        LaunchPlan(AgentCommand(tuple(script.argv), protocol="2"), tmp_path), attended=True, start=start_of(script)
    )
    async with driven(Driver(client)) as driver:
        await driver.ready()
        driver.submit("hello")
        driver.client.of(driver.session).choose("model", "b")
        await driver.until(lambda: driver.client.connection.login and len(script.received("session/prompt")) == 1)
        await driver.until(lambda: driver.session.queue)
        await log_in(driver)
        await driver.until(lambda: driver.said() == ["done"] and not driver.session.turn.active)
        assert driver.said("user") == ["hello"]
        assert driver.session.config_options[0].current_value == "b"


ASKS = """
def ask_during(login, mode, **scope):
    scope = scope or {"requestId": login["id"]}
    asked = {"mode": mode, "message": "Where?", **scope}
    if mode == "url":
        asked |= {"url": "https://example.com/", "elicitationId": "e"}
    else:
        asked["requestedSchema"] = {"properties": {"a": {"type": "string"}}}
    return agent.answer_to(agent.ask("elicitation/create", asked))["result"]["action"]
"""


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("mode", ["form", "url"])
async def test_what_the_agent_asks_while_it_logs_in_is_answered(tmp_path: Path, version: int, mode: str) -> None:
    body = f"""
method, way = ("authenticate", "id") if {version} == 1 else ("auth/login", "methodId")
agent.initialize({{"protocolVersion": {version}, "info": {{"name": "a", "version": "2"}},
    "capabilities": {{"session": {{"prompt": {{}}}}}}, "authMethods": [{{"type": "agent", way: "b", "name": "B"}}]}})
agent.fail(agent.expect("session/new"), -32000, "Log in first")
login = agent.expect(method)
assert ask_during(login, {mode!r}) == "accept"
agent.notify("elicitation/complete", {{"elicitationId": "e"}})
agent.answer(login, {{}})
agent.new_session()
agent.serve()
"""
    script = write_script(tmp_path, ASKS + body)
    client = Client(
        LaunchPlan(AgentCommand(tuple(script.argv), protocol="auto"), tmp_path), attended=True, start=start_of(script)
    )
    async with driven(Driver(client)) as driver:
        await driver.until(lambda: driver.client.connection.login)
        driver.client.logins.log_in("b")
        await driver.until(lambda: driver.session.elicitations)
        content = {"a": "x"} if mode == "form" else None
        driver.client.of(driver.session).questions.answer_elicitation(
            driver.session.elicitations[0].key, "accept", content
        )
        await driver.ready()
        assert driver.client.connection.login is None


async def test_it_asks_in_the_session_that_the_user_looks_at(tmp_path: Path) -> None:
    body = """
agent.new_session("one")
agent.new_session("two")
agent.fail(agent.expect("session/prompt"), -32000, "Log in first")
login = agent.expect("authenticate")
agent.ask("elicitation/create", {"mode": "url", "message": "?", "requestId": str(login["id"]), "url": "https://a.b",
    "elicitationId": "e"})
agent.serve()
"""
    script = agent(tmp_path, body)
    async with attended(script, tmp_path) as driver:
        await driver.ready()
        other = driver.client.open_session()
        other.subscribe(driver._on_change)
        await driver.until(lambda: other.id)
        driver.submit("hello")
        await driver.until(lambda: driver.client.connection.login)
        driver.client.logins.log_in("browser", driver.session)
        await driver.until(lambda: driver.session.elicitations or other.elicitations)
        assert not other.elicitations


async def test_a_request_that_opens_a_session_asks_in_it(tmp_path: Path) -> None:
    body = """
first = agent.expect("session/new")
agent.answer(first, {"sessionId": "one"})
second, third = agent.expect("session/new"), agent.expect("session/new")
agent.ask("elicitation/create", {"mode": "url", "message": "?", "requestId": second["id"], "url": "https://a.b",
    "elicitationId": "e"})
agent.serve()
"""
    script = agent(tmp_path, body)
    async with attended(script, tmp_path) as driver:
        await driver.ready()
        second, third = driver.client.open_session(), driver.client.open_session()
        for session in (second, third):
            session.subscribe(driver._on_change)
        await driver.until(lambda: second.elicitations or third.elicitations or driver.session.elicitations)
        assert second.elicitations


@pytest.mark.parametrize("how", ["cancelled", "another way", "answered"])
async def test_what_was_asked_for_a_log_in_that_is_over_waits_no_longer(tmp_path: Path, how: str) -> None:
    body = f"""
agent.new_session()
agent.fail(agent.expect("session/prompt"), -32000, "Log in first")
login = agent.expect("authenticate")
asked = agent.ask("elicitation/create", {{"mode": "url", "message": "?", "requestId": login["id"],
    "url": "https://a.b", "elicitationId": "e"}})
if {how!r} == "answered":
    agent.fail(login, -32603, "too late")
else:
    agent.expect("$/cancel_request")
agent.say(agent.answer_to(asked)["result"]["action"])
agent.serve()
"""
    script = agent(tmp_path, body)
    async with attended(script, tmp_path) as driver:
        await driver.ready()
        driver.submit("hello")
        await log_in(driver)
        connection = driver.client.connection
        if how != "answered":
            await driver.until(lambda: driver.session.elicitations)
        if how == "cancelled":
            driver.client.logins.cancel()
            assert connection.login is not None
            assert (connection.login.trying, connection.login.failed) == ("", "")
        elif how == "another way":
            driver.client.logins.log_in("browser")
        await driver.until(lambda: driver.said() == ["cancel"])
        assert not driver.session.elicitations
        assert connection.login is not None
        assert connection.login.trying == ("browser" if how == "another way" else "")
