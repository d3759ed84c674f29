"""The demo agent's end of its sessions, and the connection under them: JSON-RPC 2.0 over standard input and output."""

import asyncio
import contextlib
import json
import os
import re
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, Self

from acp_tui.demo.project import texts

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
PACE = "ACP_TUI_DEMO_PACE"
"""The environment variable with the seconds between two words; 0 is as fast as it goes."""
_LAST_ANSWERS = 0.05  # seconds in which what came before the end of the input may still be answered


class RpcError(Exception):
    """An error answer, sent or received."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class Connection:
    """Both directions of one connection.

    `serve` answers requests, each in a task; `notified` hears notifications; `write` takes the lines to send. `client`
    holds the client's capabilities, `pace` the seconds between two words.
    """

    def __init__(self, serve: Callable[[str, Any], Awaitable[Any]], notified: Callable[[str, Any], None]) -> None:
        self._serve, self._notified = serve, notified
        self.write: Callable[[bytes], None] = _write_line
        self.client: dict[str, Any] = {}
        self.pace = float(os.environ.get(PACE, "0.015"))
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._requests = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        lines: asyncio.Queue[bytes] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        # A thread, because standard input may be a pipe, a file or a terminal, and asyncio waits for pipes only.
        threading.Thread(target=_read_lines, args=(loop, lines), daemon=True).start()
        while line := await lines.get():
            with contextlib.suppress(ValueError):  # not JSON: nobody to answer
                self.take(json.loads(line))
            await asyncio.sleep(0)  # what was asked begins before the next line, which may cancel it
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_LAST_ANSWERS)
        for task in self._tasks:
            task.cancel()

    def offers(self, *path: str) -> bool:
        """Whether the client offers a capability, named by its path."""
        value: Any = self.client
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        return value is not None and value is not False

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def post(self, method: str, params: Any) -> "asyncio.Future[Any]":
        """Send a request at once; its answer comes in the future, or is ignored if nobody waits."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._requests += 1
        self._waiting[self._requests] = future
        self._send({"id": self._requests, "method": method, "params": params})
        return future

    def take(self, message: Any) -> None:
        if not isinstance(message, dict):
            return
        if "method" not in message:
            self._answered(message)
        elif "id" in message:
            task = asyncio.create_task(self._answer(message))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        else:
            self._notified(message["method"], _params(message))

    async def _answer(self, message: dict[str, Any]) -> None:
        answer = {"id": message["id"]}
        try:
            answer["result"] = await self._serve(message["method"], _params(message))
        except RpcError as error:
            answer["error"] = {"code": error.code, "message": error.message}
            if error.data is not None:
                answer["error"]["data"] = error.data
        except (KeyError, TypeError, ValueError, OSError) as error:
            answer["error"] = {"code": INVALID_PARAMS, "message": f"Invalid params: {error!r}"}
        self._send(answer)

    def _answered(self, message: dict[str, Any]) -> None:
        future = self._waiting.pop(message.get("id", 0), None)
        if future is None or future.done():
            return
        if "error" in message:
            error = message["error"]
            future.set_exception(RpcError(error["code"], error["message"], error.get("data")))
        else:
            future.set_result(message.get("result"))

    def _send(self, message: dict[str, Any]) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False) + "\n"
        self.write(line.encode(errors="replace"))


def _params(message: dict[str, Any]) -> dict[str, Any]:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def _write_line(line: bytes) -> None:
    rest = memoryview(line)
    with contextlib.suppress(OSError):  # nobody reads any more: the end of the input follows
        while rest:
            rest = rest[os.write(1, rest) :]


def _read_lines(loop: asyncio.AbstractEventLoop, lines: "asyncio.Queue[bytes]") -> None:
    with contextlib.suppress(RuntimeError):  # the loop is closed: the program ends
        for line in sys.stdin.buffer:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, b"")


Value = str | bool
_LONG_MODELS = ("sage-4-long", "sage-5")


class Options:
    """The current values, and which options there are with them."""

    def __init__(self, *, booleans: bool) -> None:
        self.booleans = booleans
        self.options: dict[str, dict[str, Any]] = {option["id"]: option for option in deepcopy(texts()["options"])}

    def __getitem__(self, option_id: str) -> Value:
        value: Value = self.options[option_id]["currentValue"]
        return value

    @property
    def context_size(self) -> int:
        return 1_000_000 if self["context_1m"] and self["model"] in _LONG_MODELS else 200_000

    def choose(self, option_id: str, value: Value) -> None:
        """Set an option; raises what a real agent answers to a choice that it does not take."""
        option = self.options.get(option_id)
        if option is None or not self._is_there(option_id):
            raise RpcError(INVALID_PARAMS, f"Invalid params: no option {option_id!r}")
        if value == "unreleased":
            raise RpcError(INVALID_PARAMS, "This model is not released yet")
        if not _takes(option, value):
            raise RpcError(INVALID_PARAMS, f"Invalid params: {option_id} has no value {value!r}")
        option["currentValue"] = value

    def offered(self) -> list[dict[str, Any]]:
        return deepcopy([option for option_id, option in self.options.items() if self._is_there(option_id)])

    def _is_there(self, option_id: str) -> bool:
        match option_id:
            case "thinking":
                return not str(self["model"]).startswith("swift")
            case "context_1m":
                return self.booleans and self["model"] in _LONG_MODELS
        return True


def _takes(option: dict[str, Any], value: Value) -> bool:
    match option["type"]:
        case "boolean":
            return isinstance(value, bool)
        case "select":
            return any(value == each["value"] for item in option["options"] for each in item.get("options", [item]))
    return False


_PERMISSION_OPTIONS = [
    {"optionId": "allow", "name": "Yes", "kind": "allow_once"},
    {"optionId": "allow-always", "name": "Yes, and don't ask again this session", "kind": "allow_always"},
    {"optionId": "reject", "name": "No", "kind": "reject_once"},
    {"optionId": "reject-always", "name": "No, and don't ask again this session", "kind": "reject_always"},
]


class Session:
    """The agent's end of one session. `at_work` are its subagents that work, and theirs, by their ids."""

    def __init__(self, session_id: str, cwd: str, connection: Connection, options: Options) -> None:
        self.id, self.cwd, self.connection, self.options = session_id, Path(cwd), connection, options
        self.system_prompt: dict[str, Any] | None = None
        self.at_work: dict[str, asyncio.Task[Any]] = {}
        self._decided: dict[str, bool] = {}
        self._messages = self._tool_calls = self._spawned = 0
        self._tokens = self._spent = 1_200

    def spawn(self, title: str, description: str) -> Self:
        """A subagent: a session for a part of the work, which asks and tells as this one does."""
        self._spawned += 1
        child = type(self)(f"{self.id}-{self._spawned}", str(self.cwd), self.connection, self.options)
        child.at_work = self.at_work
        self.update("subagent_update", sessionId=child.id, title=title, description=description)
        return child

    def begin(self, child: Self, work: Callable[[Self], Awaitable[None]]) -> asyncio.Task[None]:
        """Have a subagent work, until that is done or cancelled."""
        running = {"state": {"state": "running"}, "capabilities": {"cancel": {}}}
        self.update("subagent_update", sessionId=child.id, **running)
        task = self.at_work[child.id] = asyncio.create_task(child.attempt(work))
        task.add_done_callback(lambda task: self._ended(child, task))
        return task

    async def attempt(self, work: Callable[[Self], Awaitable[None]]) -> None:
        try:
            await work(self)
        except (RpcError, OSError) as error:
            await self.say(f"Failed: {error}")

    def _ended(self, child: Self, task: asyncio.Task[None]) -> None:
        del self.at_work[child.id]
        state = {"state": "idle", "stopReason": "cancelled" if task.cancelled() else "end_turn"}
        self.update("subagent_update", sessionId=child.id, state=state, capabilities=None)

    def offers(self, *path: str) -> bool:
        return self.connection.offers(*path)

    def update(self, kind: str, /, **members: Any) -> None:
        params = {"sessionId": self.id, "update": {"sessionUpdate": kind, **members}}
        self.connection.notify("session/update", params)

    def suggest(self, *prompts: str) -> None:
        """Suggest what the user may want next, to a client that shows it."""
        if self.offers("session", "promptSuggestions"):
            suggestions = [{"prompt": [{"type": "text", "text": prompt}]} for prompt in prompts]
            self.update("prompt_suggestions_update", suggestions=suggestions)

    async def request(self, method: str, **params: Any) -> Any:
        """Ask the client; raises `RpcError`."""
        return await self.connection.post(method, {"sessionId": self.id, **params})

    def setup(self) -> dict[str, Any]:
        """What the answer to a new session says of it."""
        return {"configOptions": self.options.offered()}

    async def pause(self, words: int) -> None:
        await asyncio.sleep(self.connection.pace * words)

    async def say(self, text: str) -> None:
        await self._stream("agent_message_chunk", text)

    def show(self, block: dict[str, Any]) -> None:
        """Append a block that is no text to what was said last."""
        self.update("agent_message_chunk", messageId=f"message-{self._messages}", content=block)

    async def think(self, text: str) -> None:
        if self.options["thinking"] != "off":
            await self._stream("agent_thought_chunk", text)

    async def _stream(self, kind: str, text: str) -> None:
        message_id = self.message_id()
        for word in re.findall(r"\S+\s*|\s+", text):
            content = {"type": "text", "text": word}
            self.update(kind, messageId=message_id, content=content)
            await self.pause(1)
        self._tokens += len(text) // 3

    def message_id(self) -> str:
        """The id of a new message."""
        self._messages += 1
        return f"message-{self._messages}"

    def plan(self, *steps: tuple[str, str]) -> None:
        entries = [{"content": content, "priority": "medium", "status": status} for content, status in steps]
        self.update("plan", entries=entries)

    def progress(self, steps: Sequence[str], done: int) -> None:
        """Tell the plan with so many of its steps done and the next in progress."""
        statuses = ["completed"] * done + ["in_progress"] + ["pending"] * len(steps)
        self.plan(*zip(steps, statuses, strict=False))

    def usage(self, **members: Any) -> None:
        cost = {"amount": round(self._tokens * 0.000_012, 4), "currency": "USD"}
        self.update("usage_update", used=self._tokens, size=self.options.context_size, cost=cost, **members)

    def spent(self) -> dict[str, int]:
        """The tokens of the turn that ends now."""
        before, self._spent = self._spent, self._tokens
        return {"inputTokens": before, "outputTokens": self._tokens - before, "totalTokens": self._tokens}

    def tool_call(self, title: str, kind: str, **members: Any) -> "ToolCall":
        self._tool_calls += 1
        self._tokens += 400
        call = ToolCall(self, f"call-{self._tool_calls}", {"title": title, "kind": kind, **members})
        self.update("tool_call", toolCallId=call.id, status="pending", **call.members)
        return call

    async def may(self, call: "ToolCall") -> bool:
        """Whether the client allows a tool call; asks unless it was decided for good."""
        kind = call.members["kind"]
        if kind in self._decided:
            return self._decided[kind]
        tool_call = {"toolCallId": call.id, "status": "pending", **call.members}
        answer = await self.request("session/request_permission", toolCall=tool_call, options=_PERMISSION_OPTIONS)
        option_id = answer["outcome"].get("optionId", "reject")
        allowed = option_id.startswith("allow")
        if option_id.endswith("always"):
            self._decided[kind] = allowed
        return bool(allowed)

    async def read(self, path: Path) -> str:
        """A file's text, by the client where it offers that; raises `RpcError` and `OSError`."""
        if self.offers("fs", "readTextFile"):
            return str((await self.request("fs/read_text_file", path=str(path)))["content"])
        return await asyncio.to_thread(path.read_text, encoding="utf-8")

    async def write(self, path: Path, text: str) -> None:
        """Write a file by the client, never behind its back; raises `RpcError`."""
        if not self.offers("fs", "writeTextFile"):
            raise RpcError(-32601, "this client does not write files")
        await self.request("fs/write_text_file", path=str(path), content=text)

    async def run(self, call: "ToolCall", command: str, args: list[str]) -> int | None:
        """Run a command in a terminal of the client; its exit code, None where there is none."""
        if not self.offers("terminal"):
            call.fail("This client does not support terminals.")
            return None
        try:
            created = await self.request("terminal/create", command=command, args=args, cwd=str(self.cwd))
        except RpcError as error:
            call.fail(f"Could not start: {error}")
            return None
        terminal = {"sessionId": self.id, "terminalId": created["terminalId"]}
        call.update(status="in_progress", content=[{"type": "terminal", "terminalId": created["terminalId"]}])
        try:
            ended = await self.connection.post("terminal/wait_for_exit", terminal)
            output = await self.connection.post("terminal/output", terminal)
        except asyncio.CancelledError:
            self.connection.post("terminal/kill", terminal)
            raise
        finally:
            self.connection.post("terminal/release", terminal)
        code: int | None = ended.get("exitCode")
        status = "completed" if code == 0 else "failed"
        call.update(status=status, rawOutput={"exitCode": code, "output": output["output"]})
        return code


class ToolCall:
    """A tool call that was begun; `members` are what was told of it so far."""

    def __init__(self, session: Session, call_id: str, members: dict[str, Any]) -> None:
        self.id, self.members, self._session = call_id, members, session

    def update(self, **members: Any) -> None:
        self.members |= {name: value for name, value in members.items() if name != "status"}
        self._session.update("tool_call_update", toolCallId=self.id, **members)

    async def work(self, words: int) -> None:
        self.update(status="in_progress")
        await self._session.pause(words)

    def succeed(self, *content: dict[str, Any]) -> None:
        """Finish; without content what was told before stays."""
        self.update(status="completed", **({"content": list(content)} if content else {}))

    def fail(self, reason: str) -> None:
        self.update(status="failed", content=[text_item(reason)])


def text_item(text: str) -> dict[str, Any]:
    return {"type": "content", "content": {"type": "text", "text": text}}


def diff_item(path: Path, old: str | None, new: str) -> dict[str, Any]:
    """A file's change as content of a tool call; a new file has no old text."""
    return {"type": "diff", "path": str(path), "oldText": old, "newText": new}


async def run_command(session: Session, command: str, args: list[str]) -> int | None:
    """Run a command until it ends, or kill it when the turn is cancelled; its exit code, None where there is none."""
    line = " ".join((command, *args))
    call = session.tool_call(line, "execute", rawInput={"command": line, "cwd": str(session.cwd)})
    return await session.run(call, command, args)
