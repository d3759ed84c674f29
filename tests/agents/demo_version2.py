"""The demo agent in version 2 of the protocol: its words for what version 1 says, and sessions that speak them."""

import asyncio
import base64
import contextlib
import difflib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Self

from acp_tui.demo.agent import INFO, SYSTEM_PROMPT
from acp_tui.demo.project import COMMAND
from acp_tui.demo.scenes import available_commands
from acp_tui.demo.session import INTERNAL_ERROR, INVALID_PARAMS, RpcError, Session, ToolCall
from tests.agents.demo_scenes import FullAgent

ARGV = (*COMMAND[:-2], __file__)
"""How it is started."""
CLIENT: dict[str, Any] = {
    "session": {"configOptions": {"boolean": {}}, "notices": {}, "compaction": {}},
    "plan": {},
    "subagents": {},
}
"""What every client of this version can do without saying so, in the words of version 1."""

Data = dict[str, Any]


def update_told(kind: str, members: Data) -> Data:
    if kind == "plan":
        return {"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "plan", **members}}
    if kind == "config_option_update":
        return {"sessionUpdate": kind, "configOptions": options_told(members["configOptions"])}
    if kind in ("tool_call", "tool_call_update"):
        return {"sessionUpdate": "tool_call_update", **tool_call_told(members)}
    return {"sessionUpdate": kind, **members}


def tool_call_told(members: Data) -> Data:
    """What is told of a tool call: only diffs are written in another way."""
    if not isinstance(members.get("content"), list):
        return members
    return {**members, "content": [_diff(item) if item["type"] == "diff" else item for item in members["content"]]}


def permission_told(tool_call: Data) -> Data:
    """What a permission request is about: a command by itself, or the tool call."""
    raw = tool_call.get("rawInput")
    call = tool_call_told(tool_call)
    if tool_call["kind"] == "execute" and isinstance(raw, dict) and "command" in raw:
        subject = {"type": "command", "command": raw["command"], "cwd": raw["cwd"], "toolCallId": call["toolCallId"]}
        return {"title": "May I run this command?", "subject": subject}
    title = call.get("title") or "Untitled request"
    return {"title": f"{title}?", "subject": {"type": "tool_call", "toolCall": call}}


def options_told(options: list[Data]) -> list[Data]:
    """Config options and their groups."""
    for option in options:
        option["configId"] = option.pop("id")
        for group in option.get("options", ()):
            if "group" in group:
                group["groupId"] = group.pop("group")
    return options


def commands_told() -> list[Data]:
    return [
        {"type": "command", **command} | ({"input": {"type": "text", **command["input"]}} if "input" in command else {})
        for command in available_commands(FullAgent.commands)
    ]


def _diff(item: Data) -> Data:
    path, old, new = item["path"], item["oldText"], item["newText"]
    operation = "add" if old is None else "modify"
    lines = difflib.unified_diff(
        (old or "").splitlines(keepends=True),
        new.splitlines(keepends=True),
        "/dev/null" if old is None else f"a{path}",
        f"b{path}",
    )
    text = f"diff --git a{path} b{path}\n" + ("new file mode 100644\n" if old is None else "") + "".join(lines)
    change = {"operation": operation, "path": path, "fileType": "text"}
    return {"type": "diff", "changes": [change], "patch": {"format": "git_patch", "text": text}}


_LIVE = ("state_update", "notice")  # what is not told again


class Session2(Session):
    """The agent's end of one session: it has files and commands of its own, and tells its state."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.log: list[tuple[str, Data]] = []  # with the ids of the sessions
        self.children: dict[str, Session2] = {}
        self.announcements: dict[str, Callable[[], None]] = {}  # of all subagents that work
        self._beside: list[str] = []  # the children that went on when the turn had ended
        self._waiting = self._terminals = 0
        self._background: dict[str, asyncio.Task[None]] = {}
        self._state: dict[str, Any] = {"state": "idle"}

    def spawn(self, title: str, description: str) -> Self:
        child = super().spawn(title, description)
        child.log, child.announcements = self.log, self.announcements  # what happens in it is told again with the rest
        self.children[child.id] = child
        return child

    def setup(self) -> Data:
        return {"configOptions": options_told(self.options.offered()), "availableCommands": commands_told()}

    def suggest(self, *prompts: str) -> None:
        """As Claude's adapter does, whatever the client knows."""
        told = {"suggestions": [{"text": prompt} for prompt in prompts]}
        self.update("session_info_update", _meta={"promptSuggestions": told})

    def begin_turn(self, message_id: str, prompt: list[dict[str, Any]]) -> None:
        self.update("user_message", messageId=message_id, content=prompt)
        self.tell_state("running")

    def end_turn(self, turn: asyncio.Task[str | None]) -> None:
        """A turn has ended; what is in the background goes on."""
        at_work = {child_id for child_id, task in self.at_work.items() if not task.cancelling()}
        self._beside = [child_id for child_id in self.children if child_id in at_work]
        if turn.cancelled():
            self.tell_state("idle", stopReason="cancelled")
        elif (error := turn.exception()) is not None:
            code, data = (error.code, error.data) if isinstance(error, RpcError) else (INTERNAL_ERROR, None)
            told = {"code": code, "message": str(error)} | ({} if data is None else {"data": data})
            self.tell_state("idle", stopReason="error", error=told)
        else:
            self.tell_state("idle", stopReason=turn.result() or "end_turn", usage=self.spent())

    def tell_state(self, state: str, **members: Any) -> None:
        self._state = {"state": state, **members}
        work = [{"type": "tool_call", "toolCallId": call_id} for call_id in self._background]
        work += [{"type": "subagent", "sessionId": child_id} for child_id in self._beside]
        self.update("state_update", **self._state, background=work)

    def tell_again(self, *, everything: bool) -> None:
        """Tell the conversation from its start, if it is wanted, and the state in any case."""
        for session_id, update in list(self.log) if everything else ():
            self.connection.notify("session/update", {"sessionId": session_id, "update": update})
        self.tell_state(**self._state)

    def update(self, kind: str, /, **members: Any) -> None:
        self._tell(kind, members)
        if kind == "subagent_update" and "state" in members:
            self._follow(self.children[members["sessionId"]], members)

    def _tell(self, kind: str, members: Data) -> None:
        update = update_told(kind, members)
        if kind not in _LIVE:
            self.log.append((self.id, update))
        self.connection.notify("session/update", {"sessionId": self.id, "update": update})

    def _follow(self, child: "Session2", members: Data) -> None:
        """A subagent tells its own state too; its parent tells what is in the background."""
        child.tell_state(**members["state"])
        if members["state"]["state"] == "running":
            self.announcements[child.id] = partial(self._tell, "subagent_update", members)
            return
        del self.announcements[child.id]
        if child.id in self._beside:
            self._beside.remove(child.id)
            self.tell_state(**self._state)

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
            call.fail(f"Could not start: {error}")
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
            await process.wait()

    def work_on(self, call: ToolCall, steps: int) -> None:
        """Let a tool call go on beside the turn."""
        call.update(status="in_progress", capabilities={"cancel": {}})
        task = self._background[call.id] = asyncio.create_task(self._work(call, steps))
        task.add_done_callback(lambda done: self._stopped(call, cancelled=done.cancelled()))

    def stop(self, call_id: str) -> dict[str, Any]:
        if call_id not in self._background:
            raise RpcError(INVALID_PARAMS, f"Invalid params: {call_id} cannot be cancelled")
        self._background[call_id].cancel()
        return {}

    def stop_all(self) -> None:
        for task in (*self.at_work.values(), *self._background.values()):
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


class Version2Agent(FullAgent):
    """Speaks version 2 where the client offers it, and version 1 otherwise."""

    _prompts = 0

    async def serve(self, method: str, params: Data) -> Any:
        if method == "initialize" and params["protocolVersion"] >= 2 and "info" in params:
            self.kind, self.connection.client = Session2, CLIENT | (params.get("capabilities") or {})
            content: Data = {"image": {}, "audio": {}, "embeddedContext": {}}
            able: Data = {"session": {"prompt": content, "delete": {}, "fork": {}, **SYSTEM_PROMPT}}
            return {"protocolVersion": 2, "info": INFO, "capabilities": able, "authMethods": []}
        if method == "session/list" and self.kind is Session2:
            return {"sessions": [{"sessionId": each.id, "cwd": str(each.cwd)} for each in self.sessions.values()]}
        session = self.session(params) if "sessionId" in params else None
        if isinstance(session, Session2):
            if method == "session/prompt":
                return self._take(session, params["prompt"])
            if method in ("session/resume", "session/close", "session/delete", "tool_call/cancel"):
                return self._keep(method, session, params)
        answer = await super().serve(method, params)
        if isinstance(session, Session2) and method == "session/set_config_option":
            answer = {"configOptions": options_told(answer["configOptions"])}
        return answer

    def _begun(self, session: Session) -> None:
        if not isinstance(session, Session2):  # else the answer has told them
            super()._begun(session)

    def _take(self, session: Session2, prompt: list[Data]) -> Data:
        """A prompt is taken at once, and states tell the turn. `/background STEPS` works beside it."""
        turn = self.begin_turn(session, prompt)
        self._prompts += 1
        session.begin_turn(f"prompt-{self._prompts}", prompt)
        words = prompt[0].get("text", "").split()
        if words[:1] == ["/background"]:
            session.work_on(session.tool_call("Index the repository", "other"), int(words[1]))
        turn.add_done_callback(lambda done: self._ended(session, done))
        return {"messageId": f"prompt-{self._prompts}"}

    def _ended(self, session: Session2, turn: "asyncio.Task[str | None]") -> None:
        del self.turns[session.id]
        session.end_turn(turn)

    def _keep(self, method: str, session: Session2, params: Data) -> Data:
        if method == "session/resume":
            session.tell_again(everything=params.get("replayFrom") is not None)
            for announce in session.announcements.values():  # behind the answer: what came before it was history
                asyncio.get_running_loop().call_soon(announce)
            return session.setup()
        if method == "tool_call/cancel":
            return session.stop(params["toolCallId"])
        session.stop_all()
        if (turn := self.turns.get(session.id)) is not None:
            turn.cancel()
        if method == "session/delete":
            del self.sessions[session.id]
        return {}


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(Version2Agent().connection.run())
