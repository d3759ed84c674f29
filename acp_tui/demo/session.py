"""One session of the demo agent: what its scenes can say and ask."""

import asyncio
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, Self

from acp_tui.demo.connection import INVALID_PARAMS, Connection, RpcError
from acp_tui.demo.project import texts

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
        if option["type"] == "boolean" and not isinstance(value, bool):
            raise RpcError(INVALID_PARAMS, f"Invalid params: {option_id} must be true or false")
        if option["type"] not in ("select", "boolean"):
            raise RpcError(INVALID_PARAMS, f"Invalid params: {option_id} cannot be set")
        if option["type"] == "select" and value not in _values(option["options"]):
            raise RpcError(INVALID_PARAMS, f"Invalid params: {option_id} has no value {value!r}")
        option["currentValue"] = value

    def told(self) -> list[dict[str, Any]]:
        return deepcopy([option for option_id, option in self.options.items() if self._is_there(option_id)])

    def _is_there(self, option_id: str) -> bool:
        match option_id:
            case "thinking":
                return not str(self["model"]).startswith("swift")
            case "context_1m":
                return self.booleans and self["model"] in _LONG_MODELS
        return True


def _values(options: list[dict[str, Any]]) -> set[str]:
    return {value["value"] for option in options for value in option.get("options", [option])}


_PERMISSION_OPTIONS = [
    {"optionId": "allow", "name": "Yes", "kind": "allow_once"},
    {"optionId": "allow-always", "name": "Yes, and don't ask again this session", "kind": "allow_always"},
    {"optionId": "reject", "name": "No", "kind": "reject_once"},
    {"optionId": "reject-always", "name": "No, and don't ask again this session", "kind": "reject_always"},
]


class Session:
    """The agent's end of one session; `client` holds the client's capabilities.

    `at_work` are its subagents that work, and theirs, by their ids, and `announce` announces each of them again. Those
    `beside` the turn need not be done by its end.
    """

    def __init__(
        self, session_id: str, cwd: str, connection: Connection, client: dict[str, Any], options: Options, pace: float
    ) -> None:
        self.id, self.cwd, self.connection, self.options = session_id, Path(cwd), connection, options
        self._client, self._pace = client, pace
        self.system_prompt: dict[str, Any] | None = None
        self._decided: dict[str, bool] = {}
        self.at_work: dict[str, asyncio.Task[None]] = {}
        self.announce: dict[str, Callable[[], None]] = {}
        self.beside: list[str] = []
        self._messages = self._tool_calls = self._spawned = 0
        self._tokens = self._spent = 1_200

    def spawn(self) -> Self:
        """A session for a part of the work; it asks and tells as this one does."""
        self._spawned += 1
        session_id = f"{self.id}-{self._spawned}"
        child = type(self)(session_id, str(self.cwd), self.connection, self._client, self.options, self._pace)
        child.at_work, child.announce = self.at_work, self.announce
        return child

    def show_state(self, state: str = "", **members: Any) -> None:
        """Tell what the session is at, where sessions tell that themselves; empty: what it was told to be at."""

    def stop_all(self) -> None:
        """Cancel what goes on beside the turn."""
        for task in list(self.at_work.values()):
            task.cancel()

    def offers(self, *path: str) -> bool:
        """Whether the client offers a capability, named by its path."""
        value: Any = self._client
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        return value is not None and value is not False

    def update(self, kind: str, /, **members: Any) -> None:
        params = {"sessionId": self.id, "update": {"sessionUpdate": kind, **members}}
        self.connection.notify("session/update", params)

    def suggest(self, *prompts: str) -> None:
        """Suggest what the user may want next; as Claude's adapter does where the client knows no better."""
        if self.offers("session", "promptSuggestions"):
            suggestions = [{"prompt": [{"type": "text", "text": prompt}]} for prompt in prompts]
            self.update("prompt_suggestions_update", suggestions=suggestions)
        else:
            told = {"suggestions": [{"text": prompt} for prompt in prompts]}
            self.update("session_info_update", _meta={"promptSuggestions": told})

    async def request(self, method: str, **params: Any) -> Any:
        """Ask the client; raises `RpcError`."""
        return await self.connection.post(method, {"sessionId": self.id, **params})

    def options_told(self) -> list[dict[str, Any]]:
        return self.options.told()

    def setup(self) -> dict[str, Any]:
        return {"configOptions": self.options_told()}

    async def pause(self, words: int) -> None:
        await asyncio.sleep(self._pace * words)

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


def python() -> str:
    """The command that runs Python, in the words of a user where they are enough."""
    return "python3" if shutil.which("python3") else sys.executable


async def run_command(session: Session, command: str, args: list[str]) -> int | None:
    """Run a command until it ends, or kill it when the turn is cancelled; its exit code, None where there is none."""
    line = " ".join((command, *args))
    call = session.tool_call(line, "execute", rawInput={"command": line, "cwd": str(session.cwd)})
    return await session.run(call, command, args)
