"""Options of a session that is continued, of agents that take them late, in part, otherwise or never."""

from pathlib import Path

import pytest

from acp_tui.host.agent import openings
from tests.agents.scripted import Script, write_script
from tests.integration.test_continued import AGENT, CHOSEN, current, left_with, news, running, script, settled

pytestmark = pytest.mark.anyio

TAKES = 'now[params["configId"]] = params["value"]'
SETS = 'elif method == "session/set_config_option":'
OPENS = '        now = dict(FIRST)\n        if method == "session/load":'


def changed(folder: Path, *parts: tuple[str, str]) -> Script:
    body = AGENT
    for before, after in parts:
        assert before in body
        body = body.replace(before, after)
    return write_script(folder, body.format(way="load", told=[]))


async def test_what_asks_less_does_not_go_with_the_request_that_opens_a_session(tmp_path: Path) -> None:
    tells = 'elif method == "session/options":\n        agent.answer(request, {{"configOptions": options()}})\n    '
    begins = 'now.update({{each["configId"]: each["value"] for each in params.get("configOptions", [])}})'
    able = '"loadSession": True, "sessionCapabilities": {{"options": {{}}}}'
    asks = OPENS.replace("(FIRST)\n", f"(FIRST)\n        {begins}\n")
    agent = changed(tmp_path, (SETS, tells + SETS), (OPENS, asks), ('"loadSession": True', able))
    await left_with(agent, "unknown", mode="yolo", permissions="allow all", model="large")
    async with running(agent, "latest", "unknown") as driver:
        await settled(driver)
        assert current(driver)["model"] == "large"
        assert (current(driver)["mode"], current(driver)["permissions"]) == ("manual", "ask")
        assert "Mode was Yolo" in driver.noticed()


async def test_an_agent_that_sets_something_else_is_told(tmp_path: Path) -> None:
    agent = changed(tmp_path, (TAKES, f"if agent.life == 1: {TAKES}"))
    await left_with(agent, **CHOSEN)
    async with running(agent, "latest") as driver:
        await settled(driver)
        assert "Options restored" not in driver.noticed()
        assert "Options not restored|Model Large: the agent set Small\n" in driver.noticed()


async def test_what_only_another_option_makes_possible_is_set_again(tmp_path: Path) -> None:
    depends = AGENT.replace('"effort" else name,', '"effort" else "_other",')  # nobody knows that it is a model
    agent = write_script(tmp_path, depends.format(way="load", told=[]))
    await left_with(agent, **CHOSEN)
    async with running(agent, "latest") as driver:
        await settled(driver)
        assert current(driver)["effort"] == "low"
        assert "not restored" not in driver.noticed()


async def test_what_another_option_resets_is_set_again(tmp_path: Path) -> None:
    agent = changed(tmp_path, (TAKES, f'{TAKES}\n        if params["configId"] == "fast": now["model"] = "small"'))
    await left_with(agent, fast=True, model="large")
    async with running(agent, "latest") as driver:
        await settled(driver)
        assert (current(driver)["fast"], current(driver)["model"]) == (True, "large")
        assert driver.noticed().count("Options restored: Model Large · Fast On") == 1


async def test_an_agent_that_never_answers_keeps_no_prompt_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = changed(
        tmp_path, (SETS, f'elif method == "session/set_config_option" and agent.life > 1: pass\n    {SETS}')
    )
    await left_with(agent, **CHOSEN)
    monkeypatch.setattr(openings, "CHOOSING", 0)
    async with running(agent, "latest") as driver:
        await settled(driver)
        assert "Options not restored|Model Large: the agent has not answered\n" in driver.noticed()
        assert len(agent.received("session/set_config_option")) == len(CHOSEN) + 1


async def test_what_is_given_for_this_run_is_not_set_to_the_old_value_before(tmp_path: Path) -> None:
    agent = script(tmp_path)
    await left_with(agent, mode="yolo", model="large")
    async with running(agent, "latest", settings=[("mode", "plan"), ("model", "small")]) as driver:
        await settled(driver)
        assert (current(driver)["mode"], current(driver)["model"]) == ("plan", "small")
        assert "restored" not in driver.noticed()
        assert "Mode was" not in driver.noticed()


async def test_a_restart_goes_on_with_the_options_as_they_were_by_then(tmp_path: Path) -> None:
    commands = 'elif method == "session/prompt":'
    tells = 'agent.update({{"sessionUpdate": "config_option_update", "configOptions": options()}})'
    by_itself = f'{commands}\n        if "/small" in str(params): now["model"] = "small"; {tells}'
    agent = changed(tmp_path, (commands, by_itself))
    await left_with(agent, mode="yolo", model="large")
    async with running(agent, "latest") as driver:
        await settled(driver, "/small")
        assert current(driver)["model"] == "small"
        driver.client.restart()
        await driver.until(lambda: driver.client.connection.phase != "ready")
        await driver.ready()
        await settled(driver)
        assert current(driver)["model"] == "small"
        assert driver.noticed().count("Mode was Yolo") == 1


async def test_a_log_in_between_makes_them_no_choices_of_this_run(tmp_path: Path) -> None:
    refuses = SETS.replace(":", " and agent.life > 1 and not now.get('in'): agent.fail(request, -32000, 'log in')")
    logs_in = "elif method == 'authenticate':\n        now['in'] = True\n        agent.answer(request, {{}})"
    methods = '"authMethods": [{{"id": "x", "name": "X"}}], "agentInfo"'
    agent = changed(tmp_path, (SETS, f"{refuses}\n    {logs_in}\n    {SETS}"), ('"agentInfo"', methods))
    await left_with(agent, **CHOSEN)
    async with running(agent, "latest") as driver:
        await driver.until(lambda: driver.client.connection.login is not None)
        driver.submit("waits")
        driver.client.logins.log_in("x")
        await driver.until(lambda: driver.said() == ["aye"] and not driver.session.turn.active)
        assert {**current(driver), **CHOSEN} == current(driver)
        assert driver.offered() == []


async def test_they_are_set_again_after_a_restart_in_between(tmp_path: Path) -> None:
    stays = SETS.replace(":", ' and agent.life == 2 and params["configId"] == "effort": pass')
    agent = changed(tmp_path, (SETS, f"{stays}\n    {SETS}"))
    await left_with(agent, **CHOSEN)
    async with running(agent, "latest") as driver:
        await driver.until(lambda: "effort" in driver.session.config_in_flight)
        driver.submit("waits")
        driver.client.restart()
        await driver.until(lambda: driver.said() == ["aye"] and not driver.session.turn.active)
        assert {**current(driver), **CHOSEN} == current(driver)
        assert news(driver) == []
