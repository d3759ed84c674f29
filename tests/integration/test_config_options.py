"""Options, modes and models, in all the shapes and orders that agents give them."""

import json
from pathlib import Path
from typing import Any

import pytest

from acp_tui.protocol.vocabulary.config_options import BooleanOption, SelectOption
from acp_tui.session.changes import ConfigOptionsChanged
from tests.agents import older_demo
from tests.agents.scripted import Script, write_script
from tests.integration.driver import PYTHON, Driver, connected

pytestmark = pytest.mark.anyio

MODES = {"currentModeId": "ask", "availableModes": [{"id": each, "name": each.title()} for each in ("ask", "code")]}
MODELS = {
    "currentModelId": "m1",
    "availableModels": [{"modelId": "m1", "name": "One"}, {"modelId": "m2", "name": "Two", "description": None}],
}
MODE_SPELLINGS = [{"currentModeId": "code"}, {"modeId": "code"}]
MODEL_SPELLINGS: list[dict[str, Any]] = [
    {"currentModelId": "m2"},
    {"modelId": "m2"},
    {"modeId": "m2"},
    {"currentModel": "m2"},
    {"model": {"modelId": "m2", "name": "Two"}},
]


def select(option_id: str, current: str, *values: str, **members: Any) -> dict[str, Any]:
    listed = [{"value": value, "name": value.upper(), "description": None} for value in values]
    option = {"id": option_id, "name": option_id.title(), "type": "select", "currentValue": current, "options": listed}
    return option | members


def agent(folder: Path, body: str) -> Script:
    """A script in which the names of this module's data are known."""
    data = {"MODES": MODES, "MODELS": MODELS}
    return write_script(folder, "\n".join(f"{name} = {value!r}" for name, value in data.items()) + "\n" + body)


def current(driver: Driver) -> dict[str, str | bool]:
    return {option.id: option.current_value for option in driver.session.config_options}


def changes(driver: Driver) -> list[ConfigOptionsChanged]:
    return [change for change in driver.changes if isinstance(change, ConfigOptionsChanged)]


async def choose(driver: Driver, option_id: str, value: str | bool) -> None:
    driver.client.of(driver.session).choose(option_id, value)
    await driver.until(lambda: not driver.session.config_in_flight)


async def test_modes_and_models_are_options_that_are_set_their_own_way(tmp_path: Path) -> None:
    script = agent(
        tmp_path,
        """
agent.initialize()
agent.new_session(modes=MODES, models=MODELS)
agent.answer(agent.expect("session/set_model"), {})
agent.answer(agent.expect("session/set_mode"), None)
agent.serve()
""",
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        assert [(option.name, option.category) for option in driver.session.config_options] == [
            ("Mode", "mode"),
            ("Model", "model"),
        ]
        await choose(driver, "model", "m2")
        await choose(driver, "mode", "code")
        assert current(driver) == {"mode": "code", "model": "m2"}
    (model,) = script.received("session/set_model")
    (mode,) = script.received("session/set_mode")
    assert (model["params"]["modelId"], mode["params"]["modeId"]) == ("m2", "code")


async def test_the_agent_tells_another_mode_or_model_in_every_spelling(tmp_path: Path) -> None:
    told = [{"sessionUpdate": "current_mode_update", **each} for each in MODE_SPELLINGS]
    told += [{"sessionUpdate": "current_model_update", **each} for each in MODEL_SPELLINGS]
    back = [
        {"sessionUpdate": "current_mode_update", "currentModeId": "ask"},
        {"sessionUpdate": "current_model_update", "currentModelId": "m1"},
    ]
    script = agent(
        tmp_path,
        f"""
agent.initialize()
agent.new_session(modes=MODES, models=MODELS)
prompt = agent.expect("session/prompt")
for update in {told!r}:
    agent.update(update)
    for other in {back!r}:
        agent.update(other)
agent.end_turn(prompt)
agent.serve()
""",
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        driver.submit("go")
        await driver.idle()
        named = [name for change in changes(driver) for name in change.altered]
        assert named.count("Mode → Code") == len(MODE_SPELLINGS)
        assert named.count("Model → Two") == len(MODEL_SPELLINGS)
        assert driver.notices() == []


@pytest.mark.parametrize(("option_id", "method"), [("mode", "session/set_mode"), ("model", "session/set_model")])
async def test_what_the_agent_has_no_method_for_is_fixed_and_says_why(
    tmp_path: Path, option_id: str, method: str
) -> None:
    script = agent(
        tmp_path,
        f"""
agent.initialize()
agent.new_session(modes=MODES, models=MODELS)
agent.fail(agent.expect({method!r}), -32601, "Method not found")
agent.serve()
""",
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        before = current(driver)
        await choose(driver, option_id, "code" if option_id == "mode" else "m2")
        assert driver.session.config_fixed == {option_id: f"the agent does not support {method}"}
        assert current(driver) == before
        assert driver.offered() == []


async def test_where_both_are_given_options_count_alone(tmp_path: Path) -> None:
    options = [select("model", "a", "a", "b", category="model")]
    script = agent(
        tmp_path,
        f"""
agent.initialize()
agent.new_session(modes=MODES, models=MODELS, config_options={options!r})
agent.answer(agent.expect("session/set_config_option"), {{"configOptions": {[select("model", "b", "a", "b")]!r}}})
agent.serve()
""",
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        assert current(driver) == {"model": "a"}
        await choose(driver, "model", "b")
        assert current(driver)["model"] == "b"
    assert script.received("session/set_mode") == script.received("session/set_model") == []


async def test_odd_options_are_all_there_in_their_order(tmp_path: Path) -> None:
    groups = [{"group": name, "name": name.upper(), "options": [{"value": f"{name}1", "name": "1"}]} for name in "xy"]
    options = [
        select("url", "https://a.example/#1", "https://a.example/#1", "https://a.example/#2", category="permissions"),
        {"id": "fast", "name": "Fast", "type": "boolean", "currentValue": False, "description": None},
        {"id": "dial", "name": "Dial", "type": "dial", "currentValue": 3},
        select("provider", "none of them", "a", "b", category="model", description=""),
        {"id": "grouped", "name": "Grouped", "type": "select", "currentValue": "y1", "options": groups},
        {"id": "broken", "type": "select"},
    ]
    script = agent(
        tmp_path,
        f"""
agent.initialize()
agent.new_session(config_options={options!r})
chosen = agent.expect("session/set_config_option")
agent.answer(chosen, {{}})
agent.serve()
""",
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        session = driver.session
        assert list(current(driver)) == ["url", "fast", "provider", "grouped"]
        assert [each["id"] for each in session.unknown_config_options] == ["dial"]
        assert current(driver)["provider"] == "none of them"
        grouped = session.config_options[-1]
        assert isinstance(grouped, SelectOption)
        assert [value.group for value in grouped.values] == ["X", "Y"]
        await choose(driver, "fast", True)
        fast = session.config_options[1]
        assert isinstance(fast, BooleanOption)
        assert fast.current_value is True
    (sent,) = script.received("session/set_config_option")
    assert sent["params"] == {"sessionId": "session-1", "configId": "fast", "type": "boolean", "value": True}


@pytest.mark.parametrize("kind", ["config_option_update", "config_options_update"])
async def test_an_update_before_the_answer_replaces_all_and_says_what_came_and_went(tmp_path: Path, kind: str) -> None:
    first = [select("model", "a", "a", "b"), select("effort", "low", "low", "high"), select("old", "x", "x")]
    then = [select("model", "b", "a", "b"), select("effort", "high", "low", "high"), select("new", "x", "x")]
    script = agent(
        tmp_path,
        f"""
agent.initialize()
agent.new_session(config_options={first!r})
chosen = agent.expect("session/set_config_option")
agent.update({{"sessionUpdate": {kind!r}, "configOptions": {then!r}}})
agent.answer(chosen, {{"configOptions": {then!r}}})
agent.serve()
""",
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        await choose(driver, "model", "b")
        assert current(driver) == {"model": "b", "effort": "high", "new": "x"}
        told = [change for change in changes(driver) if change.altered or change.appeared or change.vanished]
        assert told == [ConfigOptionsChanged(altered=("Effort → HIGH",), appeared=("New",), vanished=("Old",))]


async def test_options_change_while_the_agent_works_and_a_refusal_goes_back(tmp_path: Path) -> None:
    script = agent(
        tmp_path,
        f"""
agent.initialize()
agent.new_session(config_options={[select("mode", "a", "a", "b")]!r})
prompt = agent.expect("session/prompt")
agent.fail(agent.expect("session/set_config_option"), -32602, "not while I work")
agent.answer(agent.expect("session/set_config_option"), {{"configOptions": {[select("mode", "b", "a", "b")]!r}}})
agent.end_turn(prompt)
agent.serve()
""",
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        driver.submit("go")
        await choose(driver, "mode", "b")
        assert current(driver) == {"mode": "a"}
        assert [change.refused for change in changes(driver) if change.refused] == ["not while I work"]
        assert driver.session.turn.active
        await choose(driver, "mode", "b")
        assert current(driver) == {"mode": "b"}
        await driver.idle()


async def test_what_was_used_last_is_known_at_the_next_start(tmp_path: Path) -> None:
    def served(value: str) -> str:
        return json.dumps([select("model", value, "a", "b", "c")])

    script = agent(
        tmp_path,
        f"""
agent.initialize()
agent.new_session(config_options=json.loads({served("a")!r}))
while True:
    request = agent.expect("session/set_config_option")
    agent.answer(request, {{"configOptions": json.loads({served("a")!r}.replace(
        '"currentValue": "a"', '"currentValue": "%s"' % request["params"]["value"]))}})
""",
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        assert driver.client.kept.recent_values("model") == ()
        for value in ("b", "c", "b"):
            await choose(driver, "model", value)
        assert driver.client.kept.recent_values("model") == ("b", "c")
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        assert driver.client.kept.recent_values("model") == ("b", "c")
        assert current(driver) == {"model": "a"}


async def test_two_hundred_commands_in_one_long_line(tmp_path: Path) -> None:
    script = agent(
        tmp_path,
        """
agent.initialize()
agent.new_session()
commands = [{"name": f"skill-{n}", "description": "Does it", "_meta": {"skill": "x" * 2700}} for n in range(200)]
commands[7]["input"] = {"hint": "what"}
update = {"sessionUpdate": "available_commands_update", "availableCommands": commands}
assert len(json.dumps(update)) > 540_000
agent.update(update)
agent.turn("after it")
agent.serve()
""",
    )
    async with connected(script.as_process, tmp_path) as driver:
        await driver.ready()
        driver.submit("/nothing of theirs")
        await driver.idle()
        assert len(driver.session.commands) == 200
        hint = driver.session.commands[7].input
        assert hint is not None
        assert hint.hint == "what"
        assert driver.said() == ["after it"]
    (prompt,) = script.received("session/prompt")
    assert prompt["params"]["prompt"] == [{"type": "text", "text": "/nothing of theirs"}]


async def test_the_demo_agent_the_older_way(tmp_path: Path) -> None:
    async with connected([PYTHON, older_demo.__file__], tmp_path) as driver:
        await driver.ready()
        assert current(driver) == {"mode": "ask", "model": "sage-4"}
        await choose(driver, "mode", "plan")
        await choose(driver, "model", "swift-2")
        assert current(driver) == {"mode": "plan", "model": "swift-2"}
        await choose(driver, "model", "unreleased")
        assert [change.refused for change in changes(driver) if change.refused] == ["This model is not released yet"]
