from pathlib import Path

import pytest

from acp_tui.protocol.vocabulary.config_options import SelectOption
from acp_tui.session.changes import PermissionSettled, PromptReturned
from tests.agents.scripted import write_script
from tests.integration.driver import connected

pytestmark = pytest.mark.anyio

OPTION = (
    '{"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": CURRENT, '
    '"options": [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}]}'
)


async def test_a_prompt_is_answered(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize()
        agent.new_session()
        agent.turn("Hello, ", "world")
        agent.serve()
        """,
    )
    async with connected(script.as_process, tmp_path) as driver:
        await driver.ready()
        assert driver.client.connection.agent is not None
        assert driver.client.connection.agent.name == "scripted"
        driver.submit("hi")
        await driver.idle()
        assert driver.said("user") == ["hi"]
        assert driver.said() == ["Hello, world"]
        assert driver.session.turn.stop_reason == "end_turn"
        assert driver.session.agent_name == "Scripted"
    assert driver.client.connection.fault is None
    assert driver.client.connection.exit_code == 0
    assert [one["method"] for one in script.received()] == ["initialize", "session/new", "session/prompt"]
    assert script.received("session/new")[0]["params"]["cwd"] == str(tmp_path)


TWO_TURNS = """
agent.initialize()
agent.new_session()
agent.turn("first")
agent.turn("second")
agent.serve()
"""


async def test_prompts_before_the_session_is_ready_wait_and_go_out_in_order(tmp_path: Path) -> None:
    script = write_script(tmp_path, TWO_TURNS)
    async with connected(script, tmp_path) as driver:
        driver.submit("one")
        driver.submit("two")
        assert [prompt.id for prompt in driver.session.queue] == [1, 2]
        await driver.idle(turns=2)
        assert driver.said("user") == ["one", "two"]
        assert driver.said() == ["first", "second"]
        assert driver.session.queue == []


async def test_a_queue_that_is_held_waits_at_the_end_of_the_turn(tmp_path: Path) -> None:
    script = write_script(tmp_path, TWO_TURNS)
    async with connected(script, tmp_path) as driver:
        conversation = driver.client.of(driver.session)
        await driver.ready()
        driver.submit("one")
        driver.submit("two")
        conversation.holds_queue = True
        await driver.idle()
        assert (driver.said(), len(driver.session.queue)) == (["first"], 1)
        conversation.holds_queue = False
        conversation.send_queued()
        await driver.until(lambda: driver.said() == ["first", "second"])


async def test_a_prompt_during_a_turn_is_queued_and_can_be_withdrawn(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize()
        agent.new_session()
        prompt = agent.expect("session/prompt")
        agent.say("working")
        agent.expect("session/cancel")
        agent.end_turn(prompt, "cancelled")
        agent.turn("next")
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        driver.submit("one")
        await driver.until(driver.said)
        driver.submit("two")
        driver.submit("three")
        assert len(driver.session.queue) == 2
        driver.client.of(driver.session).withdraw_queued(driver.session.queue[0].id)
        driver.client.of(driver.session).cancel()
        driver.client.of(driver.session).cancel()
        await driver.idle(turns=2)
        assert driver.said("user") == ["one", "three"]
    assert len(script.received("session/cancel")) == 1


async def test_a_prompt_cancelled_before_anything_came_is_given_back(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize()
        agent.new_session()
        prompt = agent.expect("session/prompt")
        agent.expect("session/cancel")
        agent.end_turn(prompt, "cancelled")
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        driver.submit("never mind")
        driver.client.of(driver.session).cancel()
        await driver.until(lambda: PromptReturned("never mind") in driver.changes)
        assert driver.said("user") == []


async def test_a_permission_is_asked_and_answered_once(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize()
        agent.new_session()
        prompt = agent.expect("session/prompt")
        asked = agent.permission({"toolCallId": "t1", "title": "Write x", "kind": "edit"})
        agent.say(agent.answer_to(asked)["result"]["outcome"]["optionId"])
        agent.end_turn(prompt)
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.asked()
        pending = driver.session.permissions[0]
        assert [call.id for call in driver.tool_calls()] == ["t1"]
        driver.client.of(driver.session).questions.answer_permission(pending.key, "yes")
        driver.client.of(driver.session).questions.answer_permission(pending.key, "no")
        await driver.idle()
        assert driver.said() == ["yes"]
    assert len([message for message in script.received() if "result" in message]) == 1


async def test_cancelling_answers_all_pending_permissions_cancelled(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize()
        agent.new_session()
        prompt = agent.expect("session/prompt")
        asked = [agent.permission({"toolCallId": f"t{number}", "title": "x"}) for number in range(3)]
        outcomes = [agent.answer_to(one)["result"]["outcome"] for one in asked]
        agent.say(json.dumps(outcomes))
        agent.end_turn(prompt, "cancelled")
        agent.serve()
        """,
    )
    async with connected(script.as_process, tmp_path) as driver:
        driver.submit("go")
        await driver.asked(3)
        driver.client.of(driver.session).cancel()
        assert driver.session.permissions == []
        await driver.idle()
        assert driver.said() == ["[" + ", ".join(['{"outcome": "cancelled"}'] * 3) + "]"]
    order = [one.get("method", "answer") for one in script.received()]
    assert order[3:] == ["session/cancel", "answer", "answer", "answer"]


async def test_a_turn_that_ends_settles_what_it_asked(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize()
        agent.new_session()
        prompt = agent.expect("session/prompt")
        asked = agent.permission({"toolCallId": "t1", "title": "x"})
        agent.end_turn(prompt)
        agent.say(agent.answer_to(asked)["result"]["outcome"]["outcome"])
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.until(driver.said)
        assert driver.said() == ["cancelled"]
        assert any(isinstance(change, PermissionSettled) for change in driver.changes)


@pytest.mark.parametrize("method", ["expect", "cancel"])
async def test_a_permission_that_the_agent_takes_back_is_settled(tmp_path: Path, method: str) -> None:
    request_id = "'p'" if method == "expect" else "7"
    script = write_script(
        tmp_path,
        f"""
        agent.initialize()
        agent.new_session()
        prompt = agent.expect("session/prompt")
        params = {{"sessionId": agent.session_id, "toolCall": {{"toolCallId": "t"}}, "options": []}}
        agent.ask("session/request_permission", params, {request_id})
        agent.notify("$/cancel_request", {{"requestId": "unknown"}})
        agent.notify("$/cancel_request", {{"requestId": {request_id}}})
        agent.say(agent.answer_to({request_id})["result"]["outcome"]["outcome"])
        agent.end_turn(prompt)
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.idle()
        assert driver.said() == ["cancelled"]
        assert driver.session.permissions == []


async def test_a_choice_is_in_flight_until_answered(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        f"""
        agent.initialize()
        agent.new_session(config_options=[{OPTION.replace("CURRENT", "'a'")}])
        chosen = agent.expect("session/set_config_option")
        agent.answer(chosen, {{"configOptions": [{OPTION.replace("CURRENT", "'b'")}]}})
        agent.fail(agent.expect("session/set_config_option"), -32602, "not today")
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        driver.client.of(driver.session).choose("model", "b")
        assert driver.session.config_in_flight == {"model": "b"}
        await driver.until(lambda: not driver.session.config_in_flight)
        [option] = driver.session.config_options
        assert isinstance(option, SelectOption)
        assert option.current_value == "b"
        driver.client.of(driver.session).choose("model", "a")
        driver.client.of(driver.session).choose("no such option", "a")
        await driver.until(lambda: any(getattr(change, "refused", "") == "not today" for change in driver.changes))
        assert driver.session.config_in_flight == {}


async def test_a_failed_prompt_is_told_and_the_next_one_goes_out(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize()
        agent.new_session()
        agent.fail(agent.expect("session/prompt"), -32603, "the model is away", {"status": 503})
        agent.turn("back again")
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        driver.submit("one")
        driver.submit("two")
        await driver.until(driver.said)
        await driver.idle(turns=2)
        assert "the model is away" in driver.noticed()
        assert driver.said() == ["back again"]


async def test_a_prompt_result_that_cannot_be_read_still_ends_the_turn(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize()
        agent.new_session()
        agent.answer(agent.expect("session/prompt"), 5)
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        driver.submit("one")
        await driver.idle()
        assert driver.session.turn.ended_at is not None


async def test_updates_before_the_session_is_known_are_kept(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize()
        request = agent.expect("session/new")
        agent.update({"sessionUpdate": "session_info_update", "title": "Early"}, "later")
        agent.update({"sessionUpdate": "session_info_update", "title": "Other"}, "nobody")
        agent.say("before")
        agent.answer(request, {"sessionId": "session-1"})
        agent.update({"sessionUpdate": "session_info_update", "title": "Right"})
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        await driver.until(lambda: driver.session.title == "Right")
        assert driver.said() == ["before"]
        assert "nobody" in driver.noticed()


async def test_late_updates_after_the_turn_are_taken(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize()
        agent.new_session()
        agent.turn("in time")
        agent.say("late")
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.until(lambda: "late" in "".join(driver.said()))
        assert not driver.session.turn.active


async def test_two_sessions_share_one_connection(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize()
        agent.new_session("first")
        agent.new_session("second")
        prompt = agent.expect("session/prompt")
        agent.say("to " + prompt["params"]["sessionId"])
        agent.end_turn(prompt)
        agent.serve()
        """,
    )
    (tmp_path / "other").mkdir()
    async with connected(script, tmp_path) as driver:
        other = driver.client.open_session(str(tmp_path / "other"))
        await driver.until(lambda: driver.client.connection.phase == "ready" and other.id)
        driver.submit("x")
        await driver.until(lambda: not driver.session.turn.active and (driver.said() or len(other.entries) > 0))
        assert (driver.session.id, other.id) == ("first", "second")
        assert len(other.entries) == 1
    assert script.received("session/new")[1]["params"]["cwd"] == str(tmp_path / "other")
