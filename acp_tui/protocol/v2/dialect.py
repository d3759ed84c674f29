"""Protocol 2 as a dialect: one reader for each kind of update.

Terminals are the agent's own: their output comes in base64, each piece by itself.
"""

import base64
import binascii
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field

from acp_tui.protocol.base import Lenient, LenientItems, Model, SkipInvalid, read
from acp_tui.protocol.base_dialect import Dialect, Way
from acp_tui.protocol.capabilities import SessionScope
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.session_setup import Call, PermissionMessage
from acp_tui.protocol.update_readers import (
    SHARED,
    Memories,
    Reader,
    between,
    lost_content,
    read_as,
)
from acp_tui.protocol.v2.session_memory import Version2Memory
from acp_tui.protocol.vocabulary.initialization import (
    Implementation,
    Initialized,
    Marker,
    PromptOffer,
    SessionOffer,
    capabilities_of,
    is_marked,
    read_auth_methods,
)
from acp_tui.protocol.vocabulary.session_updates import (
    AvailableCommand,
    AvailableCommandsUpdate,
    SubagentUpdate,
    Update,
)
from acp_tui.protocol.vocabulary.tool_calls import (
    PermissionOption,
    PermissionRequest,
    PermissionSubject,
    TerminalOutputChunk,
    TerminalUpdate,
    ToolCallContentChunk,
    ToolCallUpdate,
)

DRAFT_MARKERS = ("load", "list", "resume", "close")
"""Capabilities of a session that only drafts had; where one is told, each of them counts only if it is told.

Today history comes by `session/resume` with `replayFrom`, which drafts lack.
"""


class McpOffer(Model):
    """`session.mcp`."""

    stdio: Lenient[Marker] = False
    http: Lenient[Marker] = False


class Version2SessionOffer(SessionOffer):
    """`session`, with `load` of drafts."""

    prompt: Lenient[PromptOffer | None] = None
    mcp: Lenient[McpOffer | None] = None
    load: Lenient[Marker] = False

    def told(self) -> Self:
        """The same with what has since become the baseline, where the agent is no draft's."""
        is_draft = any(self.has(name) for name in DRAFT_MARKERS)
        return self if is_draft else self.model_copy(update=dict.fromkeys(DRAFT_MARKERS, True))


class AuthOffer(Model):
    """`auth`, which says nothing of logging in and out."""

    status: Lenient[Marker] = False  # unstable


class AgentOffer(Model):
    """`capabilities`."""

    session: Lenient[Version2SessionOffer | None] = None
    auth: Lenient[AuthOffer | None] = None


class InitializeResponse(Model):
    """The answer to `initialize`; its auth methods are read one by one. Drafts called `info` `agentInfo`."""

    info: Lenient[Implementation | None] = None
    agent_info: Lenient[Implementation | None] = None
    capabilities: Lenient[AgentOffer] = Field(default_factory=AgentOffer)
    auth_methods: LenientItems[list[dict[str, Any]]] = []


def read_initialized(result: dict[str, Any]) -> tuple[Initialized, bool]:
    """Read the answer to `initialize`, and whether history comes by `session/load`, as drafts had it."""
    response = read(InitializeResponse, result)
    session = response.capabilities.session
    auth_methods = read_auth_methods(response.auth_methods)
    auth, told_of_auth = response.capabilities.auth, result.get("capabilities")
    log_in = {
        "logout": bool(auth_methods),
        "auth_status": auth is not None and auth.status,
        "tells_auth_status": isinstance(told_of_auth, dict) and is_marked(told_of_auth, told_of_auth.get("auth")),
    }
    capabilities = capabilities_of(SessionOffer(), PromptOffer(), **log_in)
    if session is not None:
        prompt, mcp, told = session.prompt or PromptOffer(), session.mcp or McpOffer(), session.told()
        capabilities = capabilities_of(
            told, prompt, load_session=told.load, mcp_stdio=mcp.stdio, mcp_http=mcp.http, **log_in
        )
    agent = response.info or response.agent_info
    return Initialized(agent, capabilities, auth_methods, raw=result), session is not None and session.load


class PermissionAsked(Model):
    """`session/request_permission` as it comes; drafts had `toolCall` in place of title and subject."""

    session_id: str
    title: str | None = None
    description: Lenient[str | None] = None
    subject: dict[str, Any] | None = None
    tool_call: dict[str, Any] | None = None
    options: Annotated[list[PermissionOption], Field(min_length=1)]


class ToolCallSubject(Model):
    """A tool call; it is an update like any other."""

    tool_call: ToolCallUpdate


class CommandSubject(Model):
    """A command in an absolute folder."""

    command: str
    cwd: str
    tool_call_id: Lenient[str | None] = None
    terminal_id: Lenient[str | None] = None


def read_permission(params: Any) -> PermissionMessage:
    """The request, and its tool call as an update. The request's title is not the tool call's."""
    asked = read(PermissionAsked, params)
    given = asked.subject
    if given is None and asked.tool_call is not None:
        given = {"type": "tool_call", "toolCall": asked.tool_call}
    subject = None if given is None else _subject(given)
    call = subject.tool_call if subject else None
    title = asked.title
    if title is None:
        if asked.tool_call is None:
            raise ProtocolFault("The agent sent an invalid permission request", "title", "a string is required")
        title = (call and (call.title or call.name or call.kind)) or "Permission"
    request = PermissionRequest(
        meta=asked.meta,
        session_id=asked.session_id,
        title=title,
        description=asked.description,
        subject=subject,
        options=asked.options,
    )
    raw = given.get("toolCall") if given is not None else None
    lost = lost_content(call, raw.get("content")) if call and isinstance(raw, dict) else []
    return PermissionMessage(request, [call, *lost] if call else [])


def _subject(given: dict[str, Any]) -> PermissionSubject:
    kind = given.get("type")
    if not isinstance(kind, str):
        raise ProtocolFault("The agent sent an invalid permission request", "subject.type", "a string is required")
    if kind == "tool_call":
        call = read(ToolCallSubject, given).tool_call
        return PermissionSubject(type=kind, tool_call=call, tool_call_id=call.tool_call_id)
    if kind == "command":
        asked = read(CommandSubject, given)
        return PermissionSubject(type=kind, **{name: getattr(asked, name) for name in CommandSubject.model_fields})
    return PermissionSubject(type=kind, raw=given)


FROM_START = {"replayFrom": {"type": "start"}}


class AvailableCommands(Model):
    """`available_commands_update`."""

    available_commands: SkipInvalid[list[AvailableCommand]]


def _read_commands(_memory: Version2Memory, update: dict[str, Any]) -> list[Update]:
    return [AvailableCommandsUpdate(available_commands=read(AvailableCommands, update).available_commands)]


def _read_terminal(_memory: object, update: dict[str, Any]) -> list[Update]:
    """Read `terminal_update`; output that cannot be decoded reads as if it had been omitted."""
    given = dict(update)
    if given.get("output") is not None:
        output = given.pop("output")
        data = _decoded(output.get("data")) if isinstance(output, dict) else None
        given |= {} if data is None else {"output": data}
    return [read(TerminalUpdate, given)]


def _read_output_chunk(_memory: object, update: dict[str, Any]) -> list[Update]:
    data = _decoded(update.get("data"))
    if data is None:
        raise ProtocolFault("The agent sent invalid terminal output", "data", "base64 is required")
    return [read(TerminalOutputChunk, {**update, "data": data})]


def _decoded(data: Any) -> bytes | None:
    try:
        return base64.b64decode(data, validate=True) if isinstance(data, str) else None
    except (binascii.Error, ValueError):
        return None


READERS: dict[str, Reader[Version2Memory]] = {
    **SHARED,
    "user_message": Version2Memory.read_message,
    "user_message_chunk": Version2Memory.read_message,
    "agent_message": Version2Memory.read_message,
    "agent_message_chunk": Version2Memory.read_message,
    "agent_thought": Version2Memory.read_message,
    "agent_thought_chunk": Version2Memory.read_message,
    "state_update": Version2Memory.read_state,
    "tool_call_update": Version2Memory.read_tool_call,
    "tool_call_content_chunk": read_as(ToolCallContentChunk),
    "terminal_update": _read_terminal,
    "terminal_output_chunk": _read_output_chunk,
    "available_commands_update": _read_commands,
    "config_option_update": lambda memory, update: [memory.options.read(update)],
    "subagent_update": between(read_as(SubagentUpdate)),
}


class Version2Dialect(Dialect):
    """See `Dialect` for what each method means. `by_load` says that history comes by `session/load`, as in drafts."""

    name = "ACP 2"
    older_names: ClassVar[Mapping[str, str]] = {"auth/login": "authenticate", "auth/logout": "logout"}
    readers = READERS

    def __init__(self, *, by_load: bool = False) -> None:
        self._by_load = by_load
        self._memories: Memories[Version2Memory] = Memories(Version2Memory)

    def open_session(self, way: Way, scope: SessionScope, session_id: str | None = None) -> Call:
        if way != "load" or self._by_load:
            return super().open_session(way, scope, session_id)
        call = super().open_session("resume", scope, session_id)
        return Call(call.method, {**call.params, **FROM_START})

    def authenticate(self, method_id: str) -> Call:
        return Call("auth/login", {"methodId": method_id})

    def logout(self) -> Call:
        return Call("auth/logout", {})

    def cancel(self, session_id: str) -> Call:
        self._memories.of(session_id).cancelling = True
        return super().cancel(session_id)

    def read_permission(self, params: Any) -> PermissionMessage:
        asked = read_permission(params)
        self.break_message(asked.request.session_id)
        return asked
