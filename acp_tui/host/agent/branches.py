"""Branches of conversations, and asides: forks for one question that leave the conversation as it was."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from acp_tui.host.agent.context import AgentContext
from acp_tui.host.catalog.known_agents import forks_at_message
from acp_tui.host.options.choices import choice_of
from acp_tui.host.sessions.branching import Branch, BranchPlan, Forks, branched_fact, plan_branch
from acp_tui.host.sessions.carried import own_blocks
from acp_tui.host.sessions.session_source import SessionSource
from acp_tui.host.sessions.sessions import Sessions
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.session.entries import MessageEntry
from acp_tui.session.state import Session

NOTHING: Mapping[str, str | bool] = MappingProxyType({})


class Branches:
    """Begins them. `open_` has the agent asked for a session, `close` puts one away."""

    def __init__(
        self,
        context: AgentContext,
        sessions: Sessions,
        open_: Callable[[SessionSource], Session],
        close: Callable[[Session], None],
    ) -> None:
        self._context, self._sessions, self._open, self._close = context, sessions, open_, close

    def plan(self, session: Session, message: MessageEntry | None) -> BranchPlan:
        """How the conversation can go on from before `message`, an entry of the user's; from its end without one."""
        connection = self._context.lifecycle.connection
        agent = connection.agent
        at_message = agent is not None and forks_at_message(agent.name, agent.version)
        unseen = self._sessions.of(session).source.unseen
        return plan_branch(session, message, Forks(connection.capabilities.fork_session, at_message, unseen))

    def begin(
        self,
        session: Session,
        message: MessageEntry | None,
        blocks: Sequence[ContentBlock],
        choose: Mapping[str, str | bool] = NOTHING,
    ) -> Session:
        """A new session that goes on from before `message`, to be shown at once; `blocks` are its first prompt.

        It begins with what was said before; the prompt is queued until the agent has opened the session. It gets the
        folders, servers and options of `session`, but `choose` gives other values of options, by their ids.
        """
        parent = self._sessions.of(session).source
        branch = Session("", parent.scope.cwd, session.agent_name)
        fact, plan = branched_fact(session, message), self.plan(session, message)
        values = {option.id: option.current_value for option in session.config_options} | dict(choose)
        options = [each for each in session.config_options if values[each.id] is not None]
        inherited = [choice_of(each, value) for each in options if (value := values[each.id]) is not None]
        prompts = None if message is None else fact.prompt
        begun = Branch(plan, fact, prompts, inherited, parent.unseen)
        self._open(SessionSource(branch, parent.scope, "branch", session.id, session, branch=begun))
        if blocks:
            self._sessions.of(branch).submit(list(blocks))
        return branch

    def own_blocks(self, message: MessageEntry) -> list[ContentBlock]:
        """What the user sent with a message, to be sent again: without what this program put in front of it."""
        return own_blocks(message)

    def aside(self, session: Session) -> Session | None:
        """A fork of the whole session for one question, not among the client's; None where the agent cannot fork.

        Nothing of it is recorded, and what the agent asks in it is declined. It is over by `end_aside`, or `closed`
        where something went wrong, which is told in it.
        """
        can_fork = self._context.lifecycle.connection.capabilities.fork_session
        if not can_fork or not session.id or session.closed:
            return None
        aside = Session("", session.cwd, session.agent_name)
        scope = self._sessions.of(session).source.scope
        return self._open(SessionSource(aside, scope, "fork", session.id, aside=True))

    def end_aside(self, aside: Session) -> None:
        """Put it away, and have the agent forget it where it can; does nothing for one that is over."""
        if any(source.session is aside for source in self._context.sources):
            self._close(aside)
