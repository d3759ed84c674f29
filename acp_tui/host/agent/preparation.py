"""Preparation of a session before it is asked for: the last one of a folder, its system prompt, its options."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import anyio
from anyio.abc import TaskGroup

from acp_tui.errors import Fault
from acp_tui.host.agent.agent_services import AgentParts
from acp_tui.host.agent.context import AgentContext
from acp_tui.host.config.choices import RecordedOptions
from acp_tui.host.connection.connection import AgentLink, words_of
from acp_tui.host.records.record_info import NO_SETUP, Runs
from acp_tui.host.sessions.continuation import as_before
from acp_tui.host.sessions.conversation import Conversation
from acp_tui.host.sessions.known_sessions import Pages, newest
from acp_tui.host.sessions.replay_filter import ForkReplay
from acp_tui.host.sessions.session_routing import Sessions
from acp_tui.host.sessions.session_source import RECORDED
from acp_tui.host.system.threads import in_thread
from acp_tui.protocol.base_dialect import Act, Way
from acp_tui.protocol.capabilities import SessionScope
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.vocabulary.config_options import ConfigOption
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from acp_tui.protocol.vocabulary.session_updates import SessionInfoUpdate
from acp_tui.session.facts import Noticed, SessionIdentified, SessionNamed
from acp_tui.session.text.phrases import counted
from acp_tui.wire.jsonrpc import Response


class Closings:
    """Has the agent close sessions, and delete those that nobody is to find again.

    What needs a log-in waits for it, and what is about to be forked for the fork: agents fork what is open.
    """

    def __init__(self, link: AgentLink, sessions: Sessions) -> None:
        self._link, self._sessions = link, sessions
        self._waiting: list[tuple[str, list[Act]]] = []

    def close(self, session_id: str, *, forget: bool = False) -> bool:
        """Whether there is any way."""
        can = self._link.can
        offered: dict[Act, bool] = {"close": can.close_session, "delete": forget and can.delete_session}
        acts = [act for act, offers in offered.items() if offers]
        if acts:
            self._waiting.append((session_id, acts))
            self.go_on()
        return bool(acts)

    def go_on(self) -> None:
        waiting, self._waiting = self._waiting, []
        for session_id, acts in waiting:
            if self._is_to_be_forked(session_id):
                self._waiting.append((session_id, acts))
            else:
                self._put_away(session_id, acts)

    def _is_to_be_forked(self, session_id: str) -> bool:
        waiting = (each.source for each in self._sessions if not each.is_open)
        return any(source.kind in ("fork", "branch") and source.session_id == session_id for source in waiting)

    def _put_away(self, session_id: str, acts: list[Act]) -> None:
        def answered(answer: Response) -> None:
            if self._link.wants_login(answer):
                self._waiting.append((session_id, acts))
            elif acts[1:]:
                self._put_away(session_id, acts[1:])

        self._link.connection.call(self._link.dialect.about_session(acts[0], session_id), answered)


class ForkCheck:
    """Compares what an agent tells of a fork with what it is to know. Its checks raise `ProtocolFault`."""

    def __init__(self, link: AgentLink, sessions: Sessions, closings: Closings) -> None:
        self._link, self._sessions, self._closings = link, sessions, closings

    def filter_of(self, conversation: Conversation) -> ForkReplay | None:
        """What leaves out what the agent tells again of a fork; None where nothing of it is known here."""
        source = conversation.source
        root = self._sessions.find(source.session_id) if source.aside else None
        told = root.conversation.session if root is not None else conversation.session
        return ForkReplay(told.entries) if told.entries else None

    def check_id(self, conversation: Conversation, way: Way, result: Any) -> None:
        """A fork is no session that is open already, nor the forked one, which may be closed here by now.

        That one is left as it is.
        """
        session_id = result.get("sessionId") if isinstance(result, dict) else None
        if way != "fork" or not isinstance(session_id, str):
            return
        if not session_id:
            raise ProtocolFault("The agent did not fork", reason="The ID of the fork is empty")
        if session_id == conversation.source.session_id or self._sessions.find(session_id) is not None:
            raise ProtocolFault(
                "The agent did not fork",
                reason=f"It returned the ID of a session that is already open: {session_id!r:.80}",
            )

    def is_to_be_told(self, conversation: Conversation) -> bool:
        """Whether only a load can show what the agent forked at a message, since it did not tell that of itself.

        No capability says that an agent takes the message into account. The load costs one more telling of the history.
        """
        branch, replay = conversation.source.branch, conversation.replay
        at_message = branch is not None and branch.plan.way == "at_message"
        return at_message and self._link.can.load_session and replay is not None and not replay.prompts

    def have_told(self, conversation: Conversation, scope: SessionScope, then: Callable[[], None]) -> None:
        """Have the fork told; `then` is called once that is done, not where the user has left meanwhile."""

        def answered(answer: Response) -> None:
            conversation.asking = None
            if conversation.left:
                return
            if answer.error is not None:
                why = "Could not check what the agent remembers"
                conversation.session.apply(Noticed("info", why, words_of(answer.error)))
            then()

        call = self._link.dialect.open_session("load", scope, conversation.session.id)
        conversation.asking = self._link.connection.call(call, answered)

    def check(self, conversation: Conversation) -> None:
        """A branch is to remember no more prompts than it begins with; one that does is forgotten again."""
        branch, replay, session = conversation.source.branch, conversation.replay, conversation.session
        if branch is None or branch.unseen or not isinstance(replay, ForkReplay):
            return
        if not replay.exceeds(branch.fact.prompt):
            return
        session_id, told = (
            session.id,
            f"The agent replayed {counted(replay.prompts, 'prompt')} instead of {branch.fact.prompt}.",
        )
        conversation.replay = None
        self._sessions.leave(session_id)
        self._closings.close(session_id, forget=True)
        self._link.dialect.forget(session_id)
        session.apply(SessionIdentified(""))
        raise ProtocolFault("The agent forked the whole conversation", reason=told)


PATIENCE = 5.0
"""Seconds that an agent has to tell its options; after that the session is opened all the same."""


class Preparation:
    """Prepares the sessions of one connection, each once at a time."""

    def __init__(self, parts: AgentParts, link: AgentLink, tasks: TaskGroup) -> None:
        self._parts, self._link, self._tasks = parts, link, tasks
        self._looking: set[Conversation] = set()

    def prepare(self, conversation: Conversation, way: Way, done: Callable[[], None]) -> None:
        """Call `done` when the session can be asked for, at once where nothing has to be found out."""
        source, session = conversation.source, conversation.session
        if conversation in self._looking:
            return
        continued = source.setup is not None and source.setup.options
        if continued and conversation.was_open and session.index.options_before is None:  # they may be others since
            self._continue_with(conversation, tuple(each for each in session.config_options if each.is_named))
        continues = source.kind == "known" or not source.prompt_known
        if source.kind == "new" or conversation.was_open or source.setup is not None or not continues:
            self._ask_options(conversation, way, done)
            return
        self._looking.add(conversation)
        self._tasks.start_soon(self._look_up, conversation, partial(self._ask_options, conversation, way, done))

    async def _look_up(self, conversation: Conversation, done: Callable[[], None]) -> None:
        source, parts = conversation.source, self._parts
        agent = self._link.agent_name or conversation.session.agent_name
        setup = await in_thread(parts.context.records.setup, agent, source.session_id) or NO_SETUP
        self._looking.discard(conversation)
        source.setup = setup
        self._continue_with(conversation, setup.options)
        if setup.system_prompt is not None and not source.prompt_known and self._link.can.system_prompt:
            source.scope = replace(source.scope, system_prompt=as_before(setup.system_prompt))
        source.prompt_known = True
        if not conversation.left:
            done()

    def _continue_with(self, conversation: Conversation, left: Sequence[ConfigOption]) -> None:
        session_id = conversation.session.id or conversation.source.session_id
        recorded = RecordedOptions(left, self._parts.asking_more, self._parts.kept, session_id)
        conversation.chosen.recorded = recorded

    def _ask_options(self, conversation: Conversation, way: Way, done: Callable[[], None]) -> None:
        """Ask for the options where the user wants any, and where the agent has no form of its own for them."""
        chosen, link = conversation.chosen, self._link
        conversation.begin_choosing(self._parts.kept)
        chosen.initial = ()
        form = link.initialized.input_options.get(f"session/{way}")
        if not link.can.session_options or form is not None or not conversation.wants_options:
            done()
            return

        def answered(answer: Response) -> None:
            if conversation.asking != asked:
                return  # too late
            conversation.asking = None
            if conversation.left:
                return
            with suppress(ProtocolFault):  # as if it had none to tell
                if answer.error is None:
                    chosen.resolve(link.dialect.read_session_options(answer.result), conversation.input_options.left)
            done()

        source, lifecycle = conversation.source, self._parts.context.lifecycle
        if lifecycle.connection.phase == "starting":
            lifecycle.wait_for("waiting for the agent's options")
        session_id = "" if way == "new" else conversation.session.id or source.session_id
        scope = source.scope if link.can.additional_directories else SessionScope(source.scope.cwd)
        asked = conversation.asking = link.connection.call(link.dialect.session_options(scope, session_id), answered)
        self._tasks.start_soon(self._give_up, conversation, asked, done)

    async def _give_up(self, conversation: Conversation, asked: int, done: Callable[[], None]) -> None:
        await anyio.sleep(PATIENCE)
        if conversation.asking == asked and not conversation.left:
            self._link.connection.withdraw(asked)
            conversation.asking = None
            done()


NONE_SO_NEW = "No session to continue, so a new one was started"
NEWER_RUN = "A newer `acp-tui run` session exists. To choose it: acp-tui -r"


class LastSession:
    """Turns what is to be the `latest` into what is `known` or `new`, and then calls `found`."""

    def __init__(
        self, context: AgentContext, link: AgentLink, tasks: TaskGroup, found: Callable[[Conversation], None]
    ) -> None:
        self._records, self._lifecycle = context.records, context.lifecycle
        self._link, self._tasks, self._found = link, tasks, found

    def find(self, conversation: Conversation) -> None:
        if not self._link.can.list_sessions:
            self._lifecycle.wait_for("looking for the last session")
            self._tasks.start_soon(self._look_up, conversation)
            return
        listed: list[SessionInfo] = []
        self._lifecycle.wait_for("listing the agent's sessions")
        Pages(self._link, conversation.source.scope.cwd, listed.extend, partial(self._listed, conversation, listed))

    def _listed(self, conversation: Conversation, listed: list[SessionInfo], problem: str) -> None:
        if self._lifecycle.connection.login is None:  # else it is asked again after that
            self._tasks.start_soon(self._choose, conversation, listed, problem)

    async def _choose(self, conversation: Conversation, listed: list[SessionInfo], problem: str) -> None:
        runs = await self._runs(conversation)
        if self._is_settled(conversation):
            return
        ids = runs.ids(self._agent(conversation)) if runs is not None else frozenset()
        last = newest(listed)
        info = newest([each for each in listed if each.session_id not in ids]) or last
        if info is None:
            self._begin_new(conversation, problem or "None in this folder.")
            return
        if info.title:
            conversation.session.apply(SessionInfoUpdate(title=info.title, updated_at=info.updated_at))
        self._go_on(conversation, info.session_id, runs, passed=info is not last)

    async def _look_up(self, conversation: Conversation) -> None:
        source, can = conversation.source, self._link.can
        problem = "The agent cannot list sessions, and none is recorded in this folder."
        recorded = None
        try:
            agent = self._agent(conversation)
            look_up = partial(self._records.look_up, agent, source.scope.cwd, retold=can.load_session)
            recorded = await in_thread(look_up)
        except Fault as fault:
            problem = str(fault)
        runs = await self._runs(conversation)
        if self._is_settled(conversation):
            return
        if recorded is None:
            self._begin_new(conversation, problem)
            return
        record, source.told = recorded
        source.record = record
        if record.title:
            named = SessionNamed(record.title) if record.named else SessionInfoUpdate(title=record.title)
            conversation.session.apply(named)
        self._go_on(conversation, record.session_id, runs)

    def _agent(self, conversation: Conversation) -> str:
        return self._link.agent_name or conversation.session.agent_name

    async def _runs(self, conversation: Conversation) -> Runs | None:
        """The runs among the recorded sessions of the folder; None where they count like any other session."""
        return await in_thread(self._records.runs, conversation.source.scope.cwd)

    def _is_settled(self, conversation: Conversation) -> bool:
        return conversation.left or conversation.source.kind != "latest"

    def _go_on(self, conversation: Conversation, session_id: str, runs: Runs | None, *, passed: bool = False) -> None:
        """`passed`: the agent itself has named a newer session, which is a run."""
        conversation.source.kind, conversation.source.session_id = "known", session_id
        if passed or (runs is not None and runs.pass_by(self._agent(conversation), session_id)):
            conversation.session.apply(Noticed("info", NEWER_RUN))
        self._found(conversation)

    def _begin_new(self, conversation: Conversation, problem: str) -> None:
        conversation.source.kind = "new"
        conversation.session.apply(Noticed("warning", NONE_SO_NEW, problem, RECORDED))
        self._found(conversation)
