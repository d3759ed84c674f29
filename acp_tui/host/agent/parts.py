"""The parts of a client that need the words of the protocol; they outlive each process of the agent."""

from collections.abc import Awaitable, Callable

from acp_tui.host.agent.branches import Branches
from acp_tui.host.agent.client_changes import ClientChanges
from acp_tui.host.agent.context import AgentContext
from acp_tui.host.agent.logins import Logins
from acp_tui.host.catalog.agent_entries import known_by_argv
from acp_tui.host.connection.agent_link import AgentLink
from acp_tui.host.keeping.retention import retain
from acp_tui.host.options.choices import NOTHING_KNOWN, KeptChoices
from acp_tui.host.sessions.known_sessions import KnownSessions
from acp_tui.host.sessions.open_session import OpenSession
from acp_tui.host.sessions.sessions import Sessions


class AgentParts:
    """Conversations and branches, log-ins, who is logged in, the sessions that the agent knows, the options kept."""

    def __init__(self, context: AgentContext) -> None:
        self.context, self.opened = context, context.sessions
        known, sessions, argv = known_by_argv(context.command.argv), context.sessions, context.command.argv
        self.changes = ClientChanges(context.snapshots, sessions, known.own_folders if known is not None else ())
        watched = not context.snapshots.off
        self.sessions = Sessions(sessions, argv, asks=context.capabilities.elicitation, watched=watched)
        self.logins = Logins(context, self.sessions)
        self.known_sessions = KnownSessions(sessions, context.client)
        self.branches = Branches(context)
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

        await self.changes.serve(acts, retain)

    def begin_fork(self, opened: OpenSession) -> None:
        """A session begins with what another one has: its words and, as far as they are known, its snapshots."""
        told = opened.source.told
        opened.conversation.begin_fork()
        if not opened.source.aside:
            self.changes.begin_branch(opened, told)

    def gone(self) -> None:
        self.logins.gone()
        self.known_sessions.gone()
