"""A conversation, written down, and read again: the same session comes out of it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.records.wire_record import WireLine, WireRecord, read_wire_record
from acp_tui.host.wire_replay import WireReplay
from acp_tui.protocol.capabilities import SystemPrompt
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.session.entries import MessageEntry
from acp_tui.session.export import to_json
from acp_tui.session.facts import Noticed
from acp_tui.session.state import Session
from tests.agents.scripted import write_script
from tests.integration.driver import Driver, driven, start_of

pytestmark = pytest.mark.anyio

_TIMES = frozenset(
    {"started_at", "finished_at", "ended_at", "last_heard_at", "asked_at", "cancel_requested_at", "seconds"}
)

SCRIPT = """
agent.initialize()
select = {"type": "select", "id": "m", "name": "Model", "category": "model", "currentValue": "a",
          "options": [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}]}
session = agent.new_session(config_options=[select])
prompt = agent.expect("session/prompt")
agent.think("hm")
agent.say("Let me ")
agent.raw(b"noise on the wire\\n")
agent.say("look")
call = {"toolCallId": "t", "title": "Edit", "kind": "edit", "status": "pending"}
agent.update({"sessionUpdate": "tool_call", **call})
answer = agent.answer_to(agent.permission({"toolCallId": "t"}))
agent.update({"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed",
              "rawOutput": answer["result"]})
terminal = agent.request("terminal/create", {"sessionId": session, "command": "echo", "args": ["hi there"]})
known = {"sessionId": session, **terminal}
agent.request("terminal/wait_for_exit", known)
agent.request("terminal/output", known)
agent.update({"sessionUpdate": "tool_call", "toolCallId": "e", "title": "echo", "kind": "execute",
              "status": "completed", "content": [{"type": "terminal", **terminal}]})
agent.end_turn(prompt)
chosen = agent.expect("session/set_config_option")
agent.answer(chosen, {"configOptions": [{**select, "currentValue": chosen["params"]["value"]}]})
second = agent.expect("session/prompt")
agent.say("and more")
agent.expect("session/cancel")
agent.end_turn(second, "cancelled")
agent.turn("the last")
agent.serve()
"""


async def recorded(folder: Path) -> tuple[Session, list[WireLine]]:
    """The conversation as it happens, and its lines."""
    script = write_script(folder, SCRIPT)
    client = Client(LaunchPlan(AgentCommand(tuple(script.argv)), folder), start=start_of(script))
    record = WireRecord(folder / "wire.jsonl", client.traffic, unexpected)
    async with driven(Driver(client)) as driver:
        session = driver.session
        driver.submit("go")
        await driver.asked()
        client.of(session).questions.answer_permission(session.permissions[0].key, "yes")
        await driver.idle()
        client.of(session).choose("m", "b")
        await driver.until(lambda: not session.config_in_flight)
        driver.submit("again")
        await driver.until(lambda: "and more" in driver.said())
        client.of(session).cancel()
        await driver.until(lambda: not session.turn.active)
        driver.submit("finally")
        await driver.until(lambda: "the last" in driver.said() and not session.turn.active)
    record.close()
    return session, [*filter(None, read_wire_record(folder / "wire.jsonl"))]


def unexpected(notice: Noticed) -> None:
    pytest.fail(str(notice))


def told(session: Session) -> dict[str, Any]:
    """What the session holds, without times and what only running commands show."""
    data = to_json(session)
    return {name: _timeless(data[name]) for name in ("id", "entries", "config_options", "plans", "queue")}


def _timeless(value: Any) -> Any:
    if isinstance(value, list):
        return [_timeless(item) for item in value]
    if isinstance(value, dict):
        return {name: _timeless(item) for name, item in value.items() if name not in _TIMES}
    return value


def replayed(folder: Path) -> WireReplay:
    return WireReplay(read_wire_record(folder / "wire.jsonl"))


async def test_the_same_session_comes_out(tmp_path: Path) -> None:
    session, _ = await recorded(tmp_path)
    replay = replayed(tmp_path)
    assert [entry["type"] for entry in told(session)["entries"]].count("tool_call") == 2
    [again] = replay.sessions
    assert told(again) == told(session)
    [terminal] = again.terminals.values()
    assert b"".join(terminal.chunks) == b"hi there\n"
    assert terminal.exit_status is not None
    assert terminal.exit_status.exit_code == 0


SUBAGENTS = """
agent.initialize()
session = agent.new_session()
prompt = agent.expect("session/prompt")
running, idle = {"state": "running"}, {"state": "idle", "stopReason": "end_turn"}
options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]


def tell(to, **update):
    agent.notify("session/update", {"sessionId": to, "update": update})


def child(to, name, **members):
    tell(to, sessionUpdate="subagent_update", sessionId=name, **members)


def ask(name):
    params = {"sessionId": name, "toolCall": {"toolCallId": "t", "title": f"Edit {name}"}, "options": options}
    return agent.ask("session/request_permission", params)


for name in ("a", "b"):
    child(session, name, title=name.upper(), state=running, capabilities={"cancel": {}})
child("a", "deep", state=running)
own, of_a, of_b, of_deep = ask(session), ask("a"), ask("b"), ask("deep")
agent.expect("session/cancel")
told = [agent.answer_to(one)["result"]["outcome"].get("optionId") for one in (of_a, of_deep, of_b, own)]
tell("b", sessionUpdate="agent_message_chunk", messageId="m", content={"type": "text", "text": str(told)})
made = agent.request("terminal/create", {"sessionId": "b", "command": "echo", "args": ["in the child"]})
agent.request("terminal/wait_for_exit", {"sessionId": "b", **made})
agent.request("terminal/output", {"sessionId": "b", **made})
child(session, "a", state={"state": "idle", "stopReason": "cancelled"}, capabilities=None)
child(session, "b", state=idle)
agent.end_turn(prompt)
agent.serve()
"""


async def test_what_the_user_did_with_subagents_is_there_again(tmp_path: Path) -> None:
    script = write_script(tmp_path, SUBAGENTS)
    client = Client(LaunchPlan(AgentCommand(tuple(script.argv)), tmp_path), start=start_of(script))
    record = WireRecord(tmp_path / "wire.jsonl", client.traffic, unexpected)
    async with driven(Driver(client)) as driver:
        session, conversation = driver.session, client.of(driver.session)
        driver.submit("go")
        await driver.until(lambda: len(session.permissions) == 4)
        conversation.cancel_child("a")
        keys = {one.request.session_id: one.key for one in session.permissions}
        assert keys.keys() == {session.id, "b"}, "those of the subagent that was cancelled are answered"
        for name in ("b", session.id):
            conversation.questions.answer_permission(keys[name], "yes")
        await driver.idle()
    record.close()
    [again] = replayed(tmp_path).sessions

    def children(session: Session) -> dict[str, Any]:
        found = to_json(session)["subagents"]
        return {name: _timeless([found[name]["entries"], found[name]["turn"]]) for name in found}

    assert _talk(told(again)["entries"]) == _talk(told(session)["entries"])
    assert children(again) == children(session)
    assert "[None, None, 'yes', 'yes']" in str(children(again)["b"])
    [terminal] = again.subagents["b"].terminals.values()
    assert b"".join(terminal.chunks) == b"in the child\n"


async def test_a_session_that_was_refused_with_a_system_prompt_is_refused_and_opened_again(tmp_path: Path) -> None:
    able = {"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"systemPrompt": {}}}}
    script = write_script(
        tmp_path,
        f"""
        agent.initialize({able!r})
        agent.fail(agent.expect("session/new"), -32603, "no room for that")
        agent.new_session()
        agent.turn("here I am")
        agent.serve()
        """,
    )
    prompt = SystemPrompt("", ("Be kind.",), ("--append-system-prompt",))
    command = AgentCommand(tuple(script.argv))
    client = Client(LaunchPlan(command, tmp_path, system_prompt=prompt), attended=True, start=start_of(script))
    record = WireRecord(tmp_path / "wire.jsonl", client.traffic, unexpected)
    async with driven(Driver(client)) as driver:
        await driver.until(lambda: driver.session.closed)
        client.open_without_prompt(driver.session)
        driver.submit("hello")
        await driver.until(lambda: "here I am" in driver.said() and not driver.session.turn.active)
    record.close()
    [again] = replayed(tmp_path).sessions
    assert _talk(told(again)["entries"]) == _talk(told(driver.session)["entries"])
    assert "here I am" in str(told(again))


async def test_all_that_passed_is_there_for_the_inspector(tmp_path: Path) -> None:
    _, lines = await recorded(tmp_path)
    replay = WireReplay(lines)
    passed = [(piece.at, piece.direction, piece.data) for piece in replay.traffic.recent]
    endings = {"start": b""}
    assert passed == [(line.at, line.direction, line.line + endings.get(line.direction, b"\n")) for line in lines]
    assert replay.connection.spoken == "ACP 1"


async def test_a_record_that_breaks_off_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    """Nothing waits for an answer, and nothing is at work."""
    _, lines = await recorded(tmp_path)
    at = next(number for number, line in enumerate(lines) if b"request_permission" in line.line)
    [session] = WireReplay(lines[: at + 1]).sessions
    assert "Let me " in str(told(session))
    assert (session.permissions, session.turn.active) == ([], False)
    assert "The record ends here" in str(told(session))


def _talk(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without notices, and without the ids of the rows that are numbered with them."""
    said = [entry for entry in entries if entry["type"] != "notice"]
    return [{**entry, "id": ""} if entry["type"] == "turn" else entry for entry in said]


async def test_lines_that_are_no_messages_do_not_end_it(tmp_path: Path) -> None:
    session, lines = await recorded(tmp_path)
    at = next(number for number, line in enumerate(lines) if b"session/prompt" in line.line)
    odd: tuple[object, ...] = (
        {"id": [1], "method": "session/cancel"},
        {"id": {}, "result": 1},
        {"id": 9, "method": [1]},
    )
    noise = [replace(lines[at], direction=way, line=json.dumps(one).encode()) for way in ("->", "<-") for one in odd]
    [again] = WireReplay([*lines[:at], *noise, *lines[at:]]).sessions
    assert _talk(told(again)["entries"]) == _talk(told(session)["entries"])


BRANCHES = """
able = {"sessionCapabilities": {"fork": {}}}
named = {"name": "claude-agent-acp", "version": "1.0.0"}
agent.initialize({"protocolVersion": 1, "agentInfo": named, "agentCapabilities": able})
agent.new_session("root")
for number in (1, 2):
    prompt = agent.expect("session/prompt")
    answer = {"type": "text", "text": f"answer {number}"}
    agent.update({"sessionUpdate": "agent_message_chunk", "messageId": f"a{number}", "content": answer})
    agent.end_turn(prompt)
agent.answer(agent.expect("session/fork"), {"sessionId": "branch"})
agent.session_id = "branch"
agent.turn("another answer")
agent.serve()
"""


async def test_a_branch_is_one_again(tmp_path: Path) -> None:
    script = write_script(tmp_path, BRANCHES).as_process
    client = Client(LaunchPlan(AgentCommand(tuple(script.argv)), tmp_path), start=start_of(script))
    record = WireRecord(tmp_path / "wire.jsonl", client.traffic, unexpected)
    async with driven(Driver(client)) as driver:
        for number, prompt in enumerate(("first", "second"), 1):
            driver.submit(prompt)
            await driver.idle(number)
        messages = [entry for entry in driver.session.entries if isinstance(entry, MessageEntry)]
        branch = Driver(client, client.branches.begin(driver.session, messages[2], [TextContent(text="instead")]))
        await branch.idle(2)
    record.close()
    [_, again] = replayed(tmp_path).sessions
    assert told(again) == told(branch.session)
    assert again.branched == branch.session.branched


ODD: list[Any] = [None, 0, -1, 1e308, "", "\0", "/" * 5_000, "nul\0", [], {}, [[]], {"a": {}}, "../..", "\ud800"]
METHODS = ["session/new", "session/load", "session/fork", "session/close", "session/list", "session/delete",
           "session/set_title", "session/archive", "session/status", "session/prompt", "session/cancel",
           "session/set_config_option", "session/set_mode", "authenticate", "logout"]  # fmt: skip
NAMES = ["sessionId", "cwd", "title", "prompt", "configId", "value", "modeId", "methodId", "archived"]


async def test_no_value_of_a_recording_raises(tmp_path: Path) -> None:
    """A recording is foreign: a session that is closed in it, and anything in any place."""
    _, lines = await recorded(tmp_path)
    session_id = next(json.loads(line.line)["params"]["sessionId"] for line in lines if b"session/prompt" in line.line)
    sent = [{"sessionId": session_id}, *(dict.fromkeys(NAMES, odd) for odd in ODD), *ODD]
    messages = [
        {"jsonrpc": "2.0", "id": 1_000 + number, "method": method, "params": params}
        for number, (method, params) in enumerate((method, params) for method in METHODS for params in sent)
    ]
    answers = [
        {"jsonrpc": "2.0", "id": message["id"], "result": odd} for message, odd in zip(messages, ODD, strict=False)
    ]
    more = [replace(lines[-1], direction="->", line=json.dumps(each).encode()) for each in messages]
    more += [replace(lines[-1], direction="<-", line=json.dumps(each).encode()) for each in answers]
    first = WireReplay([*lines, *more]).sessions[0]
    assert "the last" in json.dumps(told(first))
    assert "Parts of this recording could not be read" in json.dumps(told(first))
