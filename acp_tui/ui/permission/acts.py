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
        """Send the answer; a reason goes first in the queue."""
        self._screen.client.answer_permission(self._screen.session, message.key, message.option_id)
        self._screen.prompts.put_first(message.note)
