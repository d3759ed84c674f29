"""Esc, Ctrl+C and quitting: stepping back from the nearest thing, cancelling, and asking before work is lost."""

import time
from collections.abc import Callable

from acp_tui.ui.kit.key_guards import DoublePress
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.parts import Parts
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.sessions.tabs import Tabs


class LeaveActions:
    """Leaving one screen, or what is on it. `leave_app(hurry=...)` ends the program."""

    def __init__(
        self, view: SessionView, editor: PromptEditor, parts: Parts, tabs: Tabs, leave_app: Callable[..., None]
    ) -> None:
        self._view, self._editor, self._parts, self._tabs, self._leave_app = view, editor, parts, tabs, leave_app
        self._interrupts, self._quits = DoublePress(), DoublePress()

    def step_back(self) -> None:
        """Undo the nearest thing: pop-up, selection, focus; in the end cancel the turn."""
        parts, editor, screen = self._parts, self._editor, self._editor.screen
        if parts.completions.commands.is_open:
            parts.completions.commands.close()
        elif parts.find.is_open:
            parts.find.close()
        elif parts.sidebar.is_over:
            parts.sidebar.toggle()
        elif screen.selections or not editor.selection.is_empty:
            screen.clear_selection()
            editor.move_cursor(editor.cursor_location)
        elif screen.focused is not editor:
            self._view.focus_prompt()
        elif parts.shell.stop():
            pass
        elif self._view.session.turn.active:
            self._view.client.of(self._view.session).cancel()
        else:
            parts.earlier.escape()

    def interrupt(self) -> None:
        """Copy, else clear the draft, else cancel; the second time in a row that copied nothing, quit."""
        selected = self._editor.selected_text or self._editor.screen.get_selected_text()
        if selected:
            self._parts.copies.text(selected, "the selection")
        elif self._interrupts.again(time.monotonic()):
            self._leave(hurry=True)
        else:
            if self._editor.text:
                self._editor.set_aside()
            elif self._parts.shell.stop():
                return
            elif self._view.session.turn.active:
                self._view.client.of(self._view.session).cancel()
            self._view.say("Press it again to quit", 2)

    def quit(self) -> None:
        """Leave; ask first if an agent is at work, or prompts wait that nobody would send."""
        told = self._lost()
        if told and not self._quits.again(time.monotonic()):
            self._view.say(f"{told} Press the key again to quit.", 2)
        else:
            self._leave()

    def _leave(self, *, hurry: bool = False) -> None:
        """Leave now; the drafts stay in the history. In a `hurry`, no agent is waited for long."""
        for tab in self._tabs.entries:
            tab.screen.set_aside()
        self._view.app.call_later(self._leave_app, hurry=hurry)

    def _lost(self) -> str:
        """What leaving would end or lose, in words; empty if nothing."""
        tabs = self._tabs.entries
        working = sum(tab.session.turn.active for tab in tabs)
        queued = sum(len(tab.session.queue) for tab in tabs)
        if working:
            return "The agent is at work." if working == 1 else f"{working} agents are at work."
        if queued:
            return "A prompt was not sent yet." if queued == 1 else f"{queued} prompts were not sent yet."
        return ""
