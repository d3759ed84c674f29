import json
from collections.abc import Iterable
from typing import Any, cast

import anyio
import anyio.lowlevel
import pytest

from acp_tui.host.connection import connection
from acp_tui.host.connection.agent_process import AgentProcess, InputClosed
from acp_tui.host.connection.connection import AgentConnection
from acp_tui.protocol.session_setup import Call
from acp_tui.wire.jsonrpc import Notification, Request, Response
from acp_tui.wire.peer import StrayMessage

pytestmark = pytest.mark.anyio


class FakeProcess:
    """Pipes in memory: reads give the pieces, writes wait for the gate."""

    def __init__(self, pieces: Iterable[bytes] = ()) -> None:
        self.pieces = list(pieces)
        self.sent: list[bytes] = []
        self.gate = anyio.Event()
        self.input_closed = False

    async def receive(self) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""

    async def send(self, data: bytes) -> None:
        await self.gate.wait()
        if self.input_closed:
            raise InputClosed
        self.sent.append(data)


class Log:
    """A receiver that writes down what it hears."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def joins(self, session_id: str) -> bool:
        return session_id == "joins"

    def notified(self, notification: Notification) -> None:
        self.heard.append(notification.method)
        if notification.method == "bad":
            raise ValueError("bad")

    def requested(self, request: Request) -> None:
        self.heard.append(request.id)

    def disturbed(self, noise: StrayMessage) -> None:
        self.heard.append(noise.kind)

    def stumbled(self, error: Exception) -> None:
        self.heard.append(repr(error))

    def clogged(self) -> None:
        self.heard.append("clogged")


def connected(*values: Any) -> tuple[AgentConnection, FakeProcess, Log]:
    process = FakeProcess([b"".join(json.dumps(value).encode() + b"\n" for value in values)])
    log = Log()
    return AgentConnection(cast("AgentProcess", process), log), process, log


def notification(method: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method}


async def test_text_that_came_in_one_read_is_one_chunk() -> None:
    update = {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "text", "text": "a"}}
    told = [
        {**notification("session/update"), "params": {"sessionId": session_id, "update": update}}
        for session_id in ("joins", "joins", "counts", "counts")
    ]
    link, _, log = connected(*told)
    await link.read()
    assert log.heard == ["session/update"] * 3


async def test_an_answer_wakes_its_waiter_at_its_place_in_the_stream() -> None:
    link, _, log = connected(
        notification("a"), {"id": 0, "result": 5}, notification("b"), {"id": "x", "method": "r"}, notification("c")
    )
    link.call(Call("m", {}), lambda answer: log.heard.append(answer.result))
    await link.read()
    assert log.heard == ["a", 5, "b", "x", "c"]


def fail(answer: Response) -> None:
    raise ZeroDivisionError(answer.result)


async def test_a_fold_that_fails_does_not_end_the_loop() -> None:
    link, _, log = connected(notification("bad"), {"id": 0, "result": 1}, notification("good"))
    link.call(Call("m", {}), fail)
    await link.read()
    assert log.heard == ["bad", "ValueError('bad')", "ZeroDivisionError(1)", "good"]


async def test_a_last_line_without_newline_is_folded() -> None:
    link, process, log = connected()
    process.pieces = [b'{"method":"a"', b"}"]
    await link.read()
    assert log.heard == ["a"]


@pytest.mark.parametrize(("budget", "shared"), [(0.0, True), (60.0, False)])
async def test_a_flood_gives_way_when_its_slice_is_over(
    monkeypatch: pytest.MonkeyPatch, budget: float, shared: bool
) -> None:
    monkeypatch.setattr(connection, "SLICE", budget)
    link, _, log = connected(*[notification("flood")] * 50)

    async def press_key() -> None:
        log.heard.append("key")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(press_key)
        await link.read()
        assert ("key" in log.heard) is shared
    assert len(log.heard) == 51


async def test_what_takes_several_turns_is_done_in_one_pause_of_a_flood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "SLICE", 0.0)
    link, _, log = connected(*[notification("flood")] * 50)

    async def come_up() -> None:
        for _ in range(connection.TURNS - 2):
            await anyio.lowlevel.checkpoint()
        log.heard.append("screen")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(come_up)
        await link.read()
    assert log.heard.index("screen") == 1


async def test_what_is_sent_goes_out_in_order_and_says_how_long_it_waits() -> None:
    link, process, _ = connected()
    assert link.unsent_since is None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(link.write)
        link.notify(Call("a", {}))
        waiting_since = link.unsent_since
        link.answer("x", {})
        link.refuse(7, -32601, "no")
        await anyio.wait_all_tasks_blocked()
        assert process.sent == []
        assert link.unsent_since == waiting_since is not None
        process.gate.set()
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    assert link.unsent_since is None
    assert [json.loads(line).get("id") for line in process.sent] == [None, "x", 7]


async def test_an_agent_that_takes_no_input_ends_the_writing() -> None:
    link, process, _ = connected()
    process.gate.set()
    process.input_closed = True
    link.notify(Call("a", {}))
    await link.write()
    assert link.input_closed
    link.notify(Call("b", {}))
    assert link.unsent_since is None


async def test_too_much_unsent_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "UNSENT_CAP", 100)
    link, _, log = connected()
    link.notify(Call("a", {}))
    assert log.heard == []
    link.notify(Call("b" * 100, {}))
    assert log.heard == ["clogged"]


async def test_what_is_owed_to_a_bad_message_is_sent_and_told() -> None:
    link, process, log = connected([])
    process.gate.set()
    await link.read()
    assert log.heard == ["malformed"]
    assert link.unsent_since is not None
