"""Where a replay is and how fast it goes, in place of the prompt; must not know what is played."""

from textual.content import Content
from textual.widgets import Static

from acp_tui.host.playback import Timeline
from acp_tui.ui.figures import duration
from acp_tui.ui.hints import key_hints
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.tones import ACCENT, MUTED

INTERVAL = 0.2  # seconds between two looks


class ReplayBar(Static):
    """Two rows: where it is, and the keys."""

    DEFAULT_CSS = """
    ReplayBar { height: auto; margin: 0 1; padding: 1 2 1 1; background: $surface; border-left: outer $accent; }
    .-short ReplayBar { padding: 0 2 0 1; }
    """

    def __init__(self, timeline: Timeline, name: str) -> None:
        super().__init__(id="replay")
        self._timeline, self._record = timeline, name
        self._told = ""

    def on_mount(self) -> None:
        """Look now and again."""
        self.look()
        self.set_interval(INTERVAL, self.look)

    def look(self) -> None:
        """Tell where it is."""
        told = where(self._timeline)
        if told != self._told:
            self._told = told
            head = Content.assemble(
                ("Replay ", f"{ACCENT} bold"), (sanitise_line(self._record, 40), ""), ("   " + told, MUTED)
            )
            self.update(Content("\n").join([head, _hints(self._timeline)]))


def where(timeline: Timeline) -> str:
    """Pace and place: `2× · 12 s of 3 min 05 s · line 120 of 450`."""
    pace = "held" if timeline.stepping else f"{timeline.speed:g}×"
    if timeline.over:
        pace = "at its end"
    place = f"{duration(timeline.at)} of {duration(timeline.duration)}"
    return f"{pace} · {place} · line {timeline.position:,} of {timeline.total:,}"


def _hints(timeline: Timeline) -> Content:
    keys = [("space", "next line"), ("p", "go on" if timeline.stepping else "hold"), ("+ −", "speed"), ("^Q", "quit")]
    return key_hints(keys)
