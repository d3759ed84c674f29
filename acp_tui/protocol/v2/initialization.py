"""The answer to `initialize` in protocol 2."""

from typing import Any

from pydantic import Field

from acp_tui.protocol.base import Lenient, LenientItems, Model
from acp_tui.protocol.capabilities import AgentCapabilities, PromptCapabilities
from acp_tui.protocol.reading import read
from acp_tui.protocol.shared.auth_methods import read_auth_methods
from acp_tui.protocol.vocabulary.initialization import Implementation, Initialized, Marker

DRAFT_MARKERS = ("load", "list", "resume", "close")
"""Capabilities of a session that only drafts had; where one is told, each of them counts only if it is told."""


class PromptOffer(Model):
    """`session.prompt`."""

    image: Lenient[Marker] = False
    audio: Lenient[Marker] = False
    embedded_context: Lenient[Marker] = False


class McpOffer(Model):
    """`session.mcp`."""

    stdio: Lenient[Marker] = False
    http: Lenient[Marker] = False


class SessionOffer(Model):
    """`session`; after the first four members come unstable ones, then those of drafts."""

    prompt: Lenient[PromptOffer | None] = None
    mcp: Lenient[McpOffer | None] = None
    delete: Lenient[Marker] = False
    additional_directories: Lenient[Marker] = False
    fork: Lenient[Marker] = False
    archive: Lenient[Marker] = False
    status: Lenient[Marker] = False
    title: Lenient[Marker] = False
    load: Lenient[Marker] = False
    list: Lenient[Marker] = False
    resume: Lenient[Marker] = False
    close: Lenient[Marker] = False

    @property
    def is_draft(self) -> bool:
        """Whether the agent tells what has since become the baseline."""
        return any(self.has(name) for name in DRAFT_MARKERS)

    def offers(self, name: str) -> bool:
        """Whether a capability of DRAFT_MARKERS is there."""
        return bool(getattr(self, name)) if self.is_draft else True


class AgentOffer(Model):
    """`capabilities`; what `auth` holds is unstable."""

    session: Lenient[SessionOffer | None] = None
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
    initialized = Initialized(
        agent=response.info or response.agent_info,
        capabilities=_capabilities(session, logout=logout) if session else AgentCapabilities(logout=logout),
        auth_methods=auth_methods,
        raw=result,
    )
    return initialized, session is not None and session.load


def _capabilities(session: SessionOffer, *, logout: bool) -> AgentCapabilities:
    prompt, mcp = session.prompt or PromptOffer(), session.mcp or McpOffer()
    return AgentCapabilities(
        load_session=session.offers("load"),  # today by `session/resume` with `replayFrom`, which drafts lack
        list_sessions=session.offers("list"),
        resume_session=session.offers("resume"),
        close_session=session.offers("close"),
        delete_session=session.delete,
        fork_session=session.fork,
        archive_session=session.archive,
        title_session=session.title,
        session_status=session.status,
        additional_directories=session.additional_directories,
        mcp_stdio=mcp.stdio,
        mcp_http=mcp.http,
        logout=logout,
        prompt=PromptCapabilities(image=prompt.image, audio=prompt.audio, embedded_context=prompt.embedded_context),
    )
