"""Every setting of a config file in words: the source of `--help`, the settings screen, the reference and the schema.

It is plain data, since a start has no time for pydantic. `settings` says what each may be; a test holds them together.
"""

from collections.abc import Mapping
from typing import Any

from acp_tui.frozen import Frozen

STATUS_ITEMS = ("folder", "branch", "context", "cost", "limit", "model")


class Setting(Frozen):
    """A setting of the top level: what it is by `default`, and the `choices` where there are few.

    Of a list these are its items.
    """

    name: str
    group: str
    default: Any
    about: str
    choices: tuple[str, ...] = ()


_ROWS = (
    Setting("theme", "Screen", "", "Colour theme: acp-dark, acp-light or another from /theme"),
    Setting("sidebar", "Screen", False, "Open the sidebar in every session, on wide screens"),
    Setting("details", "Screen", False, "Expand the details of tool calls and thoughts"),
    Setting(
        "notifications",
        "Screen",
        "desktop",
        "Notifications while the terminal is not focused: desktop, bell or off",
        ("desktop", "bell", "off"),
    ),
    Setting("scroll_by_terminal", "Screen", True, "Let the terminal move rows that scroll; false: paint them again"),
    Setting("mouse", "Input", True, "Use the mouse; false: the terminal selects text"),
    Setting("copy_on_select", "Input", True, "Copy on select with the mouse; false: only Ctrl+C copies"),
    Setting("editing", "Input", "default", "Keys in the prompt: default or vim", ("default", "vim")),
    Setting("suggestions", "Input", True, "Show the agent's prompt suggestions in the empty prompt; Tab accepts one"),
    Setting("keys", "Input", {}, "Keys by command id (ids: acp-tui config --print)"),
    Setting(
        "status_line",
        "Status line",
        (),
        f"Items of the status line, in order: {', '.join(STATUS_ITEMS)}",
        STATUS_ITEMS,
    ),
    Setting(
        "status_command",
        "Status line",
        (),
        "Command for the status line: JSON on standard input, one line of output, 1 s at most",
    ),
    Setting(
        "snapshots",
        "Snapshots",
        True,
        'Keep files before and after each turn, to see and undo changes; "everywhere": in the home folder, too',
    ),
    Setting("snapshot_store_mb", "Snapshots", 4096, "Most that all snapshots may take on disk, in MB; the oldest go"),
    Setting("snapshot_days", "Snapshots", 30, "Days after which the snapshots of a session go"),
    Setting("default_agent", "Agents", "", "Agent to start by default"),
    Setting("append_system_prompt", "Agents", "", "Text added to every agent's system prompt, if supported"),
    Setting("system_prompt", "Agents", "", "Text in place of every agent's system prompt, if supported"),
    Setting("registry", "Agents", "", 'Registry of more agents: "official", a path or an https address'),
    Setting("agents", "Agents", {}, "Your own agents, and settings of known ones"),
    Setting("folders", "Agents", {}, "What applies in one folder and below, by its path"),
)

SETTINGS: Mapping[str, Setting] = {row.name: row for row in _ROWS}
"""The settings of the top level by name, in the order in which they are shown."""

AGENT: Mapping[str, str] = {
    "title": "Name to show",
    "description": "Description in the list of agents",
    "command": "Program to start; optional for known agents",
    "args": "Arguments of the program",
    "env": "Environment variables",
    "env_file": "File with more variables, one NAME=value per line",
    "cwd": "Folder to work in, unless --cwd is given",
    "roots": "Additional folders for its sessions",
    "mcp_servers": "MCP servers by name",
    "protocol": "Protocol version to offer: 1 (default), 2 (draft), or auto, which falls back to 1",
    "fs": 'Let the agent read and write files through acp-tui; "write" for writes only',
    "terminal": "Let the agent run commands through acp-tui",
    "system_prompt": "Text in place of the agent's system prompt, if supported",
    "append_system_prompt": "Text added to the agent's system prompt, if supported",
    "package": "Package installed by acp-tui, with its version; for acp-tui agents update",
}
"""The settings of an agent, `[agents.NAME]`."""

FOLDER: Mapping[str, str] = {
    "default_agent": "Agent to start by default there",
    "mcp_servers": "MCP servers by name, in addition to the agent's",
    "env_file": "File with environment variables for the agent, one NAME=value per line",
    "append_system_prompt": "Text added to the agent's system prompt there, if supported",
}
"""The settings of a folder and all below it, `[folders."PATH"]`."""

MCP_SERVER: Mapping[str, str] = {
    "type": "How to reach it: stdio runs a command, http and sse use an address",
    "command": "Program to start (stdio)",
    "args": "Arguments of the program (stdio)",
    "env": "Environment variables (stdio)",
    "url": "Address (http, sse)",
    "headers": "HTTP headers (http, sse)",
}
"""The settings of an MCP server, `[agents.NAME.mcp_servers.NAME]` and `[folders."PATH".mcp_servers.NAME]`."""
