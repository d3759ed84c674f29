"""Agents that write what they should not: the conversation lives, and the user can see what came."""

from pathlib import Path

import pytest

from acp_tui.host.sessions.children import SHOWN
from acp_tui.protocol.v1.dialect import Version1Dialect
from tests.agents.scripted import write_script
from tests.integration.driver import connected

pytestmark = pytest.mark.anyio

SCRIPT = """
agent.initialize()
session = agent.new_session()
prompt = agent.expect("session/prompt")
agent.say("before ")
{noise}
agent.say("after")
agent.end_turn(prompt)
agent.turn(" and on")
agent.serve()
"""


def update(kind: str, **members: object) -> str:
    return f'agent.update({{"sessionUpdate": {kind!r}, **{members!r}}})'


@pytest.mark.parametrize(
    ("noise", "shown"),
    [
        ("agent.raw(b'INFO model loaded\\n')", "INFO model loaded"),
        ("agent.raw(b'[INFO] model loaded\\n')", "[INFO] model loaded"),
        ("agent.raw(b'Traceback (most recent call last):\\n  boom\\n')", "Traceback"),
        ("agent.raw(b'\\xff\\xfe\\x00\\x80\\n')", "not JSON"),
        ("agent.raw(b'5\\ntrue\\nnull\\n')", "a bare value"),
        ('agent.raw(b\'{"level":30,"msg":"pino says"}\\n\')', "pino says"),
        ("agent.raw(b'[' * 200000 + b'\\n')", "(200,000 bytes)"),
        ("agent.raw(b'{\"id\":1,\"result\":' + b'9' * 5000 + b'}\\n')", "(5,018 bytes)"),
        ("agent.send({'jsonrpc': '2.0', 'method': 'x', 'params': eval('[' * 90 + ']' * 90)}); agent.raw(b'{\\n')", "{"),
        ("agent.send({'jsonrpc': '2.0', 'id': 2, 'result': {}, 'error': {'code': 1, 'message': 'both'}})", "code 1"),
        ("agent.send({'jsonrpc': '2.0', 'id': 0, 'result': {}})", "Duplicate answer"),
        ("agent.send({'jsonrpc': '2.0', 'id': '1', 'result': {}})", "Duplicate answer"),
        ("agent.send({'jsonrpc': '2.0', 'id': 77, 'result': {}})", "never sent"),
        ("agent.send({'jsonrpc': '2.0', 'id': None, 'error': {'code': -32700, 'message': '?'}})", "never sent"),
        ("agent.update({'sessionUpdate': 'session_info_update', 'title': 'x'}, 'stranger')", "stranger"),
        ("agent.notify('session/update', 5)", "sessionId"),
        ("agent.notify('session/update', {'sessionId': session, 'update': []})", "Invalid update from the agent"),
        (update("tool_call", title="no id"), "toolCallId"),
        (update("plan", entries=5) + "; agent.raw(b'!\\n')", "!"),
    ],
)
async def test_noise_in_a_turn_is_shown_and_the_turn_goes_on(tmp_path: Path, noise: str, shown: str) -> None:
    script = write_script(tmp_path, SCRIPT.format(noise=noise))
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.idle()
        if "both" not in noise:  # an answer to the prompt, which ends the turn too soon
            assert "".join(driver.said()) == "before after"
        driver.submit("more")
        await driver.until(lambda: "and on" in "".join(driver.said()))
        assert shown in driver.noticed()
    assert driver.client.connection.fault is None


@pytest.mark.parametrize(
    "silent",
    [
        "agent.notify('_vendor/thing', {})",
        "agent.notify('qwen/notify/session/x', [1])",
        "agent.notify('elicitation/complete', {'elicitationId': 'x'})",
        "agent.notify('$/cancel_request', {'requestId': 'x'})",
        "agent.raw(b'\\n\\r\\n   \\n')",
    ],
)
async def test_what_the_protocol_says_to_ignore_is_ignored(tmp_path: Path, silent: str) -> None:
    script = write_script(tmp_path, SCRIPT.format(noise=silent))
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.idle()
        assert "".join(driver.said()) == "before after"
        assert driver.notices() == []


async def test_a_line_over_the_cap_is_dropped_and_told(tmp_path: Path) -> None:
    noise = "[agent.raw(b'x' * 1024 * 1024) for _ in range(70)]; agent.raw(b'\\n')"
    script = write_script(tmp_path, SCRIPT.format(noise=noise))
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.idle()
        assert "".join(driver.said()) == "before after"
        assert "73,400,320 bytes" in driver.noticed()


async def test_a_line_of_fifty_megabytes_is_read(tmp_path: Path) -> None:
    script = write_script(tmp_path, SCRIPT.format(noise="agent.say('x' * 50_000_000)"))
    async with connected(script.as_process, tmp_path) as driver:
        driver.submit("go")
        await driver.idle()
        assert len("".join(driver.said())) == 50_000_000 + len("before after")
        assert driver.notices() == []


async def test_a_line_of_millions_of_values_is_dropped_and_told(tmp_path: Path) -> None:
    noise = """
agent.raw(b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session-1","update":{"x":[0')
[agent.raw(b',[]' * 340_000) for _ in range(60)]
agent.raw(b']}}}' + bytes([10]))
"""
    script = write_script(tmp_path, SCRIPT.format(noise=noise))
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.idle()
        assert "".join(driver.said()) == "before after"
        assert "bytes with more than 100,000 values was dropped" in driver.noticed()
        assert len(driver.notices()) == 1


async def test_a_request_and_an_answer_of_too_many_values_leave_nobody_waiting(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize()
        session = agent.new_session()
        prompt = agent.expect("session/prompt")
        many = [[]] * 100_000
        asked = agent.ask("fs/read_text_file", {"sessionId": session, "path": "/x", "_meta": {"many": many}})
        agent.say(str(agent.answer_to(asked)["error"]["code"]))
        agent.answer(prompt, {"stopReason": "end_turn", "_meta": {"many": many}})
        agent.turn(" and on")
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.idle()
        assert driver.said() == ["-32600"]
        assert driver.noticed().count("more than 100,000 values") == 2
        driver.submit("more")
        await driver.until(lambda: "and on" in "".join(driver.said()))


async def test_the_input_of_a_tool_streamed_as_text_is_parsed_within_the_same_limits(tmp_path: Path) -> None:
    noise = """
text = '{"many": [' + '[],' * 100_000 + '0]}'
content = [{"type": "content", "content": {"type": "text", "text": text}}]
agent.update({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "t", "status": "pending", "content": content})
agent.update({"sessionUpdate": "tool_call_update", "toolCallId": "t", "content": []})
"""
    script = write_script(tmp_path, SCRIPT.format(noise=noise))
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.idle()
        assert "".join(driver.said()) == "before after"
        assert [call.raw_input for call in driver.tool_calls()] == [None]


async def test_a_flood_of_noise_is_counted_not_shown(tmp_path: Path) -> None:
    script = write_script(tmp_path, SCRIPT.format(noise="[agent.raw(b'log %d\\n' % n) for n in range(5000)]"))
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.idle()
        assert "log 0" in driver.noticed()
        assert "log 100" not in driver.noticed()
        assert f"{5000 - SHOWN:,} more" in driver.noticed()
        assert len(driver.notices()) <= SHOWN + 4


async def test_a_flood_of_bad_updates_is_counted_not_shown(tmp_path: Path) -> None:
    noise = "[agent.update({'sessionUpdate': 'tool_call', 'toolCallId': n, 'title': 't'}) for n in range(500)]"
    script = write_script(tmp_path, SCRIPT.format(noise=noise))
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.idle()
        assert f"{500 - SHOWN:,} more" in driver.noticed()
        assert len(driver.notices()) <= SHOWN + 4


async def test_batches_are_taken_entry_by_entry_and_answered_once_per_request(tmp_path: Path) -> None:
    noise = """
chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "in a batch "}}
agent.send([
    {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": chunk}},
    {"jsonrpc": "2.0", "id": "b1", "method": "_nothing"},
    7,
    {"jsonrpc": "2.0", "id": "b2", "method": "_nothing"},
])
agent.send([{"jsonrpc": "2.0", "method": "_nothing"}])
agent.send([])
agent.say(str([(answer["id"], answer["error"]["code"]) for answer in [agent.receive() for _ in range(4)]]))
"""
    script = write_script(tmp_path, SCRIPT.format(noise=noise))
    async with connected(script.as_process, tmp_path) as driver:
        driver.submit("go")
        await driver.idle()
        answers = "[('b1', -32601), (None, -32600), ('b2', -32601), (None, -32600)]"
        assert "".join(driver.said()) == f"before in a batch {answers}after"
        assert "an invalid entry in a batch" in driver.noticed()


async def test_answers_with_text_ids_are_matched(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        for result in ({"protocolVersion": 1}, {"sessionId": "s"}, {"stopReason": "end_turn"}):
            request = agent.receive()
            agent.send({"jsonrpc": "2.0", "id": str(request["id"]), "result": result})
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.idle()
        assert driver.session.turn.stop_reason == "end_turn"
        assert [notice.title for notice in driver.notices()] == ["The agent ended its turn without an answer"]


async def test_two_requests_of_one_id_get_two_answers(tmp_path: Path) -> None:
    noise = """
options = [{"optionId": "y", "name": "Y", "kind": "allow_once"}]
for number in range(2):
    params = {"sessionId": session, "toolCall": {"toolCallId": f"t{number}"}, "options": options}
    agent.ask("session/request_permission", params, 5)
agent.say(str([agent.answer_to(5)["result"]["outcome"]["outcome"] for _ in range(2)]))
"""
    script = write_script(tmp_path, SCRIPT.format(noise=noise))
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.asked(2)
        for pending in list(driver.session.permissions):
            driver.client.of(driver.session).questions.answer_permission(pending.key, "y")
        await driver.idle()
        assert "['selected', 'selected']" in "".join(driver.said())


async def test_messages_before_the_introduction_are_refused_or_told(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.say("too early")
        asked = agent.ask("fs/read_text_file", {"sessionId": "x", "path": "/x"})
        agent.initialize()
        agent.new_session()
        agent.say(str(agent.answer_to(asked)["error"]["code"]))
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        await driver.until(driver.said)
        assert driver.said() == ["-32600"]
        assert "before it was ready" in driver.noticed()


async def test_a_mistake_of_ours_is_told_and_does_not_end_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_update = Version1Dialect.read_update

    def fail_once(self: Version1Dialect, params: object) -> object:
        monkeypatch.setattr(Version1Dialect, "read_update", read_update)
        raise ZeroDivisionError("somebody divided")

    monkeypatch.setattr(Version1Dialect, "read_update", fail_once)
    script = write_script(tmp_path, SCRIPT.format(noise=update("available_commands_update", availableCommands=[])))
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.idle()
        assert driver.said() == ["after"]
        assert "somebody divided" in driver.noticed()
