"""The status line: what goes on, for how long, and what one can do about it. No timer runs while it is quiet."""

from collections.abc import Callable, Sequence

from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from acp_tui.session.state import Session
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.kit.tones import AGENT, MUTED
from acp_tui.ui.render.text import cut
from acp_tui.ui.sessions.strip import Label
from acp_tui.ui.status.facts import Status
from acp_tui.ui.transcript.view import TranscriptView

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
TICK = 0.16  # seconds; six frames a second are enough to look alive


class StatusLine(Static):
    """One row above the prompt."""

    def __init__(self, status: Callable[[], Status]) -> None:
        super().__init__(id="status")
        self._ask = status
        self._frame = 0
        self._timer: Timer | None = None
        self._notes: Sequence[Content] = ()

    def on_mount(self) -> None:
        self._timer = self.set_interval(TICK, self._tick, pause=True)
        self.look()

    def look(self, notes: Sequence[Content] = ()) -> None:
        """Ask for the facts again; `notes` stand at the right, beside the hint."""
        self._notes = notes
        self._paint()

    def rest(self) -> None:
        """Nobody looks: let time pass unseen."""
        if self._timer is not None:
            self._timer.pause()

    def on_resize(self) -> None:
        self._paint()

    def _tick(self) -> None:
        self._frame = (self._frame + 1) % len(SPINNER)
        self._paint()

    def _paint(self) -> None:
        status = self._ask()
        if self._timer is not None:
            (self._timer.resume if status.busy else self._timer.pause)()
        self.update(self._line(status), layout=False)

    def _line(self, status: Status) -> Content:
        width = self.size.width
        hint = [Content.styled(status.hint, MUTED)] if status.hint else []
        right = Content.styled(" · ", MUTED).join([*hint, *self._notes])
        mark = f"{SPINNER[self._frame]} " if status.busy else ""
        left = cut(mark + status.text, max(8, width - right.cell_length - 2))
        text = Content.assemble((left[: len(mark)], AGENT if status.tone == "accent" else _colour(status.tone)))
        text += Content.styled(left[len(mark) :], _colour(status.tone))
        gap = max(1, width - text.cell_length - right.cell_length)
        return Content.assemble(text, " " * gap, right) if text or right else Content("")


def _colour(tone: str) -> str:
    return {"muted": MUTED, "accent": "$foreground"}.get(tone, f"${tone}")


def notes_of(transcript: TranscriptView, session: Session, labels: Sequence[Label]) -> list[Content]:
    """All of that, each in a few words; loud is only what waits for the user."""
    notes: list[Content] = []
    if not transcript.follow:
        new = transcript.new_entries
        notes.append(Content.styled(f"{new} new below" if new else "more below", MUTED))
    if session.queue:
        notes.append(Content.styled(f"{len(session.queue)} queued", MUTED))
    elsewhere = next((label.number for label in labels if label.state == "waiting" and not label.current), 0)
    if elsewhere:
        way = (f" ({first_way('answer_permission')})", MUTED)
        notes.append(Content.assemble((f"△ session {elsewhere} waits for you", "$warning"), way))
    return notes
