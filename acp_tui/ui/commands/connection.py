"""Commands of the agent as a program: start it again, see its errors, log in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from acp_tui.ui.commands.command import Command

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen


class ConnectionCommand(Command):
    """A command about the agent as a program."""

    group: ClassVar[str] = "Agent"


class RestartAgent(ConnectionCommand):
    """Start it again."""

    id = "restart_agent"
    leader = "r"
    label = "Restart the agent"
    tooltip = "End the agent if it lives, start it again and bring every session back; draft and queue stay"

    def run(self, screen: ConversationScreen) -> None:
        """Restart it."""
        screen.connection.restart()


class ShowErrors(ConnectionCommand):
    """Standard error."""

    id = "show_stderr"
    leader = "d"
    label = "Show the agent's standard error"
    tooltip = "What the agent wrote to standard error, as far as it is kept"

    def run(self, screen: ConversationScreen) -> None:
        """Open the view."""
        screen.connection.show_errors()


class LogIn(ConnectionCommand):
    """Log in."""

    id = "log_in"
    label = "Log in"
    tooltip = "The agent's ways to log in"

    def run(self, screen: ConversationScreen) -> None:
        """Open the panel."""
        screen.logins.ask()


class LogOut(ConnectionCommand):
    """Log out."""

    id = "log_out"
    label = "Log out"
    tooltip = "Have the agent forget who you are, where it can"

    def run(self, screen: ConversationScreen) -> None:
        """Ask the agent."""
        screen.logins.log_out()


class KeepChoices(ConnectionCommand):
    """Keep what was chosen."""

    id = "keep_choices"
    leader = "plus"
    label = "Keep the chosen options"
    tooltip = "Choose the same options in the next sessions with this agent"

    def run(self, screen: ConversationScreen) -> None:
        """Keep them."""
        screen.keeping.keep()


class DeclineChoices(ConnectionCommand):
    """Keep nothing."""

    id = "decline_choices"
    leader = "minus"
    label = "Do not keep the chosen options"
    tooltip = "Leave them to the agent, and do not ask again"

    def run(self, screen: ConversationScreen) -> None:
        """Decline."""
        screen.keeping.decline()


class ForgetChoices(ConnectionCommand):
    """Forget all."""

    id = "forget_choices"
    label = "Forget all kept options"
    tooltip = "Choose nothing by itself in the next sessions with this agent"

    def run(self, screen: ConversationScreen) -> None:
        """Forget them."""
        screen.keeping.forget()
