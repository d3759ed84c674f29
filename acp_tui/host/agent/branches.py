"""Branches of conversations, and asides: forks for one question that leave the conversation as it was."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from acp_tui.host.agent.context import AgentContext
from acp_tui.host.catalog.agent_entries import forks_at_message
from acp_tui.host.sessions.branching import Branch, BranchPlan, Forks, branched_fact, plan_branch
from acp_tui.host.sessions.session_source import SessionSource
from acp_tui.host.sessions.sessions import Sessions
from acp_tui.host.sessions.transcript_prompt import own_blocks
from acp_tui.host.store.choices import Choice, choice_of
from acp_tui.protocol.vocabulary.config_options import OptionValue
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.session.entries import MessageEntry
from acp_tui.session.facts import Branched
from acp_tui.session.state import Session

NOTHING: Mapping[str, OptionValue] = MappingProxyType({})


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
        choose: Mapping[str, OptionValue] = NOTHING,
    ) -> Session:
        """A new session that goes on from before `message`, to be shown at once; `blocks` are its first prompt.

        It begins with what was said before; the prompt is queued until the agent has opened the session. It gets the
        folders, servers and options of `session`, but `choose` gives other values of options, by their ids.
        """
        parent = self._sessions.of(session).source
        branch = Session("", parent.scope.cwd, session.agent_name)
        fact, plan = self._told_first(branched_fact(session, message), session), self.plan(session, message)
        begun = Branch(plan, fact, None if message is None else fact.prompt, parent.unseen)
        source = SessionSource(branch, parent.scope, "branch", fact.parent, session, branch=begun)
        source.inherited = _choices(session, choose)
        self._open(source)
        if blocks:
            self._sessions.of(branch).submit(list(blocks))
        return branch

    def _told_first(self, fact: Branched, session: Session) -> Branched:
        """The same place in the session in which that was said, where this one is a branch that only began with it.

        The ids of what a session began with are those of its parent, and an agent may have given the copies others.
        """
        told: Session | None = session
        while told is not None and told.branched is not None and fact.before and fact.prompt <= told.branched.prompt:
            fact = replace(fact, parent=told.branched.parent)
            told = next((each.session for each in self._context.sources if each.session.id == fact.parent), None)
        return fact

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
        inherited = _choices(session, NOTHING)
        return self._open(SessionSource(aside, scope, "fork", session.id, aside=True, inherited=inherited))

    def end_aside(self, aside: Session) -> None:
        """Put it away, and have the agent forget it where it can; does nothing for one that is over."""
        if any(source.session is aside for source in self._context.sources):
            self._close(aside)


def _choices(session: Session, other: Mapping[str, OptionValue]) -> list[Choice]:
    """The options of a session as they stand, but for the `other` values of some."""
    values = [(option, other.get(option.id, option.current_value)) for option in session.config_options]
    return [choice_of(option, value) for option, value in values if value is not None]
