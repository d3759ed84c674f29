"""Logging in and out, by whichever way the person chose; must not know what the panel looks like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from acp_tui.errors import Fault
from acp_tui.host.client import Login, LoginCommand
from acp_tui.ui.announcements import announce_fault
from acp_tui.ui.status.facts import login_wanted

if TYPE_CHECKING:
    from acp_tui.protocol.initialization import AuthMethod
    from acp_tui.ui.login.panel import LoginPanel
    from acp_tui.ui.screen import ConversationScreen


class LoginActs:
    """The log-in of one screen's agent. It is wanted by the agent, or the person asked for it."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen
        self._asked = False
        self._shown: Login | None = None
        self._left: Login | None = None

    @property
    def login(self) -> Login | None:
        """What is to be shown."""
        connection = self._screen.client.connection
        if connection.login is not None and (connection.login != self._left or login_wanted(connection)):
            return connection.login
        return Login(connection.auth_methods) if self._asked else None

    @property
    def comes_first(self) -> bool:
        """Whether the panel is shown before the agent's questions: not while it only waits for the agent."""
        return self._asked or not (self.login and self.login.trying)

    def look(self) -> None:
        """The connection changed: a log-in may be wanted, tried, done."""
        before, self._shown = self._shown, self.login
        if self._shown == before:
            return
        if self._shown is None:
            self._screen.asked.went()
        else:
            self._screen.asked.came()

    def show(self, *, take_focus: bool) -> None:
        """Show how it stands."""
        login, connection = self.login, self._screen.client.connection
        if login is not None:
            agent = connection.agent
            name = (agent.title or agent.name) if agent else self._screen.session.agent_name
            self._screen.login.show(login, name, asks=login_wanted(connection), take_focus=take_focus)

    def ask(self) -> None:
        """The person wants to log in."""
        connection = self._screen.client.connection
        if connection.login is None and not connection.auth_methods:
            unknown = connection.agent is None and connection.phase == "starting"
            said = "The agent has not said yet how one logs in" if unknown else "This agent offers no way to log in"
            self._screen.app.notify(said, markup=False, timeout=4)
            return
        self._asked = True
        self.look()
        self._screen.asked.focus()

    def leave(self) -> None:
        """The person does something else first."""
        self._asked, self._left = False, self._screen.client.connection.login
        self._shown = self.login
        self._screen.set_focus(self._screen.editor)  # at once: what is shown instead must not get the focus
        self._screen.asked.look()

    def acted(self, message: LoginPanel.Acted) -> None:
        """The person did something in the panel."""
        if message.method is not None:
            self.choose(message.method, agreed=message.agreed)
        elif message.values is not None:
            self.enter(message.values)
        elif message.cancelled:
            self._screen.client.logins.cancel()
        else:
            self.leave()

    def choose(self, method: AuthMethod, *, agreed: bool = False) -> None:
        """Log in this way; a command that the agent names is asked about first."""
        client = self._screen.client
        if method.command and not agreed:
            self._screen.login.ask_command(method)
            return
        if method.type == "env_var":
            self._screen.login.ask_variables(method)
            return
        self._asked = False
        if method.type == "agent":
            client.logins.log_in(method.method_id, self._screen.session)
        elif (command := client.logins.command(method.method_id)) is not None:
            self._screen.app.run_worker(self._run(command), exit_on_error=False)

    def enter(self, values: Mapping[str, str]) -> None:
        """Log in by variables, which the agent is started with."""
        self._asked = False
        self._screen.client.logins.log_in_with_variables(values)
        self._screen.focus_prompt()

    def log_out(self) -> None:
        """Log out; the agent's answer is told in the session."""
        if self._screen.client.connection.capabilities.logout:
            self._screen.client.logins.log_out()
        else:
            self._screen.app.notify("This agent offers no way to log out", markup=False, timeout=4)

    async def _run(self, command: LoginCommand) -> None:
        """Step aside until the log-in has ended in the real terminal."""
        from acp_tui.ui.suspension import run_on_terminal  # noqa: PLC0415 (the first frame does not need it)

        code, output = None, bytearray()
        try:
            code = await run_on_terminal(self._screen.app, command.argv, command.cwd, command.env, output)
        except Fault as fault:
            announce_fault(self._screen.app, fault)
        self._screen.client.logins.finished(code, bytes(output))
