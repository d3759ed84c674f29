"""Subagents by keys, told by agents of both protocol versions."""

from pathlib import Path

import pytest

from acp_tui.protocol.capabilities import Offer
from acp_tui.ui.conversation_screen import ConversationScreen
from acp_tui.ui.sessions.subagents_screen import SubagentScreen
from tests.agents.scripted import write_script
from tests.pilot.questions import answerable
from tests.pilot.test_real_agent import before

pytestmark = pytest.mark.anyio

VERSIONS: dict[Offer, str] = {
    "1": """
agent.initialize()
agent.new_session()
prompt = agent.expect("session/prompt")
END = lambda: agent.end_turn(prompt)
TITLE = {"toolCall": {"toolCallId": "w", "title": "Write notes.md", "kind": "edit"}}
""",
    "2": """
info = {"name": "scripted", "version": "2"}
session = {"prompt": {}, "mcp": {}, "close": {}}
agent.initialize({"protocolVersion": 2, "info": info, "capabilities": {"session": session}, "authMethods": []})
agent.new_session()
prompt = agent.expect("session/prompt")
agent.answer(prompt, {"messageId": "u"})
agent.update({"sessionUpdate": "user_message", "messageId": "u", "content": prompt["params"]["prompt"]})
agent.update({"sessionUpdate": "state_update", "state": "running"})
END = lambda: agent.update({"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"})
TITLE = {"title": "Write notes.md", "subject": {"type": "tool_call", "toolCall": {
    "toolCallId": "w", "title": "Write notes.md", "kind": "edit", "status": "pending"}}}
""",
}
BODY = """
def child(**members):
    agent.update({"sessionUpdate": "subagent_update", "sessionId": "kid", **members})

def says(text):
    content = {"type": "text", "text": text}
    agent.update({"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": content}, "kid")

child(title="Explore", state={"state": "running"}, capabilities={"cancel": {}})
says("Looking around")
options = [{"optionId": "yes", "name": "Allow once", "kind": "allow_once"}]
agent.answer_to(agent.ask("session/request_permission", {"sessionId": "kid", "options": options, **TITLE}))
END()
agent.expect("session/cancel")
says(" and stopped")
child(state={"state": "idle", "stopReason": "cancelled"})
agent.serve()
"""


@pytest.mark.parametrize("version", VERSIONS)
async def test_one_asks_works_on_in_the_background_is_read_and_cancelled(tmp_path: Path, version: Offer) -> None:
    script = write_script(tmp_path, VERSIONS[version] + BODY)
    async with before(script, tmp_path, protocol=version) as someone:
        await someone.send("go")
        await someone.wait_for('△ Subagent "Explore" needs permission')
        assert someone.sees("Write notes.md")
        await answerable(someone)
        await someone.press("y")
        await someone.wait_for('In the background: Subagent "Explore"')
        await someone.press("ctrl+x", "down")
        await someone.opened(SubagentScreen)
        await someone.wait_for("Looking around")
        await someone.wait_for("X cancel this subagent")
        await someone.press("X")
        await someone.wait_for("⊘ cancelled")
        await someone.wait_for("Looking around and stopped")
        await someone.press("escape")
        await someone.opened(ConversationScreen)
        await someone.wait_for("Subagent Explore")
        assert someone.sees("● ready")
    (cancel,) = script.received("session/cancel")
    assert cancel["params"]["sessionId"] == "kid"
