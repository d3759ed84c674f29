"""Log-ins that an agent wants, by whichever way it has; must not know what waits for them.

Whatever comes of it shows in `Connection.login`. No secret is kept anywhere but in the agent's own environment.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from acp_tui.errors import UserFault
from acp_tui.host.agent_command import AgentCommand
from acp_tui.host.exit_code import ending
from acp_tui.host.launcher import Start, start_of
from acp_tui.host.lifecycle import Lifecycle, Login, LoginCommand
from acp_tui.protocol.faults import METHOD_NOT_FOUND, error_words

if TYPE_CHECKING:
    from acp_tui.host.conversation import Line
    from acp_tui.host.conversations import Conversations
    from acp_tui.protocol.dialect import Call
    from acp_tui.protocol.initialization import AuthMethod
    from acp_tui.session.facts import Noticed
    from acp_tui.session.state import Session
    from acp_tui.wire.jsonrpc import Error, Response

REASON = "It goes on only after a log-in."
"""What is told where the agent gives no reason."""
NOT_RUN = "The log-in could not be run here. Run it in a shell of your own, then restart the agent."


class Logins:
    """The log-ins of one client. `succeeded` is called when what waited can be tried again on the same connection.

    `conversations` hear of a log-in request that is over, and know where its questions are asked.
    """

    def __init__(
        self,
        lifecycle: Lifecycle,
        command: AgentCommand,
        cwd: str,
        conversations: Conversations,
        succeeded: Callable[[], None],
    ) -> None:
        self._lifecycle, self._command, self._cwd = lifecycle, command, cwd
        self._conversations, self._succeeded = conversations, succeeded
        self._line: Line | None = None
        self._request: int | None = None
        self._tried = ""
        self.variables: dict[str, str] = {}

    def introduced(self, line: Line) -> None:
        """There is a connection to log in on."""
        self._line, self._request = line, None

    def gone(self) -> None:
        """There is none any more; a method that runs in the terminal needs none."""
        self._line, asked, self._request = None, self._request, None
        login = self._lifecycle.connection.login
        if login is not None and asked is not None:
            self._failed("The agent ended before it answered.")

    def wanted(self, error: Error) -> None:
        """The agent refused something with this error until there is a log-in."""
        from acp_tui.protocol.auth_methods import read_auth_methods  # noqa: PLC0415 (the first frame does not need it)

        login = self._lifecycle.connection.login
        if login is not None and login.trying:
            return  # what comes of that counts
        beside = error.data.get("authMethods") if isinstance(error.data, dict) else error.data
        known = self._lifecycle.connection.auth_methods
        methods = _merged((*known, *read_auth_methods(beside)))
        failed, output = (login.failed, login.output) if login is not None else ("", "")
        if self._tried:
            failed, output = f"{self._tried}: the agent still asks for a log-in.", ""
        self._tried = ""
        self._lifecycle.ask_login(Login(methods, error.message or REASON, failed=failed, output=output))

    def log_in(self, method_id: str, session: Session | None = None) -> None:
        """Log in by a method of type `agent`; one that is under way is taken back.

        What the agent asks meanwhile is asked in `session`, which the user looks at, else in the newest one.
        """
        method = self._method(method_id, "agent")
        if method is None or self._line is None:
            return
        self._withdraw()
        self._conversations.log_in_from(session)
        self._tried = method.name
        self._lifecycle.ask_login(replace(self._login(), trying=method_id, failed="", output=""))
        self._ask(self._line, self._line.dialect.authenticate(method_id))

    def cancel(self) -> None:
        """Wait no longer for the log-in that is under way; the ways to log in are offered again."""
        if self._request is not None:
            self._withdraw()
            self._tried = ""
            self._lifecycle.ask_login(replace(self._login(), trying=""))

    def _withdraw(self) -> None:
        request, self._request = self._request, None
        if request is not None and self._line is not None:
            self._line.connection.withdraw(request)
            self._conversations.request_over(request)

    def _ask(self, line: Line, call: Call) -> None:
        request = self._request = line.connection.call(call, lambda answer: self._answered(request, line, call, answer))

    def command(self, method_id: str) -> LoginCommand | None:
        """What a method of type `terminal` runs: the agent's own command with more on top, or one that it names."""
        method = self._method(method_id, "terminal")
        if method is None:
            return None
        self._tried = method.name
        self._lifecycle.ask_login(replace(self._login(), trying=method_id, failed="", output=""))
        try:
            if self._command.check is not None:
                self._command.check()
            start = start_of(self._command, self._cwd)
        except UserFault as fault:
            self._failed(str(fault))
            return None
        if method.command:
            start = Start((method.command,), dict(self._command.env), self._cwd)
        environment = {**os.environ, **start.env, **self.variables, **method.env}
        return LoginCommand((*start.argv, *method.args), environment, start.cwd)

    def finished(self, exit_code: int | None, output: bytes) -> bool:
        """The terminal log-in has ended; whether it succeeded. If not, the last of its `output` is kept."""
        if exit_code == 0:
            return True
        from acp_tui.session.escapes import strip_escapes  # noqa: PLC0415 (the first frame does not need it)

        self._tried = ""
        reason = NOT_RUN if exit_code is None else f"The log-in ended: {ending(exit_code)}."
        self._failed(reason, strip_escapes(output.decode("utf-8", "replace")))
        return False

    def set_variables(self, values: Mapping[str, str]) -> None:
        """What the agent is given from its next start on, and what is never stored."""
        self._tried = "With these variables"
        self.variables.update(values)

    def log_out(self) -> None:
        """Log out; every session gets a notice of what came of it."""

        def ask(line: Line, call: Call) -> None:
            line.connection.call(call, lambda answer: answered(line, call, answer))

        def answered(line: Line, call: Call, answer: Response) -> None:
            older = _older(line, call, answer)
            if older is not None:
                ask(line, older)
                return
            if answer.error is None:
                self._tried = ""  # what comes next is no failure of the log-in before
            for conversation in self._conversations:
                conversation.session.apply(_logged_out("" if answer.error is None else _reason(answer.error)))

        if self._line is not None:
            ask(self._line, self._line.dialect.logout())

    def _answered(self, request: int, line: Line, call: Call, answer: Response) -> None:
        if request != self._request:
            return
        self._request = None
        older = _older(line, call, answer)
        if older is not None:
            self._ask(line, older)
            return
        self._conversations.request_over(request)
        if answer.error is not None:
            self._tried = ""
            self._failed(_reason(answer.error))
            return
        self._lifecycle.ask_login(None)
        self._succeeded()

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


def _logged_out(problem: str) -> Noticed:
    """`problem` says why the log-out failed, empty if it did not."""
    from acp_tui.session.facts import Noticed  # noqa: PLC0415 (the first frame does not need it)

    return Noticed("error", "The log-out failed", problem) if problem else Noticed("info", "You are logged out")


def _reason(error: Error) -> str:
    return error_words(error.code, error.message, error.data)


def _older(line: Line, call: Call, answer: Response) -> Call | None:
    """What to try instead, where the agent does not know the method by today's name."""
    unknown = answer.error is not None and answer.error.code == METHOD_NOT_FOUND
    return line.dialect.older_call(call) if unknown else None
