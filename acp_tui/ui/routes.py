"""Which part looks again when something changed in the session. Each part looks at most once per batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_tui.session.changes import (
    Change,
    CommandsChanged,
    ConfigOptionsChanged,
    ElicitationAsked,
    ElicitationSettled,
    EntryChanged,
    InfoChanged,
    InputOptionsChanged,
    NoticeRaised,
    OwnCommandsChanged,
    PermissionAsked,
    PermissionSettled,
    PlanChanged,
    PromptReturned,
    QueueChanged,
    TurnChanged,
    UsageChanged,
)
from acp_tui.ui.announcements import announce_notice, announce_options
from acp_tui.ui.render.text import sanitise_line

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen


def window_title(title: str | None) -> str:
    """What the terminal's window is called."""
    return f"{sanitise_line(title, 60)} · acp-tui" if title else "acp-tui"


_ASKED = (PermissionAsked, ElicitationAsked)
_SETTLED = (PermissionSettled, ElicitationSettled)


class Routes:
    """From changes to the parts of a screen."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen

    def follow(self, changes: list[Change]) -> None:
        """Let every part that a change concerns look again, and say what must be said."""
        screen = self._screen
        kinds = {type(change) for change in changes}
        if kinds & {ConfigOptionsChanged, UsageChanged}:
            screen.selectors.look()
        if ConfigOptionsChanged in kinds:
            screen.keeping.look()
        if InfoChanged in kinds:
            screen.header.look()
            self.title()
        if kinds & {PlanChanged, *_ASKED, *_SETTLED}:
            screen.plan.look()
        if EntryChanged in kinds:
            screen.permission.look()
        if CommandsChanged in kinds:
            screen.prompts.edited()
            screen.transcript.refresh_welcome()
        if kinds & {TurnChanged, InputOptionsChanged, OwnCommandsChanged, QueueChanged, *_ASKED, *_SETTLED}:
            screen.look_at_turn()
        self._ask(kinds)
        for change in changes:
            self._say(change)

    def title(self) -> None:
        """Name the terminal's window."""
        self._screen.app.title = window_title(self._screen.session.title)

    def _ask(self, kinds: set[type[Change]]) -> None:
        """What is settled first: the next question is the one that gets the focus."""
        asked, waits = self._screen.asked, self._screen.session.input_options is not None
        if kinds & {*_SETTLED} or (InputOptionsChanged in kinds and not waits):
            asked.went()
        if kinds & {*_ASKED} or (InputOptionsChanged in kinds and waits):
            asked.came()

    def _say(self, change: Change) -> None:
        screen = self._screen
        match change:
            case ConfigOptionsChanged():
                announce_options(screen.app, change)
            case NoticeRaised(notice, again) if not again or notice.severity == "error":
                announce_notice(screen.app, notice)
            case PromptReturned():
                screen.editor.give_back(change.text, change.attachments)
            case _:
                pass
