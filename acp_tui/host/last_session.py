"""Finds which session of a folder was worked on last, by the agent's list or else by the records here."""

from collections.abc import Callable
from functools import partial

import anyio.to_thread
from anyio.abc import TaskGroup

from acp_tui.errors import Fault
from acp_tui.host.agent_link import AgentLink
from acp_tui.host.conversation import Conversation
from acp_tui.host.known_sessions import Pages, newest
from acp_tui.host.lifecycle import Lifecycle
from acp_tui.host.origin import RECORDED
from acp_tui.protocol.sessions import SessionInfo
from acp_tui.protocol.updates import SessionInfoUpdate
from acp_tui.session.facts import Noticed, SessionNamed

NONE_SO_NEW = "No session to go on with, so this is a new one"


class LastSession:
    """Turns what is to be the `latest` into what is `known` or `new`, and then calls `found`."""

    def __init__(
        self, link: AgentLink, lifecycle: Lifecycle, tasks: TaskGroup, found: Callable[[Conversation], None]
    ) -> None:
        self._link, self._lifecycle, self._tasks, self._found = link, lifecycle, tasks, found

    def find(self, conversation: Conversation) -> None:
        if not self._link.can.list_sessions:
            self._lifecycle.wait_for("looking for the last session of this folder")
            self._tasks.start_soon(self._look_up, conversation)
            return
        listed: list[SessionInfo] = []
        self._lifecycle.wait_for("waiting for the agent to list its sessions")
        Pages(self._link, conversation.source.scope.cwd, listed.extend, partial(self._listed, conversation, listed))

    def _listed(self, conversation: Conversation, listed: list[SessionInfo], problem: str) -> None:
        if self._lifecycle.connection.login is not None:
            return  # asked again after that
        info = newest(listed)
        if info is None:
            self._begin_new(conversation, problem or "There is none in this folder.")
            return
        if info.title:
            conversation.session.apply(SessionInfoUpdate(title=info.title, updated_at=info.updated_at))
        self._go_on(conversation, info.session_id)

    async def _look_up(self, conversation: Conversation) -> None:
        source, can = conversation.source, self._link.can
        name = self._link.agent_name or conversation.session.agent_name
        problem = "The agent cannot list its sessions, and none of this folder is recorded here."
        recorded = None
        try:
            look_up = partial(source.look_up, name, source.scope.cwd, retold=can.load_session)
            recorded = await anyio.to_thread.run_sync(look_up, abandon_on_cancel=True)
        except Fault as fault:
            problem = str(fault)
        if conversation.left or source.kind != "latest":
            return
        if recorded is None:
            self._begin_new(conversation, problem)
            return
        record, source.told = recorded
        source.record = record
        if record.title:
            named = SessionNamed(record.title) if record.named else SessionInfoUpdate(title=record.title)
            conversation.session.apply(named)
        self._go_on(conversation, record.session_id)

    def _go_on(self, conversation: Conversation, session_id: str) -> None:
        conversation.source.kind, conversation.source.session_id = "known", session_id
        self._found(conversation)

    def _begin_new(self, conversation: Conversation, problem: str) -> None:
        conversation.source.kind = "new"
        conversation.session.apply(Noticed("warning", NONE_SO_NEW, problem, RECORDED))
        self._found(conversation)
