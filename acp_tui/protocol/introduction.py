"""`initialize` as it is sent, in both versions of the protocol.

Without pydantic: it is written to an agent before anything that could read the answer is loaded.
"""

from typing import Any, Literal

from acp_tui.protocol.capabilities import ClientCapabilities
from acp_tui.version import __version__
from acp_tui.wire.peer import Peer

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
