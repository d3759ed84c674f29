"""The link to an agent that has introduced itself: the connection, its dialect, and what it can do."""

from typing import Protocol

from acp_tui.errors import Fault
from acp_tui.frozen import Frozen
from acp_tui.host.connection.connection import AgentConnection
from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.capabilities import AgentCapabilities
from acp_tui.protocol.faults import AUTH_REQUIRED, error_words
from acp_tui.protocol.vocabulary.initialization import Initialized
from acp_tui.wire.jsonrpc import Error, Response


class LinkedAgent(Protocol):
    """The agent at the other end of a link."""

    def fail(self, fault: Fault, /) -> None:
        """End the connection, and say why."""

    def wants_login(self, error: Error, /) -> bool:
        """Offer the log-in that this error asks for; False where nobody can log in, so that it is like any other."""

    def logged_in(self) -> None:
        """Try again what waited for a log-in."""


class AgentLink(Frozen):
    """What a conversation knows of its agent."""

    connection: AgentConnection
    dialect: Dialect
    initialized: Initialized
    agent: LinkedAgent

    @property
    def can(self) -> AgentCapabilities:
        return self.initialized.capabilities

    @property
    def agent_name(self) -> str:
        agent = self.initialized.agent
        return (agent.title or agent.name) if agent else ""

    def wants_login(self, answer: Response) -> bool:
        """Whether the agent does this only after a log-in, which is offered then; the caller tries again after it."""
        error = answer.error
        return error is not None and error.code == AUTH_REQUIRED and self.agent.wants_login(error)


def words_of(error: Error) -> str:
    """What an agent's refusal says, in words."""
    return error_words(error.code, error.message, error.data)
