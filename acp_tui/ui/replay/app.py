"""The app while it plays a wire record: the user of the record acts, the one in front of it only sets the pace."""

from collections.abc import Callable

from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from acp_tui.host.playback.player import Player
from acp_tui.host.playback.timeline import Timeline
from acp_tui.host.store.prompt_history import PromptHistory
from acp_tui.session.text.words import duration
from acp_tui.ui.app import DEFAULT_SETTINGS, AcpTuiApp, AppSettings
from acp_tui.ui.kit.hints import key_hints
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.screen import ConversationScreen
from acp_tui.ui.sessions.tabs import Opened

FASTER = 2.0
SLOWEST, FASTEST = 1 / 16, 1024.0
INTERVAL = 0.2  # seconds between two looks at where it is


def _faster(timeline: Timeline) -> None:
    timeline.run(min(FASTEST, timeline.speed * FASTER))


PACE: dict[str, Callable[[Timeline], None]] = {
    "space": Timeline.step,
    "p": lambda timeline: timeline.run(timeline.speed) if timeline.stepping else timeline.hold(),
    "plus": _faster,
    "equals_sign": _faster,
    "minus": lambda timeline: timeline.run(max(SLOWEST, timeline.speed / FASTER)),
}


class ReplayApp(AcpTuiApp, inherit_bindings=False):
    """Keys set the pace on the conversation, and mean what they always mean everywhere else."""

    CSS_PATH = "../styles.tcss"

    BINDINGS = [Binding("ctrl+q", "quit", show=False)]

    def __init__(self, player: Player, name: str, settings: AppSettings = DEFAULT_SETTINGS) -> None:
        super().__init__(Opened(player.client, player.session, PromptHistory(None)), settings)
        self._timeline = player.timeline
        self._bar = ReplayBar(player.timeline, name)

    def on_mount(self) -> None:
        self.call_after_refresh(self._show_bar)

    async def on_event(self, event: events.Event) -> None:
        """The pace is set whatever has the focus (a panel that asks, its fields), but where one searches."""
        if isinstance(event, events.Key) and not event.is_forwarded and event.key in PACE and self._sets_pace():
            PACE[event.key](self._timeline)
            self._bar.look()
            return
        await super().on_event(event)

    def _sets_pace(self) -> bool:
        screen = self.screen
        if not isinstance(screen, ConversationScreen) or screen.leader.waiting:
            return False
        return not (screen.complete and screen.parts.find.is_open)

    def _show_bar(self) -> None:
        screen = self.screen
        if isinstance(screen, ConversationScreen):
            prompt = screen.query_one("#prompt")
            prompt.display = False
            screen.query_one("#dock").mount(self._bar, after=prompt)
            screen.transcript.focus()


class ReplayBar(Static):
    """In place of the prompt: where the replay is and how fast it goes, and the keys."""

    DEFAULT_CSS = """
    ReplayBar { height: auto; margin: 0 1; padding: 1 2 1 1; background: $surface; border-left: outer $accent; }
    .-short ReplayBar { padding: 0 2 0 1; }
    """

    def __init__(self, timeline: Timeline, name: str) -> None:
        super().__init__(id="replay")
        self._timeline, self._record = timeline, name
        self._told = ""

    def on_mount(self) -> None:
        self.look()
        self.set_interval(INTERVAL, self.look)

    def look(self) -> None:
        told = where(self._timeline)
        if told != self._told:
            self._told = told
            head = Content.assemble(
                ("Replay ", f"{ACCENT} bold"), (sanitise_line(self._record, 40), ""), ("   " + told, MUTED)
            )
            go_on = "play" if self._timeline.stepping else "pause"
            keys = [("space", "next line"), ("p", go_on), ("+ −", "speed"), ("^Q", "quit")]
            self.update(Content("\n").join([head, key_hints(keys)]))


def where(timeline: Timeline) -> str:
    """Pace and place: `2× · 12 s of 3 min 05 s · line 120 of 450`."""
    pace = "paused" if timeline.stepping else f"{timeline.speed:g}×"
    if timeline.over:
        pace = "finished"
    place = f"{duration(timeline.at)} of {duration(timeline.duration)}"
    return f"{pace} · {place} · line {timeline.position:,} of {timeline.total:,}"
