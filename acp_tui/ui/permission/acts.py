"""Where the answer to a permission request goes; must not know what a request looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.ui.permission.panel import PermissionPanel
    from acp_tui.ui.screen import ConversationScreen


class PermissionActs:
    """The permission requests of one screen."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen

    def answered(self, message: PermissionPanel.Answered) -> None:
        """Send the answer; a reason goes first in the queue. Without an option, cancel the turn."""
        client, session = self._screen.client, self._screen.session
        if message.option_id is None and session.turn.active:
            client.cancel(session)
        else:
            client.answer_permission(session, message.key, message.option_id)
        self._screen.prompts.put_first(message.note)
