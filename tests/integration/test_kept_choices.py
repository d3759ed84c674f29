"""What a user chose is kept for the next session with the same agent, if they say so."""

from pathlib import Path

import pytest

from acp_tui.protocol.vocabulary.config_options import SelectOption
from tests.agents.scripted import Script, write_script
from tests.integration.driver import Driver, connected

pytestmark = pytest.mark.anyio


def chooser(folder: Path) -> Script:
    return write_script(
        folder,
        """
agent.initialize()
now = {"model": "a", "mode": "a"}
def options():
    values = [{"value": value, "name": value.upper()} for value in ("a", "b", "c")]
    return [{"id": name, "name": name.title(), "category": name, "type": "select", "currentValue": current,
             "options": values} for name, current in now.items()]
agent.new_session(config_options=options())
while True:
    request = agent.receive()
    if request["method"] == "session/set_config_option":
        now[request["params"]["configId"]] = request["params"]["value"]
        agent.answer(request, {"configOptions": options()})
    elif request["method"] == "session/prompt":
        agent.say(json.dumps(now))
        agent.end_turn(request)
        """,
    )


async def choose(driver: Driver, option: str, value: str) -> None:
    driver.client.of(driver.session).choose(option, value)
    await driver.until(lambda: not driver.session.config_in_flight)


def current(driver: Driver) -> dict[str, str]:
    return {one.id: one.current_value for one in driver.session.config_options if isinstance(one, SelectOption)}


async def test_what_was_chosen_is_offered_once_kept_and_chosen_again(tmp_path: Path) -> None:
    script = chooser(tmp_path)
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        assert driver.offered() == []
        await choose(driver, "model", "b")
        assert driver.offered() == ["Model=B"]
        driver.client.kept.keep(driver.client.of(driver.session).chosen.made)
        assert driver.offered() == []
        await choose(driver, "model", "c")
        assert driver.offered() == []
    async with connected(script, tmp_path) as driver:
        driver.submit("what now?")
        await driver.idle()
        assert driver.said() == ['{"model": "c", "mode": "a"}']
        assert current(driver) == {"model": "c", "mode": "a"}
        assert "Options restored: Model C" in driver.noticed()
        assert driver.offered() == []
        driver.client.kept.forget()
    async with connected(script, tmp_path) as driver:
        driver.submit("what now?")
        await driver.idle()
        assert driver.said() == ['{"model": "a", "mode": "a"}']


async def test_what_was_declined_is_not_offered_again(tmp_path: Path) -> None:
    script = chooser(tmp_path)
    for first in (True, False):
        async with connected(script, tmp_path) as driver:
            await driver.ready()
            assert current(driver)["mode"] == "a"
            await choose(driver, "mode", "b")
            assert bool(driver.offered()) is first
            driver.client.kept.decline(driver.client.of(driver.session).chosen.made)
            assert driver.offered() == []
            assert driver.unkept() == ["Mode=B"]
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        await choose(driver, "mode", "b")
        driver.client.kept.keep(driver.client.of(driver.session).chosen.made)
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        await driver.until(lambda: current(driver)["mode"] == "b")


async def test_a_refused_choice_is_never_offered(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize()
        option = {"id": "fast", "name": "Fast", "type": "boolean", "currentValue": False}
        agent.new_session(config_options=[option])
        agent.fail(agent.expect("session/set_config_option"), -32602, "no")
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        driver.client.of(driver.session).choose("fast", True)
        await driver.until(lambda: not driver.session.config_in_flight)
        assert driver.offered() == []
