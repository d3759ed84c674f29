"""Traffic as messages: what they are, how long answers took, what is wrong with them, which ones are shown."""

import json
from typing import Any

import pytest

from acp_tui.host.records import inspection as rooms
from acp_tui.host.records.inspection import Inspection, Message, Selection
from acp_tui.host.records.traffic import KEPT, Direction, Traffic
from acp_tui.session.entries import Origin
from tests.rows import each_of

UPDATE = "session/update"


def passes(traffic: Traffic, direction: Direction, *messages: Any) -> None:
    data = b"".join(json.dumps(message).encode() + b"\n" for message in messages)
    traffic.passes(direction, data)


def call(number: int | str, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def update(kind: str, **members: Any) -> dict[str, Any]:
    params = {"sessionId": "s", "update": {"sessionUpdate": kind, **members}}
    return {"jsonrpc": "2.0", "method": UPDATE, "params": params}


def answer(number: int | str, result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "result": result}


def introduced() -> Traffic:
    traffic = Traffic()
    traffic.begins()
    passes(traffic, "->", call(0, "initialize", protocolVersion=1))
    passes(traffic, "<-", answer(0, {"protocolVersion": 1, "agentCapabilities": {}}))
    return traffic


def all_of(traffic: Traffic) -> list[Message]:
    inspection = Inspection(traffic)
    inspection.work(lambda: False)
    return list(inspection.messages)


def test_messages_say_what_they_are() -> None:
    traffic = introduced()
    passes(traffic, "<-", update("agent_message_chunk", content={"type": "text", "text": "hi"}))
    traffic.passes("err", b"a log line\n")
    passes(traffic, "<-", call(7, "fs/read_text_file", sessionId="s", path="/x"))
    passes(traffic, "->", {"id": 7, "error": {"code": -1, "message": "no"}})
    told = [(one.direction, one.kind, one.method, one.problem) for one in all_of(traffic)]
    assert told == [
        ("start", "start", "agent started", ""),
        ("->", "request", "initialize", ""),
        ("<-", "answer", "initialize", ""),
        ("<-", "notification", "session/update agent_message_chunk", ""),
        ("err", "stderr", "a log line", ""),
        ("<-", "request", "fs/read_text_file", ""),
        ("->", "error", "fs/read_text_file", ""),
    ]


def test_an_answer_knows_how_long_it_took_even_if_its_id_comes_back_as_text() -> None:
    traffic = introduced()
    passes(traffic, "->", call(5, "session/new", cwd="/"))
    passes(traffic, "<-", answer("5", {"sessionId": "s-9"}))
    last = all_of(traffic)[-1]
    assert last.method == "session/new"
    assert last.latency is not None
    assert 0 <= last.latency < 5
    assert "s-9" in last.names


@each_of(
    ("message", "problem"),
    [
        (update("agent_message_chunk", content={"type": "text"}), "rejected"),
        (update("agent_message_chunk"), "rejected"),
        (update("something_newer"), "unknown update"),
        (update("tool_call", toolCallId="t", title="T", locations=[{"path": 5}]), "salvaged: locations[0].path"),
        (update("tool_call", toolCallId="t", title="T", locations=[{"path": "/x"}]), ""),
        (call(1, "terminal/create", sessionId="s"), "rejected: "),
        (call(1, "session/request_permission", sessionId="s"), "rejected"),
        (call(1, "elicitation/create", mode=3), "rejected"),
        (call(1, "what/is/this"), "unknown method"),
        ({"method": "what/is/this"}, "unknown method"),
        ({"method": "$/progress"}, ""),
        (answer(99, {}), "no known request"),
        ("noise", "noise: "),
    ],
)
def test_what_is_wrong_is_said(message: Any, problem: str) -> None:
    traffic = introduced()
    passes(traffic, "<-", message)
    last = all_of(traffic)[-1]
    assert problem in last.problem
    assert bool(last.problem) is bool(problem)


def test_a_bad_answer_to_a_prompt_is_said() -> None:
    traffic = introduced()
    passes(traffic, "->", call(1, "session/prompt", sessionId="s", prompt=[]))
    passes(traffic, "<-", answer(1, {"stopReason": 5}))
    assert "stopReason" in all_of(traffic)[-1].problem


def test_version_2_is_read_as_such() -> None:
    traffic = Traffic()
    passes(traffic, "->", call(0, "initialize", protocolVersion=2))
    passes(traffic, "<-", answer(0, {"protocolVersion": 2, "info": {"name": "a"}, "capabilities": {}}))
    passes(traffic, "<-", update("state_update", state="running"))
    assert [one.problem for one in all_of(traffic)] == ["", "", ""]


def test_a_batch_is_several_messages() -> None:
    traffic = introduced()
    passes(traffic, "<-", [update("plan", entries=[]), update("plan", entries=[])])
    assert [one.method for one in all_of(traffic)][-2:] == ["session/update plan"] * 2


def test_who_looks_late_still_knows_the_version_and_that_something_is_missing() -> None:
    traffic = introduced()
    filler = update("agent_message_chunk", content={"type": "text", "text": "x" * 60_000})
    for _ in range(KEPT // 60_000 + 5):
        passes(traffic, "<-", filler)
    passes(traffic, "<-", update("agent_message_chunk"))
    inspection = Inspection(traffic)
    inspection.work(lambda: False)
    assert inspection.late
    assert inspection.messages[0].method == "session/update agent_message_chunk"
    assert [one.problem != "" for one in inspection.messages][-2:] == [False, True]


def test_work_is_done_in_slices_and_only_while_somebody_looks() -> None:
    traffic = introduced()
    inspection = Inspection(traffic)
    assert inspection.messages == inspection.messages.__class__()
    assert not inspection.work(lambda: True)
    assert inspection.work(lambda: False)
    count = len(inspection.messages)
    inspection.close()
    passes(traffic, "<-", update("plan", entries=[]))
    assert not inspection.work(lambda: False)
    assert len(inspection.messages) == count


def test_the_oldest_go_and_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "MESSAGES", 10)
    traffic = introduced()
    passes(traffic, "<-", *[update("plan", entries=[])] * 20)
    inspection = Inspection(traffic)
    inspection.work(lambda: False)
    assert (len(inspection.messages), inspection.gone) == (10, 13)
    assert inspection.messages[-1].number == 23


def test_what_comes_too_fast_is_left_out_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "BACKLOG", 10_000)
    traffic = introduced()
    inspection = Inspection(traffic)
    inspection.work(lambda: False)
    for _ in range(100):
        passes(traffic, "<-", update("plan", entries=[]))
    assert inspection.left_out > 0
    inspection.work(lambda: False)
    assert [one.problem for one in inspection.messages if one.problem] == []


def test_filters_look_at_everything_that_is_shown() -> None:
    traffic = introduced()
    passes(traffic, "<-", update("tool_call", toolCallId="call-7", title="Édit Login"))
    passes(traffic, "<-", update("nonsense"))
    messages = all_of(traffic)

    def shown(**filters: Any) -> list[int]:
        return [one.number for one in messages if Selection(**filters).has(one)]

    assert shown() == [1, 2, 3, 4, 5]
    assert Selection().all
    assert shown(words="TOOL_CALL login") == [4]
    assert shown(words="-> request") == [2]
    assert shown(words="received answer") == [3]
    assert shown(problems=True) == [5]
    assert shown(origin=Origin("t", name="call-7")) == [4]
    assert shown(origin=Origin("t", kind="nonsense", since=0)) == [5]
    assert shown(origin=Origin("t", kind="nonsense", until=0)) == []
    assert not Selection(words="x").all
