"""What stands beside the status: that there is more below, that prompts wait, that another session asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_tui.ui.commands.table import first_way

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen


def notes_of(screen: ConversationScreen) -> str:
    """All of that in a few words, empty where there is nothing."""
    notes: list[str] = []
    if not screen.transcript.follow:
        new = screen.transcript.new_entries
        notes.append(f"{new} new below" if new else "more below")
    if screen.session.queue:
        notes.append(f"{len(screen.session.queue)} queued")
    if elsewhere := screen.tabs.waiting_elsewhere(screen.session):
        notes.append(f"△ session {elsewhere} waits for you ({first_way('answer_permission')})")
    return " · ".join(notes)
