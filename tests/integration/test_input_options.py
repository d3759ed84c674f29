"""Options before a session: offered, chosen, skipped, refused, remembered, given beforehand."""

import json
from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.sessions.questions import LastOptions
from acp_tui.protocol.base import read
from acp_tui.protocol.capabilities import ClientCapabilities
from acp_tui.protocol.vocabulary.elicitation import ElicitationSchema
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from tests.agents.scripted import Script, write_script
from tests.integration.driver import Driver, connected, driven, start_of
from tests.integration.runs import run_script

pytestmark = pytest.mark.anyio

USER = ClientCapabilities(elicitation=True)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "model": {"type": "string", "enum": ["small", "large"], "default": "small"},
        "fast": {"type": "boolean"},
        "apiKey": {"type": "string"},
    },
}
INITIALIZE = f"""
agent.initialize({{"protocolVersion": 1, "configSchema": {{"session/new": {SCHEMA!r}}}}})
"""
SERVE = """
agent.new_session()
while True:
    agent.turn("done")
"""


def script(folder: Path, body: str = SERVE, head: str = INITIALIZE) -> Script:
    return write_script(folder, head + body)


async def offered(driver: Driver) -> None:
    await driver.until(lambda: driver.session.input_options is not None)


def sent(agent: Script) -> list[Any]:
    return [message["params"].get("configOptions") for message in agent.received("session/new")]


async def test_the_session_waits_for_the_choice_and_prompts_wait_for_the_session(tmp_path: Path) -> None:
    agent = script(tmp_path)
    async with connected(agent, tmp_path, USER) as driver:
        await offered(driver)
        driver.submit("go")
        assert (driver.client.connection.phase, driver.session.id, sent(agent)) == ("ready", "", [])
        driver.client.choose_input_options(driver.session, {"model": "large"})
        await driver.idle()
        driver.client.choose_input_options(driver.session, {"model": "small"})  # too late: nobody asks any more
        assert driver.said() == ["done"]
        assert driver.session.input_options is None
        assert sent(agent) == [{"model": "large"}]


async def test_skipping_sends_nothing(tmp_path: Path) -> None:
    agent = script(tmp_path)
    async with connected(agent.as_process, tmp_path, USER) as driver:
        await offered(driver)
        driver.client.choose_input_options(driver.session, {})
        driver.submit("go")
        await driver.idle()
        assert sent(agent) == [None]


@pytest.mark.parametrize("head", [INITIALIZE, "agent.initialize()\n"])
async def test_where_nobody_is_or_nothing_is_advertised_the_session_is_opened_at_once(
    tmp_path: Path, head: str
) -> None:
    agent = script(tmp_path, head=head)
    capabilities = USER if head != INITIALIZE else ClientCapabilities()
    async with connected(agent, tmp_path, capabilities) as driver:
        await driver.until(lambda: driver.session.id)
        assert sent(agent) == [None]


async def test_what_was_chosen_is_offered_again_without_secrets(tmp_path: Path) -> None:
    agent = script(tmp_path)
    async with connected(agent, tmp_path, USER) as driver:
        await offered(driver)
        driver.client.choose_input_options(driver.session, {"model": "large", "apiKey": "sk-1"})
        await driver.until(lambda: driver.session.id)
    assert sent(agent) == [{"model": "large", "apiKey": "sk-1"}]
    assert "sk-1" not in LastOptions(agent.argv).path.read_text()
    async with connected(agent, tmp_path, USER) as driver:
        await offered(driver)
        assert driver.session.input_options is not None
        assert driver.session.input_options.last == {"model": "large"}


def test_what_an_older_file_holds_of_what_was_typed_is_not_offered_and_leaves_it(tmp_path: Path) -> None:
    last = LastOptions(["/bin/agent"])
    last.path.parent.mkdir(parents=True)
    last.path.write_text('{"model": "large", "authtoken": "hunter2", "branch": "hunter2", "pin": 4711}')
    last.load()
    properties: dict[str, Any] = {**SCHEMA["properties"], "authtoken": {"type": "string"}, "branch": {"type": "string"}}
    assert last.offered(read(ElicitationSchema, {"properties": properties})) == {"model": "large"}
    assert json.loads(last.path.read_text()) == {"model": "large"}


async def test_an_agent_that_refuses_the_choice_is_asked_for_the_session_again(tmp_path: Path) -> None:
    body = "new = agent.expect('session/new')\nagent.fail(new, -32602, 'large is not for you')\n" + SERVE
    agent = script(tmp_path, body)
    async with connected(agent, tmp_path, USER) as driver:
        await offered(driver)
        driver.client.choose_input_options(driver.session, {"model": "large"})
        await driver.until(lambda: driver.session.input_options and driver.session.input_options.refused)
        assert driver.session.input_options is not None
        assert driver.session.input_options.refused == "large is not for you"
        assert driver.session.input_options.last == {"model": "large"}
        driver.client.choose_input_options(driver.session, {})
        await driver.until(lambda: driver.session.id)
        assert sent(agent) == [{"model": "large"}, None]


async def test_what_was_given_beforehand_is_what_the_form_begins_with(tmp_path: Path) -> None:
    agent = script(tmp_path)
    client = Client(LaunchPlan(AgentCommand(tuple(agent.argv)), tmp_path), attended=True, start=start_of(agent))
    given = [("model", "large"), ("colour", "red")]
    async with driven(Driver(client, client.begin_session("", given))) as driver:
        await offered(driver)
        assert driver.session.input_options is not None
        assert driver.session.input_options.last == {"model": "large"}
        client.choose_input_options(driver.session, {"model": "large"})
        driver.submit("go")
        await driver.idle()
        assert sent(agent) == [{"model": "large"}]
        assert driver.noticed().startswith("colour=red was not set: unknown option 'colour'")


LOADS = f"""
able = {{"loadSession": True, "sessionCapabilities": {{"resume": {{}}, "list": {{}}}}}}
schema = {{"session/load": {SCHEMA!r}}}
agent.initialize({{"protocolVersion": 1, "agentCapabilities": able, "configSchema": schema}})
agent.new_session()
"""


def loaded(driver: Driver) -> Driver:
    return Driver(driver.client, driver.client.load_session(SessionInfo(session_id="old", cwd="/")))


async def test_what_is_taken_with_a_session_that_is_gone_on_with_is_chosen_and_kept_apart(tmp_path: Path) -> None:
    agent = script(tmp_path, "agent.answer(agent.expect('session/load'), {})\nagent.serve()", LOADS)
    async with connected(agent, tmp_path, USER) as driver:
        await driver.ready()
        old = loaded(driver)
        await offered(old)
        assert agent.received("session/load") == []
        assert old.session.input_options is not None
        assert old.session.input_options.way == "load"
        driver.client.choose_input_options(old.session, {"model": "large"})
        await old.until(lambda: agent.received("session/load"))
    assert [message["params"].get("configOptions") for message in agent.received("session/load")] == [
        {"model": "large"}
    ]
    assert sent(agent) == [None]
    last, new = LastOptions(agent.argv, "session/load"), LastOptions(agent.argv)
    last.load()
    new.load()
    assert (last.values, new.values) == ({"model": "large"}, {})


async def test_a_load_that_is_refused_for_its_options_is_asked_again_and_resume_gets_none(tmp_path: Path) -> None:
    body = """
agent.fail(agent.expect('session/load'), -32602, 'not large')
agent.fail(agent.expect('session/load'), -32603, 'broken')
agent.answer(agent.expect('session/resume'), {})
agent.serve()
"""
    agent = script(tmp_path, body, LOADS)
    async with connected(agent, tmp_path, USER) as driver:
        await driver.ready()
        old = loaded(driver)
        await offered(old)
        driver.client.choose_input_options(old.session, {"model": "large"})
        await old.until(lambda: old.session.input_options and old.session.input_options.refused == "not large")
        driver.client.choose_input_options(old.session, {"model": "small"})
        await old.until(lambda: agent.received("session/resume"))
    assert [one["params"]["configOptions"]["model"] for one in agent.received("session/load")] == ["large", "small"]
    assert "configOptions" not in agent.received("session/resume")[0]["params"]


def test_damaged_memory_reads_as_nothing(tmp_path: Path) -> None:
    last = LastOptions(["/bin/agent one", "--flag"])
    last.load()
    assert last.values == {}
    last.path.parent.mkdir(parents=True)
    for damaged in ("{", "[]", "[" * 100_000, "\udcff" * 3):
        last.path.write_bytes(damaged.encode(errors="surrogateescape"))
        last.load()
        assert last.values == {}
    last.path.write_text(json.dumps({"a": 1}))
    last.load()
    assert last.values == {"a": 1}
    assert LastOptions(["/bin/agent one"]).path != last.path


def test_settings_are_for_what_comes_before_a_session_and_else_for_what_it_has(tmp_path: Path) -> None:
    brain: dict[str, Any] = {"id": "brain", "name": "Brain", "type": "select", "currentValue": "s"}
    brain["options"] = [{"value": "s", "name": "S"}, {"value": "l", "name": "L"}]
    body = f"""
agent.new_session(config_options=[{brain!r}])
chosen = agent.expect("session/set_config_option")
agent.answer(chosen, {{"configOptions": []}})
agent.turn("done")
agent.serve()
"""
    agent = script(tmp_path, body)
    ended = run_script(agent, "--set", "brain=L", "--set", "model=large")
    assert (ended.code, ended.out) == (0, "done\n")
    assert sent(agent) == [{"model": "large"}]
    assert [one["params"]["value"] for one in agent.received("session/set_config_option")] == ["l"]


def test_what_neither_has_is_told_with_all_that_there_is(tmp_path: Path) -> None:
    brain = {"id": "brain", "name": "Brain", "type": "boolean", "currentValue": False}
    agent = script(tmp_path, f"agent.new_session(config_options=[{brain!r}])\nagent.serve()")
    ended = run_script(agent, "--set", "modle=large")
    assert (ended.code, ended.out) == (2, "")
    said = "Unknown option 'modle'\nThe agent offers:\nmodel\nfast\napiKey\nbrain (Brain)"
    assert [line for line in said.splitlines() if line not in ended.err] == []
    assert agent.received("session/prompt") == []


def test_settings_are_sent_without_a_screen(tmp_path: Path) -> None:
    agent = script(tmp_path)
    ended = run_script(agent, "--set", "model=large", "--set", "fast=yes")
    assert (ended.code, ended.out) == (0, "done\n")
    assert sent(agent) == [{"model": "large", "fast": True}]


@pytest.mark.parametrize(
    ("setting", "head", "said"),
    [
        ("model=huge", INITIALIZE, "Option 'model': Not one of the choices.\nChoices: small, large"),
        ("fast=maybe", INITIALIZE, "Option 'fast' must be true or false, not 'maybe'."),
        ("model", INITIALIZE, "'model' is not NAME=VALUE"),
    ],
)
def test_settings_that_cannot_be_used_are_told_before_anything_is_sent(
    tmp_path: Path, setting: str, head: str, said: str
) -> None:
    agent = script(tmp_path, head=head)
    ended = run_script(agent, "--set", setting)
    assert (ended.code, ended.out) == (2, "")
    assert all(line in ended.err for line in said.splitlines())
    assert sent(agent) == []
