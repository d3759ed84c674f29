"""The rest of a conversation screen after its first frame: panels, actions, and the routes between them.

It is imported in a thread while the first frame can be used already, so that everything it needs stands at the top.
"""

import asyncio
import gc
from functools import cache, partial

from textual.timer import Timer

from acp_tui.host.system.processes import return_large_blocks
from acp_tui.host.system.threads import in_joined_thread
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageChunk, MessageUpdate, StateUpdate
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate
from acp_tui.session.changes import (
    ASKED,
    SETTLED,
    Change,
    CommandsChanged,
    ConfigOptionsChanged,
    EntryChanged,
    InfoChanged,
    InputOptionsChanged,
    NoticeRaised,
    OwnCommandsChanged,
    PlanChanged,
    PromptReturned,
    QueueChanged,
    SubagentChanged,
    SuggestionsChanged,
    TurnChanged,
    UsageChanged,
)
from acp_tui.session.text.phrases import without_note
from acp_tui.startup import late
from acp_tui.ui.app import AcpTuiApp
from acp_tui.ui.commands.leader_menu import LeaderMenu
from acp_tui.ui.conversation_screen import ConversationScreen
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import read_panel_styles
from acp_tui.ui.prompt.draft import as_sent, likeliest
from acp_tui.ui.render.blocks import lexer_for_path
from acp_tui.ui.render.markdown import parser
from acp_tui.ui.screen_parts import FirstFrame, Parts
from acp_tui.ui.status.option_actions import announce_options
from acp_tui.ui.status.status_line import SnapshotProgress
from acp_tui.ui.text_panels import announce_notice
from acp_tui.views.formatting import seconds_left

UNTIL_READ = 10.0  # seconds that it is said that there is no undo
TURN = (TextContent, MessageUpdate, StateUpdate, MessageChunk, ToolCallUpdate)
"""What a turn is made of, in the order in which a turn needs it; each takes 1 to 4 ms to build."""
_SHOWN_WITH_TURN = {
    *(InfoChanged, TurnChanged, UsageChanged, InputOptionsChanged, OwnCommandsChanged, QueueChanged, SubagentChanged),
    *ASKED,
    *SETTLED,
}


def parts_of(screen: ConversationScreen, app: AcpTuiApp) -> Parts:
    focus, strokes = screen.focus_prompt, screen.strokes
    view = SessionView(screen.client, screen.session, screen.transcript, focus, strokes, app.preferences)
    frame = FirstFrame(
        screen.editor,
        screen.transcript,
        screen.queue,
        screen.footer,
        screen.action_command,
        screen.look_at_turn,
    )
    return Parts(view, app, frame)


async def complete(screen: ConversationScreen, app: AcpTuiApp) -> None:
    """Put the later parts into their places and connect them; then show all that happened meanwhile."""
    client, session, transcript = screen.client, screen.session, screen.transcript
    read_panel_styles(app)
    screen.parts = parts = parts_of(screen, app)
    await _mount(screen, parts)
    if parts.view.preference("details", bool):
        transcript.toggle_all()
    parts.own_prompts.look()
    warn = partial(parts.view.say, seconds=UNTIL_READ, severity="warning")
    parts.snapshots = SnapshotProgress(
        client.changes(session), screen.status.say_aside, warn, runs=lambda: bool(client.connection.spoken)
    )
    _suggest(screen, parts)
    following = ChangeFollower(screen, parts)
    screen.completed(following.follow, following.warm_up)
    following.look_at_turn()


async def _mount(screen: ConversationScreen, parts: Parts) -> None:
    """One after the other, so that keys are answered in between."""
    dock, middle, questions = screen.query_one("#dock"), screen.query_one("#middle"), parts.questions
    with screen.app.batch_update():  # laid out and painted once, not for each
        await screen.mount(parts.completions.commands)
        if parts.status.is_wanted:
            await screen.composer.mount(parts.status.line)
            screen.selectors.shows_usage = not parts.status.shows_usage
        await screen.composer.mount(parts.prompt_banners, before=screen.editor)
        await middle.mount(parts.sidebar)
        await dock.mount(parts.find, before=screen.plan)
        await dock.mount(parts.banners, after=screen.queue)
        for panel in (questions.login, questions.permission, questions.elicitation):
            await dock.mount(panel, before=screen.composer)
    await screen.mount(parts.completions.mentions.list, LeaderMenu(screen.leader, screen.action_command))


def _suggest(screen: ConversationScreen, parts: Parts) -> None:
    wanted = parts.view.preference("suggestions", bool)
    screen.editor.suggest(likeliest(screen.session.suggestions) if wanted else "")


async def _warm_up() -> None:
    """Load what draws in a thread; then build what is read on the loop, where it would be built at its first use.

    Building is not made for two threads. Keys are answered in between.
    """
    await in_joined_thread(_warm)
    for model in TURN:
        await asyncio.sleep(0)
        model.model_rebuild()
    _settle()


@cache
def _warm() -> None:
    late("acp_tui.ui.entries.drawings")
    parser().parse("*")
    if (lexer := lexer_for_path("x.py")) is not None:
        list(lexer.get_tokens("pass"))
    return_large_blocks()


@cache
def _settle() -> None:
    gc.freeze()  # what is loaded and built by now stays for good: no later collection need look at it


class ChangeFollower:
    """What changes in a session, shown on its screen."""

    def __init__(self, screen: ConversationScreen, parts: Parts) -> None:
        self._screen, self._parts = screen, parts
        self._reset: Timer | None = None
        self._is_warm = False
        self._unsubscribe = screen.session.subscribe(self._warm_up_for_turn)

    def _wait_for_reset(self) -> None:
        """Look again when a limit of the account begins anew, for then nothing else happens."""
        if self._reset is not None:
            self._reset.stop()
        left = seconds_left(self._screen.session.usage)
        self._reset = None if left is None else self._screen.set_timer(left, self._limit_began_anew)

    def _limit_began_anew(self) -> None:
        self._screen.selectors.look()
        self._screen.look_at_turn()
        self._parts.status.line.look()
        self._wait_for_reset()

    def _warm_up_for_turn(self, change: Change) -> None:
        if isinstance(change, TurnChanged):
            self.warm_up()

    def warm_up(self) -> None:
        """Who has asked nothing yet needs no parser of answers (3.4 MB); it loads (50 ms) while a prompt is written."""
        if not self._is_warm:
            self._is_warm = True
            self._unsubscribe()
            self._screen.app.run_worker(_warm_up())

    def look_at_turn(self) -> None:
        self._screen.look_at_turn()
        self._parts.take_back.look()
        self._parts.branches.look()
        self._parts.limits.update()

    def follow(self, changes: list[Change]) -> None:
        """Let every part that a change concerns look again, at most once, and say what must be said."""
        screen, parts = self._screen, self._parts
        kinds = {type(change) for change in changes}
        if ConfigOptionsChanged in kinds:
            screen.look_at_options()
            parts.kept.look()
        elif UsageChanged in kinds:
            screen.selectors.look()
        if UsageChanged in kinds:
            self._wait_for_reset()
        if InfoChanged in kinds:
            screen.header.look()
            screen.name_window()
        if kinds & {PlanChanged, TurnChanged, *ASKED, *SETTLED} or screen.plan.is_stale:
            screen.plan.look()
        if kinds & {EntryChanged, SubagentChanged}:
            parts.questions.permission.look()
        if SuggestionsChanged in kinds:
            _suggest(screen, parts)
        if CommandsChanged in kinds:
            parts.slash.prepare()
            screen.edited()
            screen.transcript.refresh_welcome()
        if kinds & _SHOWN_WITH_TURN:
            self.look_at_turn()
        waits = screen.session.input_options is not None
        # What is settled first: the next question is the one that gets the focus.
        if kinds & {*SETTLED} or (InputOptionsChanged in kinds and not waits):
            parts.questions.went()
        if kinds & {*ASKED} or (InputOptionsChanged in kinds and waits):
            parts.questions.came()
        parts.status.follow(kinds)
        for change in changes:
            match change:
                case ConfigOptionsChanged():
                    announce_options(screen.app, change)
                case NoticeRaised(notice, again) if not again or notice.severity == "error":
                    announce_notice(screen.app, notice)
                case PromptReturned():
                    screen.editor.give_back(as_sent(without_note(change.text)), change.attachments)
                case _:
                    pass
