"""Capabilities of each side, what a session may reach, and `initialize` as it is sent: plain data for the start.

`initialize` is the same in both versions of the protocol: who we are, and exactly what works. It is
written to an agent before anything that could read the answer (pydantic) is loaded.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Literal

from acp_tui import __version__
from acp_tui.frozen import Frozen
from acp_tui.wire.peer import Peer


class ClientCapabilities(Frozen):
    """Offers of this client to the agent on this connection.

    `elicitation` where a user can fill in forms, `terminal_login` where the agent can be given the real terminal,
    `prompt_suggestions` where a user writes prompts and wants them.
    """

    read_text_file: bool = True
    write_text_file: bool = True
    terminal: bool = True
    elicitation: bool = False
    terminal_login: bool = False
    prompt_suggestions: bool = True

    def with_user(self) -> "ClientCapabilities":
        return replace(self, elicitation=True, terminal_login=True)


class PromptCapabilities(Frozen):
    """Kinds of blocks beside text and resource links that a prompt may carry."""

    image: bool = False
    audio: bool = False
    embedded_context: bool = False


class AgentCapabilities(Frozen):
    """Offers of the agent, whatever the version said them in.

    `auth_status`: it can be asked who is logged in; `tells_auth_status`: it says so on its own.
    """

    load_session: bool = False
    list_sessions: bool = False
    resume_session: bool = False
    close_session: bool = False
    delete_session: bool = False
    fork_session: bool = False
    archive_session: bool = False
    title_session: bool = False
    session_status: bool = False
    additional_directories: bool = False
    mcp_stdio: bool = True
    mcp_http: bool = False
    mcp_sse: bool = False
    logout: bool = False
    auth_status: bool = False
    tells_auth_status: bool = False
    steering: bool = False
    system_prompt: Literal["", "append", "override"] = ""
    """What it does with a system prompt of the client: nothing, add it to its own, or also have it in place of that."""
    session_options: bool = False
    """Whether it tells its options before a session, and takes values with the request that opens one (unstable)."""
    prompt: PromptCapabilities = field(default_factory=PromptCapabilities)


class McpServer(Frozen):
    """A tool server that the agent is to use: a command on this machine (`stdio`) or an address (`http`, `sse`).

    It is for sessions in the absolute `folder` and below it; for all where that is empty. `put_in` are values of
    variables in it, which are not to be shown; `not_sent` what else was said of it, for which there is no place here.
    """

    name: str
    transport: Literal["stdio", "http", "sse"] = "stdio"
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""
    put_in: tuple[str, ...] = field(default=(), compare=False, repr=False)
    not_sent: tuple[str, ...] = field(default=(), compare=False)

    def is_for(self, cwd: str) -> bool:
        return not self.folder or Path(cwd).is_relative_to(self.folder)


class SystemPrompt(Frozen):
    """The user's texts for the agent's system prompt: `override` in place of it, `append` added, one text a source.

    `sources` says where each of the `texts` comes from, as the user would write it. `given`: for this very session,
    whatever it had before. It is for sessions in the absolute `folder` and below it, if that is not empty; sessions
    anywhere else get what is `outside` of it.
    """

    override: str = ""
    append: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    given: bool = False
    folder: str = field(default="", compare=False)
    outside: "SystemPrompt | None" = field(default=None, compare=False)

    def at(self, cwd: str) -> "SystemPrompt":
        """What a session in this absolute folder gets."""
        return self if self.outside is None or Path(cwd).is_relative_to(self.folder) else self.outside

    @property
    def mode(self) -> Literal["append", "override"]:
        return "override" if self.override else "append"

    @property
    def texts(self) -> tuple[str, ...]:
        """What is sent, in its order; nothing where the agent keeps its own prompt as it is."""
        return tuple(filter(None, (self.override, *self.append)))


class SessionScope(Frozen):
    """The scope of a session: its absolute folder `cwd`, further absolute folders, tool servers, a system prompt."""

    cwd: str
    additional_directories: tuple[str, ...] = ()
    mcp_servers: tuple[McpServer, ...] = ()
    system_prompt: SystemPrompt = field(default_factory=SystemPrompt)

    def at(self, cwd: str) -> "SessionScope":
        """The same for a session in another absolute folder."""
        servers = tuple(server for server in self.mcp_servers if server.is_for(cwd))
        return replace(self, cwd=cwd, mcp_servers=servers, system_prompt=self.system_prompt.at(cwd))

    def with_folder(self, folder: str) -> "SessionScope":
        folders = dict.fromkeys((*self.additional_directories, folder))
        return replace(self, additional_directories=tuple(folders))

    def of_named(self, cwd: str, more: Sequence[str], given: Collection[str]) -> "SessionScope":
        """The scope of a session whose folders the agent names: it gets those that are here already, or are `given`.

        Only the user gives folders. Where none of those that are named is left, these here stand in.
        """
        allowed = {*given, self.cwd, *self.additional_directories} - {""}
        kept = tuple(folder for folder in more if folder in allowed)
        named = self.at(cwd) if cwd in allowed else self
        return replace(named, additional_directories=kept or self.additional_directories)


UNNAMED, SENT = "unnamed-", "sent-"
"""How ours begin: of messages that came without an id, and of prompts before the agent has named them."""


def is_agents(message_id: str) -> bool:
    return bool(message_id) and not message_id.startswith((UNNAMED, SENT))


Offer = Literal["1", "2", "auto"]
"""`1` offers only version 1; `2` and `auto` offer both, and the answer decides."""

METHOD = "initialize"
CLIENT = {"name": "acp-tui", "version": __version__, "title": "acp-tui"}
TERMINAL_OUTPUT = {"terminal_output": True}
"""In `_meta` of our capabilities: asks for the output of commands that the agent runs itself (`v1.terminal_output`).

`terminal_output_delta` is left out on purpose: it asks for output of commands that show no terminal, too.
"""
SUGGESTIONS: dict[str, Any] = {"promptSuggestions": {}}
"""Asks for prompts that the user may want to send next, of texts and links (unstable in both versions)."""
TERMINAL_LOGIN = {"terminal-auth": True}
"""In the same place: asks for commands to log in with (`auth_methods`)."""


def introduction(offer: Offer, capabilities: ClientCapabilities) -> dict[str, Any]:
    """The parameters: who we are, and exactly what works."""
    params = _version_1(capabilities)
    return params if offer == "1" else _both(params)


def introduction_line(offer: Offer, capabilities: ClientCapabilities) -> bytes:
    """The whole request, as the first line of a connection."""
    return Peer().request(METHOD, introduction(offer, capabilities), lambda _: None)


def _version_1(capabilities: ClientCapabilities) -> dict[str, Any]:
    offered: dict[str, Any] = {
        "fs": {"readTextFile": capabilities.read_text_file, "writeTextFile": capabilities.write_text_file},
        "terminal": capabilities.terminal,
        "session": {"configOptions": {"boolean": {}}, "notices": {}, "compaction": {}},
        "plan": {},  # unstable: plans by id
        "subagents": {},  # protocol 2 has them without a word
        "_meta": dict(TERMINAL_OUTPUT),
    }
    if capabilities.prompt_suggestions:
        offered["session"] |= SUGGESTIONS
    if capabilities.elicitation:
        offered["elicitation"] = {"form": {}, "url": {}}
    if capabilities.terminal_login:
        offered["auth"] = {"terminal": True}
        offered["_meta"] |= TERMINAL_LOGIN
    return {"protocolVersion": 1, "clientCapabilities": offered, "clientInfo": dict(CLIENT)}


def _both(params: dict[str, Any]) -> dict[str, Any]:
    """Protocol 2, and version 1 in the same breath: an agent that knows only that must find all of it.

    Files, terminals, notices and boolean options are nothing that version 2 would ask for.
    """
    offered = params["clientCapabilities"]
    shared = {name: offered[name] for name in ("elicitation",) if name in offered}
    if "promptSuggestions" in offered["session"]:
        shared["session"] = dict(SUGGESTIONS)
    if offered.get("auth", {}).get("terminal"):
        shared["auth"] = {"terminal": {}}
    return {**params, "protocolVersion": 2, "info": params["clientInfo"], "capabilities": shared}
