"""Tool servers from a file, in the shapes of most tools or in the protocol's own.

The usual shape is `{"mcpServers": {NAME: {"command": ..., "args": [...], "env": {...}}}}`, where an address has
`url` (and `type`, `headers`) instead. The protocol's is an array of the same with `name`, and pairs
`{"name": ..., "value": ...}` for `env` and `headers`. Other tools have other names for the same, in JSON with comments
(VS Code, Zed, OpenCode) or TOML (Codex).
"""

import json
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import Any, Literal

from acp_tui.errors import UserFault
from acp_tui.host.config.source_files import Placeholders, Unfilled
from acp_tui.host.system.paths import absolute_path, search_path
from acp_tui.protocol.capabilities import McpServer
from acp_tui.safe_text import named, one_line

_TABLES = ("mcpServers", "mcp_servers", "servers", "context_servers", "mcp")
"""Where the servers stand: most tools, Codex, VS Code, Zed, OpenCode. The first that there is counts."""
_TRANSPORTS: dict[str, Literal["stdio", "http", "sse"]] = {
    **dict.fromkeys(("stdio", "local"), "stdio"),
    **dict.fromkeys(("http", "streamablehttp", "remote"), "http"),
    "sse": "sse",
}
_ADDRESSES = ("httpUrl", "serverUrl", "url")  # Gemini, Windsurf, all others
_NOT_SENT = (
    *("cwd", "envFile", "headersHelper"),
    *("enabled_tools", "disabled_tools", "includeTools", "excludeTools"),
)
"""What a server may say that the protocol has no place for, and that changes what it does or may do."""
_NO_TEXT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])')


def command_path(command: str, cwd: Path, *environments: Mapping[str, str]) -> str:
    """The absolute path of a server's command, which the protocol wants; as it is written where there is none such.

    A name is looked for in the PATH of the first environment that has one, else in ours, but by none of its relative
    entries, which are a word of the project; what is written as a path is relative to the session's folder `cwd`.
    """
    if os.sep in command or (os.altsep and os.altsep in command):
        found = which(cwd / os.path.expanduser(command))  # noqa: PTH111 - `Path` raises for a user that is not
    else:
        ours = os.environ.get("PATH", os.defpath)
        found = which(command, path=search_path(next((each["PATH"] for each in environments if "PATH" in each), ours)))
    return str(absolute_path(found)) if found else command


def read_mcp_file(path: Path, cwd: Path, env: Mapping[str, str]) -> tuple[McpServer, ...]:
    """The servers in the file, in its order, without those that are switched off. Raises `UserFault` with the place.

    `cwd` is the session's folder, `env` has the agent's variables on top of ours: see `command_path`.
    """
    table, told = _servers(path, _data(path))
    if isinstance(told, dict):
        found = [(f"{table}.{name}", name, server) for name, server in told.items()]
    elif isinstance(told, list):
        found = [(f"[{at}]", _name(path, at, server), server) for at, server in enumerate(told)]
    else:
        raise _unusable(path, table, "must be an object or a list")
    wanted = [one for one in found if not _is_off(one[2])]
    servers = [_Reader(path, where, server, Placeholders(env, cwd)).read(name) for where, name, server in wanted]
    return tuple(with_path(server, cwd, env) for server in servers)


def with_path(server: McpServer, cwd: Path, env: Mapping[str, str]) -> McpServer:
    """The same server by the absolute path of its command, if it has one."""
    return replace(server, command=command_path(server.command, cwd, server.env, env)) if server.command else server


def filled(server: McpServer, places: Placeholders) -> McpServer:
    """The same server with values in place of its placeholders. Raises `Unfilled` that names the member."""

    def fill(member: str, text: str) -> str:
        try:
            return places.fill(text)
        except Unfilled as error:
            raise Unfilled(f"{member}: {error}") from error

    return replace(
        server,
        command=fill("command", server.command),
        args=tuple(fill("args", word) for word in server.args),
        env={name: fill(f"env.{name}", value) for name, value in server.env.items()},
        url=fill("url", server.url),
        headers={name: fill(f"headers.{name}", value) for name, value in server.headers.items()},
        put_in=tuple(places.put_in),  # all of them by now
    )


def _data(path: Path) -> Any:
    """What is in the file. Raises `UserFault`."""
    kind = "TOML" if path.suffix == ".toml" else "JSON"
    try:
        text = path.read_text(encoding="utf-8-sig")
        return tomllib.loads(text) if kind == "TOML" else _json(text)
    except OSError as error:
        raise _unusable(path, "", error.strerror or str(error)) from error
    except (ValueError, RecursionError) as error:
        raise _unusable(path, "", f"not {kind}: {error}") from error


def _json(text: str) -> Any:
    """JSON, which may have comments and commas before brackets that close. Raises ValueError and RecursionError."""
    try:
        return json.loads(text)
    except ValueError:
        bare = _NO_TEXT.sub(lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), text)
        return json.loads(_LAST_COMMA.sub(lambda found: found[1] or " ", bare))


def _servers(path: Path, data: Any) -> tuple[str, Any]:
    if not isinstance(data, dict):
        return _TABLES[0], data
    table = next((name for name in _TABLES if isinstance(data.get(name), dict | list)), "")
    inner = data["mcp"].get("servers") if table == "mcp" and isinstance(data["mcp"], dict) else None
    if isinstance(inner, dict) and "type" not in inner:
        return "mcp.servers", inner  # settings.json of VS Code
    if not table and any(name in data for name in _TABLES):
        raise _unusable(path, next(name for name in _TABLES if name in data), "must be an object or a list")
    if not table and not all(isinstance(value, dict) for value in data.values()):
        raise _unusable(path, "", f"no MCP servers in it: none of {', '.join(_TABLES)}")
    return (table, data[table]) if table else (_TABLES[0], data)


def _is_off(server: Any) -> bool:
    return isinstance(server, dict) and (server.get("disabled") is True or server.get("enabled") is False)


def _name(path: Path, at: int, server: Any) -> str:
    name = server.get("name") if isinstance(server, dict) else None
    if not isinstance(name, str) or not name:
        raise _unusable(path, f"[{at}].name", "must be a name")
    return name


class _Reader:
    def __init__(self, path: Path, where: str, server: Any, places: Placeholders) -> None:
        self._path, self._where, self._places = path, where, places
        if not isinstance(server, dict):
            raise _unusable(path, where, "must be an object")
        self._server: dict[str, Any] = server

    def read(self, name: str) -> McpServer:
        told = self._server.get("type", self._server.get("transport"))
        address = next((member for member in _ADDRESSES if member in self._server), "")
        usual = "http" if address else "stdio"
        transport = _TRANSPORTS.get(re.sub(r"[-_]", "", str(usual if told is None else told)).lower())
        if transport is None:
            raise self._bad("type", f"must be stdio, http or sse, not {one_line(json.dumps(told), 40)}")
        if transport == "stdio":
            command, *first = self._words()
            env = {**self._pairs("env", "environment"), **self._forwarded()}
            server = McpServer(name, transport, command, (*first, *self._texts("args")), env)
        else:
            headers = {**self._pairs("headers", "http_headers"), **self._from_variables()}
            server = McpServer(name, transport, url=self._text(address or "url"), headers=headers)
        server = replace(server, not_sent=tuple(member for member in _NOT_SENT if self._server.get(member)))
        try:
            return filled(server, self._places)
        except Unfilled as error:
            member, _, reason = str(error).partition(": ")
            raise self._bad(member, reason) from error

    def _words(self) -> tuple[str, ...]:
        """The command, with the first arguments where it is a list (OpenCode) or a table (older Zed)."""
        told = self._server.get("command")
        if isinstance(told, dict):
            self._server = {**self._server, **told, "command": told.get("path")}
            return self._words()
        return self._texts("command") if isinstance(told, list) and told else (self._text("command"),)

    def _forwarded(self) -> dict[str, str]:
        return {name: self._place("env_vars", name) for name in self._texts("env_vars")}

    def _from_variables(self) -> dict[str, str]:
        named, bearer = "env_http_headers", "bearer_token_env_var"
        headers = {name: self._place(named, variable) for name, variable in self._pairs(named).items()}
        if bearer in self._server:
            headers["Authorization"] = f"Bearer {self._place(bearer, self._text(bearer))}"
        return headers

    def _place(self, member: str, variable: str) -> str:
        if not re.fullmatch(r"[A-Za-z_]\w*", variable):
            raise self._bad(member, f"must be the name of a variable, not {one_line(variable, 40)}")
        return f"${{{variable}}}"

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

    def _pairs(self, *members: str) -> Mapping[str, str]:
        member = next((each for each in members if self._server.get(each)), members[0])
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
