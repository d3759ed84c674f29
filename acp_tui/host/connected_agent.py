"""A running agent, from its introduction to its end; must not know how a turn goes or what is shown.

It introduces both sides, has sessions opened, and gives each event to whom it is for.
"""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio
from anyio.abc import TaskGroup

from acp_tui.errors import Fault
from acp_tui.host import faults
from acp_tui.host.agent_command import AgentCommand
from acp_tui.host.agent_process import AgentProcess
from acp_tui.host.choices import KeptChoices
from acp_tui.host.connection import AgentConnection
from acp_tui.host.conversation import Conversation, Line
from acp_tui.host.conversations import Conversations
from acp_tui.host.inbound import Inbound
from acp_tui.host.lifecycle import Lifecycle
from acp_tui.host.lifeline import serve_until_gone
from acp_tui.host.logins import Logins
from acp_tui.host.open_sessions import OpenSessions
from acp_tui.host.openings import Openings
from acp_tui.host.workspace import Workspace
from acp_tui.protocol.capabilities import ClientCapabilities
from acp_tui.protocol.dialect import Call, Dialect
from acp_tui.protocol.elicitation import ElicitationComplete
from acp_tui.protocol.faults import AUTH_REQUIRED, INVALID_REQUEST, ProtocolFault
from acp_tui.protocol.initialization import Initialized
from acp_tui.protocol.introduction import METHOD, introduction
from acp_tui.protocol.negotiation import choose, is_refused_offer
from acp_tui.protocol.reading import read
from acp_tui.protocol.scope import SessionScope
from acp_tui.protocol.updates import Update
from acp_tui.session.facts import AgentGone, FileWritten, Noticed
from acp_tui.wire.jsonrpc import Error, Notification, Request, Response
from acp_tui.wire.peer import Noise


@dataclass(frozen=True, slots=True)
class Introduced:
    """What there is once the agent has answered `initialize`."""

    dialect: Dialect
    initialized: Initialized


class ConnectedAgent:
    """Serves one running agent (as its connection's `Receiver`). `fail` ends the connection and says why."""

    def __init__(
        self,
        process: AgentProcess,
        command: AgentCommand,
        capabilities: ClientCapabilities,
        lifecycle: Lifecycle,
        conversations: Conversations,
        fail: Callable[[Fault], None],
        start_again: Callable[[], None],
        greeted: Callable[[Line, Initialized], KeptChoices],
        logins: Logins | None,
    ) -> None:
        """`start_again` is called when the agent is to be started anew with the oldest protocol alone.

        `greeted` hears of the introduction and gives what is kept for this agent; `logins` is who can log in.
        """
        self._process, self._command, self._capabilities = process, command, capabilities
        self._lifecycle, self._conversations, self._fail = lifecycle, conversations, fail
        self._connection = AgentConnection(process, self)
        self._sessions = OpenSessions(self._hear)
        self._start_again, self._greeted, self._logins = start_again, greeted, logins
        self._introduced: Introduced | None = None
        self._openings: Openings | None = None
        self._inbound: Inbound | None = None
        self._tasks: TaskGroup | None = None

    @property
    def unsent_since(self) -> float | None:
        """Monotonic seconds since which the oldest unsent bytes wait; `None` if nothing waits."""
        return self._connection.unsent_since

    async def serve(self) -> None:
        """Introduce ourselves and serve until the agent has gone; then say so with `fail`."""
        complain, ask_for = partial(self._hear, "bad request"), self._conversations.asking
        async with anyio.create_task_group() as self._tasks:
            self._inbound = Inbound(
                self._connection, self._tasks, self._capabilities, self._sessions.find, complain, ask_for
            )
            self._tasks.start_soon(self._lifecycle.watch)
            self._lifecycle.wait_for("waiting for the agent to introduce itself")
            params = introduction(self._command.protocol, self._capabilities)
            self._connection.call(Call(METHOD, params), self._initialized)
            await serve_until_gone(self._process, self._connection)
            ready, input_closed = self._lifecycle.connection.phase != "starting", self._connection.input_closed
            self._fail(faults.gone(self._process, self._command.argv, ready=ready, input_closed=input_closed))
            self._tasks.cancel_scope.cancel()

    def open(self, conversation: Conversation) -> None:
        """Ask the agent for a session; before the introduction it only waits for its turn."""
        if self._openings is not None:
            self._openings.open(conversation)

    def leave(self, conversation: Conversation) -> None:
        """A session is not wanted any more; nothing that was started for it goes on."""
        opened = self._sessions.find(conversation.session.id)
        if opened is not None and self._tasks is not None:
            self._tasks.start_soon(opened.workspace.terminals.close_all)
            if self._inbound is not None:
                self._inbound.leave(opened.workspace)
        if self._openings is not None:
            self._openings.leave(conversation)

    def hurry(self) -> None:
        """End at once what runs for the agent; nobody waits for manners."""
        for opened in self._sessions:
            opened.workspace.terminals.kill_all()

    def go_on(self) -> None:
        """A log-in was done: try again what waited for it."""
        if self._openings is not None:
            self._openings.go_on()
        for conversation in self._conversations:
            if conversation.is_open:
                conversation.release()
            else:
                self.open(conversation)

    def say_goodbye(self, done: Callable[[], None]) -> bool:
        """Have the agent put its sessions away, where it can; whether there is anything to wait for until `done`."""
        if self._introduced is None or not self._introduced.initialized.capabilities.close_session:
            return False
        waiting = {conversation.session.id for conversation in self._conversations if conversation.is_open}

        def closed(session_id: str, _: Response) -> None:
            waiting.discard(session_id)
            if not waiting:
                done()

        for session_id in list(waiting):
            self._connection.call(self._introduced.dialect.close_session(session_id), partial(closed, session_id))
        return bool(waiting)

    def notified(self, notification: Notification) -> None:
        """An update for a session, or a request taken back; what is unknown is ignored, as the protocol says."""
        if notification.method == "session/update":
            if self._introduced is None:
                self._hear("too early", "")
            else:
                self._sessions.deliver(*self._introduced.dialect.read_update(notification.params))
        elif notification.method == "$/cancel_request":
            self._withdraw(notification.params)
        elif notification.method == "elicitation/complete":
            self._complete(notification.params)

    def requested(self, request: Request) -> None:
        """A request of the agent."""
        if self._introduced is None or self._inbound is None:
            self._connection.refuse(request.id, INVALID_REQUEST, "initialize has not been answered yet")
        else:
            self._inbound.receive(self._introduced.dialect, request)

    def disturbed(self, noise: Noise) -> None:
        """Noise on the wire."""
        self._hear(noise.kind, f"{noise.excerpt}\n({noise.reason})" if noise.excerpt else noise.reason)

    def stumbled(self, error: Exception) -> None:
        """Something that nobody foresaw, told as what it is: a mistake of this program."""
        self._hear("stumbled", f"{type(error).__name__}: {error!s:.300}")

    def clogged(self) -> None:
        """Too much waits for an agent that does not read."""
        self._fail(faults.clogged(self._process))

    def _initialized(self, answer: Response) -> None:
        offer = self._command.protocol
        if answer.error is not None:
            if offer == "auto" and is_refused_offer(offer, answer.error.code):
                self._start_again()
            else:
                self._fail(faults.not_introduced(answer.error, self._process, offer, self._command.argv))
            return
        try:
            introduced = self._introduced = Introduced(*choose(answer.result, offer))
        except ProtocolFault as fault:
            self._fail(fault)
            return
        wants_login = self._wants_login if self._logins is not None else None
        steers = introduced.initialized.capabilities.steering
        line = Line(self._connection, introduced.dialect, self._fail, wants_login, steers)
        self._lifecycle.introduced(introduced.initialized, introduced.dialect.name)
        kept = self._greeted(line, introduced.initialized)
        self._openings = Openings(
            line,
            introduced.initialized,
            self._sessions,
            self._lifecycle,
            kept,
            self._equip,
            self._not_opened,
            self._spawn,
        )
        for conversation in self._conversations:
            self.open(conversation)
        if not self._conversations:
            self._lifecycle.enter("ready")

    def _equip(self, scope: SessionScope) -> Workspace:
        workspace = Workspace(scope, self._apply, self._written)
        if self._tasks is not None:
            self._tasks.start_soon(workspace.terminals.run)
        return workspace

    def _spawn(self, act: Callable[[Conversation], Coroutine[Any, Any, None]], conversation: Conversation) -> None:
        if self._tasks is not None:
            self._tasks.start_soon(act, conversation)

    def _wants_login(self, error: Error) -> None:
        if self._logins is not None:
            self._logins.wanted(error)

    def _not_opened(self, conversation: Conversation, problem: Error | Fault) -> None:
        """Without any session there is nothing to stay for, but for a person who can log in or open another one."""
        if isinstance(problem, Fault):
            fault = problem
        else:
            methods = self._lifecycle.connection.auth_methods
            fault = faults.session_refused(problem, methods, self._command.argv, self._process)
            if problem.code == AUTH_REQUIRED and self._logins is not None:
                conversation.session.apply(Noticed("warning", fault.title, fault.message))
                self._wants_login(problem)
                return
        if self._sessions or (self._logins is not None and conversation.origin.kind != "new"):
            conversation.session.apply(AgentGone(fault.title, fault.message, fault.hint))
            self._lifecycle.enter("ready")
        else:
            self._fail(fault)

    def _apply(self, session_id: str, update: Update) -> None:
        """What happens in a terminal of this machine re-enters like anything else."""
        self._sessions.deliver(session_id, [update])

    def _written(self, session_id: str, fact: FileWritten) -> None:
        """A file was written for the agent. Where that is a row of its own, text after it is another message."""
        if opened := self._sessions.find(session_id):
            session = opened.conversation.session
            before = len(session.entries)
            session.apply(fact)
            if self._introduced is not None and len(session.entries) > before:
                self._introduced.dialect.break_message(session_id)

    def _withdraw(self, params: Any) -> None:
        request_id = params.get("requestId") if isinstance(params, dict) else None
        if request_id is None or self._inbound is None:
            return
        if not any(
            conversation.withdraw_permission(request_id) or conversation.elicitations.withdraw(request_id)
            for conversation in self._conversations
        ):
            self._inbound.withdraw(request_id)

    def _complete(self, params: Any) -> None:
        try:
            done = read(ElicitationComplete, params)
        except ProtocolFault as fault:
            self._hear("bad request", f"elicitation/complete: {fault}")
            return
        for conversation in self._conversations:
            conversation.elicitations.complete(done.elicitation_id)

    def _hear(self, kind: str, message: str) -> None:
        """What is about the connection is told in every session."""
        for conversation in self._conversations:
            conversation.noise.hear(kind, message)
