"""Which part of the screen looks again when something changed in the session."""

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
from acp_tui.ui.options.actions import announce_options
from acp_tui.ui.overlays.text_panel import announce_notice
from acp_tui.ui.parts import Parts
from acp_tui.ui.screen import ConversationScreen

_ASKED = (PermissionAsked, ElicitationAsked)
_SETTLED = (PermissionSettled, ElicitationSettled)


class Routes:
    """From changes to the parts of a screen."""

    def __init__(self, screen: ConversationScreen, parts: Parts) -> None:
        self._screen, self._parts = screen, parts

    def follow(self, changes: list[Change]) -> None:
        """Let every part that a change concerns look again, at most once, and say what must be said."""
        screen, parts = self._screen, self._parts
        kinds = {type(change) for change in changes}
        if kinds & {ConfigOptionsChanged, UsageChanged}:
            screen.selectors.look()
        if ConfigOptionsChanged in kinds:
            parts.kept.look()
        if InfoChanged in kinds:
            screen.header.look()
            screen.name_window()
        if kinds & {PlanChanged, *_ASKED, *_SETTLED}:
            screen.plan.look()
        if EntryChanged in kinds:
            parts.questions.permission.look()
        if CommandsChanged in kinds:
            screen.edited()
            screen.transcript.refresh_welcome()
        if kinds & {TurnChanged, InputOptionsChanged, OwnCommandsChanged, QueueChanged, *_ASKED, *_SETTLED}:
            screen.look_at_turn()
        self._ask(kinds)
        for change in changes:
            self._say(change)

    def _ask(self, kinds: set[type[Change]]) -> None:
        """What is settled first: the next question is the one that gets the focus."""
        questions, waits = self._parts.questions, self._screen.session.input_options is not None
        if kinds & {*_SETTLED} or (InputOptionsChanged in kinds and not waits):
            questions.went()
        if kinds & {*_ASKED} or (InputOptionsChanged in kinds and waits):
            questions.came()

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
