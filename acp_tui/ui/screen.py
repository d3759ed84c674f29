"""The conversation screen: composes the parts and routes between them; owns no state and no protocol.

What the person does goes to the client; what the session says goes to the parts that show it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingsMap
from textual.containers import Horizontal, Vertical

from acp_tui.host.client import Client
from acp_tui.host.prompt_history import PromptHistory
from acp_tui.session.changes import Change
from acp_tui.session.state import Session
from acp_tui.startup import late
from acp_tui.ui.asked import AskedActs
from acp_tui.ui.bridge import Bridge
from acp_tui.ui.commands.registry import BY_CATEGORY, bindings, in_transcript
from acp_tui.ui.completing import CompletingScreen, drawings_of, written_entry
from acp_tui.ui.config.choices import first_of
from acp_tui.ui.config.panel import OptionActs
from acp_tui.ui.config.selectors import SelectorBar
from acp_tui.ui.connection_acts import ConnectionActs
from acp_tui.ui.copies import CopyActs
from acp_tui.ui.elicitation.acts import ElicitationActs
from acp_tui.ui.footer import KeyFooter
from acp_tui.ui.header import HeaderLine
from acp_tui.ui.keeping import KeepingActs, OfferLine
from acp_tui.ui.leaving import LeaveActs
from acp_tui.ui.login.acts import LoginActs
from acp_tui.ui.permission.acts import PermissionActs
from acp_tui.ui.prompt.acts import PromptActs
from acp_tui.ui.prompt.completion import CommandCompletion
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.prompt.queue import QueueList
from acp_tui.ui.routes import Routes
from acp_tui.ui.sessions.acts import SessionActs
from acp_tui.ui.status.facts import Status, status_of
from acp_tui.ui.status.notes import notes_of
from acp_tui.ui.status.turn import StatusLine
from acp_tui.ui.theme import palette_of
from acp_tui.ui.transcript.plan import PlanPanel
from acp_tui.ui.transcript.view import TranscriptView
from acp_tui.ui.transcript.welcome import Welcome
from acp_tui.ui.work import WorkActs

if TYPE_CHECKING:
    from acp_tui.ui.elicitation.panel import ElicitationPanel
    from acp_tui.ui.login.panel import LoginPanel
    from acp_tui.ui.permission.panel import PermissionPanel
    from acp_tui.ui.sessions.tabs import Tabs


class ConversationScreen(CompletingScreen, inherit_bindings=False):
    """One session on the screen."""

    AUTO_FOCUS = "#editor"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # columns: the sidebar over the transcript, or beside it
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]

    def __init__(self, client: Client, session: Session, history: PromptHistory, tabs: Tabs) -> None:
        super().__init__(classes="conversation")
        self._bindings = BindingsMap(bindings("everywhere"))  # the keys that count now, not those of the import
        self.client, self.session, self.history, self.tabs = client, session, history, tabs
        self.header = HeaderLine(client, session, tabs)
        self.transcript = TranscriptView(drawings_of(session), written_entry, id="transcript")
        self.transcript.welcome = Welcome(session).rows
        self.plan = PlanPanel(session)
        self.queue = QueueList()
        self.offer = OfferLine()
        self.status = StatusLine(self._status)
        self.editor = PromptEditor(lambda: history.entries)
        self.selectors = SelectorBar(session)
        self.footer = KeyFooter()
        self.options = OptionActs(self, client, session)
        self.copies = CopyActs(self, session)
        self.prompts = PromptActs(self)
        self.completion = CommandCompletion(self.prompts.accept_completion)
        self.permissions, self.elicitations, self.asked = PermissionActs(self), ElicitationActs(self), AskedActs(self)
        self.leaving = LeaveActs(self)
        self.work = WorkActs(self)
        self.logins, self.connection = LoginActs(self), ConnectionActs(self)
        self.keeping = KeepingActs(self)
        self.sessions = SessionActs(self)
        self.routes = Routes(self)
        self._actions: Mapping[str, Callable[[], object]] = {}  # by a command's id, from the first command on
        self._bridge = Bridge(session, self.transcript, self._changed)

    def compose(self) -> ComposeResult:
        """From the top to the bottom."""
        yield self.header
        with Horizontal(id="middle"):
            yield self.transcript
        with Vertical(id="dock"):
            yield self.plan
            yield self.queue
            yield self.offer
            yield self.status
            with Vertical(id="prompt"):
                yield self.editor
                yield self.selectors
            yield self.footer

    def on_mount(self) -> None:
        """Show what is known already; the rest comes after the first frame."""
        self.watch(self.app, "theme", self._theme_changed)
        self._unsubscribe = self.client.subscribe(self.connection_changed)
        self._bridge.listen()
        self.connection_changed()
        self.complete_later(self, self._completed)

    def _completed(self) -> None:
        """What asks, finds and draws is there: show all that happened meanwhile."""
        self._bridge.start()
        self.prompts.connect()
        self.asked.came()

    @property
    def prompt_top(self) -> int:
        """The first row of the prompt."""
        return self.query_one("#prompt").region.y

    def on_unmount(self) -> None:
        """Listen no more."""
        self._bridge.stop()
        self._unsubscribe()
        self.prompts.disconnect()

    def step_aside(self) -> None:
        """Another session is looked at: nothing is painted until this one comes back."""
        self._bridge.pause()
        self.status.rest()

    def come_back(self) -> None:
        """Show all that happened meanwhile."""
        self._bridge.resume()
        if self.is_mounted:
            self.routes.title()
            self.connection_changed()

    def others_changed(self) -> None:
        """How another session stands has changed, or this one is called differently."""
        self.header.look()
        self.look_at_turn()

    def _theme_changed(self) -> None:
        self.transcript.set_palette(palette_of(self.app))

    def connection_changed(self) -> None:
        """The agent came, introduced itself, or went."""
        if self._bridge.paused:
            return
        self.header.look()
        self.selectors.look()
        self.logins.look()
        self.transcript.refresh_welcome()
        self.look_at_turn()

    def look_at_turn(self) -> None:
        """What goes on changed."""
        self.queue.show(self.session)
        self.status.look(notes_of(self))

    def _changed(self, changes: list[Change]) -> None:
        self.routes.follow(changes)

    def _status(self) -> Status:
        client = self.client
        return status_of(self.session, client.connection, self.session.clock(), client.unsent_since)

    # What commands do

    def action_command(self, command_id: str) -> None:
        """Run a command by its id."""
        if not self._actions:
            self._actions = late("acp_tui.ui.command_actions").actions_of(self)
        self._actions[command_id]()

    def step_back(self) -> None:
        """Undo the nearest thing: pop-up, selection, focus; in the end cancel the turn."""
        if self.completion.is_open:
            self.completion.close()
        elif self.complete and self.find.is_open:
            self.find.close()
        elif self.complete and self.sidebar.is_over:
            self.sidebar.toggle()
        elif self.selections or not self.editor.selection.is_empty:
            self.clear_selection()
            self.editor.move_cursor(self.editor.cursor_location)
        elif self.focused is not self.editor:
            self.focus_prompt()
        elif self.prompts.shell.stop():
            pass
        elif self.session.turn.active:
            self.client.cancel(self.session)
        else:
            self.prompts.escape()

    def focus_transcript(self) -> None:
        """Move through the transcript by keys, from the last entry on."""
        self.transcript.focus()
        self.transcript.focus_entry("previous")

    def focus_prompt(self) -> None:
        """Write."""
        self.transcript.clear_cursor()
        self.editor.focus()

    def toggle_details(self) -> None:
        """Expand or fold the block under the cursor, else all."""
        if self.focused is not self.transcript or not self.transcript.toggle_current():
            self.transcript.toggle_all()

    # What parts tell

    @on(PromptEditor.Submitted)
    def _submitted(self, message: PromptEditor.Submitted) -> None:
        self.keeping.pass_by()
        self.prompts.send(message.draft)

    @on(PromptEditor.Changed)
    def _edited(self) -> None:
        self.prompts.edited()

    @on(PromptEditor.LeaderChanged)
    def _leader_changed(self, message: PromptEditor.LeaderChanged) -> None:
        self.footer.look(message.waiting)

    @on(TranscriptView.FollowChanged)
    def _follow_changed(self) -> None:
        self.look_at_turn()

    @on(SelectorBar.Chosen)
    def _selector_clicked(self, message: SelectorBar.Chosen) -> None:
        self.options.change_option(message.option_id)

    @on(SelectorBar.Looked)
    def _selectors_looked(self, message: SelectorBar.Looked) -> None:
        options = self.session.config_options
        categories = [category for category in BY_CATEGORY if first_of(options, category) is not None]
        self.footer.add_categories(() if message.with_keys else categories)

    @on(KeyFooter.Clicked)
    def _footer_clicked(self, message: KeyFooter.Clicked) -> None:
        self.action_command(message.command.id)

    def on_permission_panel_answered(self, message: PermissionPanel.Answered) -> None:
        """The person answered. (By its name, this handler needs no panel when it is defined.)"""
        self.permissions.answered(message)

    def on_elicitation_panel_answered(self, message: ElicitationPanel.Answered) -> None:
        """The person answered."""
        self.elicitations.answered(message)

    def on_login_panel_acted(self, message: LoginPanel.Acted) -> None:
        """The person did something about the log-in."""
        self.logins.acted(message)

    def on_elicitation_panel_dismissed(self) -> None:
        """The person goes elsewhere without an answer."""
        self.focus_prompt()

    on_permission_panel_dismissed = on_elicitation_panel_dismissed

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _focus_moved(self) -> None:
        self.set_class(self.asked.has_focus, "-asked")

    @on(TranscriptView.LinkClicked)
    @on(TranscriptView.ContentClicked)
    def _clicked(self, message: TranscriptView.LinkClicked | TranscriptView.ContentClicked) -> None:
        self.opening.clicked(message)

    @property
    def _typing_is_free(self) -> bool:
        """Whether nothing that has the focus takes what is typed; the editor does, but not what came before it did."""
        return self.focused in (None, self.transcript, self.editor)

    def on_key(self, event: events.Key) -> None:
        """Keys of the transcript; what is typed where nothing takes it goes to the prompt."""
        command = in_transcript(event.key) if self.focused is self.transcript else None
        if command is not None:
            event.stop()
            self.action_command(command.id)
        elif event.is_printable and event.character and self._typing_is_free:
            event.stop()
            self.focus_prompt()
            self.editor.insert_typed(event.character)

    def on_paste(self, event: events.Paste) -> None:
        """A paste beside the prompt goes to the prompt too."""
        if self._typing_is_free:
            self.focus_prompt()
            self.editor.paste(event.text)
