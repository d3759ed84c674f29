"""Commands of what is being written."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from acp_tui.ui.commands.command import Command, Scope
from acp_tui.ui.commands.turn import TurnCommand

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen


class EditExternally(TurnCommand):
    """Write elsewhere."""

    id = "edit_externally"
    keys = ("ctrl+g",)
    leader = "g"
    label = "Edit the prompt in your editor"
    tooltip = "$VISUAL or $EDITOR with what is written; what it saves comes back"

    def run(self, screen: ConversationScreen) -> None:
        """Lend the terminal to the editor."""
        from acp_tui.ui.prompt.external import edit_draft  # noqa: PLC0415 (the first frame does not need it)

        edit_draft(screen)


class UnfoldPaste(TurnCommand):
    """See what a chip stands for."""

    id = "unfold_paste"
    leader = "l"
    label = "Unfold a paste"
    tooltip = "The paste before the cursor (else the last one) is text again, to be read and edited"

    def run(self, screen: ConversationScreen) -> None:
        """Put the text in the place of the chip."""
        screen.editor.unfold()


class AttachOutput(TurnCommand):
    """Show the agent what a command wrote."""

    id = "attach_output"
    leader = "v"
    label = "Attach a command's output"
    tooltip = "What the last !command wrote, or the command under the transcript's cursor, goes with the next prompt"

    def run(self, screen: ConversationScreen) -> None:
        """Put it into the prompt as a chip."""
        screen.prompts.shell.attach_output()


class PickEarlier(TurnCommand):
    """Say it again, better."""

    id = "pick_earlier"
    leader = "h"
    label = "Edit an earlier message"
    tooltip = "Choose one of your messages in this session, to edit and send again (also Esc Esc on an empty prompt)"

    def run(self, screen: ConversationScreen) -> None:
        """Open the list."""
        screen.prompts.pick_earlier()


class Undo(TurnCommand):
    """Take an edit back."""

    id = "undo"
    keys = ("ctrl+underscore", "super+z")
    leader = "z"
    label = "Undo"
    tooltip = "Take back the last edit of the prompt (Ctrl+Y does it again)"
    scope: ClassVar[Scope] = "prompt"
    in_palette = False

    def run(self, screen: ConversationScreen) -> None:
        """Undo."""
        screen.editor.action_undo()


class Suspend(Command):
    """To the shell and back."""

    id = "suspend"
    keys = ("ctrl+z",)
    label = "Suspend"
    tooltip = "Back to the shell; fg returns. The agent goes on"
    group = "Program"

    def run(self, screen: ConversationScreen) -> None:
        """Stop this process until it is continued."""
        from acp_tui.ui.suspension import suspend  # noqa: PLC0415 (the first frame does not need it)

        suspend(screen.app)
