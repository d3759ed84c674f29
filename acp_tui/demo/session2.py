"""One session of the demo agent in version 2: the agent has files and commands of its own, and tells its state."""

import asyncio
import base64
import contextlib
from pathlib import Path
from typing import Any

from acp_tui.demo.connection import INVALID_PARAMS, RpcError
from acp_tui.demo.session import Session, ToolCall
from acp_tui.demo.words2 import permission_told, update_told

_LIVE = ("state_update", "notice")  # what is not told again


class Session2(Session):
    """The agent's end of one session."""

    works_on = True

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._log: list[dict[str, Any]] = []
        self._waiting = self._terminals = 0
        self._background: dict[str, asyncio.Task[None]] = {}
        self._state: dict[str, Any] = {"state": "idle"}

    def begin(self, message_id: str, prompt: list[dict[str, Any]]) -> None:
        """A turn begins with the person's message."""
        self.update("user_message", messageId=message_id, content=prompt)
        self.tell_state("running")

    def end(self, stop_reason: str, **details: Any) -> None:
        """A turn ends; what is in the background goes on."""
        self.tell_state("idle", stopReason=stop_reason, **details)

    def tell_state(self, state: str, **members: Any) -> None:
        """What the session is doing, and what goes on beside that."""
        self._state = {"state": state, **members}
        work = [{"type": "tool_call", "toolCallId": call_id} for call_id in self._background]
        self.update("state_update", **self._state, background=work)

    def tell_again(self, *, everything: bool) -> None:
        """Tell the conversation from its start, if it is wanted, and the state in any case."""
        for update in list(self._log) if everything else ():
            self.connection.notify("session/update", {"sessionId": self.id, "update": update})
        self.tell_state(**self._state)

    def update(self, kind: str, /, **members: Any) -> None:
        """Send an update in this version's words."""
        update = update_told(kind, members)
        if kind not in _LIVE:
            self._log.append(update)
        self.connection.notify("session/update", {"sessionId": self.id, "update": update})

    async def request(self, method: str, **params: Any) -> Any:
        """Ask the client; meanwhile the session waits for that."""
        if method == "session/request_permission":
            params = {**permission_told(params.pop("toolCall")), **params}
        if "requestedSchema" in params:
            params["requestedSchema"] = {"type": "object", **params["requestedSchema"]}
        self._wait(1)
        try:
            return await super().request(method, **params)
        finally:
            self._wait(-1)

    def _wait(self, more: int) -> None:
        before, self._waiting = self._waiting, self._waiting + more
        if bool(before) != bool(self._waiting):
            self.tell_state("requires_action" if self._waiting else "running")

    async def write(self, path: Path, text: str) -> None:
        """Write a file, after the client was asked about it."""
        try:
            await asyncio.to_thread(path.write_text, text, encoding="utf-8")
        except OSError as error:
            raise RpcError(INVALID_PARAMS, str(error)) from error

    async def run(self, call: ToolCall, command: str, args: list[str]) -> int | None:
        """Run a command in a terminal of the agent's own; its exit code, None where there is none."""
        self._terminals += 1
        terminal = f"terminal-{self._terminals}"
        line = " ".join((command, *args))
        self.update(
            "terminal_update", terminalId=terminal, command=line, cwd=str(self.cwd), size={"cols": 80, "rows": 24}
        )
        call.update(status="in_progress", content=[{"type": "terminal", "terminalId": terminal}])
        try:
            code = await self._execute(terminal, command, args)
        except OSError as error:
            call.fail(f"Not started: {error}")
            return None
        except asyncio.CancelledError:
            self.update("terminal_update", terminalId=terminal, exitStatus={"signal": "SIGKILL"})
            raise
        self.update("terminal_update", terminalId=terminal, exitStatus={"exitCode": code})
        call.update(status="completed" if code == 0 else "failed", rawOutput={"exitCode": code})
        return code

    async def _execute(self, terminal: str, command: str, args: list[str]) -> int:
        """Run a command to its end, which comes early when the turn is cancelled; raises `OSError`."""
        process = await asyncio.create_subprocess_exec(
            command,
            *args,
            cwd=self.cwd,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            while process.stdout is not None and (data := await process.stdout.read(4096)):
                self.update("terminal_output_chunk", terminalId=terminal, data=base64.b64encode(data).decode())
            return await process.wait()
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()

    def work_on(self, call: ToolCall, steps: int) -> None:
        """Let a tool call go on beside the turn, and beyond it."""
        call.update(status="in_progress", capabilities={"cancel": {}})
        task = self._background[call.id] = asyncio.create_task(self._work(call, steps))
        task.add_done_callback(lambda done: self._stopped(call, cancelled=done.cancelled()))

    def stop(self, call_id: str) -> dict[str, Any]:
        """Stop one tool call in the background."""
        if call_id not in self._background:
            raise RpcError(INVALID_PARAMS, f"Invalid params: {call_id} cannot be cancelled")
        self._background[call_id].cancel()
        return {}

    def stop_all(self) -> None:
        """Stop everything in the background."""
        for task in self._background.values():
            task.cancel()

    async def _work(self, call: ToolCall, steps: int) -> None:
        for step in range(1, steps + 1):
            await self.pause(60)
            text = {"type": "text", "text": f"step {step} of {steps}\n"}
            content = {"type": "content", "content": text}
            self.update("tool_call_content_chunk", toolCallId=call.id, content=content)

    def _stopped(self, call: ToolCall, *, cancelled: bool) -> None:
        call.update(status="cancelled" if cancelled else "completed", capabilities=None)
        del self._background[call.id]
        self.tell_state(**self._state)
