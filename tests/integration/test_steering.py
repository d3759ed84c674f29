"""A prompt during a turn, with agents that take it into the turn and agents that say they do."""

from pathlib import Path

import pytest

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.session.entries import MessageEntry, NoticeEntry
from acp_tui.session.facts import PromptQueued
from tests.agents.scripted import write_script
from tests.integration.driver import connected

pytestmark = pytest.mark.anyio

OFFERS = """
agent.initialize({"protocolVersion": 1, "agentCapabilities": {}, "_meta": {"steering": {"supported": True}}})
agent.new_session()
prompt = agent.expect("session/prompt")
agent.say("one")
steer = agent.expect("_session/steering")
"""


async def test_it_joins_the_turn(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        OFFERS
        + 'agent.answer(steer, {"outcome": "injected"})\nagent.say("two")\nagent.end_turn(prompt)\nagent.serve()',
    )
    async with connected(script.as_process, tmp_path) as driver:
        driver.submit("first")
        await driver.until(driver.said)
        driver.submit("and this")
        await driver.idle()
        said = [entry.role for entry in driver.session.entries if isinstance(entry, MessageEntry)]
        assert said == ["user", "agent", "user", "agent"]
        assert driver.said("user") == ["first", "and this"]
        assert driver.said() == ["one", "two"]
        assert any(
            isinstance(entry, NoticeEntry) and "Added to the current turn" in entry.title
            for entry in driver.session.entries
        )
    (asked,) = script.received("_session/steering")
    assert asked["params"]["prompt"] == [{"type": "text", "text": "and this"}]
    assert asked["params"]["_meta"] == {"steering": {"idleBehavior": "promptRequired"}}
    assert len(script.received("session/prompt")) == 1


@pytest.mark.parametrize(
    "answer", ['agent.answer(steer, {"outcome": "promptRequired"})', 'agent.fail(steer, -32601, "unknown")']
)
async def test_what_is_left_to_us_is_queued(tmp_path: Path, answer: str) -> None:
    script = write_script(tmp_path, OFFERS + f'{answer}\nagent.end_turn(prompt)\nagent.turn("two")\nagent.serve()')
    async with connected(script, tmp_path) as driver:
        driver.submit("first")
        await driver.until(driver.said)
        driver.submit("and this")
        await driver.idle(turns=2)
        assert driver.said("user") == ["first", "and this"]
        assert driver.said() == ["one", "two"]


@pytest.mark.parametrize("result", ['{"outcome": "startedNewTurn"}', "None", "7", '{"outcome": {}}'])
async def test_what_the_agent_has_taken_is_never_sent_twice(tmp_path: Path, result: str) -> None:
    script = write_script(tmp_path, OFFERS + f"agent.answer(steer, {result})\nagent.end_turn(prompt)\nagent.serve()")
    async with connected(script, tmp_path) as driver:
        driver.submit("first")
        await driver.until(driver.said)
        driver.submit("and this")
        await driver.idle()
        assert driver.said("user") == ["first", "and this"]
        assert driver.session.queue == []
    assert len(script.received("session/prompt")) == 1


async def test_until_the_agent_answers_it_is_told_and_it_is_not_lost_with_the_agent(tmp_path: Path) -> None:
    script = write_script(tmp_path, OFFERS + "agent.exit(3)")
    async with connected(script, tmp_path) as driver:
        driver.submit("first")
        await driver.until(driver.said)
        driver.submit("and this")
        assert [prompt.blocks for prompt in driver.session.steering] == [[TextContent(text="and this")]]
        await driver.closed()
        assert driver.session.steering == []
        assert len(driver.session.queue) == 1


REASON = """
agent.initialize({"protocolVersion": 1, "agentCapabilities": {}, "_meta": {"steering": {"supported": True}}})
session = agent.new_session()
prompt = agent.expect("session/prompt")
asked = agent.permission({"toolCallId": "t", "title": "rm"})
agent.answer_to(asked)
"""


async def test_a_reason_goes_first_and_leaves_the_queue_as_it_is(tmp_path: Path) -> None:
    script = write_script(
        tmp_path, REASON + 'agent.end_turn(prompt)\nfor word in "abc":\n    agent.turn(word)\nagent.serve()'
    )
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.asked()
        driver.submit("one")
        driver.submit("two")
        before = list(driver.session.queue)
        driver.client.of(driver.session).questions.answer_permission(driver.session.permissions[0].key, "no")
        driver.client.of(driver.session).submit([TextContent(text="because")], place=0)
        assert driver.session.queue[1:] == before
        await driver.idle(turns=4)
        assert driver.said("user") == ["go", "because", "one", "two"]
    assert script.received("_session/steering") == []


async def test_a_reason_that_is_not_taken_into_the_turn_goes_first(tmp_path: Path) -> None:
    later = """
steer = agent.expect("_session/steering")
agent.answer(steer, {"outcome": "promptRequired"})
agent.end_turn(prompt)
for word in "ab":
    agent.turn(word)
agent.serve()
"""
    script = write_script(tmp_path, REASON + later.replace('agent.expect("_go")\n', ""))
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.asked()
        driver.client.of(driver.session).questions.answer_permission(driver.session.permissions[0].key, "no")
        driver.client.of(driver.session).submit([TextContent(text="because")], place=0)
        driver.session.apply(PromptQueued([TextContent(text="one")]))
        await driver.idle(turns=3)
        assert driver.said("user") == ["go", "because", "one"]
