"""The answer to `initialize` in protocol 2."""

from typing import Any, Self

from pydantic import Field

from acp_tui.protocol.base import Lenient, LenientItems, Model
from acp_tui.protocol.capabilities import AgentCapabilities
from acp_tui.protocol.reading import read
from acp_tui.protocol.shared.initialization import PromptOffer, SessionOffer, capabilities_of, read_auth_methods
from acp_tui.protocol.vocabulary.initialization import Implementation, Initialized, Marker

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


class AgentOffer(Model):
    """`capabilities`; what `auth` holds is unstable."""

    session: Lenient[Version2SessionOffer | None] = None
    auth: Lenient[dict[str, Any] | None] = None


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
    logout = bool(auth_methods)
    capabilities = AgentCapabilities(logout=logout)
    if session is not None:
        prompt, mcp, told = session.prompt or PromptOffer(), session.mcp or McpOffer(), session.told()
        capabilities = capabilities_of(
            told, prompt, load_session=told.load, mcp_stdio=mcp.stdio, mcp_http=mcp.http, logout=logout
        )
    agent = response.info or response.agent_info
    return Initialized(agent, capabilities, auth_methods, raw=result), session is not None and session.load
