"""Commands of the prompts that wait for the turn to end."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from acp_tui.ui.commands.command import Command, Scope
from acp_tui.ui.commands.turn import TurnCommand

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen


class FocusQueue(TurnCommand):
    """Go to the queue."""

    id = "focus_queue"
    keys = ("alt+q",)
    leader = "u"
    label = "Queued prompts"
    tooltip = "Go to the prompts that wait: edit, move or delete them; Esc returns"

    def run(self, screen: ConversationScreen) -> None:
        """Give the list the focus."""
        screen.prompts.waiting.focus()


class QueueCommand(Command):
    """A command about the prompt under the cursor of the queue."""

    group: ClassVar[str] = "In the queue (Ctrl+X u)"
    scope: ClassVar[Scope] = "queue"
    in_palette: ClassVar[bool] = False


class PreviousQueued(QueueCommand):
    """One prompt up."""

    id = "previous_queued"
    keys = ("up", "k")
    label = "Previous queued prompt"
    tooltip = "One prompt up"

    def run(self, screen: ConversationScreen) -> None:
        """Move the cursor."""
        screen.queue.step(-1)


class NextQueued(QueueCommand):
    """One prompt down."""

    id = "next_queued"
    keys = ("down", "j")
    label = "Next queued prompt"
    tooltip = "One prompt down; below the last one the prompt has the focus again"

    def run(self, screen: ConversationScreen) -> None:
        """Move the cursor, at the end back to the prompt."""
        if not screen.queue.step(1):
            screen.focus_prompt()


class EditQueued(QueueCommand):
    """Write a queued prompt anew."""

    id = "edit_queued"
    keys = ("enter", "e")
    label = "Edit"
    tooltip = "The prompt comes to the editor; sent again it has its place in the queue again"

    def run(self, screen: ConversationScreen) -> None:
        """Take it into the editor."""
        screen.prompts.waiting.edit(screen.queue.current)


class MoveQueuedUp(QueueCommand):
    """Send it earlier."""

    id = "move_queued_up"
    keys = ("alt+up", "K")
    label = "Send earlier"
    tooltip = "The prompt goes before the one above it"

    def run(self, screen: ConversationScreen) -> None:
        """Move it up."""
        screen.prompts.waiting.move(screen.queue.current, -1)


class MoveQueuedDown(QueueCommand):
    """Send it later."""

    id = "move_queued_down"
    keys = ("alt+down", "J")
    label = "Send later"
    tooltip = "The prompt goes behind the one below it"

    def run(self, screen: ConversationScreen) -> None:
        """Move it down."""
        screen.prompts.waiting.move(screen.queue.current, 1)


class DeleteQueued(QueueCommand):
    """Do not send it."""

    id = "delete_queued"
    keys = ("delete", "backspace", "d")
    label = "Delete"
    tooltip = "The prompt is not sent; the history keeps it"

    def run(self, screen: ConversationScreen) -> None:
        """Take it out of the queue."""
        screen.prompts.waiting.delete(screen.queue.current)
