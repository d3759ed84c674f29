"""What of a session's scope an agent can be given; must not know where the scope comes from."""

from dataclasses import replace
from pathlib import Path

from acp_tui.protocol.capabilities import AgentCapabilities
from acp_tui.protocol.scope import McpServer, SessionScope
from acp_tui.session.facts import Noticed


def offered(scope: SessionScope, capabilities: AgentCapabilities) -> tuple[SessionScope, list[Noticed]]:
    """The scope without what the agent does not take, and what a person is told of that."""
    notices: list[Noticed] = []
    servers = tuple(server for server in scope.mcp_servers if _takes(capabilities, server))
    left_out = [f"{server.name} ({server.transport})" for server in scope.mcp_servers if server not in servers]
    if left_out:
        notices.append(Noticed("warning", "The agent does not take these tool servers", ", ".join(left_out)))
    by_name = [f"{server.name}: {server.command}" for server in servers if not _is_absolute(server)]
    if by_name:
        told = f"{', '.join(by_name)}. The agent gets the command as it is written, and may not find it either."
        notices.append(Noticed("warning", "The command of a tool server was not found", told))
    folders = scope.additional_directories
    if folders and not capabilities.additional_directories:
        notices.append(Noticed("warning", "The agent takes no additional folders", ", ".join(folders)))
        folders = ()
    return replace(scope, additional_directories=folders, mcp_servers=servers), notices


def _is_absolute(server: McpServer) -> bool:
    """Whether a command of this machine is given by its absolute path, as the protocol wants; an address is none."""
    return server.transport != "stdio" or Path(server.command).is_absolute()


def _takes(capabilities: AgentCapabilities, server: McpServer) -> bool:
    takes = {"stdio": capabilities.mcp_stdio, "http": capabilities.mcp_http, "sse": capabilities.mcp_sse}
    return takes[server.transport]
