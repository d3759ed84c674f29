"""The last session of a folder: found by the agent's list of its sessions, else by the records here.

Runs of `acp-tui run` are passed by where the user goes on with a conversation, unless there is nothing else.
"""

from collections.abc import Callable
from functools import partial

from anyio.abc import TaskGroup

from acp_tui.errors import Fault
from acp_tui.host.agent.context import AgentContext
from acp_tui.host.connection.connection import AgentLink
from acp_tui.host.records.record_info import Runs
from acp_tui.host.sessions.conversation import Conversation
from acp_tui.host.sessions.known_sessions import Pages, newest
from acp_tui.host.sessions.session_source import RECORDED
from acp_tui.host.system.threads import in_thread
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from acp_tui.protocol.vocabulary.updates import SessionInfoUpdate
from acp_tui.session.facts import Noticed, SessionNamed

NONE_SO_NEW = "No session to continue: this is a new one"
NEWER_RUN = "A newer run exists: acp-tui -r"


class LastSession:
    """Turns what is to be the `latest` into what is `known` or `new`, and then calls `found`."""

    def __init__(
        self, context: AgentContext, link: AgentLink, tasks: TaskGroup, found: Callable[[Conversation], None]
    ) -> None:
        self._context, self._find_runs, self._lifecycle = context, context.runs, context.lifecycle
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
            find, agent = self._context.recording.look_up, self._agent(conversation)
            look_up = partial(find, agent, source.scope.cwd, retold=can.load_session)
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
        find = partial(self._find_runs, conversation.source.scope.cwd)
        return await in_thread(find)

    def _is_settled(self, conversation: Conversation) -> bool:
        """Whether nobody waits for it any more."""
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
