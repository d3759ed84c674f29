"""Commands that look: scrolling, folding, moving through the transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from acp_tui.ui.commands.command import Command, Scope

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen


class ViewCommand(Command):
    """A command about what is seen."""

    group: ClassVar[str] = "View"


class AnswerPermission(ViewCommand):
    """Go to what the agent asks."""

    id = "answer_permission"
    keys = ("alt+a",)
    leader = "a"
    label = "Answer the agent's question"
    tooltip = "Go to the question that waits longest, in whichever session"

    def run(self, screen: ConversationScreen) -> None:
        """Focus the panel where something waits."""
        screen.sessions.answer_oldest()


class ToggleDetails(ViewCommand):
    """Expand or fold."""

    id = "toggle_details"
    keys = ("ctrl+o",)
    label = "Expand or fold details"
    tooltip = "Show or hide the details of tool calls and thoughts"
    footer = "expand"

    def run(self, screen: ConversationScreen) -> None:
        """Toggle the block in focus, else all."""
        screen.toggle_details()


class TogglePlan(ViewCommand):
    """Show or hide the plan."""

    id = "toggle_plan"
    keys = ("ctrl+t",)
    label = "Show or hide the plan"
    tooltip = "Expand the agent's plan, or fold it to one line"
    footer = "plan"

    def run(self, screen: ConversationScreen) -> None:
        """Toggle the panel."""
        screen.toggle_plan()


class FocusTranscript(ViewCommand):
    """Move through the transcript by keys."""

    id = "focus_transcript"
    leader = "up"
    label = "Move through the transcript"
    tooltip = "Up and Down go block by block, { } user messages, Enter unfolds, y copies, Esc returns"

    def run(self, screen: ConversationScreen) -> None:
        """Give the transcript the focus."""
        screen.focus_transcript()


class Find(ViewCommand):
    """Find words in the transcript."""

    id = "find"
    keys = ("ctrl+f",)
    label = "Find in the transcript"
    tooltip = "Words in all that was said and done; Enter, then n and N step, Esc returns"
    footer = "find"

    def run(self, screen: ConversationScreen) -> None:
        """Open the find bar."""
        screen.when_complete(lambda complete: complete.find.open())


class ToggleSidebar(ViewCommand):
    """Show or hide the sidebar."""

    id = "toggle_sidebar"
    leader = "b"
    label = "Sidebar"
    tooltip = "Show or hide plan, changed files, terminals and usage beside the transcript"

    def run(self, screen: ConversationScreen) -> None:
        """Toggle it."""
        screen.when_complete(lambda complete: complete.sidebar.toggle())


class ToggleFollow(ViewCommand):
    """Look over the agent's shoulder."""

    id = "toggle_follow"
    leader = "f"
    label = "Follow the agent"
    tooltip = "Show in the sidebar the file and line that the agent works on, as it moves"

    def run(self, screen: ConversationScreen) -> None:
        """Toggle it."""
        screen.when_complete(lambda complete: complete.sidebar.toggle_follow())


class OpenInEditor(ViewCommand):
    """Open the file at hand."""

    id = "open_in_editor"
    leader = "e"
    label = "Open the file in your editor"
    tooltip = "$EDITOR at the line of the block under the cursor, else where the agent works"

    def run(self, screen: ConversationScreen) -> None:
        """Find the place and lend the terminal to the editor."""
        entry = screen.transcript.current_entry
        screen.when_complete(lambda complete: complete.sidebar.open_in_editor(entry))


class ShowNotices(ViewCommand):
    """Read the agent's notices again."""

    id = "notices"
    label = "Notices"
    tooltip = "What the agent said in passing, the latest first"

    def run(self, screen: ConversationScreen) -> None:
        """Open the list."""
        from acp_tui.ui.notices import NoticesScreen  # noqa: PLC0415 (the first frame does not need it)

        screen.app.clear_notifications()
        screen.app.push_screen(NoticesScreen(screen.session))


class PageUp(ViewCommand):
    """Scroll one page up."""

    id = "page_up"
    keys = ("pageup",)
    label = "Scroll up"
    tooltip = "One page up in the transcript"
    in_palette = False

    def run(self, screen: ConversationScreen) -> None:
        """Scroll."""
        screen.transcript.page_up()


class PageDown(ViewCommand):
    """Scroll one page down."""

    id = "page_down"
    keys = ("pagedown",)
    label = "Scroll down"
    tooltip = "One page down in the transcript"
    in_palette = False

    def run(self, screen: ConversationScreen) -> None:
        """Scroll."""
        screen.transcript.page_down()


class ToStart(ViewCommand):
    """Go to the start of the line or the transcript."""

    id = "to_start"
    keys = ("home",)
    label = "Start of line; of the transcript on an empty prompt"
    tooltip = "Edits the line; on an empty prompt it scrolls to the beginning"
    scope: ClassVar[Scope] = "prompt"
    in_palette = False

    def run(self, screen: ConversationScreen) -> None:
        """Scroll if nothing is written, else move the cursor."""
        if screen.editor.text:
            screen.editor.action_cursor_line_start()
        else:
            screen.transcript.scroll_to_start()


class ToEnd(ViewCommand):
    """Go to the end of the line or the transcript."""

    id = "to_end"
    keys = ("end",)
    label = "End of line; of the transcript on an empty prompt"
    tooltip = "Edits the line; on an empty prompt it scrolls to the end and follows again"
    scope: ClassVar[Scope] = "prompt"
    in_palette = False

    def run(self, screen: ConversationScreen) -> None:
        """Scroll if nothing is written, else move the cursor."""
        if screen.editor.text:
            screen.editor.action_cursor_line_end()
        else:
            screen.transcript.follow_end()
