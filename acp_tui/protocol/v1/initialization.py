"""The answer to `initialize` in protocol 1."""

from dataclasses import replace
from typing import Any

from pydantic import Field

from acp_tui.protocol.base import Boolean, Lenient, LenientItems, Model
from acp_tui.protocol.capabilities import AgentCapabilities, PromptCapabilities
from acp_tui.protocol.reading import read
from acp_tui.protocol.shared import auth_methods, steering
from acp_tui.protocol.vocabulary.initialization import Implementation, Initialized, Marker


class PromptOffer(Model):
    """`promptCapabilities`."""

    image: Lenient[Boolean] = False
    audio: Lenient[Boolean] = False
    embedded_context: Lenient[Boolean] = False


class McpOffer(Model):
    """`mcpCapabilities`; stdio is always there."""

    http: Lenient[Boolean] = False
    sse: Lenient[Boolean] = False


class SessionOffer(Model):
    """`sessionCapabilities`; those from `fork` on are unstable."""

    list: Lenient[Marker] = False
    delete: Lenient[Marker] = False
    additional_directories: Lenient[Marker] = False
    resume: Lenient[Marker] = False
    close: Lenient[Marker] = False
    fork: Lenient[Marker] = False
    archive: Lenient[Marker] = False
    status: Lenient[Marker] = False
    title: Lenient[Marker] = False


class AuthOffer(Model):
    """`auth`."""

    logout: Lenient[Marker] = False


class AgentOffer(Model):
    """`agentCapabilities`."""

    load_session: Lenient[Boolean] = False
    prompt_capabilities: Lenient[PromptOffer] = Field(default_factory=PromptOffer)
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
    return Initialized(
        agent=response.agent_info,
        capabilities=replace(_capabilities(response.agent_capabilities), steering=steering.is_offered(result)),
        auth_methods=auth_methods.read_auth_methods(response.auth_methods),
        raw=result,
    )


def _capabilities(offer: AgentOffer) -> AgentCapabilities:
    session, prompt = offer.session_capabilities, offer.prompt_capabilities
    return AgentCapabilities(
        load_session=offer.load_session,
        list_sessions=session.list,
        resume_session=session.resume,
        close_session=session.close,
        delete_session=session.delete,
        fork_session=session.fork,
        archive_session=session.archive,
        title_session=session.title,
        session_status=session.status,
        additional_directories=session.additional_directories,
        mcp_http=offer.mcp_capabilities.http,
        mcp_sse=offer.mcp_capabilities.sse,
        logout=offer.auth.logout,
        prompt=PromptCapabilities(image=prompt.image, audio=prompt.audio, embedded_context=prompt.embedded_context),
    )
