"""What a session is given when it is opened; plain data, as are capabilities."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class McpServer:
    """A tool server that the agent is to use: a command on this machine (`stdio`) or an address (`http`, `sse`)."""

    name: str
    transport: Literal["stdio", "http", "sse"] = "stdio"
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SessionScope:
    """What a session may reach: its absolute folder `cwd`, further absolute folders, tool servers."""

    cwd: str
    additional_directories: tuple[str, ...] = ()
    mcp_servers: tuple[McpServer, ...] = ()
