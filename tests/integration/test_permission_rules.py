"""Rules in a conversation with an agent: what it gets for an answer, and what the transcript says."""

from pathlib import Path

import pytest

from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.facts import PendingPermission
from tests.agents.scripted import write_script
from tests.integration.driver import connected
from tests.integration.runs import HEAD

pytestmark = pytest.mark.anyio

ASKS = """
    def asked(name, command):
        call = {"toolCallId": name, "title": command, "kind": "execute", "rawInput": {"command": command}}
        return agent.permission(call, [
            {"optionId": "always", "name": "Always", "kind": "allow_always"},
            {"optionId": "once", "name": "Allow", "kind": "allow_once"},
            {"optionId": "no", "name": "Reject", "kind": "reject_once"},
        ])
    first = agent.answer_to(asked("one", "cargo test -q"))["result"]["outcome"]
    second = agent.answer_to(asked("two", "cargo test --lib && git push"))["result"]["outcome"]
    third = agent.answer_to(asked("three", "cargo test --lib"))["result"]["outcome"]
    agent.say(str([each.get("optionId") for each in (first, second, third)]))
    agent.end_turn(prompt)
    agent.serve()
"""


async def test_what_was_allowed_once_is_not_asked_again_and_the_transcript_says_why(tmp_path: Path) -> None:
    async with connected(write_script(tmp_path, HEAD + ASKS).as_process, tmp_path) as driver:
        driver.submit("go")
        conversation = driver.client.of(driver.session)
        await driver.until(lambda: len(driver.session.permissions) == 1)
        pending: PendingPermission = driver.session.permissions[0]
        [row] = conversation.rules.offer(pending).rows
        assert [choice.name for choice in row.choices] == ["cargo test …", "cargo test -q"]
        preview = conversation.rules.preview(pending, row.choices[:1], readers=False)
        assert (preview.seen, preview.answered) == (0, ())  # it is being answered
        conversation.rules.make(row.choices[:1], readers=False)
        conversation.questions.answer_permission(pending.key, "once")
        await driver.until(lambda: [one.tool_call_id for one in driver.session.permissions] == ["two"])
        preview = conversation.rules.preview(driver.session.permissions[0], row.choices[:1], readers=False)
        assert "cargo test -q" in preview.answered
        conversation.questions.answer_permission(driver.session.permissions[0].key, "no")
        await driver.idle()
        assert driver.said() == ["['once', 'no', 'once']"]
        calls = [entry for entry in driver.session.entries if isinstance(entry, ToolCallEntry)]
        assert [entry.rule_reason for entry in calls] == ["", "", "cargo test … (this project)"]
