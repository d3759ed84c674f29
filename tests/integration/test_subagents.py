"""Child sessions through real pipes."""

from pathlib import Path

import pytest

from tests.agents.scripted import write_script
from tests.integration.driver import connected

pytestmark = pytest.mark.anyio


async def test_a_child_has_its_own_transcript_and_asks_in_its_parents_queue(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize()
        session = agent.new_session()
        prompt = agent.expect("session/prompt")
        agent.update({"sessionUpdate": "subagent_update", "sessionId": "kid", "title": "Explore",
                      "state": {"state": "running"}})
        text = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "found"}}
        agent.notify("session/update", {"sessionId": "kid", "update": text})
        options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
        asked = {"sessionId": "kid", "toolCall": {"toolCallId": "call", "title": "Look"}, "options": options}
        agent.answer_to(agent.ask("session/request_permission", asked))
        agent.end_turn(prompt)
        agent.serve()
        """,
    )
    async with connected(script.argv, tmp_path) as driver:
        driver.submit("go")
        await driver.asked()
        (pending,) = driver.session.permissions
        child = driver.session.subagents["kid"]
        assert pending.request.session_id == "kid"
        assert child.index.tool_calls["call"].title == "Look"
        assert driver.said() == []
        driver.client.of(driver.session).questions.answer_permission(pending.key, "yes")
        await driver.idle()
        assert child.index.tool_calls["call"].status == "in_progress"
    (initialize,) = script.received("initialize")
    assert initialize["params"]["clientCapabilities"]["subagents"] == {}
