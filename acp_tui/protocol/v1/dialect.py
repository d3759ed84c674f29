"""Protocol 1 as a dialect: one reader for each kind of update."""

from collections.abc import Callable
from typing import Any

from pydantic import Field

from acp_tui.protocol.base import Boolean, Integer, Lenient, LenientItems, Model, read
from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.session_setup import PermissionMessage, offers_steering
from acp_tui.protocol.update_readers import (
    SHARED,
    Memories,
    Reader,
    between,
    lost_content,
    read_as,
    read_whole_plan,
)
from acp_tui.protocol.v1.session_memory import OptionsAndModes, Version1Memory
from acp_tui.protocol.vocabulary.config_options import ConfigOptionUpdate
from acp_tui.protocol.vocabulary.content import CONTENT_TYPES
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
    AvailableCommandsUpdate,
    SubagentUpdate,
    Update,
)
from acp_tui.protocol.vocabulary.tool_calls import (
    PermissionOption,
    PermissionRequest,
    PermissionSubject,
    TerminalExitStatus,
    TerminalOutputChunk,
    TerminalUpdate,
    ToolCallUpdate,
    shared_word,
)

MEMBERS = ("terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit")


class TerminalMember(Model):
    """Any of the four members; a terminal without an id is named after its tool call."""

    terminal_id: Lenient[str | None] = None
    cwd: Lenient[str | None] = None
    data: Lenient[str | None] = None
    exit_code: Lenient[Integer | None] = None
    signal: Lenient[str | None] = None


class ToolCallPermission(Model):
    """`session/request_permission` as it comes; its tool call is read by itself, member by member."""

    session_id: str
    tool_call: dict[str, Any]
    options: list[PermissionOption]


def read_tool_call(memory: Version1Memory, update: dict[str, Any]) -> list[Update]:
    """Read `tool_call` (which needs a title when it is new), `tool_call_update` or a permission's `toolCall`."""
    given = _given(update)
    call = read(ToolCallUpdate, given)
    identity = call.tool_call_id
    if identity not in memory.titles:
        if update.get("sessionUpdate") == "tool_call" and call.title is None:
            raise ProtocolFault("The agent sent an invalid tool call", "title", "a string is required")
        memory.close_message()
        memory.titles[identity] = ""
    if call.status is not None and memory.statuses.get(identity) != call.status:
        # Agents do not stream text while a call begins or ends: what comes next is something new. Mere output of a
        # call that runs may come in the middle of a word.
        memory.close_message()
        memory.statuses[identity] = shared_word(call.status)
    if call.title is not None:
        memory.titles[identity] = call.title
    shown = _terminal_output(call)
    if shown and call.meta:
        call = call.model_copy(update={"meta": {key: each for key, each in call.meta.items() if key not in MEMBERS}})
    return [call, *lost_content(call, given.get("content")), *shown]


def _given(update: dict[str, Any]) -> dict[str, Any]:
    given = {key: value for key, value in update.items() if value is not None}
    given["sessionUpdate"] = "tool_call_update"
    if isinstance(given.get("content"), list):
        given["content"] = [_wrapped(item) for item in given["content"]]
    return given


def _wrapped(item: Any) -> Any:
    """A bare content block, as the spec's own example has it, in its wrapping."""
    if isinstance(item, dict) and isinstance(item.get("type"), str) and item["type"] in CONTENT_TYPES:
        return {"type": "content", "content": item}
    return item


def fold_permission(memory: Version1Memory, asked: ToolCallPermission) -> PermissionMessage:
    """The request with a title (the tool call's, or the one it had before), and its tool call as an update."""
    updates = read_tool_call(memory, asked.tool_call)
    memory.close_message()  # the agent waits for the user: what it says after that is not the sentence before
    call = next(update for update in updates if isinstance(update, ToolCallUpdate))
    title = memory.titles[call.tool_call_id] or call.name or call.kind or "Permission"
    subject = PermissionSubject(type="tool_call", tool_call=call, tool_call_id=call.tool_call_id)
    request = PermissionRequest(
        meta=asked.meta, session_id=asked.session_id, title=title, subject=subject, options=asked.options
    )
    return PermissionMessage(request, updates)


def _terminal_output(call: ToolCallUpdate) -> list[Update]:
    """What the `_meta` of a tool call says about a terminal, in order; what cannot be read says nothing."""
    if not call.meta:
        return []
    updates: list[Update] = []
    for name in MEMBERS:
        if name in call.meta:
            updates += _read_member(name, call.meta[name], call.tool_call_id)
    return updates


def _read_member(name: str, value: Any, fallback: str) -> list[Update]:
    try:
        member = read(TerminalMember, value)
    except ProtocolFault:
        return []  # `_meta` is nobody's contract
    terminal_id = member.terminal_id or fallback
    if name == "terminal_info":
        cwd = {"cwd": member.cwd} if member.cwd else {}
        return [TerminalUpdate(terminal_id=terminal_id, **cwd)]
    if name == "terminal_exit":
        status = TerminalExitStatus(exit_code=member.exit_code, signal=member.signal)
        return [TerminalUpdate(terminal_id=terminal_id, exit_status=status)]
    if not member.data:
        return []
    return [TerminalOutputChunk(terminal_id=terminal_id, data=member.data.encode(errors="replace"))]


class BooleanPromptOffer(PromptOffer):
    """`promptCapabilities`."""

    image: Lenient[Boolean] = False
    audio: Lenient[Boolean] = False
    embedded_context: Lenient[Boolean] = False


class McpOffer(Model):
    """`mcpCapabilities`; stdio is always there."""

    http: Lenient[Boolean] = False
    sse: Lenient[Boolean] = False


class AuthOffer(Model):
    """`auth`."""

    logout: Lenient[Marker] = False
    status: Lenient[Marker] = False  # unstable


class AgentOffer(Model):
    """`agentCapabilities`."""

    load_session: Lenient[Boolean] = False
    prompt_capabilities: Lenient[BooleanPromptOffer] = Field(default_factory=BooleanPromptOffer)
    mcp_capabilities: Lenient[McpOffer] = Field(default_factory=McpOffer)
    session_capabilities: Lenient[SessionOffer] = Field(default_factory=SessionOffer)
    auth: Lenient[AuthOffer] = Field(default_factory=AuthOffer)


class InitializeResponse(Model):
    """The answer to `initialize`; its auth methods are read one by one."""

    agent_capabilities: Lenient[AgentOffer] = Field(default_factory=AgentOffer)
    auth_methods: LenientItems[list[dict[str, Any]]] = []
    agent_info: Lenient[Implementation | None] = None


def read_initialized(result: dict[str, Any]) -> Initialized:
    """Read the answer to `initialize`, whatever version it names."""
    response = read(InitializeResponse, result)
    offer = response.agent_capabilities
    capabilities = capabilities_of(
        offer.session_capabilities,
        offer.prompt_capabilities,
        load_session=offer.load_session,
        mcp_http=offer.mcp_capabilities.http,
        mcp_sse=offer.mcp_capabilities.sse,
        logout=offer.auth.logout,
        auth_status=offer.auth.status,
        tells_auth_status=is_marked(result.get("agentCapabilities")),
        steering=offers_steering(result),
    )
    auth_methods = read_auth_methods(response.auth_methods)
    return Initialized(response.agent_info, capabilities, auth_methods, raw=result)


def _option(read_it: Callable[[OptionsAndModes, dict[str, Any]], ConfigOptionUpdate]) -> Reader[Version1Memory]:
    return lambda memory, update: [read_it(memory.options, update)]


READERS: dict[str, Reader[Version1Memory]] = {
    **SHARED,
    "user_message_chunk": Version1Memory.read_chunk,
    "agent_message_chunk": Version1Memory.read_chunk,
    "agent_thought_chunk": Version1Memory.read_chunk,
    "tool_call": read_tool_call,
    "tool_call_update": read_tool_call,
    "plan": between(read_whole_plan),
    "available_commands_update": read_as(AvailableCommandsUpdate),
    "current_mode_update": _option(OptionsAndModes.read_mode),
    "current_model_update": _option(OptionsAndModes.read_model),  # never released
    "config_option_update": _option(OptionsAndModes.read),
    "config_options_update": _option(OptionsAndModes.read),  # as the documentation of v0.10 and v0.11 spelled it
    "subagent_update": Version1Memory.read_subagent,
}


class Version1Dialect(Dialect):
    """See `Dialect` for what each method means."""

    name = "ACP 1"
    typed_stdio = False
    readers = READERS

    def __init__(self) -> None:
        self._memories: Memories[Version1Memory] = Memories(Version1Memory)

    def read_update(self, params: Any) -> tuple[str, list[Update]]:
        """A child's work ends by what is said of it in its parent; what it says after that is another message."""
        session_id, updates = super().read_update(params)
        for update in updates:
            child = update if isinstance(update, SubagentUpdate) and update.has("state") else None
            if child is not None and (child.state is None or child.state.state == "idle"):
                self.break_message(child.session_id)
        return session_id, updates

    def read_permission(self, params: Any) -> PermissionMessage:
        asked = read(ToolCallPermission, params)
        return fold_permission(self._memories.of(asked.session_id), asked)
