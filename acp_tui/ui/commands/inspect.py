"""Commands that look behind the screen: the protocol's messages, and what was recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from acp_tui.ui.commands.command import Command
from acp_tui.ui.commands.transcript import TranscriptCommand

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen


class Inspect(Command):
    """Show the protocol's messages."""

    id = "inspect"
    group: ClassVar[str] = "Program"
    keys = ("f12",)
    leader = "i"
    label = "Protocol inspector"
    tooltip = "All messages between acp-tui and the agent: filter, times, what is wrong with them, copy"

    def run(self, screen: ConversationScreen) -> None:
        """Open the inspector."""
        from acp_tui.ui.inspector.screen import InspectorScreen  # noqa: PLC0415 (the first frame does not need it)

        screen.app.push_screen(InspectorScreen(screen.client))


class InspectBlock(TranscriptCommand):
    """Show the messages that made one block."""

    id = "inspect_block"
    keys = ("i",)
    label = "Its messages"
    tooltip = "The protocol's messages that made this block, in the inspector"

    def run(self, screen: ConversationScreen) -> None:
        """Open the inspector for the block under the cursor."""
        from acp_tui.ui.inspector.origins import origin_of  # noqa: PLC0415 (the first frame does not need it)
        from acp_tui.ui.inspector.screen import InspectorScreen  # noqa: PLC0415 (as above)

        entry = screen.transcript.current_entry
        if entry is not None:
            screen.app.push_screen(InspectorScreen(screen.client, origin_of(entry)))


class SearchRecords(Command):
    """Find words in what was recorded."""

    id = "search_records"
    group: ClassVar[str] = "Sessions"
    leader = "slash"
    label = "Find in all recorded sessions"
    tooltip = "Words that were said in any session, with any agent; Enter shows its transcript"

    def run(self, screen: ConversationScreen) -> None:
        """Open the search."""
        from acp_tui.ui.history.search import SearchScreen  # noqa: PLC0415 (the first frame does not need it)

        records = screen.tabs.app.records
        if records is None:
            screen.app.notify("Nothing is recorded here", markup=False, timeout=3)
        else:
            records.flush()
            screen.app.push_screen(SearchScreen(records))
