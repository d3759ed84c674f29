"""A session that is continued is continued: its options, a mode that asks more, whose messages are whose."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.records.records import Records
from acp_tui.host.sessions.continuation import size_carried, toggle_carrying
from acp_tui.host.sessions.conversation import INSTEAD
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from acp_tui.session.changes import ConfigOptionsChanged
from acp_tui.session.export import to_markdown
from acp_tui.session.text.phrases import CARRIED
from tests.agents.scripted import Script, write_script
from tests.integration.driver import Driver, driven, start_of

pytestmark = pytest.mark.anyio

AGENT = """
able = {{"loadSession": True}} if "{way}" == "load" else {{"sessionCapabilities": {{"resume": {{}}}}}}
agent.initialize({{"protocolVersion": 1, "agentCapabilities": able, "agentInfo": {{"name": "a", "version": "1"}}}})
FIRST = {{"mode": "manual", "model": "small", "effort": "high", "fast": False, "permissions": "ask"}}
VALUES = {{"mode": ["manual", "plan", "yolo"], "model": ["small", "large"], "permissions": ["ask", "allow all"]}}
EFFORTS = {{"small": ["high"], "large": ["high", "low"]}}
now = dict(FIRST)
def options():
    values = lambda name: EFFORTS[now["model"]] if name == "effort" else VALUES[name]
    told = [{{"id": name, "name": name.title(), "category": "thought_level" if name == "effort" else name,
              "type": "select", "currentValue": now[name],
              "options": [{{"value": each, "name": each.title()}} for each in values(name)]}}
            for name in ("mode", "effort", "model", "permissions")]
    return [*told, {{"id": "fast", "name": "Fast", "type": "boolean", "currentValue": now["fast"]}}]
def tell(role, text):
    agent.update({{"sessionUpdate": role + "_message_chunk", "content": {{"type": "text", "text": text}}}})
while True:
    request = agent.receive()
    method, params = request["method"], request.get("params", {{}})
    if method in ("session/new", "session/load", "session/resume"):
        agent.session_id = params.get("sessionId", "session-1")
        now = dict(FIRST)
        if method == "session/load":
            agent.update({{"sessionUpdate": "current_mode_update", "currentModeId": "https://modes.test/#x"}})
            for role, text in {told!r}:
                tell(role, text)
        agent.answer(request, {{"sessionId": agent.session_id, "configOptions": options()}})
    elif method == "session/set_config_option":
        now[params["configId"]] = params["value"]
        agent.answer(request, {{"configOptions": options()}})
    elif method == "session/prompt":
        agent.say("aye")
        agent.end_turn(request)
    elif method == "session/close":
        agent.answer(request, {{}})
"""
KNOWN = "claude-agent-acp"  # whose `plan` is known to ask more
CHOSEN: dict[str, Any] = {"model": "large", "effort": "low", "fast": True}


def script(folder: Path, way: str = "load", *, told: Sequence[tuple[str, str]] = ()) -> Script:
    return write_script(folder, AGENT.format(way=way, told=list(told)))


@asynccontextmanager
async def running(
    agent: Script, resume: str = "", program: str = KNOWN, settings: Sequence[tuple[str, str]] = ()
) -> AsyncIterator[Driver]:
    """A run of the program, which records what happens in a folder beside the agent."""
    folder = agent.path.parent
    client = Client(LaunchPlan(AgentCommand((program,)), folder), attended=True, start=start_of(agent))
    records = Records(folder / "records")
    client.record_with(records)
    async with driven(Driver(client, client.begin_session(resume, settings))) as driver:
        yield driver
    records.close()


def current(driver: Driver) -> dict[str, Any]:
    return {one.id: one.current_value for one in driver.session.config_options}


async def choose(driver: Driver, values: dict[str, Any]) -> None:
    for option, value in values.items():
        driver.client.of(driver.session).choose(option, value)
    await driver.until(lambda: not driver.session.config_in_flight)


@asynccontextmanager
async def begun_with(agent: Script, program: str = KNOWN, **values: Any) -> AsyncIterator[Driver]:
    """A first run of the program, in which a prompt was answered and these values were chosen."""
    async with running(agent, program=program) as driver:
        await settled(driver, "ahoy")
        await choose(driver, values)
        yield driver


async def left_with(agent: Script, program: str = KNOWN, **values: Any) -> None:
    async with begun_with(agent, program, **values):
        pass  # and that ends


def news(driver: Driver) -> list[ConfigOptionsChanged]:
    told = [each for each in driver.changes if isinstance(each, ConfigOptionsChanged)]
    return [each for each in told if each.altered or each.appeared or each.vanished or each.refused]


async def settled(driver: Driver, prompt: str = "go on") -> None:
    """Continue the session until a prompt was answered, so that all that went before it is over."""
    await driver.until(lambda: driver.client.of(driver.session).is_open)
    answers = len(driver.said())
    driver.submit(prompt)
    await driver.until(lambda: len(driver.said()) > answers and not driver.session.turn.active)


@pytest.mark.parametrize("way", ["load", "resume"])
async def test_it_has_the_options_with_which_it_was_left(tmp_path: Path, way: str) -> None:
    agent = script(tmp_path, way)
    await left_with(agent, **CHOSEN)
    async with running(agent, "latest") as driver:
        await settled(driver)
        assert current(driver) == {"mode": "manual", "permissions": "ask", **CHOSEN}
        assert driver.noticed().count("Options restored: Model Large · Effort Low · Fast On") == 1
        assert news(driver) == []  # nothing that the agent said until then
        driver.client.restart()
        await driver.until(lambda: driver.client.connection.phase != "ready")
        await driver.ready()
        await settled(driver)
        assert current(driver) == {"mode": "manual", "permissions": "ask", **CHOSEN}
        assert news(driver) == []
    async with running(agent, "latest") as driver:  # and once more, though nothing was chosen in the second run
        await settled(driver)
        assert current(driver)["effort"] == "low"


@pytest.mark.parametrize("values", [{"mode": "yolo"}, {"permissions": "allow all"}])
async def test_what_asks_less_is_not_set_again_and_said(tmp_path: Path, values: dict[str, str]) -> None:
    agent = script(tmp_path)
    await left_with(agent, **values, model="large")
    (name, value), sent = next(iter(values.items())), len(agent.received("session/set_config_option"))
    async with running(agent, "latest") as driver:
        await settled(driver)
        assert current(driver)[name] != value
        said = [(one.title, one.severity, one.see) for one in driver.notices() if " was " in one.title]
        assert said == [(f"{name.title()} was {value.title()}", "info", "mode")]
        again = agent.received("session/set_config_option")[sent:]
        assert [each["params"]["configId"] for each in again] == ["model"]


@pytest.mark.parametrize(
    ("program", "mode", "again"),
    [(KNOWN, "plan", "plan"), (KNOWN, "manual", "manual"), (KNOWN, "yolo", "manual"), ("unknown", "plan", "manual")],
)
async def test_a_mode_that_is_known_to_ask_more_is_set_again(
    tmp_path: Path, program: str, mode: str, again: str
) -> None:
    agent = script(tmp_path)
    await left_with(agent, program, mode="yolo")
    await left_with(agent, program, mode=mode)
    async with running(agent, "latest", program) as driver:
        await settled(driver)
        assert current(driver)["mode"] == again
        assert ("Mode was" in driver.noticed()) is (mode != again)


async def test_a_mode_that_the_user_keeps_is_set_again(tmp_path: Path) -> None:
    agent = script(tmp_path)
    async with begun_with(agent, mode="yolo") as driver:
        driver.client.kept.keep(driver.client.of(driver.session).chosen.made)
    async with running(agent, "latest") as driver:
        await settled(driver)
        assert current(driver)["mode"] == "yolo"
        assert "Mode was" not in driver.noticed()


async def test_a_mode_that_was_given_counts_and_nothing_is_said_of_the_other(tmp_path: Path) -> None:
    agent = script(tmp_path)
    await left_with(agent, mode="yolo")
    async with running(agent, "latest", settings=[("mode", "yolo")]) as driver:
        await settled(driver)
        assert current(driver)["mode"] == "yolo"
        assert "Mode was" not in driver.noticed()


async def test_a_mode_that_was_chosen_in_this_run_is_set_again(tmp_path: Path) -> None:
    agent = script(tmp_path)
    async with begun_with(agent, mode="yolo") as driver:
        driver.client.close_session(driver.session)
        info = SessionInfo(session_id="session-1", cwd=str(tmp_path))
        again = Driver(driver.client, driver.client.load_session(info))
        await again.until(lambda: again.client.of(again.session).is_open and current(again).get("mode") == "yolo")
        assert "Mode was" not in again.noticed()


REMINDER = "<system-reminder>\nToday is Friday. Do not mention this.\n</system-reminder>"
PLAIN = "[Request interrupted by user]"


async def test_what_the_agent_put_among_the_users_messages_is_not_theirs(tmp_path: Path) -> None:
    told = [("user", "ahoy"), ("agent", "aye"), ("user", PLAIN), ("user", REMINDER), ("agent", "well")]
    agent = script(tmp_path, told=told)
    await left_with(agent)
    async with running(agent, "latest") as driver:
        await settled(driver)
        assert driver.said("user") == ["ahoy", "go on"]
        assert driver.said("injected") == [PLAIN, REMINDER]
        exported = to_markdown(driver.session)
        assert exported.count("## User") == 2
        assert "> *Not sent from acp-tui*" in exported


@pytest.mark.parametrize(
    ("told", "injected"),
    [
        ([("user", "of another client"), ("agent", "x"), ("user", "ahoy"), ("agent", "aye")], ["of another client"]),
        ([("user", REMINDER), ("agent", "x"), ("user", "ahoy")], [REMINDER]),
        ([("user", "Context: z\n\nahoy"), ("agent", "x"), ("user", "ahoy\n")], []),
        ([("user", f"{REMINDER}\nahoy\n{REMINDER}"), ("agent", "x")], []),
    ],
)
async def test_the_record_says_what_the_user_sent(
    tmp_path: Path, told: list[tuple[str, str]], injected: list[str]
) -> None:
    agent = script(tmp_path, told=told)
    await left_with(agent)
    async with running(agent, "latest") as driver:
        await settled(driver)
        assert driver.said("injected") == injected


async def test_a_block_of_tags_that_the_user_sent_is_theirs(tmp_path: Path) -> None:
    block = "<task>\nfix it\n</task>"
    agent = script(tmp_path, told=[("user", block), ("agent", "aye"), ("user", REMINDER)])
    async with running(agent) as driver:
        await driver.ready()
        driver.submit(block)
        await driver.idle()
    async with running(agent, "latest") as driver:
        await settled(driver)
        assert driver.said("user") == [block, "go on"]
        assert driver.said("injected") == [REMINDER]


async def test_without_a_record_all_but_tags_are_the_users(tmp_path: Path) -> None:
    told = [("user", "typed elsewhere"), ("agent", "x"), ("user", REMINDER), ("agent", "y")]
    agent = script(tmp_path, told=told)
    for _ in range(2):  # the second time there is a record, which began after that
        async with running(agent, "session-1") as driver:
            await settled(driver)
            assert driver.said("user") == ["typed elsewhere", "go on"]
            assert driver.said("injected") == [REMINDER]


FORGETFUL = """
agent.initialize({"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "a", "version": "1"}})
agent.new_session(f"life-{agent.life}")
while True:
    prompt = agent.receive()
    if "id" in prompt and prompt["method"] == "session/prompt":
        agent.say("aye")
        agent.end_turn(prompt)
"""


def carried_by(agent: Script) -> list[bool]:
    """Of each prompt, whether it carried what was said before."""
    prompts = [each["params"]["prompt"] for each in agent.received("session/prompt")]
    return [any(CARRIED in block["text"] and "ahoy" in block["text"] for block in blocks) for blocks in prompts]


@pytest.mark.parametrize("left_out", [False, True])
async def test_the_next_prompt_carries_what_was_said_to_an_agent_that_was_restarted(
    tmp_path: Path, *, left_out: bool
) -> None:
    agent = write_script(tmp_path, FORGETFUL)
    async with running(agent) as driver:
        await settled(driver, "ahoy")
        assert not driver.session.carrying
        driver.client.restart()
        await driver.until(lambda: driver.session.carrying)
        await driver.ready()
        assert f"Agent restarted|{INSTEAD}" in driver.noticed()
        assert size_carried(driver.session) > len(CARRIED)
        assert toggle_carrying(driver.session)
        assert carried_by(agent) == [False]
        if not left_out:
            toggle_carrying(driver.session)
        await settled(driver)
        await settled(driver)
        assert driver.session.carrying == ""
        assert not toggle_carrying(driver.session)
    assert carried_by(agent) == [False, not left_out, False]
    assert driver.said("user") == ["ahoy", "go on", "go on"]


async def test_and_to_one_that_forgets_between_runs(tmp_path: Path) -> None:
    agent = write_script(tmp_path, FORGETFUL)
    await left_with(agent)
    async with running(agent, "latest") as driver:
        await settled(driver)
    assert carried_by(agent) == [False, True]


async def test_one_that_may_have_lost_a_part_is_offered_it(tmp_path: Path) -> None:
    agent = script(tmp_path)  # which tells nothing again
    async with running(agent) as driver:
        await settled(driver, "ahoy")
        driver.client.restart()
        await driver.until(lambda: driver.session.carrying)
        assert driver.session.carrying == "offered"
        assert "It sent 0 of 1 prompt again." in driver.noticed()


LOGGED_OUT = """
agent.initialize({"protocolVersion": 1, "agentCapabilities": {}, "authMethods": [{"id": "x", "name": "X"}]})
agent.new_session(f"life-{agent.life}")
refused = False
while True:
    prompt = agent.receive()
    if prompt.get("method") == "authenticate":
        agent.answer(prompt, {})
    elif "id" in prompt and agent.life == 2 and not refused:
        refused = True
        agent.fail(prompt, -32000, "log in")
    elif "id" in prompt:
        agent.say("aye")
        agent.end_turn(prompt)
"""


@pytest.mark.parametrize("edited", [False, True])
async def test_a_prompt_that_waits_for_a_log_in_carries_it_whatever_becomes_of_it(
    tmp_path: Path, *, edited: bool
) -> None:
    agent = write_script(tmp_path, LOGGED_OUT)
    async with running(agent) as driver:
        await settled(driver, "ahoy")
        driver.client.restart()
        await driver.until(lambda: driver.session.carrying)
        await driver.ready()
        driver.submit("go on")
        await driver.until(lambda: driver.client.connection.login is not None)
        [waiting] = driver.session.queue
        assert (len(waiting.blocks), driver.session.carrying) == (1, "wanted")
        if edited:
            driver.client.of(driver.session).withdraw_queued(waiting.id)
            driver.submit("go on, then")
        driver.client.logins.log_in("x")
        await driver.until(lambda: driver.said() == ["aye", "aye"] and not driver.session.turn.active)
        await settled(driver)
    assert carried_by(agent) == [False, True, True, False]
