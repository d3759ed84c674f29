"""The parts of a client that need the words of the protocol; they outlive each process of the agent."""

from collections.abc import Callable

from acp_tui.host.agent.branches import Branches
from acp_tui.host.agent.context import AgentContext
from acp_tui.host.agent.login_status import LoginStatus
from acp_tui.host.agent.logins import Logins
from acp_tui.host.changes.client_changes import ClientChanges
from acp_tui.host.connection.agent_link import AgentLink
from acp_tui.host.options.choices import KeptChoices
from acp_tui.host.sessions.known_sessions import KnownSessions
from acp_tui.host.sessions.session_source import SessionSource
from acp_tui.host.sessions.sessions import Sessions
from acp_tui.session.state import Session


class AgentParts:
    """Conversations and branches, log-ins, who is logged in, the sessions that the agent knows, the options kept."""

    def __init__(
        self,
        context: AgentContext,
        restart: Callable[[], None],
        open_session: Callable[[SessionSource], Session],
        close_session: Callable[[Session], None],
    ) -> None:
        self.context = context
        self.changes = ClientChanges(context.snapshots)
        self.sessions = Sessions(context.sources, context.command.argv, asks=context.capabilities.elicitation)
        if not context.snapshots.off:
            self.sessions.watch = lambda source: self.changes.of(source.session, source.scope).turns
        self.logins = Logins(context, self.sessions, restart)
        self.login_status = LoginStatus(context, self.sessions, self.logins.logged_in_elsewhere)
        self.logins.logged_out = self.login_status.ask
        self.known_sessions = KnownSessions(context.sources, close_session)
        self.branches = Branches(context, self.sessions, open_session, close_session)
        self.kept = KeptChoices(None)
        self._met = False

    def introduced(self, link: AgentLink) -> None:
        """The agent has answered `initialize`; what is kept for it is read the first time."""
        self.logins.introduced(link)
        self.login_status.introduced(link)
        self.known_sessions.connected(link)
        if not self._met:
            agent = link.initialized.agent
            self.kept = KeptChoices.for_agent(agent.name if agent else "\0".join(self.context.command.argv))
            self._met = True

    def gone(self) -> None:
        self.logins.gone()
        self.login_status.gone()
        self.known_sessions.gone()
