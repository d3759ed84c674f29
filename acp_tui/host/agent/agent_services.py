"""Services of a client that survive restarts of its agent and need the models of the protocol; its snapshots."""

import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

import anyio
from anyio.abc import TaskGroup

from acp_tui.errors import Fault
from acp_tui.host.agent.context import AgentContext
from acp_tui.host.agent.logins import Logins
from acp_tui.host.catalog.agent_entries import forks_at_message, known_by_argv
from acp_tui.host.changes.comparison import Neighbours, named_beside
from acp_tui.host.changes.retention import retain
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.changes.session_folders import SessionFolders, remove_passing
from acp_tui.host.changes.snapshot_history import History, Point
from acp_tui.host.changes.turn_tracker import TurnPoints
from acp_tui.host.config.choices import NOTHING_KNOWN, Choice, KeptChoices, choice_of
from acp_tui.host.config.preferences import SnapshotSettings
from acp_tui.host.connection.connection import AgentLink
from acp_tui.host.sessions.continuation import Branch, BranchPlan, Forks, branched_fact, own_blocks, plan_branch
from acp_tui.host.sessions.conversation import begin_fork
from acp_tui.host.sessions.known_sessions import KnownSessions
from acp_tui.host.sessions.open_session import OpenSession, OpenSessions
from acp_tui.host.sessions.session_routing import Sessions
from acp_tui.host.sessions.session_source import SessionSource
from acp_tui.host.snapshots.folder_store import remove_leftovers
from acp_tui.host.system.threads import WriteQueue, in_thread
from acp_tui.protocol.vocabulary.config_options import OptionValue
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.session.entries import MessageEntry
from acp_tui.session.facts import Branched, Noticed
from acp_tui.session.state import Session


class AgentParts:
    """Conversations and branches, log-ins, who is logged in, the sessions that the agent knows, the options kept."""

    def __init__(self, context: AgentContext) -> None:
        self.context, self.opened = context, context.sessions
        known, sessions, argv = known_by_argv(context.command.argv), context.sessions, context.command.argv
        self.changes = ClientChanges(context.snapshots, sessions, known.own_folders if known is not None else ())
        watched = not context.snapshots.off
        self.sessions = Sessions(sessions, argv, context.rules, asks=context.capabilities.elicitation, watched=watched)
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
        begin_fork(opened.source)
        if not opened.source.aside:
            self.changes.begin_branch(opened, told)

    def gone(self) -> None:
        self.logins.gone()
        self.known_sessions.gone()


Retain = Callable[[SnapshotSettings], Awaitable[object]]

PARTING = 0.7  # seconds that the end waits for the snapshot of a turn's end
OLD_DELETED = "Snapshots from earlier releases were deleted"

log = logging.getLogger(__name__)


class ClientChanges:
    """Makes the `SessionChanges` of each session but asides, and serves them while the client runs.

    `own_folders` are those in which the agent keeps its own state, relative to a session's folders.
    """

    def __init__(self, settings: SnapshotSettings, sessions: OpenSessions, own_folders: tuple[str, ...] = ()) -> None:
        self._settings, self._own_folders = settings, own_folders
        self._disk = WriteQueue()
        self._sessions = sessions
        self._put_away: list[SessionChanges] = []  # those that leave nothing behind
        self._tasks: TaskGroup | None = None
        self._retain: Retain | None = None
        for each in sessions:
            self._watch(each)
        sessions.begun.subscribe(self._watch)

    def __iter__(self) -> Iterator[SessionChanges]:
        return (each.changes for each in self._sessions if not each.source.aside)

    def _watch(self, opened: OpenSession) -> None:
        if opened.source.aside:
            return
        session, scope = opened.session, opened.source.scope
        folders = SessionFolders(self._settings, (session.cwd, *scope.additional_directories))
        turns = TurnPoints(session, folders, self._disk, self._own_folders)
        opened.changes = SessionChanges(turns, partial(self._beside, turns))
        turns.turn_ended.subscribe(partial(self._turn_ended, opened.changes))
        if self._tasks is not None:
            turns.begin(self._start)

    def begin_branch(self, opened: OpenSession, told: Session | None) -> None:
        """A session that goes on from another one begins with the points of that, up to where it begins.

        Those of one that is not open, of the same agent, are read once the agent has opened this one.
        """
        turns, parent = opened.changes.turns, self._sessions.get(told)
        if parent is None:
            turns.parent_id = opened.source.session_id
        else:
            history = parent.changes.turns.history
            turns.beginning = history.until(_end_of(history, opened.session.branched))
            turns.follow(turns.beginning)

    def forget(self, opened: OpenSession) -> None:
        """The session is put away: what was wanted is still taken, and nobody else hears of it."""
        if self._settings.passing and not opened.source.aside:
            self._put_away.append(opened.changes)
            self._start(self._remove, opened.changes)

    async def _remove(self, changes: SessionChanges) -> None:
        await changes.turns.moments.settled()  # or it would be made again
        await in_thread(remove_passing, changes.turns.folders)

    async def serve(self, act: Callable[[], Awaitable[None]], retain: Retain) -> None:
        """Take snapshots while `act` goes on; that of a turn's end is given a moment then, others end at once.

        `retain` lets go of what is kept too long, once what the sessions began with is kept.
        """
        self._retain = None if self._settings.passing else retain
        try:
            async with anyio.create_task_group() as self._tasks:
                for changes in self:
                    changes.turns.begin(self._start)
                self._start(self._clear_up)
                await act()
                with anyio.move_on_after(PARTING):
                    for changes in self:
                        if changes.turns.moments.ending:
                            await changes.turns.moments.settled()
                self._tasks.cancel_scope.cancel()
        finally:
            self._tasks = None
            with anyio.CancelScope(shield=True):
                await self._disk.close()
                if self._settings.passing:
                    for changes in (*self, *self._put_away):
                        await in_thread(remove_passing, changes.turns.folders)

    async def _clear_up(self) -> None:
        if await in_thread(remove_leftovers):
            for changes in self:
                changes.turns.session.apply(Noticed("info", OLD_DELETED, "Their format is no longer supported."))
                break
        for changes in self:
            await changes.turns.moments.settled()
        if self._retain is not None:
            await self._retain(self._settings)

    def _start(self, act: Callable[..., Awaitable[object]], *given: object) -> None:
        if self._tasks is not None:
            self._tasks.start_soon(self._guarded, act, *given)

    async def _guarded(self, act: Callable[..., Awaitable[object]], *given: object) -> None:
        try:
            await act(*given)
        except Fault as fault:
            log.warning("snapshots: %s", fault)
        except Exception:  # a guard: what goes wrong here must end neither the connection nor the program
            log.exception("snapshots")

    def _turn_ended(self, changes: SessionChanges, since: Point, until: Point) -> None:
        self._start(changes.sum_up, since, until)
        if changes.turns.folders.are_full and self._retain is not None:
            self._start(self._retain, self._settings)

    def _beside(self, mine: TurnPoints, since: float, until: float) -> Neighbours:
        """What other sessions did in the same folders at the same time; it blocks."""
        others = [each.turns for each in self if each.turns is not mine]
        return named_beside(mine, others, since, until or time.time())


def _end_of(history: History, branched: Branched | None) -> Point | None:
    """The point at which a branch leaves a session: that of the message before which it begins; None for its end."""
    if branched is None or not branched.before:
        return None
    messages = ((each, each.message) for each in history.points if each.message is not None)
    return next((each for each, message in messages if message >= branched.prompt), None)


NOTHING: Mapping[str, OptionValue] = MappingProxyType({})


class Branches:
    """Begins them, and ends asides."""

    def __init__(self, context: AgentContext) -> None:
        self._context, self._sessions, self._client = context, context.sessions, context.client

    def plan(self, session: Session, message: MessageEntry | None) -> BranchPlan:
        """How the conversation can go on from before `message`, an entry of the user's; from its end without one."""
        connection = self._context.lifecycle.connection
        agent = connection.agent
        at_message = agent is not None and forks_at_message(agent.name, agent.version)
        unseen = self._sessions[session].source.unseen
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
        parent = self._sessions[session].source
        branch = Session("", parent.scope.cwd, session.agent_name)
        fact, plan = self._told_first(branched_fact(session, message), session), self.plan(session, message)
        begun = Branch(plan, fact, None if message is None else fact.prompt, parent.unseen)
        source = SessionSource(branch, parent.scope, "branch", fact.parent, session, branch=begun)
        source.inherited = _choices(session, choose)
        self._client.open(source)
        if blocks:
            self._sessions[branch].conversation.submit(list(blocks))
        return branch

    def _told_first(self, fact: Branched, session: Session) -> Branched:
        """The same place in the session in which that was said, where this one is a branch that only began with it.

        The ids of what a session began with are those of its parent, and an agent may have given the copies others.
        """
        told: Session | None = session
        while told is not None and told.branched is not None and fact.before and fact.prompt <= told.branched.prompt:
            fact = replace(fact, parent=told.branched.parent)
            parent = self._sessions.with_id(fact.parent)
            told = None if parent is None else parent.session
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
        scope = self._sessions[session].source.scope
        inherited = _choices(session, NOTHING)
        return self._client.open(SessionSource(aside, scope, "fork", session.id, aside=True, inherited=inherited))

    def end_aside(self, aside: Session) -> None:
        """Put it away, and have the agent forget it where it can; does nothing for one that is over."""
        if self._sessions.get(aside) is not None:
            self._client.close_session(aside)


def _choices(session: Session, other: Mapping[str, OptionValue]) -> list[Choice]:
    values = [(option, other.get(option.id, option.current_value)) for option in session.config_options]
    return [choice_of(option, value) for option, value in values if value is not None]
