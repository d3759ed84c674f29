"""A running agent, from its introduction to its end.

It introduces both sides, has sessions opened, and gives each event to whom it is for.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import anyio
from anyio.abc import TaskGroup

from acp_tui.errors import AgentFault, Fault
from acp_tui.host.agent.agent_services import AgentParts
from acp_tui.host.agent.context import Supervision
from acp_tui.host.agent.faults import AgentFaults
from acp_tui.host.agent.openings import Openings
from acp_tui.host.connection.agent_process import AgentProcess
from acp_tui.host.connection.connection import AgentConnection, AgentLink, serve_until_gone
from acp_tui.host.sessions.continuation import not_opened
from acp_tui.host.sessions.conversation import Conversation
from acp_tui.host.sessions.open_session import OpenSession
from acp_tui.host.sessions.session_routing import Sessions
from acp_tui.host.system.sandbox_paths import OutsideFault, RequestFault, failed, invalid_params, not_found
from acp_tui.host.system.workspace import SERVICES, Service, Workspace
from acp_tui.protocol.base import Model, read
from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.capabilities import METHOD, ClientCapabilities, introduction
from acp_tui.protocol.faults import AUTH_REQUIRED, METHOD_NOT_FOUND, REQUEST_CANCELLED, ProtocolFault
from acp_tui.protocol.negotiation import choose, is_refused_offer
from acp_tui.protocol.session_setup import Call
from acp_tui.protocol.vocabulary.elicitation import (
    ElicitationComplete,
    FormElicitation,
    UrlElicitation,
    read_elicitation,
)
from acp_tui.protocol.vocabulary.initialization import AUTH_READERS, may_name_accounts
from acp_tui.protocol.vocabulary.tool_calls import ReadTextFileRequest
from acp_tui.session.facts import AgentGone, Noticed
from acp_tui.wire.jsonrpc import INVALID_REQUEST, Error, Notification, Request, RequestId, Response
from acp_tui.wire.peer import StrayMessage

RUNNING_CAP = 1024
"""Requests that are worked on at once; an agent that asks for more is refused."""
WAITING_CAP = 100
"""Questions of one session that wait for the user; the agent is refused more, and the user is told."""


class Inbound:
    """Answers the agent's requests, each in its session, or in the conversation that a request of ours belongs to."""

    def __init__(
        self, connection: AgentConnection, tasks: TaskGroup, capabilities: ClientCapabilities, sessions: Sessions
    ) -> None:
        self._connection, self._tasks, self._capabilities = connection, tasks, capabilities
        self._sessions = sessions
        self._running: dict[anyio.CancelScope, tuple[RequestId, Workspace]] = {}

    def receive(self, dialect: Dialect, request: Request) -> None:
        try:
            self._route(dialect, request)
        except ProtocolFault as fault:
            self._sessions.hear("bad request", f"{request.method:.80}: {fault}")
            self._refuse(request, invalid_params(str(fault)))
        except RequestFault as fault:
            self._refuse(request, fault)

    def withdraw(self, request_id: RequestId) -> None:
        """The agent takes a request back that is being worked on; unknown ids are ignored."""
        for scope, (running_id, _) in self._running.items():
            if running_id == request_id and type(running_id) is type(request_id):
                scope.cancel()

    def leave(self, workspace: Workspace) -> None:
        for scope, (_, its_workspace) in self._running.items():
            if its_workspace is workspace:
                scope.cancel()

    def _route(self, dialect: Dialect, request: Request) -> None:
        if request.method == "session/request_permission":
            asked = dialect.read_permission(request.params)
            found = self._known(asked.request.session_id).conversation
            _check_room(found)
            self._sessions.deliver(asked.request.session_id, asked.updates)
            answer = partial(self._connection.answer, request.id)
            found.ask(request.id, asked.request, lambda option_id: answer(dialect.permission_answer(option_id)))
        elif request.method in SERVICES:
            self._begin(SERVICES[request.method], request)
        elif request.method == "elicitation/create":
            self._elicit(request)
        else:
            raise RequestFault(METHOD_NOT_FOUND, f"unknown method {request.method:.80}")

    def _elicit(self, request: Request) -> None:
        asked = read_elicitation(request.params)
        if not self._capabilities.elicitation or not isinstance(asked, FormElicitation | UrlElicitation):
            raise invalid_params(f"elicitation mode not supported by this client: {asked.mode:.80}")
        if asked.session_id is not None:
            conversation: Conversation | None = self._known(asked.session_id).conversation
        else:
            conversation = self._sessions.asking(asked.request_id)
        if conversation is None:
            raise failed("no user is available to answer")
        _check_room(conversation)
        conversation.ask(request.id, asked, partial(self._connection.answer, request.id))

    def _known(self, session_id: str) -> OpenSession:
        found = self._sessions.find(session_id)
        if found is None:
            raise not_found(f"unknown session: {session_id:.80}", {"sessionId": session_id})
        return found

    def _begin(self, service: Service, request: Request) -> None:
        service.check_offered(request.method, self._capabilities)
        params = read(service.model, request.params)
        session_id = getattr(params, "session_id", "")
        opened = self._known(session_id)
        workspace = opened.conversation.children.workspace(session_id, opened.workspace)
        if len(self._running) >= RUNNING_CAP:
            raise failed(f"{RUNNING_CAP} requests are already in progress")
        scope = anyio.CancelScope()
        self._running[scope] = request.id, opened.workspace
        self._tasks.start_soon(self._serve, scope, service, workspace, request, params)

    async def _serve(
        self, scope: anyio.CancelScope, service: Service, workspace: Workspace, request: Request, params: Model
    ) -> None:
        try:
            with scope:
                self._connection.answer(request.id, await service.answer(workspace, params))
        except RequestFault as fault:
            self._refuse(request, fault)
            if isinstance(params, ReadTextFileRequest) and (found := self._sessions.find(params.session_id)):
                found.conversation.failed_reads.add(fault.message)
            if isinstance(fault, OutsideFault):
                self._ask_for_folder(getattr(params, "session_id", ""), await workspace.wanted(fault.target))
        except Exception as error:  # noqa: BLE001 - a guard: one request's failure must not end the connection
            self._sessions.hear("bad request", f"{request.method}: {error!r:.200}")
            self._refuse(request, failed(f"{type(error).__name__} in the client"))
        finally:
            del self._running[scope]
        if scope.cancelled_caught:
            self._connection.refuse(request.id, REQUEST_CANCELLED, "cancelled")

    def _ask_for_folder(self, session_id: str, folder: str) -> None:
        """Later requests are served there if the user allows it; this one has been answered."""
        found = self._sessions.find(session_id)
        if folder and found is not None:
            found.conversation.children.ask_for_folder(session_id, folder)

    def _refuse(self, request: Request, fault: RequestFault) -> None:
        self._connection.refuse(request.id, fault.code, fault.message, fault.data)


def _check_room(conversation: Conversation) -> None:
    session = conversation.session
    if len(session.permissions) + len(session.elicitations) >= WAITING_CAP:
        told = f"More than {WAITING_CAP} questions are waiting; further ones are refused."
        session.apply(Noticed("warning", "Too many questions from the agent", told))
        raise failed(f"{WAITING_CAP} requests are already waiting for the user")


class ConnectedAgent:
    """Serves one running agent, as its connection's `Receiver` and the `LinkedAgent` of its link."""

    def __init__(self, parts: AgentParts, process: AgentProcess, supervisor: Supervision) -> None:
        self._parts, self._context, self._sessions = parts, parts.context, parts.sessions
        self._process, self._supervisor = process, supervisor
        self._lifecycle = self._context.lifecycle
        self._faults = AgentFaults(
            process, self._context.command.argv, self._context.attended, self._context.offered_less
        )
        self.connection = AgentConnection(process, self)
        self._tasks = anyio.create_task_group()
        self._sessions.connected()
        self._inbound = Inbound(self.connection, self._tasks, self._context.capabilities, self._sessions)
        self._link: AgentLink | None = None
        self._openings: Openings | None = None

    async def serve(self) -> None:
        async with self._tasks:
            self._tasks.start_soon(self._lifecycle.watch)
            self._tasks.start_soon(self._parts.logins.status.tell)
            self._lifecycle.wait_for("connecting to the agent")
            params = introduction(self._context.command.protocol, self._context.capabilities)
            self.connection.call(Call(METHOD, params), self._initialized)
            await serve_until_gone(self._process, self.connection)
            ready = self._lifecycle.connection.phase != "starting"
            self.fail(self._faults.gone(ready=ready, input_closed=self.connection.input_closed))
            self._tasks.cancel_scope.cancel()

    def open(self, conversation: Conversation) -> None:
        """Ask the agent for a session; before the introduction it only waits for its turn."""
        if self._openings is not None:
            self._openings.open(conversation)

    def leave(self, conversation: Conversation) -> None:
        opened = self._sessions.find(conversation.session.id)
        if opened is not None:
            self._tasks.start_soon(opened.workspace.terminals.close_all)
            self._inbound.leave(opened.workspace)
        if self._openings is not None:
            self._openings.leave(conversation)

    def hurry(self) -> None:
        for opened in self._sessions.opened:
            opened.workspace.terminals.kill_all()

    def fail(self, fault: Fault) -> None:
        self._supervisor.fail(fault)

    def wants_login(self, error: Error) -> bool:
        if self._context.attended:
            self._parts.logins.wanted(error)
        return self._context.attended

    def logged_in(self) -> None:
        if self._link is not None and self._openings is not None:
            self._parts.known_sessions.connected(self._link)
            self._openings.go_on()
        for conversation in self._sessions:
            if conversation.is_open:
                conversation.release()
            else:
                self.open(conversation)
        self._parts.logins.status.ask()

    def say_goodbye(self, done: Callable[[], None]) -> bool:
        """Have the agent put its sessions away, where it can; whether there is anything to wait for until `done`."""
        if self._link is None or not self._link.can.close_session:
            return False
        waiting = {conversation.session.id for conversation in self._sessions if conversation.is_open}

        def closed(session_id: str, _: Response) -> None:
            waiting.discard(session_id)
            if not waiting:
                done()

        for session_id in list(waiting):
            self.connection.call(self._link.dialect.about_session("close", session_id), partial(closed, session_id))
        return bool(waiting)

    def joins(self, session_id: str) -> bool:
        """Whether chunks of text may be joined: not where each is counted as unknown."""
        return self._link is not None and self._sessions.find(session_id) is not None

    def notified(self, notification: Notification) -> None:
        """An update for a session, or a request taken back; what is unknown is ignored, as the protocol says."""
        if notification.method == "session/update":
            if self._link is None:
                self._sessions.hear("too early", "")
            else:
                self._sessions.deliver(*self._link.dialect.read_update(notification.params))
        elif notification.method == "$/cancel_request":
            self._withdraw(notification.params)
        elif notification.method == "elicitation/complete":
            self._complete(notification.params)
        elif notification.method in AUTH_READERS:
            self._parts.logins.status.told(notification.method, notification.params)

    def requested(self, request: Request) -> None:
        if self._link is None:
            self.connection.refuse(request.id, INVALID_REQUEST, "initialize has not been answered yet")
        else:
            self._inbound.receive(self._link.dialect, request)

    def disturbed(self, noise: StrayMessage) -> None:
        excerpt = "" if may_name_accounts(noise.excerpt) else noise.excerpt  # what is heard is recorded
        self._sessions.hear(noise.kind, f"{excerpt}\n({noise.reason})" if excerpt else noise.reason)

    def stumbled(self, error: Exception) -> None:
        """Something that nobody foresaw, told as what it is: a mistake of this program."""
        self._sessions.hear("stumbled", f"{type(error).__name__}: {error!s:.300}")

    def clogged(self) -> None:
        self.fail(self._faults.clogged())

    def _initialized(self, answer: Response) -> None:
        offer = self._context.command.protocol
        if answer.error is not None:
            if offer == "auto" and is_refused_offer(offer, answer.error.code):
                self._supervisor.offer_less()
            else:
                self.fail(self._faults.not_introduced(answer.error, offer))
            return
        try:
            dialect, initialized = choose(answer.result, offer)
        except ProtocolFault as fault:
            self.fail(fault)
            return
        link = self._link = AgentLink(self.connection, dialect, initialized, self)
        self._lifecycle.introduced(initialized, dialect.name)
        self._parts.introduced(link)
        self._openings = Openings(self._parts, link, self._tasks, self._not_opened)
        for conversation in self._sessions:
            self._openings.open(conversation)
        self._parts.logins.status.ask()  # after the sessions, which must not wait for it
        if not any(self._context.sessions):
            self._lifecycle.enter("ready")

    def _not_opened(self, conversation: Conversation, problem: Error | Fault) -> None:
        """Without any session there is nothing to stay for, but for a user who can log in or open another one."""
        attended = self._context.attended
        if isinstance(problem, Fault):
            fault = problem
        elif problem.code == AUTH_REQUIRED and self.wants_login(problem):
            return
        else:
            fault = self._faults.session_refused(problem, self._lifecycle.connection.auth_methods)
        if conversation.prompt_refused and isinstance(fault, AgentFault):
            fault = not_opened(fault, conversation.source.scope.system_prompt, attended=attended)
        stays = conversation.source.kind != "new" or conversation.prompt_refused
        if self._sessions.any_open or (attended and stays):
            conversation.session.apply(AgentGone(fault.title, fault.message, fault.hint))
            self._lifecycle.enter("ready")
        else:
            self.fail(fault)

    def _withdraw(self, params: Any) -> None:
        request_id = params.get("requestId") if isinstance(params, dict) else None
        if request_id is not None and not any(each.questions.withdraw(request_id) for each in self._sessions):
            self._inbound.withdraw(request_id)

    def _complete(self, params: Any) -> None:
        try:
            done = read(ElicitationComplete, params)
        except ProtocolFault as fault:
            self._sessions.hear("bad request", f"elicitation/complete: {fault}")
            return
        for conversation in self._sessions:
            conversation.questions.complete(done.elicitation_id)
