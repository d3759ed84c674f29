"""The app: runs the agents, shows their sessions, and leaves so that nothing stays behind."""

import asyncio
import logging
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.color import ColorSystem
from rich.text import Text
from textual import events
from textual.binding import Binding
from textual.driver import Driver
from textual.filter import Monochrome, NoColor
from textual.notifications import Notify
from textual.reactive import Reactive
from textual.screen import Screen
from textual.scrollbar import ScrollBar
from textual.theme import Theme
from textual.widgets import Input, TextArea

from acp_tui.host.config.preferences import Preferences
from acp_tui.host.system.processes import hearing
from acp_tui.host.system.threads import in_joined_thread
from acp_tui.startup import late
from acp_tui.ui.conversation_screen import ConversationScreen
from acp_tui.ui.kit.base_screens import Closable
from acp_tui.ui.kit.key_routing import AnswersByRule
from acp_tui.ui.kit.session_view import announce_problems
from acp_tui.ui.kit.theme import DEFAULT_THEME, FEW_COLOURS_THEME, THEMES, read_panel_styles, tones
from acp_tui.ui.kit.thin_bar import ThinBar
from acp_tui.ui.prompt.draft import verbatim_draft
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.sessions.tabs import ChooseAgent, Connections, Opened, Tabs
from acp_tui.ui.status.toasts import Toasts
from acp_tui.ui.terminal.frame_writer import FrameWriter, moves_rows
from acp_tui.ui.terminal.terminal_capabilities import (
    ColourDepth,
    CopyOnSelect,
    Way,
    call,
    draw_anew_with,
    draw_with,
    form_of,
)
from acp_tui.ui.transcript.placed_scroll_view import FULL_WIDTH

if TYPE_CHECKING:
    from acp_tui.host.records.records import Records
    from acp_tui.host.status_command import StatusCommand

NAME = "acp-tui"
POLITE = ("SIGTERM", "SIGHUP")  # they ask to leave, as a key does; after the others the exit code is 128 and the number
FAILED = 1  # exit code where the agent failed
KEEP_TITLE, RESTORE_TITLE = "\x1b[22;2t", "\x1b[23;2t"  # the terminal's own stack of window titles
END_WITHIN = 4.0  # seconds that quitting waits for the agents to end
MANNERS, HURRY = 0.8, 1.6  # seconds, in a hurry: until the agents are killed, until nothing is waited for

log = logging.getLogger(__name__)


class AppSettings(NamedTuple):
    """`calls_by` is how the terminal calls a user who looks elsewhere; `problems` are told once the screen is there.

    Without a `theme` it is chosen by the `colours` that the terminal has; without these, nothing is known of one.
    `preferences` keep what the user sets by keys. `log_file` is named where a mistake of ours ends the program.
    """

    theme: str = ""
    preferences: Preferences | None = None
    calls_by: Way = "desktop"
    log_file: Path | None = None
    problems: Sequence[str] = ()
    colours: ColourDepth | None = None


DEFAULT_SETTINGS = AppSettings()
ScrollBar.renderer = ThinBar  # of all bars, as Textual wants it


class AcpTuiApp(AnswersByRule[int], inherit_bindings=False):
    """The whole program on a terminal.

    Without a `first` session it begins with the screen that `entrance` makes, and `converse` brings the session.
    `agents` lets the user choose another agent, `records` opens what keeps all that is said.
    """

    DEFAULT_MODE = "entrance"
    theme = Reactive(DEFAULT_THEME)  # from the beginning: another theme has all styles parsed a second time (9 ms)

    CSS_PATH = "styles.tcss"
    TITLE = NAME
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [Binding("ctrl+q", "quit", show=False), Binding("ctrl+l", "redraw", show=False)]

    def __init__(
        self,
        first: Opened | None = None,
        settings: AppSettings = DEFAULT_SETTINGS,
        *,
        entrance: Callable[[], Screen[None]] = Screen,
        agents: ChooseAgent | None = None,
        records: "Callable[[], Records | None]" = lambda: None,
    ) -> None:
        super().__init__(driver_class=_terminal_driver())
        self._first, self._settings, self._entrance = first, settings, entrance
        self.agents, self._open_records = agents, records
        self.records: Records | None = None
        self.status_command: StatusCommand | None = None  # of all sessions, once one has asked for it
        self.preferences = settings.preferences or Preferences()
        on = self.preferences.get("scroll_by_terminal", bool)
        self._frames = FrameWriter(on=on, moves=moves_rows(os.environ))
        self.connections = Connections(self._handle_exception)
        self.tabs = Tabs(self, self.connections, self._make_screen, self.call_user)
        self.toasts = Toasts(self, lambda: bool(getattr(self.screen, "asked", False)))
        self.set_class(self.preferences.get("width", str) == "full", FULL_WIDTH)
        self._leaving = self._can_leave = False
        self._signal: int | None = None
        self._selecting = CopyOnSelect()
        for ours in THEMES:
            self.register_theme(ours)
        self._fit_to(settings.colours)
        few = settings.colours is not None and settings.colours.few
        self.default_theme = FEW_COLOURS_THEME if few else DEFAULT_THEME
        self.theme = settings.theme if settings.theme in self.available_themes else self.default_theme

    def get_theme(self, theme_name: str) -> Theme | None:
        return next((ours for ours in THEMES if ours.name == theme_name), None) or super().get_theme(theme_name)

    def _fit_to(self, colours: ColourDepth | None) -> None:
        """Draw with as many colours as the terminal has; without any, as NO_COLOR has it."""
        self.asks_for_colours = colours is not None and colours.ask and not self.no_color
        if colours is not None:
            draw_with(self, colours.depth or ColorSystem.STANDARD)
            self.no_color = self.no_color or colours.depth is None

    def on_millions_of_colours(self) -> None:
        """The terminal has more than was thought: the theme that was chosen for want of them gives way."""
        if self.asks_for_colours:
            self.asks_for_colours = False
            draw_anew_with(self, ColorSystem.TRUECOLOR)
            self.default_theme = DEFAULT_THEME
            if self._settings.theme not in self.available_themes and self.theme == FEW_COLOURS_THEME:
                self.run_worker(self.change_theme(DEFAULT_THEME), exit_on_error=False)
            else:
                self.refresh(layout=True)

    async def change_theme(self, name: str) -> None:
        """In one frame: styles, and what is drawn in the theme's palette, follow one after the other."""
        followed = asyncio.Event()
        with self.batch_update():
            self.theme = name
            self.call_later(followed.set)
            await followed.wait()

    def watch_theme(self) -> None:
        """Without colours, a theme of the terminal's own has none at all, and each other one has greys."""
        kept = [each for each in self._filters if not isinstance(each, (Monochrome, NoColor))]
        greys = [NoColor() if self.native_ansi_color else Monochrome()] if self.no_color else []
        self._filters = [*kept[:1], *greys, *kept[1:]]

    async def run_async(self, **how: Any) -> int | None:
        """Run it. From the first to the last moment in which the terminal is ours, signals ask to leave."""
        loop = asyncio.get_running_loop()
        with hearing(lambda number: loop.call_soon_threadsafe(self._obey, number)):
            return await super().run_async(**how)

    def _display(self, *told: Any, **named: Any) -> None:
        """The screen and the update; what another Textual tells goes on as it is."""
        if told and isinstance(told[0], Screen) and isinstance(told[0].focused, TextArea | Input):
            # Textual notes where the cursor is when the text changes, before the field grows or moves with it. There a
            # terminal shows what is being composed (Chinese, Japanese).
            self.cursor_position = told[0].focused.cursor_screen_offset
        super()._display(*self._frames.wrapped(told), **named)

    def _draw_anew(self, event: events.Event) -> None:
        """A terminal may have lost cells on the way to the size that it has had; Textual paints other sizes only."""
        if isinstance(event, events.Resize) and event.size == self.size:
            self.screen.refresh()

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Resize | events.AppFocus) and self._frames.forget():
            self._draw_anew(event)
        if isinstance(event, events.Key) and event.key.startswith("alt+"):
            event.character = None  # whatever the terminal says: Alt with a letter is a key, and types nothing
        if isinstance(event, events.Key) and not event.is_forwarded and _is_command(self.screen, event):
            self.answer_keys.note(event)
            return
        await super().on_event(event)

    def get_css_variables(self) -> dict[str, str]:
        self.theme_variables = super().get_css_variables() | tones(self.current_theme)
        return self.theme_variables

    def get_default_screen(self) -> Screen[None]:
        if self._first is not None:
            return self.tabs.add(self._first, mode=self.DEFAULT_MODE).screen
        read_panel_styles(self)
        return self._entrance()

    def converse(self, opened: Opened) -> None:
        """Start this client's agent, unless it runs already, and show the session beside those that are open."""
        client = opened.client
        if self.records is not None:
            client.record_with(self.records)
            self.records.record(opened.session, start=client.command.recorded)
        self.connections.start(client)
        while len(self.screen_stack) > 1:
            self.pop_screen()
        self.tabs.open(opened)
        if opened.browse:
            self.call_after_refresh(self.run_action, "screen.command('browse_sessions')")

    def _make_screen(self, opened: Opened) -> ConversationScreen:
        screen = ConversationScreen(opened.client, opened.session, opened.history, self.tabs.labels)
        if (handed := opened.handed) is not None:
            screen.when_complete(lambda parts: parts.hand_over.take(handed))
        if opened.prompt:
            _send_first(screen, opened.prompt)
        return screen

    def on_mount(self) -> None:
        self._tell_terminal(KEEP_TITLE)
        self.watch_title(self.title)
        self.app_resume_signal.subscribe(self, lambda _app: self._frames.forget(), immediate=True)
        self.app_resume_signal.subscribe(self, lambda _app: self.watch_title(self.title))
        if self._first is not None:
            self.call_after_refresh(lambda: self.run_worker(self._begin()))
        if self._settings.problems:
            announce_problems(self, self._settings.problems)
        self._can_leave = True
        if self._signal is not None:
            self.leave()

    async def _begin(self) -> None:
        """After the first frame: load what records the session, beside the loop, and start its agent."""
        self.records = await in_joined_thread(self._open_records)
        if self._first is not None and not self._leaving:
            self.converse(self._first)

    async def on_unmount(self) -> None:
        await self.connections.end(END_WITHIN)
        if self.records is not None:
            self.records.close()
        self._tell_terminal(RESTORE_TITLE)

    def on_notify(self, event: Notify) -> None:
        """Ours are rows of the screen; Textual's lie over it, and are as many as an agent raises."""
        event.prevent_default()
        self.toasts.add(event.notification)

    def clear_notifications(self) -> None:
        self.toasts.clear()

    def _refresh_notifications(self) -> None:
        """Textual asks for this when another screen gets the keys."""
        self.toasts.look_soon()

    def on_session_screen_freed(self) -> None:
        self.toasts.look_soon()

    async def action_quit(self) -> None:
        self.leave()

    def action_redraw(self) -> None:
        """Clear what others may have written on the terminal, and draw everything again."""
        self._frames.forget()
        self._tell_terminal("\x1b[0m\x1b[2J")
        self.refresh(layout=True)

    def leave(self, *, hurry: bool = False) -> None:
        """End the agents and then the app; a second call does not wait. In a `hurry`, manners are kept short."""
        if self._leaving:
            self.exit(self._exit_code)
            return
        self._leaving = True
        self.connections.close()
        if hurry:
            self.set_timer(MANNERS, self.connections.close)
        self.run_worker(self._leave(HURRY if hurry else END_WITHIN), exit_on_error=False)

    def input_ended(self) -> None:
        self.leave()

    def on_text_selected(self) -> None:
        if self.preferences.get("copy_on_select", bool):
            self._selecting.let_go(self, self.screen.selections, self.screen.get_selected_text)

    def call_user(self, text: str) -> None:
        if self._settings.calls_by != "off":
            self._tell_terminal(call(text, "bell" if self._settings.calls_by == "bell" else form_of(os.environ)))

    def call_by(self, way: Way) -> None:
        self._settings = self._settings._replace(calls_by=way)

    def watch_title(self, title: str) -> None:
        """Name the terminal's window; only printable text gets there."""
        self._tell_terminal(f"\x1b]2;{sanitise_line(title, 80)}\x07")

    def _tell_terminal(self, sequence: str) -> None:
        driver: Driver | None = self._driver
        if driver is not None and not driver.is_headless:
            driver.write(sequence)

    async def _leave(self, within: float) -> None:
        await self.connections.ended(within)
        self.exit(self._exit_code)

    @property
    def log_file(self) -> Path | None:
        """Where mistakes of this program are written down, if there is such a place."""
        return self._settings.log_file

    @property
    def _exit_code(self) -> int:
        if self._signal is not None and signal.Signals(self._signal).name not in POLITE:
            return 128 + self._signal
        return FAILED if self.connections.faulty else 0

    def _obey(self, number: int) -> None:
        self._signal = self._signal or number
        if self._can_leave:
            self.leave()

    def _fatal_error(self) -> None:
        error = self._exception
        log.error("the screen failed", exc_info=error)
        where = f"\nDetails: {self._settings.log_file}" if self._settings.log_file else ""
        what = sanitise_line(f"{type(error).__name__}: {error}")
        self.panic(Text(f"{NAME} crashed. This is a bug: {what}{where}"))


def _send_first(screen: ConversationScreen, prompt: str) -> None:
    """Send the prompt of the command line, which is shown as queued until the screen is complete."""
    draft = verbatim_draft(prompt)
    screen.queue.waiting.append(draft.text)
    screen.send(draft)
    screen.when_complete(lambda _parts: screen.queue.begin(screen.session))


def _is_command(screen: Screen[object], event: events.Key) -> bool:
    """Whether a key belongs to the leader, or closes the screen that it has opened."""
    return _takes_leader(screen, event) or (isinstance(screen, Closable) and screen.takes(event))


def _takes_leader(screen: Screen[object], event: events.Key) -> bool:
    """Whether a key is the leader or follows it where the focus is not on the prompt, which asks by itself.

    In a line, what is the leader elsewhere cuts out what is selected.
    """
    if not isinstance(screen, ConversationScreen) or screen.editor.has_focus:
        return False
    screen.strokes.note(event.key, event.time)
    cuts = isinstance(screen.focused, (Input, TextArea)) and bool(screen.focused.selected_text)
    return (screen.leader.waiting or not cuts) and screen.leader.takes(event.key)


def _terminal_driver() -> type[Driver] | None:
    try:
        driver: type[Driver] = late("acp_tui.ui.terminal.terminal_driver").TerminalDriver
    except ImportError:
        return None
    return driver
