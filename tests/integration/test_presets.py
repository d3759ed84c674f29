"""Presets in sessions with agents of both versions, and without a screen."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.config.presets import Preset
from acp_tui.host.sessions.preset_choices import PresetRun
from acp_tui.protocol.capabilities import Offer
from tests.agents.scripted import Script, write_script
from tests.integration.driver import Driver, driven, start_of
from tests.integration.runs import run_script
from tests.integration.test_config_options import MODELS, MODES, select
from tests.integration.test_options_by_name import LISTENS, script
from tests.own_config import write_own_config

LARGE = {**select("engine", "small", "small", "large"), "category": "model"}
CONDUCT = {**select("conduct", "ask", "ask", "plan"), "category": "mode"}
EFFORT = {**select("effort", "low", "low", "high"), "category": "thought_level"}
OFFERS_EFFORT = """
while True:
    message = agent.receive()
    if message["method"] == "session/set_config_option":
        params = message["params"]
        for option in options:
            if option[ID] == params["configId"]:
                option["currentValue"] = params["value"]
        if params["configId"] == "engine" and len(options) == 2:
            options.append(EFFORT)
        agent.answer(message, {"configOptions": options})
    else:
        agent.answer(message, {})
"""
PRESET = Preset("plan", {"thinking": "hi*", "mode": "plan", "model": "*large*", "fast": True})
SAID = "Preset plan: Engine LARGE · Effort HIGH · Conduct PLAN · not set: fast (this agent has none)"
CHOSEN = [("engine", "large"), ("effort", "high"), ("conduct", "plan")]


def config_agent(folder: Path, version: int) -> Script:
    """An agent that has a thinking level once its model was chosen."""
    opens = "agent.initialize()\nagent.new_session(config_options=options)"
    name = "id"
    if version == 2:
        info = {"info": {"name": "scripted", "version": "2"}, "capabilities": {"session": {}}, "authMethods": []}
        opens = f"agent.initialize({ {'protocolVersion': 2, **info}!r})\nagent.new_session(config_options=options)"
        name = "configId"
    options = [{name: each.pop("id"), **each} for each in (dict(LARGE), dict(CONDUCT), dict(EFFORT))]
    data = f"ID = {name!r}\noptions = {options[:2]!r}\nEFFORT = {options[2]!r}\n"
    return write_script(folder, f"{data}{opens}\n{OFFERS_EFFORT}")


def chosen(agent: Script) -> list[tuple[Any, Any]]:
    params = [message["params"] for message in agent.received("session/set_config_option")]
    return [(each["configId"], each["value"]) for each in params]


def begun(agent: Script, folder: Path, preset: Preset | None, offer: Offer = "1", *settings: tuple[str, str]) -> Driver:
    plan = LaunchPlan(AgentCommand(tuple(agent.argv), protocol=offer), folder)
    client = Client(plan, attended=True, start=start_of(agent))
    return Driver(client, client.begin_session("", settings, preset))


@pytest.mark.anyio
@pytest.mark.parametrize("version", [1, 2])
async def test_a_preset_of_a_start_is_chosen_before_the_first_prompt(tmp_path: Path, version: int) -> None:
    agent = config_agent(tmp_path, version)
    async with driven(begun(agent, tmp_path, PRESET, "2" if version == 2 else "1")) as driver:
        await driver.until(driver.noticed)
        assert driver.noticed() == f"{SAID}||"
        assert chosen(agent) == CHOSEN
        conversation = driver.client.of(driver.session)
        assert conversation.chosen.made == ()  # nobody is asked whether to keep it


@pytest.mark.anyio
async def test_a_preset_of_an_open_session_over_real_pipes(tmp_path: Path) -> None:
    agent = config_agent(tmp_path, 2).as_process
    async with driven(begun(agent, tmp_path, None, "2")) as driver:
        await driver.ready()
        PresetRun(driver.session, driver.client.of(driver.session).choose, PRESET).proceed()
        await driver.until(driver.noticed)
        assert driver.noticed() == f"{SAID}||"
        assert chosen(agent) == CHOSEN


@pytest.mark.anyio
async def test_what_a_preset_set_is_there_again_after_a_restart_and_is_not_applied_twice(tmp_path: Path) -> None:
    agent = config_agent(tmp_path, 1)
    async with driven(begun(agent, tmp_path, Preset("plan", {"mode": "plan", "model": "large"}))) as driver:
        await driver.until(driver.noticed)
        driver.client.of(driver.session).choose("conduct", "ask")
        await driver.until(lambda: len(chosen(agent)) == 3 and not driver.session.config_in_flight)
        driver.client.restart()
        await driver.until(lambda: "Options restored" in driver.noticed())
        assert driver.noticed().count("Preset plan") == 1
        values = {option.id: option.current_value for option in driver.session.config_options}
        assert (values["engine"], values["conduct"]) == ("large", "ask")


def test_modes_and_models_of_an_older_agent_without_a_screen(tmp_path: Path) -> None:
    write_own_config('[presets.plan]\nmode = "co*"\nmodel = "two"\nthinking = "high"\n')
    agent = script(tmp_path, f"agent.new_session(modes={MODES!r}, models={MODELS!r})")
    ended = run_script(agent, "--preset", "plan")
    assert (ended.code, ended.out) == (0, "done\n"), ended.err
    assert "Preset plan: Model Two · Mode Code · not set: thinking (this agent has none)" in ended.err
    assert agent.received("session/set_model")[0]["params"]["modelId"] == "m2"
    assert agent.received("session/set_mode")[0]["params"]["modeId"] == "code"


def test_what_the_command_line_sets_wins(tmp_path: Path) -> None:
    write_own_config('[presets.plan]\nmode = "plan"\nmodel = "large"\n')
    options = [LARGE, CONDUCT]
    opens = f"options = {options!r}\nagent.initialize()\nagent.new_session(config_options=options)\n"
    agent = write_script(tmp_path, opens + LISTENS)
    ended = run_script(agent, "--preset", "plan", "--model", "small")
    assert (ended.code, ended.out) == (0, "done\n"), ended.err
    assert "Preset plan: Conduct PLAN · not set: model (set on the command line)" in ended.err
    assert chosen(agent) == [("conduct", "plan"), ("engine", "small")]


def test_an_unknown_preset_is_told_before_the_agent_is_started(tmp_path: Path) -> None:
    write_own_config('[presets.plan]\nmode = "plan"\n')
    agent = script(tmp_path)
    ended = run_script(agent, "--preset", "plam")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "Unknown preset: plam\nDid you mean plan?\n"
    assert not agent.received()
