"""What a session may reach: its folders and tool servers. Plain data, as are capabilities."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
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

    def of_named(self, cwd: str, more: Sequence[str], given: Collection[str]) -> "SessionScope":
        """The scope of a session whose folders the agent names: it gets those that are here already, or are `given`.

        Only the user gives folders. Where none of those that are named is left, these here stand in.
        """
        allowed = {*given, self.cwd, *self.additional_directories} - {""}
        kept = tuple(folder for folder in more if folder in allowed)
        named = replace(self, cwd=cwd) if cwd in allowed else self
        return replace(named, additional_directories=kept or self.additional_directories)
