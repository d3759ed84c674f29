"""Commands by keys while the transcript has the focus."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from acp_tui.session.entries import ToolCallEntry
from acp_tui.ui.commands.command import Command, Scope

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen


class TranscriptCommand(Command):
    """A command about the block under the cursor of the transcript."""

    group: ClassVar[str] = "In the transcript (Ctrl+X ↑)"
    scope: ClassVar[Scope] = "transcript"
    in_palette: ClassVar[bool] = False


class PreviousBlock(TranscriptCommand):
    """One block up."""

    id = "previous_block"
    keys = ("up", "k")
    label = "Previous block"
    tooltip = "One block up"

    def run(self, screen: ConversationScreen) -> None:
        """Move the cursor."""
        screen.transcript.focus_entry("previous")


class NextBlock(TranscriptCommand):
    """One block down."""

    id = "next_block"
    keys = ("down", "j")
    label = "Next block"
    tooltip = "One block down; below the last one the prompt has the focus again"

    def run(self, screen: ConversationScreen) -> None:
        """Move the cursor, at the end back to the prompt."""
        if not screen.transcript.focus_entry("next"):
            screen.focus_prompt()


class PreviousPrompt(TranscriptCommand):
    """One message of the person up."""

    id = "previous_user_message"
    keys = ("left_curly_bracket",)
    label = "Previous message of yours"
    tooltip = "To what you wrote before"
    in_palette = True

    def run(self, screen: ConversationScreen) -> None:
        """Move the cursor; from the palette the transcript takes the focus."""
        screen.transcript.focus()
        screen.transcript.focus_entry("previous_user")


class NextPrompt(TranscriptCommand):
    """One message of the person down."""

    id = "next_user_message"
    keys = ("right_curly_bracket",)
    label = "Next message of yours"
    tooltip = "To what you wrote next"
    in_palette = True

    def run(self, screen: ConversationScreen) -> None:
        """Move the cursor; from the palette the transcript takes the focus."""
        screen.transcript.focus()
        screen.transcript.focus_entry("next_user")


class UnfoldBlock(TranscriptCommand):
    """Fold or unfold one block."""

    id = "unfold_block"
    keys = ("enter", "space")
    label = "Unfold or fold"
    tooltip = "Show or hide the details of this block"

    def run(self, screen: ConversationScreen) -> None:
        """Toggle the block under the cursor."""
        screen.transcript.toggle_current()


class FullScreenDiff(TranscriptCommand):
    """The diffs of one block on the full screen."""

    id = "full_screen_diff"
    keys = ("v",)
    label = "Diff on the full screen"
    tooltip = "The whole diff of this block on the full screen; there s puts both sides beside each other"

    def run(self, screen: ConversationScreen) -> None:
        """Show the diffs of the block under the cursor."""
        from acp_tui.session.writes import diffs_of  # noqa: PLC0415 (as above)
        from acp_tui.ui.permission.full_screen import SubjectScreen  # noqa: PLC0415 (the first frame does not need it)
        from acp_tui.ui.permission.subject import INDENT  # noqa: PLC0415 (as above)
        from acp_tui.ui.transcript.diff import LazyDiffs, diff_units  # noqa: PLC0415 (as above)

        entry = screen.transcript.current_entry
        found = diffs_of(entry) if isinstance(entry, ToolCallEntry) else []
        if not isinstance(entry, ToolCallEntry) or not found:
            screen.app.notify("This block has no diff", markup=False, timeout=3)
            return
        diffs = LazyDiffs(found, screen.session.cwd, entry.locations)
        screen.app.push_screen(SubjectScreen(lambda layout: diff_units(diffs, INDENT, layout), "unified"))


class OpenBlock(TranscriptCommand):
    """Open what is in one block."""

    id = "open_block"
    keys = ("o",)
    label = "Open what is in it"
    tooltip = "Open, save or copy the pictures, sounds, resources and addresses of this block; asks first"

    def run(self, screen: ConversationScreen) -> None:
        """Ask how to open it."""
        entry = screen.transcript.current_entry
        screen.when_complete(lambda complete: complete.opening.open_entry(entry))


class CopyBlock(TranscriptCommand):
    """Copy one block."""

    id = "copy_block"
    keys = ("y", "c")
    label = "Copy"
    tooltip = "Copy this block to the clipboard"

    def run(self, screen: ConversationScreen) -> None:
        """Copy the block under the cursor."""
        screen.copies.block(screen.transcript.current_entry, screen.transcript.text_of_entry)


class CopyBlockCode(TranscriptCommand):
    """Copy the code in one block."""

    id = "copy_block_code"
    keys = ("Y", "C")
    label = "Copy code"
    tooltip = "Copy the code of this block, or its command; pressed again, the next one of several"

    def run(self, screen: ConversationScreen) -> None:
        """Copy the code of the block under the cursor."""
        screen.copies.code(screen.transcript.current_entry)
