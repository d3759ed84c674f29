"""Which session of a folder was worked on last, by the agent's list or else by the records here.

It must not know how that is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from acp_tui.errors import Fault
from acp_tui.host.conversation import Conversation, Line
from acp_tui.host.lifecycle import Lifecycle
from acp_tui.host.origin import RECORDED
from acp_tui.host.pages import Pages, newest
from acp_tui.protocol.initialization import Initialized
from acp_tui.protocol.sessions import SessionInfo
from acp_tui.protocol.updates import SessionInfoUpdate
from acp_tui.session.facts import Noticed, SessionNamed

if TYPE_CHECKING:
    from acp_tui.host.origin import Recorded

NONE_SO_NEW = "No session to go on with, so this is a new one"
Spawn = Callable[[Callable[[Conversation], Coroutine[Any, Any, None]], Conversation], None]


class LastSession:
    """Turns what is to be the `latest` into what is `known` or `new`, and then calls `found`.

    `spawn` runs what takes its time beside the loop.
    """

    def __init__(
        self,
        line: Line,
        initialized: Initialized,
        lifecycle: Lifecycle,
        spawn: Spawn,
        found: Callable[[Conversation], None],
    ) -> None:
        self._line, self._initialized, self._lifecycle = line, initialized, lifecycle
        self._spawn, self._found = spawn, found

    def find(self, conversation: Conversation) -> None:
        """Ask whoever knows."""
        if not self._initialized.capabilities.list_sessions:
            self._lifecycle.wait_for("looking for the last session of this folder")
            self._spawn(self._look_up, conversation)
            return
        listed: list[SessionInfo] = []
        self._lifecycle.wait_for("waiting for the agent to list its sessions")
        Pages(self._line, conversation.scope.cwd, listed.extend, partial(self._listed, conversation, listed))

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
        origin, agent = conversation.origin, self._initialized.agent
        cwd, retold = conversation.scope.cwd, self._initialized.capabilities.load_session
        name = (agent.title or agent.name) if agent else conversation.session.agent_name
        problem = "The agent cannot list its sessions, and none of this folder is recorded here."
        recorded: Recorded | None = None
        try:
            look_up = partial(origin.look_up, name, cwd, retold=retold)
            recorded = await anyio.to_thread.run_sync(look_up, abandon_on_cancel=True)
        except Fault as fault:
            problem = str(fault)
        if conversation.left or origin.kind != "latest":
            return
        if recorded is None:
            self._begin_new(conversation, problem)
            return
        origin.record, origin.told = recorded
        title, named = origin.record.title, origin.record.named
        if title:
            conversation.session.apply(SessionNamed(title) if named else SessionInfoUpdate(title=title))
        self._go_on(conversation, origin.record.session_id)

    def _go_on(self, conversation: Conversation, session_id: str) -> None:
        conversation.origin.kind, conversation.origin.session_id = "known", session_id
        self._found(conversation)

    def _begin_new(self, conversation: Conversation, problem: str) -> None:
        conversation.origin.kind = "new"
        conversation.session.apply(Noticed("warning", NONE_SO_NEW, problem, RECORDED))
        self._found(conversation)
