"""The leader where the focus is not on the prompt (which takes it in the order of what is typed): two keys, a command.

Without it the second key would go to whatever has the focus, and be an answer there.
"""

from textual import events
from textual.screen import Screen

from acp_tui.ui.commands.registry import LEADER, after_leader
from acp_tui.ui.screen import ConversationScreen


class LeaderElsewhere:
    """Keys before they reach whatever has the focus in a conversation."""

    def __init__(self) -> None:
        self._waits: ConversationScreen | None = None

    def takes(self, screen: Screen[object], event: events.Key) -> bool:
        """Whether this key is the leader or comes after it; nobody else may see it then."""
        waits, self._waits = self._waits, None
        if waits is not None:
            waits.footer.look()
        if not isinstance(screen, ConversationScreen) or screen.editor.has_focus:
            return False
        if waits is not screen:
            return event.key == LEADER.key and self._begin(screen)
        command = after_leader(event.key)
        if command is not None:
            screen.action_command(command.id)
        return command is not None or event.is_printable or event.key in ("escape", LEADER.key)

    def _begin(self, screen: ConversationScreen) -> bool:
        self._waits = screen
        screen.footer.look(leader=True)
        return True
