"""Options before a session, by `session/options`: wanted ones go with the first request, in both versions."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.agent import preparation
from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.config.choices import Choice, KeptChoices
from acp_tui.protocol.capabilities import Offer
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from tests.agents.scripted import Gate, Script, write_script
from tests.integration.driver import Driver, driven, start_of
from tests.unit.protocol.official import SCHEMAS

pytestmark = pytest.mark.anyio

OFFERS: tuple[Offer, ...] = ("1", "2")
AGENT = """
import copy
version, tells, ignores, refuses = {version}, {tells!r}, {ignores!r}, {refuses!r}
def select(name, category, *values):
    named = {{"id": name, "name": name.title()}} if version == 1 else {{"configId": name, "name": name.title()}}
    options = [{{"value": value, "name": value.upper()}} for value in values]
    return {{**named, "category": category, "type": "select", "currentValue": values[0], "options": options}}
FAST = {{"id" if version == 1 else "configId": "fast", "name": "Fast", "type": "boolean", "currentValue": False}}
START = [select("model", "model", "small", "large"), select("conduct", "mode", "ask", "code"), FAST]
now = copy.deepcopy(START)
def choose(chosen):
    for option in now:
        if chosen["configId"] in (option.get("id"), option.get("configId")):
            option["currentValue"] = chosen["value"]
session = {{"resume": {{}}, "fork": {{}}, **({{"options": {{}}}} if {able} else {{}})}}
info = {{"name": "scripted", "title": "Scripted", "version": "1"}}
one = {{"protocolVersion": 1, "agentInfo": info, "configSchema": {form!r},
        "agentCapabilities": {{"loadSession": True, "sessionCapabilities": session}}}}
two = {{"protocolVersion": 2, "info": info, "capabilities": {{"session": {{"prompt": {{}}, **session}}}}}}
agent.initialize(one if version == 1 else two)
while True:
    message = agent.receive()
    method, params = message["method"], message.get("params", {{}})
    if method == "session/options" and tells == "error":
        agent.fail(message, -32603, "not today")
    elif method == "session/options" and tells == "nothing":
        asked = message
    elif method == "session/options":
        agent.answer(message, {{"configOptions": START}} if tells == "options" else tells)
    elif refuses and "configOptions" in params:
        agent.fail(message, -32602, "unsupported value type")
    elif method in ("session/new", "session/fork", "session/load", "session/resume"):
        now = copy.deepcopy(START)
        for value in params.get("configOptions", []):
            if value["configId"] not in ignores:
                choose(value)
        agent.session_id = params.get("sessionId", "session-1") if method != "session/fork" else "fork-1"
        if tells == "nothing":
            agent.answer(asked, {{"configOptions": START}})  # far too late
        agent.answer(message, {{"sessionId": agent.session_id, "configOptions": now}})
    elif method == "session/set_config_option":
        choose(params)
        agent.answer(message, {{"configOptions": now}})
"""
KEPT = (Choice("model", "large", "Model", "LARGE"), Choice("fast", True, "Fast", "on"))


def script(
    folder: Path,
    offer: Offer,
    tells: Any = "options",
    *,
    ignores: Sequence[str] = (),
    refuses: bool = False,
    form: Any = None,
    able: bool = True,
) -> Script:
    folder.mkdir(exist_ok=True)
    body = AGENT.format(version=offer, tells=tells, ignores=list(ignores), refuses=refuses, form=form, able=able)
    return write_script(folder, body)


@asynccontextmanager
async def running(
    agent: Script, offer: Offer, *settings: tuple[str, str], resume: str = "", user: bool = True
) -> AsyncIterator[Driver]:
    command = AgentCommand(tuple(agent.argv), protocol=offer)
    client = Client(LaunchPlan(command, agent.path.parent), attended=user, start=start_of(agent))
    async with driven(Driver(client, client.begin_session(resume, settings))) as driver:
        yield driver


def asked(agent: Script) -> list[str]:
    """The methods in their order, without those that every connection has."""
    methods = [message["method"] for message in agent.received()]
    return [method.removeprefix("session/") for method in methods if method not in ("initialize", "session/close")]


def initial(agent: Script, offer: Offer, method: str = "session/new") -> Any:
    """What went with the last request of this method; each value is one that could be set afterwards, too."""
    values = agent.received(method)[-1]["params"].get("configOptions")
    for value in values or ():
        official = SCHEMAS[1 if offer == "1" else 2]
        official.validator("SetSessionConfigOptionRequest").validate({"sessionId": "s", **value})
        assert "sessionId" not in value
    return values


def current(driver: Driver) -> dict[str, object]:
    return {option.id: option.current_value for option in driver.session.config_options}


def values(offer: Offer, **chosen: str | bool) -> list[dict[str, object]]:
    """Values as they are sent in this version."""
    kinds: dict[bool, dict[str, object]] = {True: {"type": "boolean"}, False: {} if offer == "1" else {"type": "id"}}
    return [{"configId": name, "value": value, **kinds[isinstance(value, bool)]} for name, value in chosen.items()]


@pytest.mark.parametrize("offer", OFFERS)
async def test_what_is_wanted_goes_with_the_first_request_and_not_again(tmp_path: Path, offer: Offer) -> None:
    KeptChoices.for_agent("scripted").keep(KEPT)
    agent = script(tmp_path, offer)
    async with running(agent, offer, ("mode", "CODE"), ("model", "large")) as driver:
        await driver.ready()
        assert current(driver) == {"model": "large", "conduct": "code", "fast": True}
        assert "Options restored: Model LARGE · Fast on" in driver.noticed()
        assert driver.offered() == []
    assert asked(agent) == ["options", "new"]
    assert initial(agent, offer) == values(offer, model="large", fast=True, conduct="code")
    (told,) = agent.received("session/options")
    assert told["params"] == {"cwd": str(tmp_path)}


@pytest.mark.parametrize("offer", OFFERS)
async def test_what_the_agent_ignored_is_set_afterwards(tmp_path: Path, offer: Offer) -> None:
    KeptChoices.for_agent("scripted").keep(KEPT)
    agent = script(tmp_path, offer, ignores=("fast", "conduct"))
    async with running(agent, offer, ("mode", "code")) as driver:
        await driver.until(lambda: current(driver) == {"model": "large", "conduct": "code", "fast": True})
    assert asked(agent) == ["options", "new", "set_config_option", "set_config_option"]


@pytest.mark.parametrize(
    "tells",
    ["error", None, 5, [], {}, {"configOptions": None}, {"configOptions": 7}, {"configOptions": [{"id": 5}, 3]}],
)
@pytest.mark.parametrize("offer", OFFERS)
async def test_an_agent_that_tells_none_opens_the_session_all_the_same(
    tmp_path: Path, offer: Offer, tells: Any
) -> None:
    agent = script(tmp_path, offer, tells)
    async with running(agent, offer, ("model", "large")) as driver:
        await driver.until(lambda: current(driver).get("model") == "large")
        assert driver.notices() == []
    assert asked(agent) == ["options", "new", "set_config_option"]
    assert initial(agent, offer) is None


async def test_one_that_does_not_answer_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "PATIENCE", 0.05)
    agent = script(tmp_path, "1", "nothing")
    async with running(agent, "1", ("model", "large")) as driver:
        await driver.until(lambda: current(driver).get("model") == "large")
    assert asked(agent) == ["options", "$/cancel_request", "new", "set_config_option"]


@pytest.mark.parametrize("offer", OFFERS)
async def test_nothing_is_asked_where_nothing_is_wanted_or_the_agent_has_no_such_thing(
    tmp_path: Path, offer: Offer
) -> None:
    agent = script(tmp_path, offer)
    async with running(agent, offer) as driver:
        await driver.ready()
    assert asked(agent) == ["new"]
    older = script(tmp_path / "older", offer, able=False)
    async with running(older, offer, ("model", "large")) as driver:
        await driver.until(lambda: current(driver).get("model") == "large")
    assert asked(older) == ["new", "set_config_option"]


@pytest.mark.parametrize("offer", OFFERS)
async def test_an_agent_that_fails_on_them_is_asked_without(tmp_path: Path, offer: Offer) -> None:
    agent = script(tmp_path, offer, refuses=True)
    async with running(agent, offer, ("model", "large")) as driver:
        await driver.until(lambda: current(driver).get("model") == "large")
        assert driver.notices() == []
    assert asked(agent) == ["options", "new", "new", "set_config_option"]
    assert initial(agent, offer) is None


async def test_a_name_that_nobody_knows_is_told_as_it_always_was(tmp_path: Path) -> None:
    agent = script(tmp_path, "1")
    async with running(agent, "1", ("modle", "large"), ("model", "huge"), user=False) as driver:
        await driver.closed()
        assert "Unknown option 'modle'" in driver.fault()
    assert asked(agent) == ["options", "new"]
    assert initial(agent, "1") is None


@pytest.mark.parametrize("offer", OFFERS)
async def test_a_session_that_is_gone_on_with_and_one_that_comes_back_have_them_too(
    tmp_path: Path, offer: Offer
) -> None:
    agent = script(tmp_path, offer)
    way = "load" if offer == "1" else "resume"
    async with running(agent, offer, ("model", "large"), resume="old") as driver:
        await driver.ready()
        assert current(driver)["model"] == "large"
        driver.client.of(driver.session).choose("conduct", "code")
        await driver.until(lambda: current(driver)["conduct"] == "code")
        driver.client.restart()
        await driver.until(lambda: len(agent.received("initialize")) == 2 and driver.client.connection.phase == "ready")
        assert current(driver) == {"model": "large", "conduct": "code", "fast": False}
    assert asked(agent) == ["options", way, "set_config_option", "options", "resume"]
    assert initial(agent, offer, "session/resume") == values(offer, model="large", conduct="code")
    assert [told["params"]["sessionId"] for told in agent.received("session/options")] == ["old", "old"]


async def test_what_is_kept_is_for_new_sessions_only(tmp_path: Path) -> None:
    KeptChoices.for_agent("scripted").keep(KEPT)
    agent = script(tmp_path, "1")
    async with running(
        agent,
        "1",
    ) as driver:
        await driver.ready()
        known = driver.client.load_session(SessionInfo(session_id="old", cwd=str(tmp_path)))
        await driver.until(lambda: known.config_options)
    assert asked(agent) == ["options", "new", "load"]


async def test_a_form_before_the_session_is_asked_as_ever(tmp_path: Path) -> None:
    form = {"session/new": {"type": "object", "properties": {"colour": {"type": "string"}}}}
    agent = script(tmp_path, "1", form=form)
    async with running(agent.as_process, "1", ("model", "large")) as driver:
        await driver.until(lambda: driver.session.input_options is not None)
        driver.client.choose_input_options(driver.session, {})
        await driver.until(lambda: current(driver).get("model") == "large")
    assert asked(agent) == ["new", "set_config_option"]


async def test_modes_of_older_agents_are_set_afterwards(tmp_path: Path) -> None:
    modes = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]}
    able = {"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"options": {}}}}
    agent = write_script(
        tmp_path,
        f"""
        agent.initialize({able!r})
        agent.answer(agent.expect("session/options"), {{"modes": {modes!r}}})
        agent.new_session(modes={modes!r})
        agent.answer(agent.expect("session/set_mode"), {{}})
        agent.serve()
        """,
    )
    async with running(agent, "1", ("mode", "code")) as driver:
        await driver.until(lambda: current(driver) == {"mode": "code"})
    assert initial(agent, "1") is None


async def test_a_session_that_is_closed_meanwhile_is_not_opened(tmp_path: Path) -> None:
    gate = Gate(tmp_path / "gate")
    able = {"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"options": {}}}}
    agent = write_script(
        tmp_path,
        f"""
        agent.initialize({able!r})
        asked = agent.expect("session/options")
        agent.wait_for({str(gate.path)!r})
        agent.answer(asked, {{"configOptions": []}})
        agent.new_session()
        agent.serve()
        """,
    )
    async with running(agent, "1", ("model", "large")) as driver:
        await driver.until(lambda: agent.received("session/options"))
        other = driver.client.open_session()
        driver.client.close_session(driver.session)
        gate.open()
        await driver.until(lambda: other.id)
    assert len(agent.received("session/new")) == 1
    gate.close()
