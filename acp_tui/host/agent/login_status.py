"""What the agent says of who is logged in: asked for once a session is asked for, and taken whenever it is told.

It is for display: nothing waits for it, and no account is in any record, export or log. Its state alone is acted on: a
user who logged in elsewhere need not do so here again.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import anyio

from acp_tui.host.agent.context import AgentContext
from acp_tui.host.connection.agent_link import AgentLink
from acp_tui.host.sessions.sessions import Sessions
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.shared.auth_status import METHOD, READERS, read_auth_status
from acp_tui.protocol.vocabulary.initialization import AuthStatus
from acp_tui.wire.jsonrpc import Response

BREATH = 0.25  # seconds between two times that a change is told; each has the screen look at the whole connection


class LoginStatus:
    """`Connection.auth_status`, kept as the agent tells it. `logged_in` tries again what waits for a log-in."""

    def __init__(self, context: AgentContext, sessions: Sessions, logged_in: Callable[[], None]) -> None:
        self._context, self._lifecycle, self._sessions = context, context.lifecycle, sessions
        self._logged_in = logged_in
        self._link: AgentLink | None = None
        self._changed = anyio.Event()

    async def tell(self) -> None:
        """Tell of what changes, until cancelled: at once, and then not too often, however often the agent says it."""
        while True:
            await self._changed.wait()
            self._changed = anyio.Event()
            self._lifecycle.tell_login()
            await anyio.sleep(BREATH)

    def introduced(self, link: AgentLink) -> None:
        self._link = link

    def gone(self) -> None:
        self._link = None

    def ask(self) -> None:
        """Ask the agent where it can be asked and somebody looks; an error answer says nothing.

        Without a user somebody does who opens no session.
        """
        link, somebody_looks = self._link, self._context.attended or not self._context.sources
        if link is not None and link.can.auth_status and somebody_looks:
            link.connection.call(link.dialect.auth_status(), partial(self._answered, link))

    def told(self, method: str, params: Any) -> None:
        """The agent notifies of a change, by one of `READERS`; that may come before it has introduced itself."""
        self._take(method, READERS[method], params)

    def _answered(self, link: AgentLink, answer: Response) -> None:
        if link is self._link and answer.error is None:
            self._take(METHOD, read_auth_status, answer.result)

    def _take(self, method: str, reader: Callable[[Any], AuthStatus], told: Any) -> None:
        try:
            status = reader(told)
        except ProtocolFault as fault:
            self._sessions.hear("bad request", f"{method}: {fault}")
            return
        before, connection = self._lifecycle.connection.auth_status, self._lifecycle.connection
        if self._lifecycle.know_login(status):
            self._changed.set()
        waits = connection.login is not None and bool(connection.login.reason) and not connection.login.trying
        was_out = before is not None and before.state == "unauthenticated"
        if waits and was_out and status.state in ("authenticated", "not_required"):
            self._logged_in()
