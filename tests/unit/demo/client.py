"""A client for the demo agent in one process: it checks every line against the official schema and answers."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from acp_tui.demo import project
from acp_tui.demo.agent import Agent
from tests.agents.demo_scenes import FullAgent
from tests.unit.protocol.official import V1, Official, validator

CAPABILITIES = {
    "fs": {"readTextFile": True, "writeTextFile": True},
    "terminal": True,
    "elicitation": {"form": {}, "url": {}},
    "session": {"configOptions": {"boolean": {}}, "notices": {}, "compaction": {}},
}
REQUESTS = {
    "session/request_permission": "RequestPermissionRequest",
    "fs/read_text_file": "ReadTextFileRequest",
    "fs/write_text_file": "WriteTextFileRequest",
    "terminal/create": "CreateTerminalRequest",
    "terminal/output": "TerminalOutputRequest",
    "terminal/wait_for_exit": "WaitForTerminalExitRequest",
    "terminal/kill": "KillTerminalRequest",
    "terminal/release": "ReleaseTerminalRequest",
    "elicitation/create": "CreateElicitationRequest",
}
RESULTS = {
    "initialize": "InitializeResponse",
    "session/new": "NewSessionResponse",
    "session/prompt": "PromptResponse",
    "session/set_config_option": "SetSessionConfigOptionResponse",
    "session/set_mode": "SetSessionModeResponse",
    "session/set_model": "SetSessionModeResponse",  # of the same shape, and in no schema any more
}
BOUND = 60  # seconds that nothing here takes


class RefusedError(Exception):
    """The agent answered with an error."""


class DemoClient:
    """`option_id` answers permission requests (None: never), `elicited` forms and addresses.

    `forever` makes commands run without end.
    """

    def __init__(
        self, folder: Path, option_id: str | None = "allow", *, forever: bool = False, agent: Agent | None = None
    ) -> None:
        self.folder, self.option_id, self.forever = folder, option_id, forever
        self.elicited: dict[str, Any] | None = {"action": "decline"}
        self.completed: list[str] = []
        self.schema: Official | None = V1
        self.agent = agent or FullAgent()
        self.agent.connection.pace = 0
        self.agent.connection.write = self._heard
        self.updates: list[dict[str, Any]] = []
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._methods: dict[int, str] = {}
        self._listeners: list[Callable[[], None]] = []

    async def call(self, method: str, **params: Any) -> Any:
        number = len(self._methods) + 1
        self._methods[number] = method
        self._answers[number] = asyncio.get_running_loop().create_future()
        self.agent.connection.take({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return await self._answers[number]

    async def start(self, capabilities: dict[str, Any] = CAPABILITIES) -> dict[str, Any]:
        await self.call("initialize", protocolVersion=1, clientCapabilities=capabilities)
        setup: dict[str, Any] = await self.call("session/new", cwd=str(self.folder), mcpServers=[])
        return setup

    async def prompt(self, text: str) -> str:
        block = {"type": "text", "text": text}
        answer = await self.call("session/prompt", sessionId="demo-1", prompt=[block])
        return str(answer["stopReason"])

    async def choose(self, option_id: str, value: str | bool) -> list[dict[str, Any]]:
        kind = {"type": "boolean"} if isinstance(value, bool) else {}
        chosen = await self.call(
            "session/set_config_option", sessionId="demo-1", configId=option_id, value=value, **kind
        )
        options: list[dict[str, Any]] = chosen["configOptions"]
        return options

    def cancel(self) -> None:
        self.agent.connection.take({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "demo-1"}})

    async def until(self, fact: Callable[[], bool]) -> None:
        """Wait until something that was heard makes `fact` true."""
        heard = asyncio.Event()
        self._listeners.append(heard.set)
        while not fact():
            heard.clear()
            await heard.wait()
        self._listeners.remove(heard.set)

    def kinds(self) -> list[str]:
        return [update["sessionUpdate"] for update in self.updates]

    def text(self, kind: str = "agent_message_chunk") -> str:
        return "".join(update["content"].get("text", "") for update in self.of(kind))

    def of(self, kind: str) -> Iterator[dict[str, Any]]:
        return (update for update in self.updates if update["sessionUpdate"] == kind)

    def tool_calls(self) -> dict[str, dict[str, Any]]:
        """Every tool call as it stands now."""
        calls: dict[str, dict[str, Any]] = {}
        for update in self.updates:
            if update["sessionUpdate"] in ("tool_call", "tool_call_update"):
                calls.setdefault(update["toolCallId"], {}).update(update)
        return calls

    def _heard(self, line: bytes) -> None:
        message = json.loads(line)
        assert line.count(b"\n") == 1
        if message.get("method") == "session/update":
            if self.schema is not None:
                self.schema.validator("SessionNotification").validate(message["params"])
            if message["params"]["sessionId"] == "demo-1":
                self.updates.append(message["params"]["update"])
        elif message.get("method") == "elicitation/complete":
            validator("CompleteElicitationNotification").validate(message["params"])
            self.completed.append(message["params"]["elicitationId"])
        elif "method" in message:
            validator(REQUESTS[message["method"]]).validate(message["params"])
            self.requests.append((message["method"], message["params"]))
            self._answer(message)
        elif "error" in message:
            validator("Error").validate(message["error"])
            self._answers[message["id"]].set_exception(RefusedError(message["error"]["message"]))
        else:
            validator(RESULTS[self._methods[message["id"]]]).validate(message["result"])
            self._answers[message["id"]].set_result(message["result"])
        for listener in self._listeners:
            listener()

    def _answer(self, message: dict[str, Any]) -> None:
        result = self._result(message["method"], message["params"])
        if result is not None:
            answer = {"jsonrpc": "2.0", "id": message["id"], **result}
            asyncio.get_running_loop().call_soon(self.agent.connection.take, answer)

    def _result(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        if method == "session/request_permission":
            if self.option_id is None:
                return None
            return {"result": {"outcome": {"outcome": "selected", "optionId": self.option_id}}}
        if method == "elicitation/create":
            return self.elicited and {"result": self.elicited}
        if method.startswith("fs/"):
            return self._file(method, Path(params["path"]), params)
        if method == "terminal/wait_for_exit":
            return None if self.forever else {"result": {"exitCode": int(self.has_bug), "signal": None}}
        results = {"terminal/create": {"terminalId": "t"}, "terminal/output": {"output": "tested", "truncated": False}}
        return {"result": results.get(method, {})}

    def _file(self, method: str, path: Path, params: dict[str, Any]) -> dict[str, Any]:
        if method == "fs/write_text_file":
            path.write_text(params["content"], encoding="utf-8")
            return {"result": {}}
        if not path.exists():
            return {"error": {"code": -32002, "message": "no such file"}}
        return {"result": {"content": path.read_text(encoding="utf-8")}}

    @property
    def has_bug(self) -> bool:
        return project.BUG in (self.folder / "src" / "login.py").read_text(encoding="utf-8")


def play(scene: Awaitable[None]) -> None:
    """Run a scene, in bounded time."""

    async def bounded() -> None:
        await asyncio.wait_for(scene, BOUND)

    asyncio.run(bounded())
