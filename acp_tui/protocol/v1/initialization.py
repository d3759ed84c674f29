"""The answer to `initialize` in protocol 1."""

from typing import Any

from pydantic import Field

from acp_tui.protocol.base import Boolean, Lenient, LenientItems, Model
from acp_tui.protocol.reading import read
from acp_tui.protocol.shared import steering
from acp_tui.protocol.shared.initialization import PromptOffer, SessionOffer, capabilities_of, read_auth_methods
from acp_tui.protocol.vocabulary.initialization import Implementation, Initialized, Marker


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
        steering=steering.is_offered(result),
    )
    auth_methods = read_auth_methods(response.auth_methods)
    return Initialized(response.agent_info, capabilities, auth_methods, raw=result)
