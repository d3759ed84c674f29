"""Which part looks again when something changed in the session, and where a prompt goes that was sent."""

from dataclasses import replace

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
from acp_tui.ui.overlays.notices import announce_notice
from acp_tui.ui.parts import Parts
from acp_tui.ui.prompt.completions import local_command
from acp_tui.ui.prompt.draft import Draft, bare
from acp_tui.ui.prompt.shell import line_of
from acp_tui.ui.screen import ConversationScreen

_ASKED = (PermissionAsked, ElicitationAsked)
_SETTLED = (PermissionSettled, ElicitationSettled)


class Routes:
    """From changes and from prompts to the parts of a screen."""

    def __init__(self, screen: ConversationScreen, parts: Parts) -> None:
        self._screen, self._parts = screen, parts

    def send(self, draft: Draft) -> None:
        """Run what is a command of the user's or of ours here; everything else is for the agent."""
        parts, line = self._parts, line_of(draft.text)
        parts.kept.pass_by()
        if line != "":
            self._screen.history.add(bare(draft.text))
        if line is not None:
            parts.shell.run(line)
        elif (ours := local_command(draft.text, self._screen.session.commands)) is not None:
            self._screen.action_command(ours)
        else:
            parts.outbox.send(replace(draft, place=parts.queue.take_place()))

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
