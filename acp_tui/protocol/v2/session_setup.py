"""Sessions of protocol 2 and its drafts: asking for one, and what the answers say about it."""

from collections.abc import Mapping
from typing import Any

from acp_tui.protocol.answers import read_if_told
from acp_tui.protocol.base import Model
from acp_tui.protocol.commands import AvailableCommand, AvailableCommandsUpdate
from acp_tui.protocol.dialect import Call
from acp_tui.protocol.reading import read
from acp_tui.protocol.scope import McpServer, SessionScope
from acp_tui.protocol.tolerance import LenientItems
from acp_tui.protocol.updates import Update
from acp_tui.protocol.v2.memory import SessionMemory

SAME_SESSION = frozenset({"session/load", "session/resume"})
FROM_START = {"replayFrom": {"type": "start"}}


class SessionSetupResponse(Model):
    """The answer to `session/resume`, and what the answers about new sessions share with it."""

    config_options: LenientItems[list[dict[str, Any]] | None] = None
    available_commands: LenientItems[list[AvailableCommand] | None] = None


class NewSessionResponse(SessionSetupResponse):
    """The answer to `session/new` and (unstable) `session/fork`."""

    session_id: str


def setup_call(method: str, scope: SessionScope, session_id: str | None = None) -> Call:
    """Ask for a session; all methods but `session/new` name one that there is already.

    Drafts require `args`, `headers` and `type` of servers, so they are always given.
    """
    params: dict[str, Any] = {"cwd": scope.cwd, "mcpServers": [_mcp_server(server) for server in scope.mcp_servers]}
    if session_id is not None:
        params["sessionId"] = session_id
    if scope.additional_directories:
        params["additionalDirectories"] = list(scope.additional_directories)
    return Call(method, params)


def load_call(scope: SessionScope, session_id: str, *, by_load: bool) -> Call:
    """Go on with a session and have it told from its start; `by_load` is how drafts did that."""
    if by_load:
        return setup_call("session/load", scope, session_id)
    call = setup_call("session/resume", scope, session_id)
    return Call(call.method, {**call.params, **FROM_START})


def _mcp_server(server: McpServer) -> dict[str, Any]:
    named = {"type": server.transport, "name": server.name}
    if server.transport == "stdio":
        return {**named, "command": server.command, "args": list(server.args), "env": _pairs(server.env)}
    return {**named, "url": server.url, "headers": _pairs(server.headers)}


def _pairs(members: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in members.items()]


def read_setup(call: Call, result: Any) -> tuple[str, SessionSetupResponse]:
    """The session's id, which only the answer to going on with one need not tell, and what is said about it."""
    if call.method in SAME_SESSION:
        return call.params["sessionId"], read_if_told(SessionSetupResponse, result)
    response = read(NewSessionResponse, result)
    return response.session_id, response


def fold_setup(memory: SessionMemory, response: SessionSetupResponse) -> list[Update]:
    """What can be chosen and called in the session. It says nothing of the state, which may have been told already."""
    updates: list[Update] = []
    if response.config_options is not None:
        updates.append(memory.replace_options(list(response.config_options)))
    if response.available_commands is not None:
        updates.append(AvailableCommandsUpdate(available_commands=response.available_commands))
    return updates
