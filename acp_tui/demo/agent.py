"""ACP's methods, version 1: what a client may ask of the demo agent. Version 2 has a room of its own."""

import asyncio
import os
from typing import Any

from acp_tui import __version__
from acp_tui.demo.commands import available_commands, scene_for
from acp_tui.demo.connection import INVALID_PARAMS, METHOD_NOT_FOUND, Connection, RpcError
from acp_tui.demo.options import Options
from acp_tui.demo.questions import input_options
from acp_tui.demo.session import Session
from acp_tui.demo.version2 import Version2, initialized

PACE = "ACP_TUI_DEMO_PACE"
"""The environment variable with the seconds between two words; 0 is as fast as it goes."""

LEGACY = "ACP_TUI_DEMO_LEGACY"
"""The environment variable that makes it tell modes and models instead of options, if it is set to anything."""


class Agent:
    """One agent with any number of sessions."""

    def __init__(self) -> None:
        self.connection = Connection(self._serve, self._notified)
        self.client: dict[str, Any] = {}
        self.sessions: dict[str, Session] = {}
        self.turns: dict[str, asyncio.Task[str]] = {}
        self.pace = float(os.environ.get(PACE, "0.015"))
        self.legacy = bool(os.environ.get(LEGACY))
        self._version2: Version2 | None = None

    async def run(self) -> None:
        """Serve until the client closes our input."""
        await self.connection.run()

    async def _serve(self, method: str, params: dict[str, Any]) -> Any:
        if method == "initialize":
            return self._initialize(params)
        if self._version2 is not None:
            return await self._version2.serve(method, params)
        match method:
            case "session/new":
                return self._new_session(params)
            case "session/prompt":
                return await self._prompt(params)
            case "session/set_config_option":
                return self._set_config_option(params)
            case "session/set_mode":
                return self._choose_the_older_way(params, "mode", params["modeId"])
            case "session/set_model" if self.legacy:
                return self._choose_the_older_way(params, "model", params["modelId"])
        raise RpcError(METHOD_NOT_FOUND, f"Method not found: {method}")

    def _notified(self, method: str, params: dict[str, Any]) -> None:
        turn = self.turns.get(params.get("sessionId", ""))
        if method == "session/cancel" and turn is not None:
            turn.cancel()

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        if params["protocolVersion"] >= 2 and "info" in params:
            self._version2 = Version2(self)
            self.client, answer = initialized(params)
            return answer
        self.client = params.get("clientCapabilities") or {}
        return {
            "protocolVersion": 1,
            "agentInfo": {"name": "acp-tui-demo", "title": "Demo agent", "version": __version__},
            "agentCapabilities": {
                "loadSession": False,
                "promptCapabilities": {"image": True, "audio": True, "embeddedContext": True},
            },
            "authMethods": [],
            **input_options(),
        }

    def _new_session(self, params: dict[str, Any]) -> dict[str, Any]:
        session_id = f"demo-{len(self.sessions) + 1}"
        booleans = (self.client.get("session") or {}).get("configOptions") or {}
        options = Options(booleans=booleans.get("boolean") is not None)
        chosen = params.get("configOptions") or {}
        if "model" in chosen:
            options.choose("model", chosen["model"])
        session = Session(session_id, params["cwd"], self.connection, self.client, options, self.pace)
        self.sessions[session_id] = session
        # Soon, not now: the answer goes first.
        asyncio.get_running_loop().call_soon(
            lambda: session.update("available_commands_update", availableCommands=available_commands())
        )
        if self.legacy:
            return {"sessionId": session_id, **options.legacy()}
        return {"sessionId": session_id, "configOptions": options.told()}

    def _choose_the_older_way(self, params: dict[str, Any], option_id: str, value: str) -> dict[str, Any]:
        """Modes and models before there were options: an empty answer; of a mode an update too."""
        session = self._session(params)
        session.options.choose(option_id, value)
        if option_id == "mode":
            session.update("current_mode_update", currentModeId=value)
        return {}

    async def _prompt(self, params: dict[str, Any]) -> dict[str, Any]:
        session = self._session(params)
        if session.id in self.turns:
            raise RpcError(INVALID_PARAMS, "Invalid params: the session is busy with another prompt")
        turn = self.turns[session.id] = asyncio.create_task(scene_for(params["prompt"])(session))
        try:
            await asyncio.wait({turn})
        finally:
            turn.cancel()
            del self.turns[session.id]
        return {"stopReason": "cancelled" if turn.cancelled() else turn.result()}

    def _set_config_option(self, params: dict[str, Any]) -> dict[str, Any]:
        options = self._session(params).options
        options.choose(params["configId"], params["value"])
        return {"configOptions": options.told()}

    def _session(self, params: dict[str, Any]) -> Session:
        session = self.sessions.get(params["sessionId"])
        if session is None:
            raise RpcError(-32002, f"Resource not found: session {params['sessionId']}")
        return session
