"""The conversation screen: composes the parts and routes between them; owns no state and no protocol.

The first frame has only what it shows; `screen_completion` brings the rest. The reason for its size: Textual asks the
screen itself what becomes of the focus, of keys and of messages.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Literal

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingsMap
from textual.containers import Vertical
from textual.widget import Widget

from acp_tui.host.client import Client
from acp_tui.host.config.choices import PromptHistory
from acp_tui.host.system.threads import in_joined_thread
from acp_tui.session.changes import Change
from acp_tui.session.state import Session
from acp_tui.startup import late
from acp_tui.ui.bridge import Bridge
from acp_tui.ui.commands.registry import BY_ID, LeaderKeys, action_of, bindings, in_transcript
from acp_tui.ui.kit.base_screens import Closable, give_way
from acp_tui.ui.kit.key_routing import Asker
from acp_tui.ui.kit.session_view import KeyStrokes, say
from acp_tui.ui.kit.theme import palette_of
from acp_tui.ui.prompt.draft import Draft
from acp_tui.ui.prompt.editor import LeaderExtension, PromptEditor
from acp_tui.ui.prompt.prompt_queue import QueueList
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.sessions.tabs import SessionScreen
from acp_tui.ui.status.footer import Focus, KeyFooter, hints_of
from acp_tui.ui.status.header_footer import HeaderLine, SelectorBar, Welcome
from acp_tui.ui.status.status_line import PlanPanel, StatusLine, notes_of, without_cancel
from acp_tui.ui.status.toasts import ToastLines
from acp_tui.ui.transcript.placed_scroll_view import ScrollRow, most_columns
from acp_tui.ui.transcript.transcript_view import ChangesClicked, SubagentClicked, TranscriptView
from acp_tui.ui.transcript.viewport import Step
from acp_tui.views.board import TabLabel, window_title
from acp_tui.views.command_index import Command
from acp_tui.views.status import Status, status_of

if TYPE_CHECKING:
    from acp_tui.ui.questions.permission_panel import PermissionPanel
    from acp_tui.ui.questions.question_queue import Answer
    from acp_tui.ui.screen_parts import Parts

DRAWINGS = "acp_tui.ui.entries.drawings"
TALL = 30  # rows, from which what gives air is shown
WIDE = 110  # columns, from which the sidebar has room beside the transcript
STARTED_WITHIN = 3.0  # seconds at most that panels wait until what serves the agent is loaded, and its process runs
AGENT_FIRST = 0.3  # and from then on until it is introduced, and asked for a session


class ConversationScreen(SessionScreen, inherit_bindings=False):
    """One session on the screen, beside those of the `labels`. Its later `parts` are there once it is `complete`.

    The reason for its size is that of this file.
    """

    AUTO_FOCUS = "#editor"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (TALL, "-tall")]

    parts: Parts
    _typed: Callable[[], object]  # what the first words that are typed begin

    def __init__(
        self, client: Client, session: Session, history: PromptHistory, labels: Callable[[], Sequence[TabLabel]]
    ) -> None:
        super().__init__(classes="conversation")
        self._bindings = BindingsMap(bindings("everywhere"))  # the keys that count now, not those of the import
        self.client, self.session, self.history, self._labels = client, session, history, labels
        self.header = HeaderLine(client, session, labels)
        self.transcript = TranscriptView(
            lambda entry: late(DRAWINGS).draw(entry, session),
            lambda entry: late(DRAWINGS).written(entry),
            Welcome(session, partial(self.has_class, "-short")).rows,
            id="transcript",
        )
        self.plan = PlanPanel(session)
        self.queue = QueueList()
        self.status = StatusLine(partial(status_on, self))
        self.leader, self.strokes = LeaderKeys(self.action_command, lambda words: say(self.app, words, 3)), KeyStrokes()
        self.editor = PromptEditor(history, LeaderExtension(self.strokes, self.leader))
        self.keys_under_way = deque[events.Key]()  # that came while nothing had the focus, and wait in our queue
        self.selectors = SelectorBar(client, session, self.editor)
        self.composer = Vertical(self.editor, self.selectors, id="prompt")
        self.footer = KeyFooter(self.leader, self.action_command)
        self.dock = Vertical(self.plan, self.queue, ToastLines(), self.status, self.composer, self.footer, id="dock")
        self.complete, self.asked = False, False
        self._started, self._introduced = asyncio.Event(), asyncio.Event()
        self._waiting: list[Callable[[Parts], object]] = []
        self.editing = PromptCommands(self)
        self._bridge = Bridge(session, self.transcript, self.status.turn_along)

    def compose(self) -> ComposeResult:
        width, height = self.app.size  # Textual sets these at the first resize, and styles all a second time (5 ms)
        self.add_class("-narrow" if width < WIDE else "-wide", "-short" if height < TALL else "-tall", update=False)
        yield self.header
        yield ScrollRow(self.transcript)
        yield self.dock

    def on_mount(self) -> None:
        self.watch(self.app, "theme", lambda: self.transcript.set_palette(palette_of(self.app)))
        self._unsubscribe = self.client.subscribe(self.connection_changed)
        self._bridge.listen()
        self.fit_width()
        self.connection_changed()
        self.call_after_refresh(lambda: self.run_worker(self._complete()))

    async def _complete(self) -> None:
        """Two threads that import share one interpreter: panels wait for the agent, but not while they are wanted."""
        for came, seconds in ((self._started, STARTED_WITHIN), (self._introduced, AGENT_FIRST)):
            with suppress(TimeoutError):
                await asyncio.wait_for(came.wait(), seconds)
        completing = await in_joined_thread(late, "acp_tui.ui.deferred_parts")
        if self.is_attached:  # else it was left meanwhile, and its places are gone
            await completing.complete(self, self.app)

    def completed(self, follow: Callable[[list[Change]], None], typed: Callable[[], object]) -> None:
        """Everything is in its place: show all that happened meanwhile, and do what had to wait."""
        self.complete, self._typed = True, typed
        self._bridge.start(follow)
        self.parts.drafts.restore()
        self.edited()
        self.parts.connection_changed()
        self.parts.questions.came()
        for act in self._waiting:
            act(self.parts)

    def when_complete(self, act: Callable[[Parts], object]) -> None:
        if self.complete:
            act(self.parts)
        else:
            self._waiting.append(act)
            self._end_wait()

    def _end_wait(self) -> None:
        self._started.set()
        self._introduced.set()

    def on_resize(self, event: events.Resize) -> None:
        self.leader.look()
        if self.complete:
            self.parts.sidebar.fit(narrow=event.size.width < WIDE)

    def on_unmount(self) -> None:
        self._bridge.stop()
        self._unsubscribe()
        if self.complete:
            self.parts.close()

    def step_aside(self) -> None:
        self._bridge.pause()
        self.status.rest()

    def fit_width(self) -> None:
        self.header.styles.max_width = self.dock.styles.max_width = most_columns(self)
        self.transcript.fit_width()

    def come_back(self) -> None:
        self._bridge.resume()
        if self.is_mounted:
            self.connection_changed()

    def others_changed(self) -> None:
        self.header.look()
        self.name_window()
        self.look_at_turn()

    def set_aside(self) -> None:
        self.editor.set_aside()

    def send(self, draft: Draft) -> None:
        self.when_complete(lambda parts: parts.pipeline.send(draft))

    def write(self, draft: Draft) -> None:
        self.when_complete(lambda _parts: self.editor.give_back(draft.text, draft.attachments))

    def focus_question(self) -> None:
        self.when_complete(lambda parts: parts.questions.focus())

    def connection_changed(self) -> None:
        connection = self.client.connection
        if connection.spoken or connection.phase != "starting":
            self._end_wait()
        elif connection.starts:
            self._started.set()
        if self._bridge.paused:
            return
        self.header.look()
        self.look_at_options()
        self.editor.invite("No agent" * (connection.phase in ("gone", "closed")))
        if self.complete:
            self.parts.connection_changed()
        if self.session.id:
            self.transcript.refresh_welcome()
        self.look_at_turn()

    @on(PromptEditor.ModeChanged)
    def look_at_options(self) -> None:
        self.selectors.look()
        self.show_keys()

    @on(events.DescendantFocus)
    def _keys_moved(self) -> None:
        self.show_keys()
        self.status.paint()

    def show_keys(self) -> None:
        _show_keys(self, focus_of(self))

    @on(TranscriptView.FollowChanged)
    def look_at_turn(self) -> None:
        self.queue.show(self.session)
        stashed = self.parts.stash.count if self.complete else 0
        self.status.look(notes_of(self.transcript, self._labels(), stashed, self.action_command))
        self.show_keys()

    def name_window(self) -> None:
        self.app.title = window_title(self._labels(), sanitise_line(self.session.title or "", 60))

    @property
    def asker(self) -> Asker | None:
        return self.parts.questions.asker if self.complete else None

    def take_text(self, reason: bool = False) -> Literal["prompt", "reason"]:
        """Have the prompt take what is typed from now on, or the line for a reason to reject; which of them does."""
        if reason and self.parts.questions.open_reason():
            return "reason"
        self.parts.questions.make_way()
        return "prompt"

    def on_permission_panel_written(self, message: PermissionPanel.Written) -> None:
        """What was written as a reason is to be text of the prompt."""
        if self.parts.questions.has_focus or self.focused is None:
            self.take_text()
        self.editor.give_back(message.text)

    # What commands do

    def action_command(self, command_id: str, argument: str = "") -> None:
        command = BY_ID[command_id]
        if command.waits:
            self.when_complete(lambda _parts: _run(self, command, argument))
        else:
            _run(self, command, argument)

    def focus_prompt(self) -> None:
        self.transcript.clear_cursor()
        self.set_focus(self.editor)

    on_docked_panel_dismissed = focus_prompt

    def set_focus(self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False) -> None:
        """Textual would also focus what was put away since it asked for the focus, and keys would go nowhere."""
        if widget is None:
            super().set_focus(None, scroll_visible, from_app_focus)
        elif all(node.display or node is self.composer for node in widget.ancestors_with_self):
            self._make_place(asked=self.complete and self.parts.questions.holds(widget))
            super().set_focus(widget, scroll_visible, from_app_focus)

    def _make_place(self, *, asked: bool) -> None:
        if asked is not self.asked:
            self.asked = asked
            self.transcript.click_focuses = not asked
            give_way([self.plan, self.status, self.composer, self.footer, *self.query("PopUp")], asked=asked)
            self.look_at_turn()
            self.leader.look()
            if not asked:
                self.post_message(self.Freed())
        if self.complete and not asked:
            self.parts.questions.fold()

    # What parts tell

    @on(PromptEditor.Submitted)
    def _submitted(self, message: PromptEditor.Submitted) -> None:
        self.send(message.draft)

    @on(PromptEditor.Changed)
    def edited(self) -> None:
        if self.complete:
            self.parts.edited()
        self.show_keys()

    @on(PromptEditor.Typed)
    def _editor_typed(self) -> None:
        if self.complete:
            self._typed()

    @on(SelectorBar.OptionClicked)
    def _selector_clicked(self, message: SelectorBar.OptionClicked) -> None:
        self.when_complete(lambda parts: parts.options.change_option(message.option_id))

    def on_docked_panel_answered(self, message: Answer) -> None:
        """The user answered. (By its name, this handler needs no panel when it is defined.)"""
        self.parts.questions.answered(message)

    @on(TranscriptView.LinkClicked)
    def _link_clicked(self, message: TranscriptView.LinkClicked) -> None:
        self.parts.opening.open(message.address)

    @on(TranscriptView.ContentClicked)
    def _content_clicked(self, message: TranscriptView.ContentClicked) -> None:
        self.parts.opening.open(message.block)

    @on(ChangesClicked)
    def _changes_clicked(self, message: ChangesClicked) -> None:
        self.parts.changes.open_turn(message.turn)

    @on(SubagentClicked)
    def _subagent_clicked(self, message: SubagentClicked) -> None:
        self.parts.subagents.open_id(message.session_id)

    @on(HeaderLine.TabClicked)
    def _tab_clicked(self, message: HeaderLine.TabClicked) -> None:
        self.when_complete(partial(_show_tab, self, message.number))

    def on_screen_suspend(self) -> None:
        self.leader.stop()

    on_mouse_down = on_screen_suspend

    def on_screen_resume(self) -> None:
        if self.complete:
            self.parts.sessions.uncovered()
            self.parts.questions.uncovered()

    @property
    def _typing_is_free(self) -> bool:
        """Whether nothing that has the focus takes what is typed; the editor does, but not what came before it did."""
        return self.focused in (None, self.transcript, self.editor)

    def on_key(self, event: events.Key) -> None:
        under_way = bool(self.keys_under_way) and self.keys_under_way[0] is event
        if under_way and self.keys_under_way.popleft() and self.focused is self.editor:
            event.stop()
            self.editor.take_later(event)  # which got the focus meanwhile
            return
        command = in_transcript(event.key, self.transcript.current_entry) if self.focused is self.transcript else None
        if command is not None:
            event.stop()
            self.action_command(command.id)
        elif event.is_printable and event.character and self._typing_is_free:
            event.stop()
            self.focus_prompt()
            self.editor.take_typed(event)

    def on_paste(self, event: events.Paste) -> None:
        if self._typing_is_free:
            self.focus_prompt()
            self.editor.paste(event.text)


def status_on(screen: ConversationScreen) -> Status:
    session, client = screen.session, screen.client
    told = {"answering": screen.asked, "at_end": screen.transcript.follow}
    status = status_of(session, client.connection, session.clock(), client.unsent_since, **told)
    return without_cancel(status) if focus_of(screen) == "elsewhere" else status


def focus_of(screen: ConversationScreen) -> Focus:
    if screen.focused is screen.transcript:
        return "transcript"
    if screen.focused not in (screen.editor, None):
        return "elsewhere"
    completions = screen.parts.completions if screen.complete else None
    if completions and (completions.commands.is_open or completions.mentions.list.chosen() is not None):
        return "completions"
    return "prompt" if screen.editor.text else "empty prompt"


def _show_keys(screen: ConversationScreen, focus: Focus) -> None:
    screen.footer.show(hints_of(screen.session, screen.client.connection, focus))
    screen.status.follow_focus(focus)


class PromptCommands:
    """What commands do with the prompt of a screen, or with its transcript, where the prompt leaves that to them."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen, self._editor, self._transcript = screen, screen.editor, screen.transcript

    def submit(self) -> None:
        """What Enter does: send the draft; without one restart an agent that is gone, open a session again that it
        refused with a system prompt, or send what is queued. While there is no agent the draft stays.
        """
        connection = self._screen.client.connection
        if connection.phase == "gone" and (connection.never_started or not self._editor.text):
            self._screen.when_complete(lambda parts: parts.agent.restart())
        elif not self._editor.submit():
            self._screen.when_complete(lambda parts: parts.go_on())

    def take_suggestion(self) -> None:
        """What Tab does: while an earlier message is edited it says which tab goes on from there."""
        if not (self._screen.complete and self._screen.parts.branches.toggle()):
            self._editor.take_suggestion()

    def to_start(self) -> None:
        (self._editor.action_cursor_line_start if self._editor.text else self._transcript.scroll_to_start)()

    def to_end(self) -> None:
        (self._editor.action_cursor_line_end if self._editor.text else self._transcript.follow_end)()

    def enter_transcript(self, step: Step) -> None:
        self._transcript.focus().focus_entry(step)

    def next_block(self) -> None:
        if not self._transcript.focus_entry("next"):
            self._screen.focus_prompt()

    def question_mark(self) -> None:
        if self._editor.text:
            self._editor.insert_typed("?")
        else:
            self._screen.action_command("help")

    def end_of_input(self) -> None:
        if self._editor.text:
            self._editor.action_delete_right()
        else:
            self._screen.action_command("quit")


def _run(screen: ConversationScreen, command: Command, argument: str) -> None:
    """Run a command; the screen that it opens is closed by its keys, too."""
    before = screen.app.screen
    entry = [screen.transcript.current_entry] if command.of_entry else []
    action_of(command, screen)(*entry, *([argument] if command.argument else []))
    opened = screen.app.screen
    if opened is not before and isinstance(opened, Closable):
        opened.opened_by = (*opened.opened_by, *command.ways)


def _show_tab(screen: ConversationScreen, number: int, parts: Parts) -> None:
    """Show the session of this tab; for 0 list the sessions: the open ones where there are several."""
    if number:
        parts.sessions.show_number(number)
    else:
        screen.action_command("switch_session" if parts.sessions.several else "browse_sessions")
