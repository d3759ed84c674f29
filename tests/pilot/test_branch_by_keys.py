"""Branches by keys: a fork at a message, a fallback, a refused fork, and a side question."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.records.records import Records
from acp_tui.session.entries import MessageEntry, NoticeEntry
from acp_tui.session.folds.messages import text_of
from acp_tui.session.state import Session
from acp_tui.ui.branches.rewind import AsideScreen
from tests.agents.scripted import Script, write_script
from tests.pilot.test_real_agent import Attended, before

pytestmark = pytest.mark.anyio

ABLE: dict[str, Any] = {
    "protocolVersion": 1,
    "agentCapabilities": {"promptCapabilities": {"embeddedContext": True}, "sessionCapabilities": {"fork": {}}},
}
CLAUDE = {**ABLE, "agentInfo": {"name": "@agentclientprotocol/claude-agent-acp", "version": "0.100.0"}}
TURNS = """
def turn(session, text):
    request = agent.expect("session/prompt")
    content = {"type": "text", "text": text}
    agent.update({"sessionUpdate": "agent_message_chunk", "messageId": "id-" + text, "content": content}, session)
    agent.answer(request, {"stopReason": "end_turn"})
agent.new_session("root")
turn("root", "one")
turn("root", "two")
"""


def agent(folder: Path, able: dict[str, Any], body: str) -> Script:
    return write_script(folder, f"agent.initialize({able!r})\n{TURNS}\n{body}\nagent.serve()\n")


async def talk(someone: Attended) -> None:
    for prompt, answer in (("first", "one"), ("second", "two")):
        await someone.send(prompt)
        await someone.wait_for(answer)
        await someone.wait_until(lambda: not someone.session.turn.active, "the end of the turn")


def said(session: Session) -> list[str]:
    return [text_of(entry.parts) for entry in session.entries if isinstance(entry, MessageEntry)]


def session_shown(someone: Attended) -> Session:
    return someone.conversation.session


async def test_a_fork_at_a_message(tmp_path: Path) -> None:
    body = """
agent.answer(agent.expect("session/fork"), {"sessionId": "branch"})
turn("branch", "three")
"""
    script = agent(tmp_path, CLAUDE, body)
    async with before(script, tmp_path) as someone:
        await talk(someone)
        await someone.press("escape", "escape", "enter")
        await someone.wait_for("Fork at this message · The agent remembers everything before it")
        await someone.type(" instead")
        await someone.press("enter")
        await someone.wait_for("three")
        assert said(session_shown(someone)) == ["first", "one", "second instead", "three"]
        assert said(someone.session) == ["first", "one", "second", "two"]
    [fork] = script.received("session/fork")
    assert fork["params"]["_meta"]["jetbrains"]["air"]["fork"]["messageId"] == "id-one"


async def test_without_forks_a_new_session_reads_what_was_said(tmp_path: Path) -> None:
    script = agent(tmp_path, {"protocolVersion": 1}, 'agent.new_session("branch")\nturn("branch", "three")\n')
    async with before(script, tmp_path, Records(tmp_path / "records")) as someone:
        await talk(someone)
        await someone.press("ctrl+x", "g", "enter", "tab")
        await someone.wait_for("New session with the conversation")
        await someone.type(" instead")
        await someone.press("enter")
        await someone.wait_for("three")
        assert said(session_shown(someone))[:2] == ["first", "one"]
        assert said(session_shown(someone))[-1] == "three"
        assert len(someone.app.tabs.entries) == 1
    prompt = script.received("session/prompt")[-1]["params"]["prompt"]
    assert prompt[-1]["text"].endswith("second instead")
    assert "one" in prompt[0]["text"]


async def test_a_side_question_is_declined_what_it_asks_for_and_is_gone_afterwards(tmp_path: Path) -> None:
    body = """
agent.answer(agent.expect("session/fork"), {"sessionId": "aside"})
request = agent.expect("session/prompt")
options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
options.append({"optionId": "no", "name": "No", "kind": "reject_once"})
call = {"toolCallId": "t", "title": "rm -rf", "kind": "execute"}
answer = agent.request("session/request_permission", {"sessionId": "aside", "toolCall": call, "options": options})
chosen = answer["outcome"].get("optionId")
content = {"type": "text", "text": "you said " + chosen}
agent.update({"sessionUpdate": "agent_message_chunk", "messageId": "b", "content": content}, "aside")
agent.answer(request, {"stopReason": "end_turn"})
"""
    script = agent(tmp_path, ABLE, body)
    async with before(script, tmp_path) as someone:
        await talk(someone)
        await someone.send("/btw what is it?")
        await someone.wait_for("you said no")
        assert someone.sees("Permission declined")
        aside = (await someone.opened(AsideScreen)).aside
        await someone.press("escape")
        assert someone.draft == ""
        assert said(someone.session) == ["first", "one", "second", "two"]
        assert said(aside) == ["what is it?", "you said no"]
        assert someone.client.sessions == [someone.session]


async def test_a_side_question_that_the_agent_refuses_is_in_the_prompt_again(tmp_path: Path) -> None:
    body = 'agent.fail(agent.expect("session/fork"), -32603, "no forks today")'
    script = agent(tmp_path, ABLE, body)
    async with before(script, tmp_path) as someone:
        await talk(someone)
        await someone.send("/btw what is it?")
        await someone.wait_for("no forks today")
        aside = (await someone.opened(AsideScreen)).aside
        assert any(isinstance(entry, NoticeEntry) and entry.severity == "error" for entry in aside.entries)
        await someone.press("escape")
        assert someone.draft == "/btw what is it?"
