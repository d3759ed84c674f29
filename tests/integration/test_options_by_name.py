"""Options of an open session, chosen without a screen: `acp-tui run --set`."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from tests.agents.scripted import Script, write_script
from tests.integration.driver import Driver, driven, start_of
from tests.integration.runs import run, run_script
from tests.integration.test_config_options import MODELS, MODES, select

BRAIN = select("brain", "s", "s", "l")
OPTIONS: list[Any] = [BRAIN, {"id": "fast", "name": "Fast Lane", "type": "boolean", "currentValue": False}]
LISTENS = """
while True:
    message = agent.receive()
    if message["method"] == "session/prompt":
        agent.say("done")
        agent.end_turn(message)
    elif message["method"] == "session/set_config_option":
        for option in options:
            if option["id"] == message["params"]["configId"]:
                option["currentValue"] = message["params"]["value"]
        agent.answer(message, {"configOptions": options})
    else:
        agent.answer(message, {})
"""


def script(folder: Path, opens: str = "agent.new_session(config_options=options)", then: str = LISTENS) -> Script:
    return write_script(folder, f"options = {OPTIONS!r}\nagent.initialize()\n{opens}\n{then}")


def asked(agent: Script) -> list[str]:
    return [message["method"] for message in agent.received() if message["method"] != "initialize"]


def test_options_are_chosen_by_id_or_name_before_the_prompt(tmp_path: Path) -> None:
    agent = script(tmp_path)
    ended = run_script(agent, "--set", "Brain=L", "--set", "fast=on")
    assert (ended.code, ended.out) == (0, "done\n")
    assert asked(agent) == ["session/new", *["session/set_config_option"] * 2, "session/prompt"]
    chosen = [message["params"] for message in agent.received("session/set_config_option")]
    assert [(params["configId"], params["value"]) for params in chosen] == [("brain", "l"), ("fast", True)]


def test_modes_and_models_are_options_too(tmp_path: Path) -> None:
    agent = script(tmp_path, f"agent.new_session(modes={MODES!r}, models={MODELS!r})")
    ended = run_script(agent, "--set", "model=Two", "--set", "mode=code")
    assert (ended.code, ended.out) == (0, "done\n")
    assert agent.received("session/set_model")[0]["params"]["modelId"] == "m2"
    assert agent.received("session/set_mode")[0]["params"]["modeId"] == "code"


@pytest.mark.parametrize(
    ("setting", "opens", "said"),
    [
        ("brian=l", "", "Unknown option 'brian'\nThe agent offers:\nbrain (Brain)\nfast (Fast Lane)"),
        ("brain=xl", "", "Unknown value 'xl' of Brain\nThe agent offers:\ns (S)\nl (L)"),
        ("fast=maybe", "", "must be true or false, not 'maybe'."),
        ("brain=l", "agent.new_session()", "Unknown option 'brain'\nThe agent offers:\nnothing"),
    ],
)
def test_what_there_is_not_is_told_before_the_prompt(tmp_path: Path, setting: str, opens: str, said: str) -> None:
    agent = script(tmp_path, opens or "agent.new_session(config_options=options)")
    ended = run_script(agent, "--set", setting)
    assert (ended.code, ended.out) == (2, "")
    assert [line for line in said.splitlines() if line not in ended.err] == []
    assert asked(agent) == ["session/new"]


def test_a_choice_that_the_agent_refuses_is_its_failure(tmp_path: Path) -> None:
    agent = script(
        tmp_path, then="agent.fail(agent.expect('session/set_config_option'), -32603, 'sold out')\nagent.serve()"
    )
    ended = run_script(agent, "--set", "brain=l")
    assert (ended.code, ended.out) == (1, "")
    assert "The agent refused Brain=L" in ended.err
    assert "sold out" in ended.err


def test_a_session_that_is_gone_on_with_takes_them_too(tmp_path: Path) -> None:
    able = {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}}
    agent = write_script(
        tmp_path,
        f"options = {OPTIONS!r}\nagent.initialize({able!r})\n"
        "agent.session_id = 'old'\nagent.answer(agent.expect('session/load'), {'configOptions': options})\n" + LISTENS,
    )
    ended = run("run", "--resume", "old", "--set", "brain=l", "go", "--", *agent.argv, cwd=tmp_path)
    assert (ended.code, ended.out) == (0, "done\n")
    assert asked(agent) == ["session/load", "session/set_config_option", "session/prompt"]


def of_category(category: str, id_: str, *values: str) -> dict[str, Any]:
    return {**select(id_, values[0], *values), "category": category}


CATEGORIES = [of_category("model", "engine", "one", "two"), of_category("model", "other", "x", "two"), BRAIN]


def test_model_and_mode_are_the_first_options_of_their_categories(tmp_path: Path) -> None:
    options = [*CATEGORIES, of_category("mode", "conduct", "ask", "code")]
    agent = write_script(
        tmp_path, f"options = {options!r}\nagent.initialize()\nagent.new_session(config_options=options)\n{LISTENS}"
    )
    ended = run_script(agent, "-m", "TWO", "--mode", "code")
    assert (ended.code, ended.out) == (0, "done\n"), ended.err
    chosen = [message["params"] for message in agent.received("session/set_config_option")]
    assert [(params["configId"], params["value"]) for params in chosen] == [("engine", "two"), ("conduct", "code")]


def brain(driver: Driver) -> object:
    return driver.session.config_options[0].current_value


class TestOnTheScreen:
    pytestmark = pytest.mark.anyio

    def begun(self, agent: Script, tmp_path: Path, *settings: tuple[str, str]) -> Driver:
        client = Client(LaunchPlan(AgentCommand(tuple(agent.argv)), tmp_path), attended=True, start=start_of(agent))
        return Driver(client, client.begin_session("", settings))

    async def test_what_is_given_is_chosen_before_the_first_prompt(self, tmp_path: Path) -> None:
        agent = script(tmp_path)
        async with driven(self.begun(agent, tmp_path, ("Brain", "L"))) as driver:
            driver.submit("hello")
            await driver.idle()
            assert driver.noticed() == ""
            assert driver.session.config_options[0].current_value == "l"
            assert driver.client.of(driver.session).chosen.made == ()  # nobody is asked whether to keep it
        assert asked(agent)[:3] == ["session/new", "session/set_config_option", "session/prompt"]

    async def test_what_is_wrong_is_told_in_one_line_and_the_rest_is_chosen(self, tmp_path: Path) -> None:
        agent = script(tmp_path)
        given = (("model", "opus"), ("brain", "xl"), ("brain", "l"))
        async with driven(self.begun(agent, tmp_path, *given)) as driver:
            driver.submit("hello")
            await driver.idle()
            assert [(notice.title, notice.message) for notice in driver.notices()] == [
                ("model=opus was not set: unknown option 'model'", ""),
                ("brain=xl was not set: unknown value 'xl' of Brain", ""),
            ]
            assert driver.said() == ["done"]
        assert [message["params"]["value"] for message in agent.received("session/set_config_option")] == ["l"]

    async def test_what_the_agent_refuses_is_told_in_one_line(self, tmp_path: Path) -> None:
        then = "agent.fail(agent.expect('session/set_config_option'), -32602, 'Not today')\n" + LISTENS
        async with driven(self.begun(script(tmp_path, then=then), tmp_path, ("brain", "l"))) as driver:
            driver.submit("hello")
            await driver.idle()
            assert [notice.title for notice in driver.notices()][:1] == ["Brain=L was not set: Not today"]
            assert driver.said() == ["done"]

    async def test_what_was_given_holds_after_a_restart(self, tmp_path: Path) -> None:
        agent = script(tmp_path)
        async with driven(self.begun(agent, tmp_path, ("brain", "l"))) as driver:
            await driver.until(lambda: driver.session.config_options[:1] and brain(driver) == "l")
            driver.client.restart()
            await driver.until(lambda: driver.client.connection.starts == 2)
            await driver.ready()
            driver.submit("hello")
            await driver.idle()
            assert brain(driver) == "l"
        assert [one["params"]["value"] for one in agent.received("session/set_config_option")] == ["l", "l"]

    async def test_what_the_user_chose_since_counts_more_after_a_restart(self, tmp_path: Path) -> None:
        agent = script(tmp_path)
        async with driven(self.begun(agent, tmp_path, ("brain", "l"))) as driver:
            await driver.until(lambda: driver.session.config_options[:1] and brain(driver) == "l")
            driver.client.of(driver.session).choose("brain", "s")
            await driver.until(lambda: [one.value for one in driver.client.of(driver.session).chosen.made] == ["s"])
            driver.client.restart()
            await driver.until(lambda: driver.client.connection.starts == 2)
            await driver.ready()
            driver.submit("hello")
            await driver.idle()
        values = [message["params"]["value"] for message in agent.received("session/set_config_option")]
        assert values[:2] == ["l", "s"]
        assert "l" not in values[2:]
