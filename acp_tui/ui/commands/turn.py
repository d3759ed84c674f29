"""Commands of the prompt and the turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from acp_tui.ui.commands.command import Command, Scope

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen


class TurnCommand(Command):
    """A command about what is written and what the agent does with it."""

    group: ClassVar[str] = "Prompt and turn"


class Submit(TurnCommand):
    """Send the prompt."""

    id = "submit"
    keys = ("enter",)
    label = "Send"
    tooltip = "Send the prompt; while the agent works it is queued. On an empty prompt: interrupt, send what is queued"
    scope: ClassVar[Scope] = "prompt"
    in_palette = False

    def run(self, screen: ConversationScreen) -> None:
        """Send what is written, or begin a new line after a backslash; with nothing, start an agent that is gone."""
        if screen.connection.gone and not screen.editor.text:
            screen.connection.restart()
        elif not screen.editor.submit():
            screen.prompts.waiting.send_now()


class NewLine(TurnCommand):
    """Begin a new line."""

    id = "new_line"
    keys = ("ctrl+j", "shift+enter", "alt+enter", "ctrl+enter")
    label = "New line"
    tooltip = "Begin a new line (also \\ and then Enter)"
    scope: ClassVar[Scope] = "prompt"
    in_palette = False

    def run(self, screen: ConversationScreen) -> None:
        """Insert a line break at the cursor."""
        screen.editor.insert("\n")


class Cancel(TurnCommand):
    """Step back, and in the end cancel the turn."""

    id = "cancel"
    keys = ("escape",)
    label = "Cancel the turn"
    tooltip = "Close the pop-up, else clear the selection, else cancel the turn"

    def run(self, screen: ConversationScreen) -> None:
        """Undo the nearest thing."""
        screen.step_back()


class Interrupt(TurnCommand):
    """What Ctrl+C means here."""

    id = "interrupt"
    keys = ("ctrl+c", "super+c")
    label = "Copy, clear or cancel"
    tooltip = "Copy the selection, else clear the draft, else cancel; pressed again within 2 s it quits"
    in_palette = False

    def run(self, screen: ConversationScreen) -> None:
        """Do the first of them that applies."""
        screen.leaving.interrupt()


class OlderPrompt(TurnCommand):
    """Go back in the prompt history."""

    id = "older_prompt"
    keys = ("up",)
    label = "Older prompt"
    tooltip = "In the first line: the prompt before this one"
    scope: ClassVar[Scope] = "prompt"
    in_palette = False

    def run(self, screen: ConversationScreen) -> None:
        """Move up, or into the history."""
        screen.editor.go_up()


class NewerPrompt(TurnCommand):
    """Go forward in the prompt history."""

    id = "newer_prompt"
    keys = ("down",)
    label = "Newer prompt"
    tooltip = "In the last line: the prompt after this one"
    scope: ClassVar[Scope] = "prompt"
    in_palette = False

    def run(self, screen: ConversationScreen) -> None:
        """Move down, or towards the draft."""
        screen.editor.go_down()


class SearchHistory(TurnCommand):
    """Find an old prompt."""

    id = "search_history"
    keys = ("ctrl+r",)
    label = "Search prompt history"
    tooltip = "Find a prompt that was sent before"

    def run(self, screen: ConversationScreen) -> None:
        """Open the list of old prompts."""
        screen.prompts.search_history()


class CancelWork(TurnCommand):
    """Cancel one piece of work beside the turn."""

    id = "cancel_work"
    leader = "w"
    label = "Cancel work beside the turn"
    tooltip = "List what runs in the background or can be cancelled by itself, and cancel one of it"

    def run(self, screen: ConversationScreen) -> None:
        """Open the list."""
        screen.work.pick()


class WithdrawQueued(TurnCommand):
    """Take back what waits."""

    id = "withdraw_queued"
    leader = "q"
    label = "Take back the last queued prompt"
    tooltip = "The prompt leaves the queue and comes back to the editor"

    def run(self, screen: ConversationScreen) -> None:
        """Move the last queued prompt into the editor."""
        screen.prompts.take_back_queued()
