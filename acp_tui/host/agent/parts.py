"""The parts of a client that need the words of the protocol; they outlive each process of the agent."""

from collections.abc import Awaitable, Callable

from acp_tui.host.agent.branches import Branches
from acp_tui.host.agent.context import AgentContext
from acp_tui.host.agent.logins import Logins
from acp_tui.host.catalog.agent_entries import known_by_argv
from acp_tui.host.changes.client_changes import ClientChanges
from acp_tui.host.connection.connection import AgentLink
from acp_tui.host.keeping.retention import retain
from acp_tui.host.sessions.conversation import Conversation
from acp_tui.host.sessions.known_sessions import KnownSessions
from acp_tui.host.sessions.session_source import SessionSource
from acp_tui.host.sessions.sessions import Sessions, no_watch
from acp_tui.host.sessions.turn_watch import TurnWatch
from acp_tui.host.store.choices import NOTHING_KNOWN, KeptChoices
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
        known = known_by_argv(context.command.argv)
        self.changes = ClientChanges(context.snapshots, known.own_folders if known is not None else ())
        watch = no_watch if context.snapshots.off else self._look_at
        self.sessions = Sessions(context.sources, context.command.argv, watch, asks=context.capabilities.elicitation)
        self.logins = Logins(context, self.sessions, restart)
        self.known_sessions = KnownSessions(context.sources, close_session)
        self.branches = Branches(context, self.sessions, open_session, close_session)
        self.kept = KeptChoices(None)
        self.asking_more = known.asking_more if known is not None else NOTHING_KNOWN
        self._met = False

    def introduced(self, link: AgentLink) -> None:
        """The agent has answered `initialize`; what is kept for it is read the first time."""
        self.logins.introduced(link)
        self.known_sessions.connected(link)
        if not self._met:
            agent = link.initialized.agent
            self.kept = KeptChoices.for_agent(agent.name if agent else "\0".join(self.context.command.argv))
            self._met = True

    async def serve(self, act: Callable[[], Awaitable[None]], then: Callable[[], Awaitable[None]]) -> None:
        """Take snapshots of the sessions' folders during `act` and then `then`; let go of what is kept too long."""

        async def acts() -> None:
            await act()
            await then()

        for source in self.context.sources:
            self._look_at(source)
        await self.changes.serve(acts, retain)

    def begin_fork(self, source: SessionSource) -> None:
        """A session begins with what another one has: its words and, as far as they are known, its snapshots."""
        told = source.told
        self.sessions.of(source.session).begin_fork()
        if not source.aside:
            self.changes.begin_branch(source.session, source.scope, told, source.session_id)

    def forget(self, conversation: Conversation) -> None:
        """A session is put away."""
        self.sessions.remove(conversation)
        self.changes.forget(conversation.session)

    def _look_at(self, source: SessionSource) -> TurnWatch:
        return self.changes.of(source.session, source.scope).turns

    def gone(self) -> None:
        self.logins.gone()
        self.known_sessions.gone()
