"""What stands beside the status: that there is more below, that prompts wait, that another session asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from acp_tui.ui.commands.table import first_way
from acp_tui.ui.tones import MUTED

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen


def notes_of(screen: ConversationScreen) -> list[Content]:
    """All of that, each in a few words; loud is only what waits for the person."""
    notes: list[Content] = []
    if not screen.transcript.follow:
        new = screen.transcript.new_entries
        notes.append(Content.styled(f"{new} new below" if new else "more below", MUTED))
    if screen.session.queue:
        notes.append(Content.styled(f"{len(screen.session.queue)} queued", MUTED))
    if elsewhere := screen.tabs.waiting_elsewhere(screen.session):
        way = (f" ({first_way('answer_permission')})", MUTED)
        notes.append(Content.assemble((f"△ session {elsewhere} waits for you", "$warning"), way))
    return notes
