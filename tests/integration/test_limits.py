"""Limits where an agent reports costs: the queue waits, the turn continues, and each turn is counted once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import Client
from acp_tui.host.config.preferences import LimitSettings
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from tests.agents.scripted import Gate, Script, write_script
from tests.integration.driver import Driver, command_of, driven, start_of

pytestmark = pytest.mark.anyio

COST = """
def cost(amount, session_id=None):
    cost = {"amount": amount, "currency": "USD"}
    agent.update({"sessionUpdate": "usage_update", "used": 1, "size": 100, "cost": cost}, session_id)
"""


@asynccontextmanager
async def limited(script: Script, folder: Path) -> AsyncIterator[Driver]:
    plan = LaunchPlan(command_of(script), folder, limits=LimitSettings(session_cost=5.0))
    async with driven(Driver(Client(plan, start=start_of(script)))) as driver:
        yield driver


async def test_at_a_limit_the_turn_continues_and_the_queue_waits(tmp_path: Path) -> None:
    gate = Gate(tmp_path / "gate")
    script = write_script(
        tmp_path,
        f"""{COST}
agent.initialize()
agent.new_session()
prompt = agent.expect("session/prompt")
cost(5.02)
agent.say("first")
agent.wait_for({str(gate.path)!r})
agent.end_turn(prompt)
agent.turn("second")
agent.serve()
""",
    )
    async with limited(script, tmp_path) as driver:
        conversation = driver.client.of(driver.session)
        driver.submit("one")
        await driver.until(lambda: driver.said() == ["first"])
        reached = conversation.limits.reached
        assert reached is not None
        driver.submit("two")
        gate.open()
        await driver.idle()
        assert (driver.said(), len(driver.session.queue)) == (["first"], 1)
        conversation.limits.raise_limit(reached)
        conversation.send_queued()
        await driver.until(lambda: driver.said() == ["first", "second"])
    gate.close()


async def test_what_a_loaded_session_had_cost_is_the_start(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        f"""{COST}
agent.initialize({{"protocolVersion": 1, "agentCapabilities": {{"loadSession": True}}}})
agent.new_session()
load = agent.expect("session/load")
cost(39.0, "old")
cost(40.0, "old")
agent.answer(load, {{}})
prompt = agent.expect("session/prompt")
for amount in (40.0, 42.5, 41.0, 42.5):
    cost(amount, "old")
agent.end_turn(prompt)
agent.serve()
""",
    )
    async with limited(script, tmp_path) as driver:
        await driver.ready()
        session = driver.client.load_session(SessionInfo(session_id="old", cwd=str(tmp_path)))
        conversation = driver.client.of(session)
        conversation.submit([TextContent(text="go")])
        await driver.until(lambda: session.turn.stop_reason == "end_turn")
        assert conversation.limits.costs.spent == 2.5
        assert conversation.limits.reached is None
