"""Log-ins that an agent wants, by whichever way it has.

Whatever comes of it shows in `Connection.login`. No secret is kept anywhere but in the agent's own environment.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import anyio

from acp_tui.errors import UserFault
from acp_tui.host.agent.context import AgentContext
from acp_tui.host.agent.faults import login_reason, methods_beside
from acp_tui.host.catalog.launch_plan import Start, start_of
from acp_tui.host.connection.connection import AgentLink
from acp_tui.host.connection.lifecycle import Login, LoginCommand
from acp_tui.host.sessions.chosen_options import reason_of
from acp_tui.host.sessions.session_routing import Sessions
from acp_tui.host.system.processes import ending
from acp_tui.protocol.faults import METHOD_NOT_FOUND, ProtocolFault
from acp_tui.protocol.session_setup import Call
from acp_tui.protocol.vocabulary.initialization import (
    AUTH_READERS,
    AUTH_STATUS,
    AuthMethod,
    AuthStatus,
    read_auth_status,
)
from acp_tui.session.facts import Noticed
from acp_tui.session.state import Session
from acp_tui.session.text.escapes import strip_escapes
from acp_tui.wire.jsonrpc import Error, Response

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
        link, somebody_looks = self._link, self._context.attended or not any(self._context.sessions)
        if link is not None and link.can.auth_status and somebody_looks:
            link.connection.call(link.dialect.auth_status(), partial(self._answered, link))

    def told(self, method: str, params: Any) -> None:
        """The agent notifies of a change, by one of `AUTH_READERS`; that may come before it has introduced itself."""
        self._take(method, AUTH_READERS[method], params)

    def _answered(self, link: AgentLink, answer: Response) -> None:
        if link is self._link and answer.error is None:
            self._take(AUTH_STATUS, read_auth_status, answer.result)

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


REASON = "Log in to continue."
"""What is told where the agent gives no reason."""
NOT_RUN = "The login can't run here. Run it in your own shell, then restart the agent."


class Logins:
    """The log-ins of one client, as the user takes them. `status` is who is logged in."""

    def __init__(self, context: AgentContext, sessions: Sessions) -> None:
        self._context, self._lifecycle, self._sessions = context, context.lifecycle, sessions
        self.status = LoginStatus(context, sessions, self._logged_in_elsewhere)
        self._link: AgentLink | None = None
        self._request: int | None = None
        self._tried = ""

    def introduced(self, link: AgentLink) -> None:
        self._link, self._request = link, None
        self.status.introduced(link)

    def gone(self) -> None:
        """There is none any more; a method that runs in the terminal needs none."""
        self._link, asked, self._request = None, self._request, None
        self.status.gone()
        login = self._lifecycle.connection.login
        if login is not None and asked is not None:
            self._failed("The agent exited before it answered.")

    def wanted(self, error: Error) -> None:
        """The agent refused something with this error until there is a log-in."""
        login = self._lifecycle.connection.login
        if login is not None and login.trying:
            return  # what comes of that counts
        methods = _merged((*self._lifecycle.connection.auth_methods, *methods_beside(error)))
        failed, output = (login.failed, login.output) if login is not None else ("", "")
        if self._tried:
            failed, output = f"{self._tried}: still not logged in.", ""
        self._tried = ""
        self._lifecycle.ask_login(Login(methods, login_reason(error, REASON), failed=failed, output=output))

    def log_in(self, method_id: str, session: Session | None = None) -> None:
        """Log in by a method of type `agent`; one that is under way is taken back.

        What the agent asks meanwhile is asked in `session`, which the user looks at, else in the newest one.
        """
        method = self._method(method_id, "agent")
        if method is None or self._link is None:
            return
        self._withdraw()
        self._sessions.log_in_from(session)
        self._tried = method.name
        self._lifecycle.ask_login(replace(self._login(), trying=method_id, failed="", output=""))
        self._ask(self._link, self._link.dialect.authenticate(method_id))

    def cancel(self) -> None:
        if self._request is not None:
            self._withdraw()
            self._tried = ""
            self._lifecycle.ask_login(replace(self._login(), trying=""))

    def _withdraw(self) -> None:
        request, self._request = self._request, None
        if request is not None and self._link is not None:
            self._link.connection.withdraw(request)
            self._sessions.request_over(request)

    def _ask(self, link: AgentLink, call: Call) -> None:
        request = self._request = link.connection.call(call, lambda answer: self._answered(request, link, call, answer))

    def _answered(self, request: int, link: AgentLink, call: Call, answer: Response) -> None:
        if request != self._request:
            return
        self._request = None
        if older := _older(link, call, answer):
            self._ask(link, older)
            return
        self._sessions.request_over(request)
        if answer.error is not None:
            self._tried = ""
            self._failed(reason_of(answer.error))
            return
        self._lifecycle.ask_login(None)
        link.agent.logged_in()

    def _logged_in_elsewhere(self) -> None:
        """The agent says that there is a log-in now, which none of ours brought: what waits for one is tried again."""
        if self._link is not None:
            self._tried = ""
            self._lifecycle.ask_login(None)
            self._link.agent.logged_in()

    def command(self, method_id: str) -> LoginCommand | None:
        """What to run in the real terminal for a method of type `terminal`; then call `finished`.

        It is the agent's own command with more on top, or one that the method names.
        """
        method = self._method(method_id, "terminal")
        if method is None:
            return None
        self._tried = method.name
        self._lifecycle.ask_login(replace(self._login(), trying=method_id, failed="", output=""))
        command, cwd = self._context.command, self._context.cwd
        try:
            if command.check is not None:
                command.check()
            start = start_of(command, cwd)
        except UserFault as fault:
            self._failed(str(fault))
            return None
        if method.command:
            start = Start((method.command,), dict(command.env), cwd)
        return LoginCommand((*start.argv, *method.args), {**os.environ, **start.env, **method.env}, start.cwd)

    def finished(self, exit_code: int | None, output: bytes = b"") -> None:
        """The terminal log-in has ended (`None`: it did not start): after 0 the agent is restarted, to try again.

        Else the last of its `output` is kept.
        """
        if exit_code == 0:
            self._context.client.restart()
            return
        self._tried = ""
        reason = NOT_RUN if exit_code is None else f"Login failed: {ending(exit_code)}."
        self._failed(reason, strip_escapes(output.decode("utf-8", "replace")))

    def log_in_with_variables(self, values: Mapping[str, str]) -> None:
        """Restart the agent with variables (type `env_var`) on top of its own; they are never stored."""
        self._tried = "With these variables"
        command = self._context.command
        self._context.command = replace(command, env={**command.env, **values})
        self._context.client.restart()

    def log_out(self) -> None:
        """Log out, where the agent offers it; every session gets a notice of what came of it.

        The next thing that needs a log-in asks for it.
        """
        if self._link is not None and self._link.can.logout:
            self._ask_out(self._link, self._link.dialect.logout())

    def _ask_out(self, link: AgentLink, call: Call) -> None:
        def answered(answer: Response) -> None:
            if older := _older(link, call, answer):
                self._ask_out(link, older)
                return
            if answer.error is None:
                self._tried = ""  # what comes next is no failure of the log-in before
                self.status.ask()
                notice = Noticed("info", "Logged out")
            else:
                notice = Noticed("error", "Logout failed", reason_of(answer.error))
            for conversation in self._sessions:
                conversation.session.apply(notice)

        link.connection.call(call, answered)

    def _failed(self, reason: str, output: str = "") -> None:
        self._lifecycle.ask_login(replace(self._login(), trying="", failed=reason, output=output))

    def _login(self) -> Login:
        connection = self._lifecycle.connection
        return connection.login or Login(connection.auth_methods)

    def _method(self, method_id: str, kind: str) -> AuthMethod | None:
        return next((one for one in self._login().methods if (one.method_id, one.type) == (method_id, kind)), None)


def _merged(methods: Iterable[AuthMethod]) -> tuple[AuthMethod, ...]:
    """One of each id, the later one; but none takes the place of one that says more about how to do it.

    Kimi CLI names a whole command for its way at first, and in the error only arguments, which its own command does
    not take.
    """
    merged: dict[str, AuthMethod] = {}
    for method in methods:
        before = merged.get(method.method_id)
        if before is None or _says(method) >= _says(before):
            merged[method.method_id] = method
    return tuple(merged.values())


def _says(method: AuthMethod) -> int:
    """How much a method says about how to log in by it: nothing that is known here, its type, a whole command."""
    return 2 if method.command else 1 if method.usable else 0


def _older(link: AgentLink, call: Call, answer: Response) -> Call | None:
    unknown = answer.error is not None and answer.error.code == METHOD_NOT_FOUND
    return link.dialect.older_call(call) if unknown else None
