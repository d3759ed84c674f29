"""An agent that only is a record: it stands where a process stands, and says what the record says.

It must not know screens. Bytes go the whole way through the client, as if a process had written them.
"""

from collections import deque
from typing import Any

import anyio
import anyio.lowlevel

from acp_tui.host.agent_process import AgentProcess, InputClosed
from acp_tui.host.playback.person import Person
from acp_tui.host.playback.requests import Message, Requests, dumped, loaded
from acp_tui.host.playback.timeline import Timeline
from acp_tui.host.stderr import StderrRing
from acp_tui.host.traffic import Traffic
from acp_tui.wire.jsonrpc import INTERNAL_ERROR, RequestId

LOOK_AHEAD = 200
"""Lines in which a request is looked for that the client sends by itself, before its time."""
PATIENCE = 2.0
"""Seconds that an answer waits for its request, which may be on its way."""
MOMENT = 1.0
"""Seconds that the client has for what it does by itself, before it is taken for the person's act."""
SETTING_UP = frozenset({"initialize", "session/new", "session/load", "session/resume"})
"""Requests that the client sends by itself, whose parameters need not be those of then."""


class Playback(AgentProcess):
    """One life of the recorded agent."""

    grace = 0.05

    def __init__(self, timeline: Timeline, person: Person) -> None:
        self._timeline, self._person = timeline, person
        self._requests = Requests()
        self._said: deque[bytes] = deque()
        self._sent = anyio.Event()
        self._ended = anyio.Event()
        self.pid = 0
        self.stderr = StderrRing()
        self.stderr_ended = anyio.Event()
        self.traffic = Traffic()

    @property
    def returncode(self) -> int | None:
        """Always 0 once it ended: how an agent ended is not in a record."""
        return 0 if self._ended.is_set() else None

    async def receive(self) -> bytes:
        """Play on until the agent says something; empty where the record has another process."""
        while not self._ended.is_set():
            data = b""
            if self._said:
                data = self._said.popleft()
            elif self._timeline.over:
                await self._sent.wait()  # what was recorded stays on the screen
            else:
                data = await self._play()
            if data:
                self.traffic.passes("<-", data)
                return data
        return b""

    async def send(self, data: bytes) -> None:
        """Take what the client sends now; what the record does not have is refused.

        Its answers count for nothing: those of then are in the record.
        """
        if self._ended.is_set():
            raise InputClosed
        message = loaded(data)
        if message is None or "method" not in message:
            return
        self.traffic.passes("->", data)
        if "id" not in message:
            return
        if not self._requests.sent(message["method"], message["id"]) and not self._is_to_come(message):
            error = {"code": INTERNAL_ERROR, "message": "This is a replay: there is no agent"}
            self._said.append(dumped({"jsonrpc": "2.0", "id": message["id"], "error": error}))
            self._timeline.poke()
        self._wake()

    async def drain_stderr(self) -> None:
        """There is nothing to drain; lines come at their time."""
        await self._ended.wait()
        self.stderr_ended.set()

    async def exited(self) -> None:
        """Wait for the end."""
        await self._ended.wait()

    async def watch_descendants(self) -> None:
        """There are none."""

    def kill(self) -> None:
        """End."""
        self._ended.set()
        self._timeline.poke()
        self._wake()

    async def stop(self) -> None:
        """End."""
        self.kill()

    async def _play(self) -> bytes:
        """Play the next line; what the agent says by it."""
        line = self._timeline.current
        if line is None or not await self._timeline.reach():
            return b""
        message = loaded(line.line)
        taken = self._timeline.is_taken
        self._timeline.advance()
        match line.direction:
            case "start":
                self._ended.set()
                self._person.restarts()
            case "err":
                self.stderr.feed(line.line + b"\n")
                self.traffic.passes("err", line.line + b"\n")
            case "->":
                if message is not None and not taken:
                    await self._act(message)
            case "<-":
                return await self._say(line.line, message)
        return b""

    def _wake(self) -> None:
        sent, self._sent = self._sent, anyio.Event()
        sent.set()

    async def _act(self, message: Message) -> None:
        method, request_id = message.get("method"), message.get("id")
        if not isinstance(method, str):
            self.traffic.passes("->", dumped(message))
            self._person.answers(request_id, message.get("result"))
        elif "id" not in message:
            self._person.does(method, message.get("params"))
        else:
            self._requests.expect(method, request_id)
            if method in SETTING_UP and await self._comes_by_itself(request_id):
                return
            if not self._person.does(method, message.get("params")):
                self._requests.drop(request_id)

    async def _comes_by_itself(self, request_id: RequestId) -> bool:
        """Whether the client sends this request in a moment, without being asked to."""
        with anyio.move_on_after(MOMENT):
            while not self._requests.is_sent(request_id) and not self._ended.is_set():
                await self._sent.wait()
        return self._requests.is_sent(request_id)

    async def _say(self, line: bytes, message: Message | None) -> bytes:
        if message is None:
            return line + b"\n"
        if isinstance(message.get("method"), str):
            if "id" in message:
                self._person.was_asked(message["id"], message["method"], message.get("params"))
            return line + b"\n"
        with anyio.move_on_after(PATIENCE):
            while not self._requests.is_dropped(message.get("id")) and not self._ended.is_set():
                answer = self._requests.answer(message)
                if answer is not None:
                    return answer
                await self._sent.wait()
        return b""

    def _is_to_come(self, message: Message) -> bool:
        """Whether the record has this request a little later; then it is this one."""
        method = message["method"]
        for number, line in self._timeline.upcoming(LOOK_AHEAD):
            told: Any = loaded(line.line) if line.direction == "->" else None
            if told is None or told.get("method") != method or "id" not in told:
                continue
            if method in SETTING_UP or told.get("params") == message.get("params"):
                self._timeline.take(number)
                self._requests.expect(method, told["id"])
                return self._requests.sent(method, message["id"])
        return False
