"""Answers the agent's requests, each exactly once.

Quick answers are given at once. Work on files and terminals runs in tasks of the connection's task group,
so that the reader never waits for a disk or a command.
"""

from functools import partial

import anyio
from anyio.abc import TaskGroup

from acp_tui.host.connection.connection import AgentConnection
from acp_tui.host.services.request_fault import OutsideFault, RequestFault, failed, invalid_params, not_found
from acp_tui.host.services.workspace import SERVICES, Service, Workspace
from acp_tui.host.sessions.conversation import Conversation
from acp_tui.host.sessions.sessions import OpenSession, Sessions
from acp_tui.protocol.base import Model
from acp_tui.protocol.capabilities import ClientCapabilities
from acp_tui.protocol.dialect import Dialect
from acp_tui.protocol.faults import METHOD_NOT_FOUND, REQUEST_CANCELLED, ProtocolFault
from acp_tui.protocol.reading import read
from acp_tui.protocol.vocabulary.elicitation import FormElicitation, UrlElicitation, read_elicitation
from acp_tui.protocol.vocabulary.terminals import ReadTextFileRequest
from acp_tui.session.facts import Noticed
from acp_tui.wire.jsonrpc import Request, RequestId

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
            raise failed("nobody is there to answer")
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
