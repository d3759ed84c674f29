"""The one ordered loop between the agent's bytes and what they mean.

Events are folded one by one, in the order of the stream, without waiting in between; an answer wakes its
waiter at its own place. Between events the loop gives way often enough that a flood starves nobody. What
is sent waits in a queue that one task drains, so that an agent that does not read blocks nothing else.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

import anyio
import anyio.lowlevel

from acp_tui.errors import Fault
from acp_tui.frozen import Frozen
from acp_tui.host.connection.agent_process import AgentProcess, InputClosed
from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.capabilities import AgentCapabilities
from acp_tui.protocol.faults import AUTH_REQUIRED, error_words
from acp_tui.protocol.session_setup import Call
from acp_tui.protocol.vocabulary.initialization import Initialized
from acp_tui.wire.jsonrpc import Error, Notification, Request, RequestId, Response, encode
from acp_tui.wire.peer import AnsweredCall, Event, Peer, StrayMessage, Waiter

MOST = 500
"""Chunks that are joined: 2 ms of decoding, after which others may want their turn."""
LONGEST = 16 * 1024
"""Characters of what is joined; what is longer costs little for its size, and joining it would only copy it."""
JOINED = frozenset({"agent_message_chunk", "agent_thought_chunk"})
"""Not the user's: a prompt that is sent back is compared chunk by chunk, and in a history each is a prompt."""

Joins = Callable[[str], bool]
"""Whether chunks of a session (by its id) mean the same together."""


def joined(events: Iterable[Event], joins: Joins) -> Iterator[Event]:
    """The events in their order, runs of chunks as one; `joins` is asked at the beginning of each run.

    Before they are read: joined behind the dialect, a flood costs twice the CPU (255 ms for 20,000 chunks, not 120).
    """
    first: Event | None = None
    key: tuple[str, str, object] | None = None
    texts: list[str] = []
    room = 0
    for event in events:
        found = _plain_text(event)
        if found is not None and found[0] == key and len(found[1]) <= room and len(texts) < MOST:
            texts.append(found[1])
            room -= len(found[1])
            continue
        if first is not None:
            yield _together(first, texts)
        first, key, texts, room = event, None, [], 0
        if found is not None:
            key, texts = found[0], [found[1]]
            room = LONGEST - len(found[1]) if joins(key[0]) else -1  # no empty one either
    if first is not None:
        yield _together(first, texts)


def _plain_text(event: Event) -> tuple[tuple[str, str, object], str] | None:
    """The session, kind and message id of a chunk, and its text; None if it is anything else, or says more."""
    if type(event) is not Notification or event.method != "session/update":
        return None
    params: Any = event.params
    if type(params) is not dict or len(params) != 2:
        return None
    update, session_id = params.get("update"), params.get("sessionId")
    if type(update) is not dict or type(session_id) is not str:
        return None
    content, message_id = update.get("content"), update.get("messageId")
    if type(content) is not dict or len(content) != 2 or content.get("type") != "text":
        return None
    kind, text = update.get("sessionUpdate"), content.get("text")
    if type(kind) is not str or kind not in JOINED or type(text) is not str:
        return None
    if len(update) != (2 if message_id is None else 3) or (message_id is not None and type(message_id) is not str):
        return None
    return (session_id, kind, message_id), text


def _together(first: Event, texts: list[str]) -> Event:
    if len(texts) < 2 or not isinstance(first, Notification):
        return first
    update = {**first.params["update"], "content": {"type": "text", "text": "".join(texts)}}
    return Notification(first.method, {**first.params, "update": update})


SLICE = 0.007
"""Seconds of folding after which others get their turn."""
TURNS = 8
"""Turns of the event loop that they get: a key, or a screen that comes up, needs several, one after the other."""
UNSENT_CAP = 256 * 1024 * 1024
"""Bytes that wait for an agent which does not read, before it is given up."""


class Receiver(Protocol):
    """Who makes sense of what the connection hears. Nothing here may wait."""

    def joins(self, session_id: str) -> bool:
        """Whether text of this session that came in one read is one chunk."""

    def notified(self, notification: Notification) -> None: ...

    def requested(self, request: Request) -> None: ...

    def disturbed(self, noise: StrayMessage) -> None: ...

    def stumbled(self, error: Exception) -> None:
        """Folding an event failed in a way that nobody foresaw."""

    def clogged(self) -> None:
        """The agent does not read, and too much waits for it."""


class AgentConnection:
    """Both directions of the connection to one running agent."""

    def __init__(self, process: AgentProcess, receiver: Receiver) -> None:
        self._process, self._receiver = process, receiver
        self._peer = Peer()
        self._unsent: deque[tuple[float, bytes]] = deque()
        self._unsent_size = 0
        self._wake = anyio.Event()
        self.input_closed = False
        self.heard_at = time.monotonic()

    @property
    def unsent_since(self) -> float | None:
        """Monotonic seconds since which the oldest unsent bytes wait; `None` if nothing waits.

        The system takes about 128 KiB more than the agent has read before anything waits here.
        """
        return self._unsent[0][0] if self._unsent else None

    def call(self, call: Call, waiter: Waiter) -> int:
        """Send a request; `waiter` is called with the answer, at its place in the stream. Gives the request's id."""
        request_id = self._peer.next_id
        self._send(self._peer.request(call.method, call.params, waiter))
        return request_id

    def withdraw(self, request_id: int) -> None:
        self.notify(Call("$/cancel_request", {"requestId": request_id}))

    def notify(self, call: Call) -> None:
        self._send(encode(Notification(call.method, call.params)))

    def answer(self, request_id: RequestId, result: Any) -> None:
        self._send(encode(Response(request_id, result)))

    def refuse(self, request_id: RequestId, code: int, message: str, data: Any = None) -> None:
        self._send(encode(Response(request_id, error=Error(code, message, data))))

    async def read(self) -> None:
        give_way_at = time.monotonic() + SLICE
        while data := await self._process.receive():
            self.heard_at = time.monotonic()
            for event in joined(self._peer.feed(data), self._receiver.joins):
                self._fold(event)
                if time.monotonic() >= give_way_at:
                    for _ in range(TURNS):
                        await anyio.lowlevel.checkpoint()
                    give_way_at = time.monotonic() + SLICE
        for event in self._peer.finish():
            self._fold(event)

    async def write(self) -> None:
        while not self.input_closed:
            await self._wake.wait()
            self._wake = anyio.Event()
            try:
                await self._drain()
            except InputClosed:
                self.input_closed = True
                self._unsent.clear()

    async def _drain(self) -> None:
        while self._unsent:
            data = self._unsent[0][1]
            await self._process.send(data)
            self._unsent.popleft()
            self._unsent_size -= len(data)

    def _send(self, data: bytes) -> None:
        if self.input_closed:
            return
        self._unsent.append((time.monotonic(), data))
        self._unsent_size += len(data)
        self._wake.set()
        if self._unsent_size > UNSENT_CAP:
            self._receiver.clogged()

    def _fold(self, event: Event) -> None:
        try:
            if isinstance(event, Notification):
                self._receiver.notified(event)
            elif isinstance(event, AnsweredCall):
                event.waiter(event.response)
            elif isinstance(event, Request):
                self._receiver.requested(event)
            else:
                if event.reply is not None:
                    self._send(event.reply)
                self._receiver.disturbed(event)
        except Exception as error:  # noqa: BLE001 - the loop guard: nothing that an agent writes may end the loop
            self._receiver.stumbled(error)


async def serve_until_gone(process: AgentProcess, connection: AgentConnection) -> None:
    """Read, write and drain until the agent has gone; its exit code and last words are known then, if it has any.

    An agent can go in many ways: it ends, closes one pipe and lives, or ends while a grandchild holds its pipes.
    """
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(process.drain_stderr)
        tasks.start_soon(process.watch_descendants)
        with anyio.CancelScope() as reading:
            tasks.start_soon(_write, process, connection, reading)
            tasks.start_soon(_watch_exit, process, connection, reading)
            await connection.read()
        with anyio.move_on_after(process.grace):
            await process.exited()
        with anyio.move_on_after(process.grace / 2):
            await process.stderr_ended.wait()
        tasks.cancel_scope.cancel()


async def _write(process: AgentProcess, connection: AgentConnection, reading: anyio.CancelScope) -> None:
    """End the reading when the agent takes no input any more."""
    await connection.write()
    await anyio.sleep(process.grace)  # mostly it is about to end, which is the better thing to say
    reading.cancel()


async def _watch_exit(process: AgentProcess, connection: AgentConnection, reading: anyio.CancelScope) -> None:
    """End the reading when the agent has ended and nothing more comes, though somebody holds its pipe open."""
    await process.exited()
    patience = process.grace / 2
    ended_at, rest = time.monotonic(), patience
    while rest > 0:
        await anyio.sleep(rest)
        rest = patience - (time.monotonic() - max(ended_at, connection.heard_at))
    reading.cancel()


class LinkedAgent(Protocol):
    """The agent at the other end of a link."""

    def fail(self, fault: Fault, /) -> None:
        """End the connection, and say why."""

    def wants_login(self, error: Error, /) -> bool:
        """Offer the log-in that this error asks for; False where nobody can log in, so that it is like any other."""

    def logged_in(self) -> None:
        """Try again what waited for a log-in."""


class AgentLink(Frozen):
    """What a conversation knows of its agent."""

    connection: AgentConnection
    dialect: Dialect
    initialized: Initialized
    agent: LinkedAgent

    @property
    def can(self) -> AgentCapabilities:
        return self.initialized.capabilities

    @property
    def agent_name(self) -> str:
        agent = self.initialized.agent
        return (agent.title or agent.name) if agent else ""

    def wants_login(self, answer: Response) -> bool:
        """Whether the agent does this only after a log-in, which is offered then; the caller tries again after it."""
        error = answer.error
        return error is not None and error.code == AUTH_REQUIRED and self.agent.wants_login(error)


def words_of(error: Error) -> str:
    return error_words(error.code, error.message, error.data)
