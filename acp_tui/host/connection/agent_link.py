"""The link to an agent that has introduced itself: the connection, its dialect, and what it can do."""

from collections.abc import Callable

from acp_tui.errors import Fault
from acp_tui.frozen import Frozen
from acp_tui.host.connection.connection import AgentConnection
from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.capabilities import AgentCapabilities
from acp_tui.protocol.faults import AUTH_REQUIRED, error_words
from acp_tui.protocol.vocabulary.initialization import Initialized
from acp_tui.wire.jsonrpc import Error, Response


class AgentLink(Frozen):
    """`fail` ends the connection and says why; `logged_in` tries again what waited for a log-in.

    `login_wanted` gets the error of what needs a log-in first; without it, that is a failure like any other.
    """

    connection: AgentConnection
    dialect: Dialect
    initialized: Initialized
    fail: Callable[[Fault], None]
    logged_in: Callable[[], None]
    login_wanted: Callable[[Error], None] | None

    @property
    def can(self) -> AgentCapabilities:
        return self.initialized.capabilities

    @property
    def agent_name(self) -> str:
        agent = self.initialized.agent
        return (agent.title or agent.name) if agent else ""

    def wants_login(self, answer: Response) -> bool:
        """Whether the agent does this only after a log-in, which is offered then; the caller tries again after it."""
        if answer.error is None or answer.error.code != AUTH_REQUIRED or self.login_wanted is None:
            return False
        self.login_wanted(answer.error)
        return True


def words_of(error: Error) -> str:
    """What an agent's refusal says, in words."""
    return error_words(error.code, error.message, error.data)
