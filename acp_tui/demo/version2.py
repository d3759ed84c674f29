"""ACP's methods, version 2: what a client may ask of the demo agent when both have settled on that."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from acp_tui import __version__
from acp_tui.demo.commands import scene_for
from acp_tui.demo.connection import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, RpcError
from acp_tui.demo.options import Options
from acp_tui.demo.session2 import Session2
from acp_tui.demo.words2 import commands_told, options_told

if TYPE_CHECKING:
    from acp_tui.demo.agent import Agent

CLIENT: dict[str, Any] = {"session": {"configOptions": {"boolean": {}}, "notices": {}, "compaction": {}}}
"""What every client of this version can do without saying so, in the words of version 1."""


def initialized(params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the client can do, as version 1 would tell it, and the answer."""
    answer = {
        "protocolVersion": 2,
        "info": {"name": "acp-tui-demo", "title": "Demo agent", "version": __version__},
        "capabilities": {"session": {"prompt": {"image": {}, "audio": {}, "embeddedContext": {}}, "delete": {}}},
        "authMethods": [],
    }
    return CLIENT | (params.get("capabilities") or {}), answer


class Version2:
    """Answers requests for an agent."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._prompts = 0

    async def serve(self, method: str, params: dict[str, Any]) -> Any:
        """Answer one request; raises `RpcError`."""
        match method:
            case "session/new":
                return self._new_session(params)
            case "session/prompt":
                return self._prompt(params)
            case "session/set_config_option":
                return self._set_config_option(params)
            case "session/list":
                sessions = self._agent.sessions.values()
                return {"sessions": [{"sessionId": each.id, "cwd": str(each.cwd)} for each in sessions]}
            case "session/resume":
                return self._resume(params)
            case "session/close" | "session/delete":
                return self._close(params, forget=method == "session/delete")
            case "tool_call/cancel":
                return self._session(params).stop(params["toolCallId"])
        raise RpcError(METHOD_NOT_FOUND, f"Method not found: {method}")

    def _new_session(self, params: dict[str, Any]) -> dict[str, Any]:
        agent = self._agent
        session_id = f"demo-{len(agent.sessions) + 1}"
        options = Options(booleans=True)
        session = Session2(session_id, params["cwd"], agent.connection, agent.client, options, agent.pace)
        agent.sessions[session_id] = session
        return {"sessionId": session_id, **_setup(session)}

    def _prompt(self, params: dict[str, Any]) -> dict[str, Any]:
        """The prompt is taken at once; the turn is told by states."""
        session, turns = self._session(params), self._agent.turns
        if session.id in turns:
            raise RpcError(INVALID_PARAMS, "Invalid params: the session is busy with another prompt")
        self._prompts += 1
        turn = turns[session.id] = asyncio.create_task(scene_for(params["prompt"])(session))
        session.begin(f"prompt-{self._prompts}", params["prompt"])
        turn.add_done_callback(lambda done: self._ended(session, done))
        return {"messageId": f"prompt-{self._prompts}"}

    def _ended(self, session: Session2, turn: asyncio.Task[str]) -> None:
        del self._agent.turns[session.id]
        if turn.cancelled():
            session.end("cancelled")
        elif (error := turn.exception()) is not None:
            code, data = (error.code, error.data) if isinstance(error, RpcError) else (INTERNAL_ERROR, None)
            told = {"code": code, "message": str(error)} | ({} if data is None else {"data": data})
            session.end("error", error=told)
        else:
            session.end(turn.result())

    def _resume(self, params: dict[str, Any]) -> dict[str, Any]:
        session = self._session(params)
        session.tell_again(everything=params.get("replayFrom") is not None)
        return _setup(session)

    def _close(self, params: dict[str, Any], *, forget: bool) -> dict[str, Any]:
        session = self._session(params)
        session.stop_all()
        if (turn := self._agent.turns.get(session.id)) is not None:
            turn.cancel()
        if forget:
            del self._agent.sessions[session.id]
        return {}

    def _set_config_option(self, params: dict[str, Any]) -> dict[str, Any]:
        options = self._session(params).options
        options.choose(params["configId"], params["value"])
        return {"configOptions": options_told(options.told())}

    def _session(self, params: dict[str, Any]) -> Session2:
        session_id = params["sessionId"]
        session = self._agent.sessions.get(session_id)
        if not isinstance(session, Session2):
            raise RpcError(-32002, f"Resource not found: session {session_id}", {"sessionId": session_id})
        return session


def _setup(session: Session2) -> dict[str, Any]:
    return {"configOptions": options_told(session.options.told()), "availableCommands": commands_told()}
