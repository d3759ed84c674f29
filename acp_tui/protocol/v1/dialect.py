"""Protocol 1 as a dialect: one reader for each kind of update."""

from collections.abc import Callable
from typing import Any

from pydantic import Field

from acp_tui.protocol.base import Boolean, Lenient, LenientItems, Model
from acp_tui.protocol.calls import PermissionRead
from acp_tui.protocol.dialect import Dialect
from acp_tui.protocol.reading import read
from acp_tui.protocol.shared import steering
from acp_tui.protocol.shared.auth_status import is_marked
from acp_tui.protocol.shared.initialization import PromptOffer, SessionOffer, capabilities_of, read_auth_methods
from acp_tui.protocol.shared.memories import Memories
from acp_tui.protocol.shared.updates import (
    SHARED,
    Reader,
    between,
    read_as,
    read_whole_plan,
)
from acp_tui.protocol.v1.config_options import OptionsAndModes
from acp_tui.protocol.v1.messages import Version1Memory
from acp_tui.protocol.v1.tool_calls import ToolCallPermission, fold_permission, read_tool_call
from acp_tui.protocol.vocabulary.commands import AvailableCommandsUpdate
from acp_tui.protocol.vocabulary.config_options import ConfigOptionUpdate
from acp_tui.protocol.vocabulary.initialization import Implementation, Initialized, Marker
from acp_tui.protocol.vocabulary.updates import (
    SubagentUpdate,
    Update,
)


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
        steering=steering.is_offered(result),
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

    def read_permission(self, params: Any) -> PermissionRead:
        asked = read(ToolCallPermission, params)
        return fold_permission(self._memories.of(asked.session_id), asked)
