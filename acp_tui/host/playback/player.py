"""Plays a wire record through a client: its agent process only is the record, and says what that says at its time.

The bytes go the whole way through the client. It counts its requests by itself, and sends some without being asked to:
each is paired with the request of the record that it is, whose answer it gets.
"""

import math
from collections import deque
from collections.abc import Sequence, Set
from pathlib import Path
from typing import Any

import anyio

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.connection.agent_process import AgentProcess, InputClosed
from acp_tui.host.connection.stderr import StderrRing
from acp_tui.host.playback.timeline import Timeline
from acp_tui.host.playback.user import RecordedUser
from acp_tui.host.recording.traffic import Traffic
from acp_tui.host.recording.wire_record import WireLine, dumped
from acp_tui.host.system.current_folder import current_folder
from acp_tui.protocol.capabilities import ClientCapabilities
from acp_tui.protocol.dialect import system_prompt_of
from acp_tui.wire.jsonrpc import INTERNAL_ERROR, RequestId, parse

Message = dict[str, Any]

# A replay touches neither files nor commands.
OFFERED = ClientCapabilities(read_text_file=False, write_text_file=False, terminal=False, elicitation=True)
PATIENCE = 2.0  # seconds that an answer waits for its request, which may be on its way
MOMENT = 1.0  # seconds that the client has for what it does by itself, before it is taken for an act of the user
BEGINNINGS = frozenset({"session/new", "session/load", "session/resume"})
SETTING_UP = BEGINNINGS | {"initialize", "auth/status"}  # requests that the client sends by itself


class Playback(AgentProcess):
    """One life of the recorded agent."""

    grace = 0.05

    def __init__(self, timeline: Timeline, user: RecordedUser) -> None:
        self._timeline, self._user = timeline, user
        sent = [_loaded(line.line) or {} for line in timeline.rest_of_life() if line.direction == "->"]
        # What the client has not sent yet.
        self._expected = {one["id"]: one["method"] for one in sent if "method" in one and "id" in one}
        self._ids: dict[RequestId, RequestId] = {}  # of requests that were sent: the record's and the client's
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
        message = _loaded(data)
        if message is None or "method" not in message:
            return
        self.traffic.passes("->", data)
        if "id" not in message:
            return
        if not self._pair(message):
            error = {"code": INTERNAL_ERROR, "message": "This is a replay: no agent is running"}
            self._said.append(dumped({"jsonrpc": "2.0", "id": message["id"], "error": error}))
            self._timeline.poke()
        self._wake()

    def _wake(self) -> None:
        sent, self._sent = self._sent, anyio.Event()
        sent.set()

    async def drain_stderr(self) -> None:
        await self._ended.wait()  # lines come at their time
        self.stderr_ended.set()

    async def exited(self) -> None:
        await self._ended.wait()

    async def watch_descendants(self) -> None:
        """There are none."""

    def kill(self) -> None:
        self._ended.set()
        self._timeline.poke()
        self._wake()

    async def stop(self) -> None:
        self.kill()

    async def _play(self) -> bytes:
        line = self._timeline.current
        if not await self._timeline.reach():
            return b""
        message = _loaded(line.line)
        self._timeline.advance()
        match line.direction:
            case "start":
                self._ended.set()
                self._user.restarts()
            case "err":
                self.stderr.feed(line.line + b"\n")
                self.traffic.passes("err", line.line + b"\n")
            case "->":
                if message is not None:
                    await self._act(message)
            case "<-":
                return await self._say(line.line, message)
        return b""

    async def _act(self, message: Message) -> None:
        method, request_id, params = message.get("method"), message.get("id"), message.get("params")
        if method is None:
            self.traffic.passes("->", dumped(message))
            self._user.answers(request_id, message.get("result"))
        elif "id" not in message:
            self._user.does(method, params)
        elif request_id in self._expected:  # else it was sent before its time
            if method in SETTING_UP and await self._is_sent(request_id, MOMENT):
                return
            if not self._user.does(method, params):
                self._expected.pop(request_id, None)

    async def _say(self, line: bytes, message: Message | None) -> bytes:
        if message is None:
            return line + b"\n"
        if "method" not in message:
            sent = await self._is_sent(message.get("id"), PATIENCE)
            return dumped({**message, "id": self._ids[message.get("id")]}) if sent else b""
        if "id" in message:
            self._user.was_asked(message["id"], message["method"], message.get("params"))
        return line + b"\n"

    def _pair(self, message: Message) -> bool:
        recorded = next((one for one, method in self._expected.items() if method == message["method"]), None)
        if recorded is None:
            return False
        self._ids[recorded] = message["id"]
        del self._expected[recorded]
        return True

    async def _is_sent(self, recorded: RequestId, within: float) -> bool:
        """Whether the client has sent a request of the record, or does so in some seconds."""
        with anyio.move_on_after(within):
            while recorded in self._expected and not self._ended.is_set():
                await self._sent.wait()
        return recorded in self._ids


class Player:
    """A client whose agent is a record, and the session that the record begins with."""

    def __init__(
        self,
        lines: Sequence[WireLine],
        name: str,
        speed: float = 1.0,
        *,
        stepping: bool = False,
        patience: float = math.inf,
    ) -> None:
        """`lines` of a wire record, the `name` under which the agent goes until it introduces itself.

        The pace is as for a `Timeline`.
        """
        played = list(lines[1:] if lines and lines[0].direction == "start" else lines)
        self.timeline = Timeline(played, speed, stepping=stepping, patience=patience)
        sent = [message for line in played if line.direction == "->" and (message := _loaded(line.line)) is not None]
        offered = _params_of_first(sent, {"initialize"}).get("protocolVersion")
        params = _params_of_first(sent, BEGINNINGS)
        cwd = params.get("cwd")
        folder = cwd if isinstance(cwd, str) and cwd else str(current_folder())
        command = AgentCommand((name,), protocol="2" if offered == 2 else "1")
        prompt = system_prompt_of(params)
        self.client = Client(
            LaunchPlan(command, Path(folder), capabilities=OFFERED, system_prompt=prompt),
            attended=True,
            start=self._start,
            recorded=True,
        )
        self._user = RecordedUser(self.client)
        self.session = self.client.begin_session(str(params.get("sessionId") or ""))  # none where it is a new one

    async def _start(self, *_: object) -> AgentProcess:
        return Playback(self.timeline, self._user)


def _params_of_first(sent: Sequence[Message], methods: Set[str]) -> Message:
    params = next((message.get("params") for message in sent if message.get("method") in methods), None)
    return params if isinstance(params, dict) else {}


def _loaded(line: bytes) -> Message | None:
    """A line as a message; None if it is none (a batch, noise, what has no proper id or method)."""
    try:
        value = parse(line.decode("utf-8", "replace"))
    except ValueError:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("method", ""), str):
        return None
    return None if isinstance(value.get("id"), list | dict) else value
