"""What a person does about the agent as a program; must not know how it is run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from acp_tui.ui.presses import DoublePress

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen


class ConnectionActs:
    """The agent of one screen."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen
        self._restarts = DoublePress()

    @property
    def gone(self) -> bool:
        """Whether the agent has ended and can be started again."""
        return self._screen.client.connection.phase == "gone"

    def restart(self) -> None:
        """Start the agent again; ask first if that ends work."""
        client = self._screen.client
        if client.connection.phase in ("closing", "closed"):
            self._say("The agent is gone for good")
            return
        working = [session for session in client.sessions if session.turn.active]
        unheard = all(session.turn.cancel_requested_at is not None for session in working)
        if working and not unheard and not self._restarts.again(time.monotonic()):
            self._say("The agent is at work. Press the key again to restart it.")
            return
        client.restart()

    def show_errors(self) -> None:
        """Open the view of standard error."""
        from acp_tui.ui.stderr import StderrScreen  # noqa: PLC0415 (the first frame does not need it)

        self._screen.app.push_screen(StderrScreen(self._screen.client.stderr_tail))

    def _say(self, text: str) -> None:
        self._screen.app.notify(text, markup=False, timeout=3)
