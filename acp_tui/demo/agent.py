"""ACP's methods: what a client may ask of the demo agent, in either version of the protocol."""

import asyncio
import os
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from acp_tui.demo.commands import available_commands, perform
from acp_tui.demo.connection import INVALID_PARAMS, METHOD_NOT_FOUND, Connection, RpcError
from acp_tui.demo.session import Options, Session
from acp_tui.demo.version2 import CLIENT, Session2
from acp_tui.version import __version__

PACE = "ACP_TUI_DEMO_PACE"
"""The environment variable with the seconds between two words; 0 is as fast as it goes."""
SYSTEM_PROMPT: dict[str, Any] = {"systemPrompt": {"mode": {"override": {}}}}


class Agent:
    """One agent with any number of sessions; `version` is what was settled on, `client` what the client can do."""

    def __init__(self) -> None:
        self.connection = Connection(self.serve, self._notified)
        self.version = 1
        self.client: dict[str, Any] = {}
        self.sessions: dict[str, Session] = {}
        self.turns: dict[str, asyncio.Task[str | None]] = {}
        self.pace = float(os.environ.get(PACE, "0.015"))
        self._prompts = 0

    async def run(self) -> None:
        await self.connection.run()

    async def serve(self, method: str, params: dict[str, Any]) -> Any:
        """Answer one request; raises `RpcError`."""
        match method:
            case "initialize":
                return self._initialize(params)
            case "session/new":
                return self._new_session(params)
            case "session/fork":
                return self._fork_session(params)
            case "session/prompt":
                return await self._prompt(params)
            case "session/set_config_option":
                session = self._session(params)
                session.options.choose(params["configId"], params["value"])
                return {"configOptions": session.options_told()}
            case "session/list" if self.version == 2:
                return {"sessions": [{"sessionId": each.id, "cwd": str(each.cwd)} for each in self.sessions.values()]}
            case "session/resume" | "session/close" | "session/delete" | "tool_call/cancel":
                session = self._session(params)
                if isinstance(session, Session2):
                    return self._keep(method, session, params)
        raise RpcError(METHOD_NOT_FOUND, f"Method not found: {method}")

    def _notified(self, method: str, params: dict[str, Any]) -> None:
        """A turn, or a subagent by itself, is cancelled."""
        at_work: list[Mapping[str, asyncio.Task[Any]]] = [self.turns]
        at_work += [session.at_work for session in self.sessions.values()]
        for tasks in at_work if method == "session/cancel" else ():
            task = tasks.get(params.get("sessionId", ""))
            if task is not None:
                task.cancel()

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        info = {"name": "acp-tui-demo", "title": "Demo agent", "version": __version__}
        if params["protocolVersion"] >= 2 and "info" in params:
            self.version, self.client = 2, CLIENT | (params.get("capabilities") or {})
            content: dict[str, Any] = {"image": {}, "audio": {}, "embeddedContext": {}}
            able: dict[str, Any] = {"session": {"prompt": content, "delete": {}, "fork": {}, **SYSTEM_PROMPT}}
            return {"protocolVersion": 2, "info": info, "capabilities": able, "authMethods": []}
        self.client = params.get("clientCapabilities") or {}
        content = {"image": True, "audio": True, "embeddedContext": True}
        able = {
            "loadSession": False,
            "promptCapabilities": content,
            "sessionCapabilities": {"fork": {}, **SYSTEM_PROMPT},
        }
        return {"protocolVersion": 1, "agentInfo": info, "agentCapabilities": able, "authMethods": []}

    def _new_session(self, params: dict[str, Any]) -> dict[str, Any]:
        booleans = (self.client.get("session") or {}).get("configOptions") or {}
        options = Options(booleans=booleans.get("boolean") is not None)
        kind = Session if self.version == 1 else Session2
        session_id = f"demo-{len(self.sessions) + 1}"
        session = kind(session_id, params["cwd"], self.connection, self.client, options, self.pace)
        self.sessions[session_id] = session
        session.system_prompt = params.get("systemPrompt")
        if self.version == 1:  # soon, not now: the answer goes first
            told = {"availableCommands": available_commands()}
            asyncio.get_running_loop().call_soon(lambda: session.update("available_commands_update", **told))
        return {"sessionId": session_id, **session.setup()}

    def _fork_session(self, params: dict[str, Any]) -> dict[str, Any]:
        """A new session with the options of another one: nothing else is remembered from turn to turn."""
        root = self._session(params)
        forked = self._new_session(params)
        session = self.sessions[forked["sessionId"]]
        session.options = deepcopy(root.options)
        return {"sessionId": session.id, **session.setup()}

    async def _prompt(self, params: dict[str, Any]) -> dict[str, Any]:
        """Version 1 answers when the turn has ended; in version 2 the prompt is taken at once, states tell the turn."""
        session = self._session(params)
        if session.id in self.turns:
            raise RpcError(INVALID_PARAMS, "Invalid params: the session is busy with another prompt")
        turn = self.turns[session.id] = asyncio.create_task(perform(session, params["prompt"]))
        if isinstance(session, Session2):
            self._prompts += 1
            session.begin(f"prompt-{self._prompts}", params["prompt"])
            turn.add_done_callback(lambda done: self._ended(session, done))
            return {"messageId": f"prompt-{self._prompts}"}
        try:
            await asyncio.wait({turn})
        finally:
            turn.cancel()
            del self.turns[session.id]
        reason = "cancelled" if turn.cancelled() else turn.result() or "end_turn"
        return {"stopReason": reason, "usage": session.spent()}

    def _ended(self, session: Session2, turn: asyncio.Task[str | None]) -> None:
        del self.turns[session.id]
        session.end(turn)

    def _keep(self, method: str, session: Session2, params: dict[str, Any]) -> dict[str, Any]:
        if method == "session/resume":
            session.tell_again(everything=params.get("replayFrom") is not None)
            for announce in session.announce.values():  # behind the answer: what came before it was history
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

    def _session(self, params: dict[str, Any]) -> Session:
        session = self.sessions.get(params["sessionId"])
        if session is None:
            raise RpcError(
                -32002, f"Resource not found: session {params['sessionId']}", {"sessionId": params["sessionId"]}
            )
        return session
