"""Forms and addresses: asked, answered once, withdrawn, refused where they are not offered."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.protocol.capabilities import ClientCapabilities
from acp_tui.session.entries import ElicitationEntry
from tests.agents.scripted import Gate, Script, write_script
from tests.integration.driver import Driver, connected
from tests.unit.protocol.official import validator

pytestmark = pytest.mark.anyio

USER = ClientCapabilities(elicitation=True)
HEAD = """
agent.initialize()
agent.new_session()
def elicit(message="Which?", **members):
    scope = members.pop("scope", {"sessionId": agent.session_id})
    schema = members.pop("schema", {"properties": {"a": {"type": "string"}}})
    asked = {"mode": "form", "message": message, **scope}
    if members.get("mode", "form") == "form":
        asked["requestedSchema"] = schema
    return agent.ask("elicitation/create", asked | members)
def address(elicitation_id="e1"):
    return elicit(mode="url", url="https://example.com/", elicitationId=elicitation_id)
def tell(request_id):
    answer = agent.answer_to(request_id)
    agent.say(json.dumps(answer.get("result") or answer["error"]))
"""


def script(folder: Path, body: str) -> Script:
    return write_script(folder, f"{HEAD}\n{body}\nagent.serve()\n")


def entries(driver: Driver) -> list[ElicitationEntry]:
    return [entry for entry in driver.session.entries if isinstance(entry, ElicitationEntry)]


async def elicited(driver: Driver, count: int = 1) -> int:
    """Wait until that many wait for the user; the key of the first."""
    await driver.until(lambda: len(driver.session.elicitations) >= count)
    return driver.session.elicitations[0].key


def answers(agent: Script) -> list[dict[str, Any]]:
    return [message for message in agent.received() if "method" not in message]


@pytest.mark.parametrize(
    ("action", "content", "sent"),
    [
        ("accept", {"a": "x"}, {"action": "accept", "content": {"a": "x"}}),
        ("accept", {}, {"action": "accept", "content": {}}),
        ("decline", None, {"action": "decline"}),
        ("cancel", None, {"action": "cancel"}),
    ],
)
async def test_a_form_is_answered_once(
    tmp_path: Path, action: str, content: dict[str, Any] | None, sent: dict[str, Any]
) -> None:
    agent = script(tmp_path, "prompt = agent.expect('session/prompt')\ntell(elicit())\nagent.end_turn(prompt)")
    async with connected(agent, tmp_path, USER) as driver:
        await driver.ready()
        driver.submit("go")
        key = await elicited(driver)
        driver.client.of(driver.session).questions.answer_elicitation(key, action, content)
        driver.client.of(driver.session).questions.answer_elicitation(key, "decline")
        await driver.idle()
        assert [answer["result"] for answer in answers(agent)] == [sent]
        validator("CreateElicitationResponse").validate(answers(agent)[0]["result"])
        assert [entry.action for entry in entries(driver)] == [action]


async def test_several_wait_in_order_beside_permissions(tmp_path: Path) -> None:
    body = """
first, second = elicit("one"), address()
agent.permission({"toolCallId": "t", "title": "T"})
tell(second)
tell(first)
"""
    agent = script(tmp_path, body)
    async with connected(agent.as_process, tmp_path, USER) as driver:
        await elicited(driver, 2)
        await driver.asked()
        one, two = driver.session.elicitations
        assert one.asked_at <= two.asked_at <= driver.session.permissions[0].asked_at
        driver.client.of(driver.session).questions.answer_elicitation(two.key, "accept")
        driver.client.of(driver.session).questions.answer_elicitation(one.key, "decline")
        await driver.until(lambda: len(driver.said()) == 1 and driver.said()[0].count("action") == 2)
        assert driver.said() == ['{"action": "accept"}{"action": "decline"}']


async def test_an_address_is_complete_when_the_agent_says_so(tmp_path: Path) -> None:
    body = """
tell(address())
agent.notify("elicitation/complete", {"elicitationId": "never heard of"})
agent.notify("elicitation/complete", {"elicitationId": "e1"})
agent.notify("elicitation/complete", {"elicitationId": 5})
"""
    agent = script(tmp_path, body)
    async with connected(agent, tmp_path, USER) as driver:
        driver.client.of(driver.session).questions.answer_elicitation(await elicited(driver), "accept")
        await driver.until(lambda: entries(driver)[0].completed)
        await driver.until(lambda: "elicitation/complete" in driver.noticed())
        assert "elicitationId" in driver.noticed()


@pytest.mark.parametrize("by", ["the agent", "a cancelled turn"])
async def test_what_is_withdrawn_is_cancelled(tmp_path: Path, by: str) -> None:
    gate = Gate(tmp_path / "gate")
    body = f"""
prompt = agent.expect("session/prompt")
asked = elicit()
if {by == "the agent"}:
    agent.wait_for({str(gate.path)!r})
    agent.notify("$/cancel_request", {{"requestId": asked}})
    agent.notify("$/cancel_request", {{"requestId": 77}})
else:
    agent.expect("session/cancel")
    late = elicit()
    tell(late)
tell(asked)
agent.end_turn(prompt, "cancelled")
"""
    agent = script(tmp_path, body)
    async with connected(agent, tmp_path, USER) as driver:
        await driver.ready()
        driver.submit("go")
        key = await elicited(driver)
        if by == "the agent":
            gate.open()
        else:
            driver.client.of(driver.session).cancel()
        await driver.until(lambda: not driver.session.turn.active)
        driver.client.of(driver.session).questions.answer_elicitation(key, "accept", {"a": "x"})
        assert {answer["result"]["action"] for answer in answers(agent)} == {"cancel"}
        assert {entry.action for entry in entries(driver)} == {"cancel"}
    gate.close()


async def test_a_turn_that_ends_by_itself_leaves_the_question(tmp_path: Path) -> None:
    body = "prompt = agent.expect('session/prompt')\nasked = elicit()\nagent.end_turn(prompt)\ntell(asked)"
    agent = script(tmp_path, body)
    async with connected(agent, tmp_path, USER) as driver:
        await driver.ready()
        driver.submit("go")
        key = await elicited(driver)
        await driver.idle()
        driver.client.of(driver.session).questions.answer_elicitation(key, "accept", {"a": "x"})
        await driver.until(driver.said)
        assert '"action": "accept"' in driver.said()[0]


REFUSED = [
    ("elicit()", "not supported", ClientCapabilities()),
    ("address()", "not supported", ClientCapabilities()),
    ("elicit(mode='telepathy')", "elicitation mode not supported by this client: telepathy", USER),
    ("elicit(mode=5)", "mode: a string is required", USER),
    ("elicit(scope={})", "sessionId or requestId is required", USER),
    ("elicit(schema={'properties': {'a': {'type': 'string', 'minLength': -1}}})", "minLength", USER),
    ("agent.ask('elicitation/create', None)", "mode", USER),
]


@pytest.mark.parametrize(("ask", "why", "capabilities"), REFUSED, ids=[ask for ask, *_ in REFUSED])
async def test_what_is_not_offered_or_cannot_be_read_is_refused(
    tmp_path: Path, ask: str, why: str, capabilities: ClientCapabilities
) -> None:
    agent = script(tmp_path, f"tell({ask})")
    async with connected(agent, tmp_path, capabilities) as driver:
        await driver.until(driver.said)
        assert '"code": -32602' in driver.said()[0]
        assert why in driver.said()[0]
        assert driver.session.elicitations == []


async def test_an_unknown_session_is_not_found(tmp_path: Path) -> None:
    agent = script(tmp_path, "tell(elicit(scope={'sessionId': 'other'}))")
    async with connected(agent, tmp_path, USER) as driver:
        await driver.until(driver.said)
        assert '"code": -32002' in driver.said()[0]


async def test_what_belongs_to_a_request_is_asked_before_there_is_a_session(tmp_path: Path) -> None:
    body = """
agent.initialize()
new = agent.expect("session/new")
asked = agent.ask("elicitation/create", {
    "mode": "form", "message": "Which account?", "requestId": new["id"],
    "requestedSchema": {"properties": {"a": {"type": "string"}}},
})
account = agent.answer_to(asked)["result"]["content"]["a"]
agent.answer(new, {"sessionId": "session-1"})
agent.say(account)
agent.serve()
"""
    agent = write_script(tmp_path, body)
    async with connected(agent, tmp_path, USER) as driver:
        key = await elicited(driver)
        assert driver.client.connection.phase == "starting"
        driver.client.of(driver.session).questions.answer_elicitation(key, "accept", {"a": "mine"})
        await driver.until(lambda: driver.said() == ["mine"])


@pytest.mark.parametrize(("capabilities", "offered"), [(USER, {"form": {}, "url": {}}), (ClientCapabilities(), None)])
async def test_both_modes_are_advertised_where_a_user_is(
    tmp_path: Path, capabilities: ClientCapabilities, offered: object
) -> None:
    agent = write_script(tmp_path, "agent.initialize()\nagent.new_session()\nagent.serve()")
    async with connected(agent, tmp_path, capabilities) as driver:
        await driver.ready()
    (initialize,) = agent.received("initialize")
    assert initialize["params"]["clientCapabilities"].get("elicitation") == offered


@pytest.mark.parametrize("question", ["elicit()", "agent.permission({'toolCallId': 't', 'title': 'T'})"])
async def test_an_agent_that_asks_without_end_is_refused_and_the_user_told(tmp_path: Path, question: str) -> None:
    agent = script(tmp_path, f"asked = [{question} for _ in range(101)]\ntell(asked[-1])")
    async with connected(agent, tmp_path, USER) as driver:
        await driver.until(driver.said)
        assert "100 requests are already waiting for the user" in driver.said()[0]
        assert len(driver.session.elicitations) + len(driver.session.permissions) == 100
        assert "Too many questions from the agent" in driver.noticed()


async def test_when_the_agent_goes_nothing_waits(tmp_path: Path) -> None:
    agent = script(tmp_path, "elicit()\nagent.expect('session/prompt')\nagent.exit(3)")
    async with connected(agent, tmp_path, USER) as driver:
        await elicited(driver)
        driver.submit("go")
        await driver.closed()
        assert driver.session.elicitations == []
        assert [entry.action for entry in entries(driver)] == ["cancel"]
