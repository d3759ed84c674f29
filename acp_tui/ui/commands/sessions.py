"""Commands of sessions: begin, find, switch, put away."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from acp_tui.ui.commands.command import Command

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen

DIGITS = 9


class SessionCommand(Command):
    """A command about sessions as a whole."""

    group: ClassVar[str] = "Sessions"


class NewSession(SessionCommand):
    """One more session."""

    id = "new_session"
    keys = ("ctrl+n",)
    label = "New session"
    tooltip = "Begin one more session with this agent, in the same folder"

    def run(self, screen: ConversationScreen) -> None:
        """Open it and show it."""
        screen.sessions.begin()


class NewAgent(SessionCommand):
    """One more session with another agent."""

    id = "new_agent"
    leader = "n"
    label = "New session with another agent"
    tooltip = "Choose an agent, and begin a session with it beside this one"

    def run(self, screen: ConversationScreen) -> None:
        """Open the list of agents."""
        screen.sessions.begin_elsewhere()


class BrowseSessions(SessionCommand):
    """Find a session to go on with."""

    id = "browse_sessions"
    keys = ("ctrl+s",)
    leader = "s"
    label = "Find a session"
    tooltip = "The agent's sessions and those recorded here: search, open, rename, delete, export"
    footer = "sessions"
    footer_rank = 3

    def run(self, screen: ConversationScreen) -> None:
        """Open the session browser."""
        screen.sessions.browse()


class SwitchSession(SessionCommand):
    """Switch from a list."""

    id = "switch_session"
    leader = "tab"
    label = "Switch to an open session"
    tooltip = "The sessions that are open, and how they stand"

    def run(self, screen: ConversationScreen) -> None:
        """Open the list."""
        screen.sessions.pick()


class ShowSession(SessionCommand):
    """Switch by number, from 1 to DIGITS; the first stands for all of them where keys are told."""

    in_palette: ClassVar[bool] = False
    number: ClassVar[int]

    def run(self, screen: ConversationScreen) -> None:
        """Show the session of that number."""
        screen.tabs.show_number(self.number)


def by_number(place: int) -> ShowSession:
    """The command that shows the session at a place."""

    class ShowOne(ShowSession):
        id = f"show_session_{place}"
        leader = str(place)
        label = f"Session {place}" if place > 1 else f"Session 1 … {DIGITS}"
        tooltip = f"Show the first open session; 2 to {DIGITS} show the others"
        number = place
        in_table = place == 1

    return ShowOne()


class NextSession(SessionCommand):
    """Step forward."""

    id = "next_session"
    keys = ("ctrl+pagedown",)
    leader = "right"
    label = "Next session"
    tooltip = "Show the next open session"

    def run(self, screen: ConversationScreen) -> None:
        """Show it."""
        screen.tabs.step(1)


class PreviousSession(SessionCommand):
    """Step back."""

    id = "previous_session"
    keys = ("ctrl+pageup",)
    leader = "left"
    label = "Previous session"
    tooltip = "Show the open session before this one"

    def run(self, screen: ConversationScreen) -> None:
        """Show it."""
        screen.tabs.step(-1)


class ForkSession(SessionCommand):
    """A branch."""

    id = "fork_session"
    label = "Fork the session"
    tooltip = "A new session that knows what this one knows, where the agent can"

    def run(self, screen: ConversationScreen) -> None:
        """Open it and show it."""
        screen.sessions.fork()


class RenameSession(SessionCommand):
    """Another title."""

    id = "rename_session"
    label = "Rename the session"
    tooltip = "Another title: the agent keeps it where it can, else it is given here (also /rename)"

    def run(self, screen: ConversationScreen) -> None:
        """Ask for it."""
        screen.sessions.rename()


class CloseSession(SessionCommand):
    """Put one away."""

    id = "close_session"
    leader = "x"
    label = "Close the session"
    tooltip = "Put this session away; asks first if its agent is at work"

    def run(self, screen: ConversationScreen) -> None:
        """Close it."""
        screen.sessions.close()
