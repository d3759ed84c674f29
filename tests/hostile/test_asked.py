"""Permissions that flood, repeat, lie or change under the key: each is answered once, with what the user saw."""

from pathlib import Path
from typing import Any

import pytest
from textual import events

from acp_tui.host.agent.connected_agent import WAITING_CAP
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate
from acp_tui.ui.kit.answer_rule import NEVER
from tests.agents.scripted import write_script
from tests.answering import ManualClock
from tests.driven_screen import DrivenScreen
from tests.integration.driver import connected
from tests.integration.runs import HEAD
from tests.pilot.test_permission_panel import asked

pytestmark = pytest.mark.anyio

MANY = 1_000

# One kind is nothing that its name says, and two options have one id.
LYING = [
    {"optionId": "x", "name": "Reject", "kind": "allow_always"},
    {"optionId": "same", "name": "Go on", "kind": "reject_once"},
    {"optionId": "same", "name": "No", "kind": "allow_once"},
]


async def test_of_a_thousand_at_once_some_wait_and_the_others_are_refused(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        HEAD
        + f"""
    asked = [agent.permission({{"toolCallId": "t", "title": "T"}}) for _ in range({MANY})]
    refused = [agent.answer_to(one)["error"] for one in asked[{WAITING_CAP}:]]
    agent.say(f"{{len(refused)}} refused")
    agent.expect("session/cancel")
    cancelled = [agent.answer_to(one)["result"]["outcome"]["outcome"] for one in asked[:{WAITING_CAP}]]
    agent.say(f", {{cancelled.count('cancelled')}} cancelled")
    agent.end_turn(prompt, "cancelled")
    agent.serve()
""",
    )
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.until(lambda: driver.said() == [f"{MANY - WAITING_CAP} refused"])
        assert len(driver.session.permissions) == WAITING_CAP
        assert driver.noticed().count("Too many questions from the agent") == 1
        driver.client.of(driver.session).cancel()
        await driver.idle()
        assert "".join(driver.said()) == f"{MANY - WAITING_CAP} refused, {WAITING_CAP} cancelled"
        assert driver.session.permissions == []


async def test_an_id_that_comes_again_is_a_question_of_its_own(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        HEAD
        + f"""
    def ask(title, options):
        call = {{"toolCallId": title, "title": title}}
        agent.ask("session/request_permission", {{"sessionId": session, "toolCall": call, "options": options}}, 7)
    yes = [{{"optionId": "yes", "name": "Yes", "kind": "allow_once"}}]
    ask("ls", yes)
    agent.notify("$/cancel_request", {{"requestId": 7}})
    ask("rm", yes)
    agent.say(str([agent.answer_to(7).get("result", "withdrawn") for _ in range(2)]))
    ask("same", {LYING!r})
    agent.say(str(agent.answer_to(7)["result"]))
    agent.end_turn(prompt)
    agent.serve()
""",
    )
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.until(lambda: [one.request.title for one in driver.session.permissions] == ["rm"])
        [waiting] = driver.session.permissions
        for _ in range(3):
            driver.client.of(driver.session).questions.answer_permission(waiting.key, "yes")
        await driver.until(lambda: [one.request.title for one in driver.session.permissions] == ["same"])
        driver.client.of(driver.session).questions.answer_permission(waiting.key, "x")
        driver.client.of(driver.session).questions.answer_permission(driver.session.permissions[0].key, "same")
        await driver.idle()
        first, second = "".join(driver.said()).split("]")
        assert (
            first == "[{'outcome': {'outcome': 'cancelled'}}, {'outcome': {'outcome': 'selected', 'optionId': 'yes'}}"
        )
        assert "'optionId': 'same'" in second


@pytest.mark.parametrize(
    "change",
    [
        {"raw_input": {"command": "rm -rf ~"}},
        {"kind": "execute", "title": "rm -rf ~", "raw_input": {"command": "rm -rf ~"}},
        {"locations": [{"path": "/etc/passwd"}]},
    ],
)
async def test_no_key_answers_what_was_swapped_a_moment_ago(change: dict[str, Any]) -> None:
    async with asked(kind="execute", title="ls", raw_input={"command": "ls"}) as (host, pilot):
        clock = host.answer_keys.clock
        assert isinstance(clock, ManualClock)
        clock.advance(100)
        before = host.panel.rule.painted
        host.session.apply(ToolCallUpdate.model_validate({"tool_call_id": "call1", **change}))
        host.panel.look()
        await pilot.pause()
        assert before + 100 <= host.panel.rule.painted < NEVER
        for key in ("y", "1", "enter"):
            event = events.Key(key, key if len(key) == 1 else None)
            event.after = 0.05  # type: ignore[attr-defined]
            host.post_message(event)
        await pilot.pause()
        assert host.answers == []
        await pilot.press("escape")
        host.panel.show_next(take_focus=True)
        await pilot.pause()
        await pilot.press("y")
        assert host.answers == [(1, "once", "")]


def test_what_lies_behind_blanks_and_names_is_in_sight(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        HEAD
        + f"""
    command = "ls" + " " * 3_000 + "; rm -rf ~"
    call = {{"toolCallId": "t", "title": "ls", "kind": "execute", "rawInput": {{"command": command}}}}
    agent.say(str(agent.answer_to(agent.permission(call, {LYING!r}))["result"]))
    agent.end_turn(prompt)
    agent.serve()
""",
    )
    with DrivenScreen("--", *script.argv, cwd=tmp_path) as screen:
        screen.wait_for("Ask anything")
        screen.press("go\r")
        screen.wait_for("Permission required")
        screen.wait_until(lambda: screen.shows("rm -rf ~") and screen.shows("No"), "the whole command")
        rows = [row.split() for row in screen.recorded.rows()]
        screen.press("\x03\x03\x03")
        screen.wait_for_end()
    [lying] = (" ".join(row) for row in rows if "Reject" in row)
    assert " allow always stored by " in lying
    assert [row[-2:] for row in rows if "No" in row and "rule" not in row] == [["allow", "once"]]
    assert screen.recorded.foreign == []
