"""Tool servers from a JSON file, in the shape that most tools use or in the protocol's own.

The usual shape is `{"mcpServers": {NAME: {"command": ..., "args": [...], "env": {...}}}}`, where an address has
`url` (and `type`, `headers`) instead. The protocol's is an array of the same with `name`, and pairs
`{"name": ..., "value": ...}` for `env` and `headers`.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import Any, Literal

from acp_tui.errors import UserFault
from acp_tui.host.system.current_folder import absolute_path
from acp_tui.host.system.programs import search_path
from acp_tui.protocol.capabilities import McpServer
from acp_tui.safe_text import named

_TRANSPORTS: dict[str, Literal["stdio", "http", "sse"]] = {
    "stdio": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamableHttp": "http",
    "sse": "sse",
}


def command_path(command: str, cwd: Path, *environments: Mapping[str, str]) -> str:
    """The absolute path of a server's command, which the protocol wants; as it is written where there is none such.

    A name is looked for in the PATH of the first environment that has one, else in ours, but by none of its relative
    entries, which are a word of the project; what is written as a path is relative to the session's folder `cwd`.
    """
    if os.sep in command or (os.altsep and os.altsep in command):
        found = which(cwd / Path(command).expanduser())
    else:
        ours = os.environ.get("PATH", os.defpath)
        found = which(command, path=search_path(next((each["PATH"] for each in environments if "PATH" in each), ours)))
    return str(absolute_path(found)) if found else command


def read_mcp_file(path: Path, cwd: Path, env: Mapping[str, str]) -> tuple[McpServer, ...]:
    """The servers in the file, in its order, without those marked `disabled`. Raises `UserFault` with the place.

    `cwd` is the session's folder, `env` has the agent's variables on top of ours: see `command_path`.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise _unusable(path, "", error.strerror or str(error)) from error
    except (ValueError, RecursionError) as error:
        raise _unusable(path, "", f"not JSON: {error}") from error
    servers = data.get("mcpServers", data) if isinstance(data, dict) else data
    if isinstance(servers, dict):
        found = [(f"mcpServers.{name}", name, server) for name, server in servers.items()]
    elif isinstance(servers, list):
        found = [(f"[{at}]", _name(path, at, server), server) for at, server in enumerate(servers)]
    else:
        raise _unusable(path, "mcpServers", "must be an object or a list")
    wanted = [one for one in found if not (isinstance(one[2], dict) and one[2].get("disabled") is True)]
    servers = [_Reader(path, where, server).read(name) for where, name, server in wanted]
    return tuple(with_path(server, cwd, env) for server in servers)


def with_path(server: McpServer, cwd: Path, env: Mapping[str, str]) -> McpServer:
    """The same server by the absolute path of its command, if it has one."""
    return replace(server, command=command_path(server.command, cwd, server.env, env)) if server.command else server


def _name(path: Path, at: int, server: Any) -> str:
    name = server.get("name") if isinstance(server, dict) else None
    if not isinstance(name, str) or not name:
        raise _unusable(path, f"[{at}].name", "must be a name")
    return name


class _Reader:
    def __init__(self, path: Path, where: str, server: Any) -> None:
        self._path, self._where = path, where
        if not isinstance(server, dict):
            raise _unusable(path, where, "must be an object")
        self._server: dict[str, Any] = server

    def read(self, name: str) -> McpServer:
        told = self._server.get("type", self._server.get("transport"))
        usual = "http" if "url" in self._server else "stdio"
        transport = _TRANSPORTS.get(str(usual if told is None else told))
        if transport is None:
            raise self._bad("type", "must be stdio, http or sse")
        if transport == "stdio":
            return McpServer(name, transport, self._text("command"), self._texts("args"), self._pairs("env"))
        return McpServer(name, transport, url=self._text("url"), headers=self._pairs("headers"))

    def _text(self, member: str) -> str:
        value = self._server.get(member)
        if not isinstance(value, str) or not value:
            raise self._bad(member, "must be a string")
        return value

    def _texts(self, member: str) -> tuple[str, ...]:
        values = self._server.get(member) or []
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise self._bad(member, "must be a list of strings")
        return tuple(values)

    def _pairs(self, member: str) -> Mapping[str, str]:
        told = self._server.get(member) or {}
        if isinstance(told, list) and all(isinstance(pair, dict) for pair in told):
            told = {pair.get("name"): pair.get("value") for pair in told}
        if not isinstance(told, dict) or not all(isinstance(part, str) for pair in told.items() for part in pair):
            raise self._bad(member, "must be an object with string values")
        return told

    def _bad(self, member: str, reason: str) -> UserFault:
        return _unusable(self._path, f"{self._where}.{member}", reason)


def _unusable(path: Path, where: str, reason: str) -> UserFault:
    place = ", ".join(named(part) for part in (path, where) if part)
    return UserFault("The MCP file cannot be used", f"{place}: {reason}")
