"""ACP's methods: what a client may ask of the demo agent, in version 1 of the protocol."""

import asyncio
from copy import deepcopy
from typing import Any

from acp_tui import __version__
from acp_tui.demo.scenes import COMMANDS, Command, available_commands, perform
from acp_tui.demo.session import INVALID_PARAMS, METHOD_NOT_FOUND, Connection, Options, RpcError, Session

INFO = {"name": "acp-tui-demo", "title": "Demo agent", "version": __version__}
SYSTEM_PROMPT: dict[str, Any] = {"systemPrompt": {"mode": {"override": {}}}}


class Agent:
    """One agent with any number of sessions, each of this `kind`."""

    commands: tuple[Command, ...] = COMMANDS

    def __init__(self) -> None:
        self.connection = Connection(self.serve, self._notified)
        self.kind: type[Session] = Session
        self.sessions: dict[str, Session] = {}
        self.turns: dict[str, asyncio.Task[Any]] = {}

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
                session = self.session(params)
                session.options.choose(params["configId"], params["value"])
                return {"configOptions": session.options.offered()}
        raise RpcError(METHOD_NOT_FOUND, f"Method not found: {method}")

    def _notified(self, method: str, params: dict[str, Any]) -> None:
        """A turn, or a subagent by itself, is cancelled."""
        for tasks in (self.turns, *(session.at_work for session in self.sessions.values())):
            if method == "session/cancel" and (task := tasks.get(params.get("sessionId", ""))) is not None:
                task.cancel()

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        self.connection.client = params.get("clientCapabilities") or {}
        content = {"image": True, "audio": True, "embeddedContext": True}
        able = {
            "loadSession": False,
            "promptCapabilities": content,
            "sessionCapabilities": {"fork": {}, **SYSTEM_PROMPT},
        }
        return {"protocolVersion": 1, "agentInfo": INFO, "agentCapabilities": able, "authMethods": []}

    def _new_session(self, params: dict[str, Any]) -> dict[str, Any]:
        options = Options(booleans=self.connection.offers("session", "configOptions", "boolean"))
        session_id = f"demo-{len(self.sessions) + 1}"
        session = self.kind(session_id, params["cwd"], self.connection, options)
        self.sessions[session_id] = session
        session.system_prompt = params.get("systemPrompt")
        asyncio.get_running_loop().call_soon(self._begun, session)  # not now: the answer goes first
        return {"sessionId": session_id, **session.setup()}

    def _begun(self, session: Session) -> None:
        session.update("available_commands_update", availableCommands=available_commands(self.commands))

    def _fork_session(self, params: dict[str, Any]) -> dict[str, Any]:
        """A new session with the options of another one: nothing else is remembered from turn to turn."""
        root = self.session(params)
        forked = self._new_session(params)
        session = self.sessions[forked["sessionId"]]
        session.options = deepcopy(root.options)
        return {"sessionId": session.id, **session.setup()}

    async def _prompt(self, params: dict[str, Any]) -> dict[str, Any]:
        """Play the turn; the answer tells its end."""
        session = self.session(params)
        turn = self.begin_turn(session, params["prompt"])
        try:
            await asyncio.wait({turn})
        finally:
            turn.cancel()
            del self.turns[session.id]
        reason = "cancelled" if turn.cancelled() else turn.result() or "end_turn"
        return {"stopReason": reason, "usage": session.spent()}

    def begin_turn(self, session: Session, prompt: list[dict[str, Any]]) -> "asyncio.Task[str | None]":
        """Begin what a prompt asks for. Raises `RpcError` while another turn runs."""
        if session.id in self.turns:
            raise RpcError(INVALID_PARAMS, "Invalid params: the session is busy with another prompt")
        turn = self.turns[session.id] = asyncio.create_task(perform(session, prompt, self.commands))
        return turn

    def session(self, params: dict[str, Any]) -> Session:
        session_id = params["sessionId"]
        if session_id not in self.sessions:
            raise RpcError(-32002, f"Resource not found: session {session_id}", {"sessionId": session_id})
        return self.sessions[session_id]
