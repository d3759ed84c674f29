"""The ways out: Ctrl+C and what it does before it quits; quitting that asks first. It knows not how the app ends."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from acp_tui.ui.presses import DoublePress

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen


class LeaveActs:
    """Leaving one screen."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen
        self._interrupts, self._quits = DoublePress(), DoublePress()

    def interrupt(self) -> None:
        """Copy, else clear the draft, else cancel; the second time in a row that copied nothing, quit."""
        screen = self._screen
        selected = screen.editor.selected_text or screen.get_selected_text()
        if selected:
            screen.copies.text(selected, "the selection")
        elif self._interrupts.again(time.monotonic()):
            self.leave(hurry=True)
        else:
            if screen.editor.text:
                screen.prompts.set_aside()
            elif screen.prompts.shell.stop():
                return
            elif screen.session.turn.active:
                screen.client.cancel(screen.session)
            screen.app.notify("Press it again to quit", markup=False, timeout=2)

    def quit(self) -> None:
        """Leave; ask first if an agent is at work, or prompts wait that nobody would send."""
        told = self._lost()
        if told and not self._quits.again(time.monotonic()):
            self._screen.app.notify(f"{told} Press the key again to quit.", markup=False, timeout=2)
        else:
            self.leave()

    def leave(self, *, hurry: bool = False) -> None:
        """Leave now; the drafts stay in the history. In a `hurry`, no agent is waited for long."""
        for tab in self._screen.tabs.entries:
            tab.screen.prompts.set_aside()
        self._screen.app.call_later(self._screen.tabs.app.leave, hurry=hurry)

    def _lost(self) -> str:
        """What leaving would end or lose, in words; empty if nothing."""
        tabs = self._screen.tabs.entries
        working = sum(tab.session.turn.active for tab in tabs)
        queued = sum(len(tab.session.queue) for tab in tabs)
        if working:
            return "The agent is at work." if working == 1 else f"{working} agents are at work."
        if queued:
            return "A prompt was not sent yet." if queued == 1 else f"{queued} prompts were not sent yet."
        return ""
