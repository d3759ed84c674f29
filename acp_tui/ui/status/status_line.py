"""The status line (what the agent is doing, or why it is quiet, for how long, and what one can do about it), and the
agent's plans above it: folded, the heading names the step at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Region, Size
from textual.style import Style
from textual.timer import Timer
from textual.widgets import Static

from acp_tui.host.config.preferences import SWITCHED_OFF
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import counted, done_words
from acp_tui.startup import late
from acp_tui.ui.bridge import FRAME
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.kit.session_view import say
from acp_tui.ui.kit.theme import AGENT, MUTED, palette_of
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut, painted, sanitise
from acp_tui.ui.status.footer import SIDEBAR, Focus
from acp_tui.ui.transcript.transcript_view import TranscriptView
from acp_tui.views.board import TabLabel
from acp_tui.views.formatting import SEPARATOR
from acp_tui.views.plans import (
    AT_HAND,
    at_rest,
    heading,
    is_done,
    is_over,
    is_planning,
    plan_notes,
    plan_title,
    plans_of,
    step_rows,
    title_of_plans,
)
from acp_tui.views.status import CANCEL, Status, StatusHint

if TYPE_CHECKING:
    from acp_tui.host.changes.session_changes import SessionChanges
    from acp_tui.protocol.vocabulary.session_updates import Plan

HIGHEST = 10  # rows of steps, and never more than a quarter of the screen
FEW_ROWS, FEWEST = 30, 24  # rows of a screen, below which a plan is folded; and hidden once all of it is done
WIDTH = 60  # cells of what is set in columns
TEXT_LIMIT = 4_000  # characters of a plan that is one text


class PlanPanel(Vertical):
    """Hidden while there is no plan, and once the next prompt is sent; a click folds and unfolds."""

    DEFAULT_CSS = """
    PlanPanel {
        display: none;
        height: auto;
        margin: 1 1 0 1;
        padding: 0 1;
        border-left: outer $secondary 50%;
    }
    PlanPanel > Horizontal { height: 1; }
    PlanPanel #plan-name { width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
    PlanPanel #plan-count { width: auto; margin: 0 1 0 2; }
    PlanPanel > VerticalScroll { height: auto; scrollbar-background: $background; scrollbar-size-vertical: 1; }
    """

    def __init__(self, session: Session) -> None:
        super().__init__(id="plan")
        self.session = session
        self._wanted: bool | None = None
        self._turn = session.turn
        self._fitted = Size()
        self._todos: Plan | None = None
        self._title, self._count = Static(id="plan-name"), Static(id="plan-count")
        self._steps = Static(id="plan-steps")
        self._scroll = VerticalScroll(self._steps, can_focus=False)

    @property
    def folded(self) -> bool:
        """As the user wants it; else folded while the agent asks, on a screen with few rows, and after its turn."""
        if self._wanted is not None:
            return self._wanted
        asked = bool(self.session.permissions or self.session.elicitations)
        ended = is_over(self.session.turn) or self._is_done
        return self.app.size.height < FEW_ROWS or asked or ended or self._is_past

    @property
    def _is_done(self) -> bool:
        return not self.session.turn.active and all(map(is_done, plans_of(self.session)))

    @property
    def _is_past(self) -> bool:
        """Whether all plans are of turns before the last one."""
        turn = self.session.turn
        return not is_planning(self.session) and (turn.active or turn.ended_at is not None)

    @property
    def _plans(self) -> list[Plan]:
        """Those of the last turn; if it has none, those before it."""
        plans, now = plans_of(self.session), self.session.index.turn_plans
        return at_rest([plan for plan in plans if plan.plan_id in now] or plans, self.session.turn)

    @property
    def is_stale(self) -> bool:
        """Whether the agent has written another list of todos than the one that is shown."""
        return self._todos is not self.session.index.todos

    def compose(self) -> ComposeResult:
        yield Horizontal(self._title, self._count)
        yield self._scroll

    def on_mount(self) -> None:
        self.look()

    def look(self) -> None:
        self._fitted, self._todos = self.app.size, self.session.index.todos
        if self.session.turn is not self._turn:
            self._turn = self.session.turn
            self._wanted = self._wanted or None  # unfolded by hand, while it was at hand
        plans = self._plans
        spent = self._is_past or (self._is_done and self.app.size.height < FEWEST)
        self.display = bool(plans) and not (self.folded and spent)
        if not plans:
            return
        self._scroll.display = not self.folded
        self._title.update(
            painted(heading(plans, title_of_plans(self.session), folded=self.folded, over=is_over(self.session.turn)))
        )
        self._count.update(Content.styled(done_words(plans), MUTED))
        palette = palette_of(self.app)
        rows = [row for plan in plans for row in plan_rows(plan, palette, titled=len(plans) > 1)]
        self._scroll.styles.max_height = min(HIGHEST, max(3, self.app.size.height // 4))
        self._steps.update(Content("\n").join(rows))
        current = next((at for at, row in enumerate(rows) if row.plain.lstrip().startswith(AT_HAND)), 0)
        self.call_after_refresh(self._scroll.scroll_to_region, Region(0, current, 1, 2), animate=False)

    def toggle(self) -> None:
        if not plans_of(self.session) or self.screen.has_class(SIDEBAR):
            say(self.app, "The plan is in the sidebar" if plans_of(self.session) else "No plan yet", 3)
            return
        self._wanted = not self.folded
        self.look()

    def on_click(self) -> None:
        self.toggle()

    def on_resize(self) -> None:
        if self._fitted != self.app.size:
            self.look()


def plan_rows(plan: Plan, palette: Palette, *, titled: bool) -> Iterator[Content]:
    """A row per step or line; a plan among several has its name and figures above it."""
    if titled:
        yield painted(plan_title(plan))
    yield from (Content.assemble("  " * titled, row) for row in _rows(plan, palette))


def _rows(plan: Plan, palette: Palette) -> Iterator[Content]:
    yield from map(painted, step_rows(plan.entries))
    if plan.content:
        yield from _typeset(sanitise(plan.content[:TEXT_LIMIT]).strip("\n"), palette)
        if (cut := len(plan.content) - TEXT_LIMIT) > 0:
            yield Content.styled(f"… {counted(cut, 'more character')}", MUTED)
    yield from map(painted, plan_notes(plan))


def _typeset(text: str, palette: Palette) -> Iterator[Content]:
    markdown = late("acp_tui.ui.render.markdown")
    for number, piece in enumerate(late("acp_tui.ui.render.text_splitter").pieces_of(text)):
        if number and not piece.joined:
            yield Content("")
        indent = " " * piece.indent
        if piece.code:
            yield from (Content.assemble(indent, (f"  {line}", MUTED)) for line in piece.lines)
            continue
        for line in markdown.lines_of(piece, palette, palette.text, WIDTH):
            runs = ((run, Style.from_rich_style(style)) for run, style in (*line.gutter, *line.runs))
            yield Content.assemble(indent, *runs)


SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
TICK = 0.16  # seconds; six a second are enough to look alive. Beside a stream it turns in each third of its frames
SHOWN_AFTER = 1.0  # seconds; most folders are read by then
Action = Callable[[], object]


DOWN: Mapping[Focus, str] = {
    "empty prompt": "to_end",
    "transcript": "to_end",
    "prompt": "page_down",
    "completions": "page_down",
}
"""The command that scrolls down from there, if any: in a text End moves in its line."""


class Note(NamedTuple):
    """What stands at the right, what a click on it does, and commands that do so where the focus is."""

    words: Content
    action: Action
    commands: Mapping[Focus, str] = MappingProxyType({})

    def words_for(self, focus: Focus) -> Content:
        way = f" ({first_way(self.commands[focus])})" if focus in self.commands else ""
        return Content.assemble(self.words, (way, MUTED))


class StatusLine(Static):
    """One row above the prompt. No timer runs while it is quiet."""

    def __init__(self, status: Callable[[], Status]) -> None:
        super().__init__(id="status")
        self._ask = status
        self._frame = 0
        self._turns, self._turned = False, 0.0  # whether it does, and when it last did
        self._timer: Timer | None = None
        self._notes: Sequence[Note] = ()
        self._focus: Focus = "empty prompt"
        self._aside = ""
        self._places: list[tuple[int, int, Action]] = []

    def on_mount(self) -> None:
        self._timer = self.set_interval(TICK, self._tick, pause=True)
        self.look()

    def look(self, notes: Sequence[Note] = ()) -> None:
        """Ask for the facts again; `notes` stand at the right, beside the hint."""
        self._notes = notes
        self.paint()

    def follow_focus(self, focus: Focus) -> None:
        """The focus is there now: name the keys that work."""
        if focus != self._focus:
            self._focus = focus
            self.paint()

    def say_aside(self, words: str) -> None:
        """Have this stand there too, where nothing else needs the room; empty for nothing."""
        if words != self._aside:
            self._aside = words
            if self.is_mounted:
                self.paint()

    def turn_along(self) -> None:
        """A frame is painted now: turn with it, rather than soon in a frame of one's own."""
        if self._turns and self._timer is not None and monotonic() - self._turned >= TICK - FRAME / 2:
            self._timer.reset()
            self._tick()

    def rest(self) -> None:
        """Nobody looks: let time pass unseen."""
        self._turns = False
        if self._timer is not None:
            self._timer.pause()

    def on_resize(self) -> None:
        self.paint()

    def on_click(self, event: events.Click) -> None:
        x = event.x - self.gutter.left
        for start, end, action in self._places:
            if start <= x < end:
                action()
                return

    def _tick(self) -> None:
        self._frame = (self._frame + 1) % len(SPINNER)
        self._turned = monotonic()
        self.paint()

    def paint(self) -> None:
        status = self._ask()
        self._turns = status.busy
        if self._timer is not None:
            (self._timer.resume if status.busy else self._timer.pause)()
        line = self._line(status)
        self.display = bool(line) or not self.has_class("-asked")  # an open question needs its row
        self.update(line, layout=False)

    def _line(self, status: Status) -> Content:
        width = self.size.width
        mark = f"{SPINNER[self._frame]} " if status.busy else ""
        right = self._right([hint_words(each) for each in status.hints], width - cell_len(mark + status.text) - 2)
        left = cut(mark + status.text, max(8, width - right.cell_length - 2))
        ink = "$foreground" if status.tone == "agent" else f"${status.tone}"
        text = Content.assemble((left[: len(mark)], AGENT if status.tone == "agent" else ink), (left[len(mark) :], ink))
        alone = not (text or self._notes)  # keys with nothing before them stand where the eye looks first
        gap = 0 if alone else max(1, width - text.cell_length - right.cell_length)
        self._place(text.cell_length + gap + right.cell_length)
        return Content.assemble(text, " " * gap, right) if text or right else Content("")

    def _right(self, hints: list[str], room: int) -> Content:
        """Hints and notes; where there is no room for all the last hints go first, with notes all of them."""
        words = [note.words_for(self._focus) for note in self._notes]
        while True:
            parts = [*(Content.styled(each, MUTED) for each in hints), *words]
            right = Content.styled(SEPARATOR, MUTED).join(parts)
            if right.cell_length <= room or len(hints) < (1 if words else 2):
                return self._with_aside(parts, right, room)
            hints.pop()

    def _with_aside(self, parts: Sequence[Content], right: Content, room: int) -> Content:
        if not self._aside:
            return right
        whole = Content.styled(SEPARATOR, MUTED).join([Content.styled(self._aside, MUTED), *parts])
        return whole if whole.cell_length <= room else right

    def _place(self, end: int) -> None:
        self._places = []
        for note in reversed(self._notes):
            width = note.words_for(self._focus).cell_length
            self._places.append((end - width, end, note.action))
            end -= width + len(SEPARATOR)


def without_cancel(status: Status) -> Status:
    """The same while another row has the keys: Esc closes that one."""
    hints = tuple(hint for hint in status.hints if hint.command != CANCEL.command)
    return Status(status.text, hints, status.busy, status.tone)


def hint_words(hint: StatusHint) -> str:
    """The keys and what they do: `esc cancel`."""
    return " ".join([*([first_way(hint.command)] * hint.times if hint.command else [hint.key]), hint.word])


def notes_of(
    transcript: TranscriptView, labels: Sequence[TabLabel], stashed: int, run: Callable[[str], object]
) -> list[Note]:
    """All of that, each in a few words; loud is only what waits for the user. `run` runs a command by its id."""
    notes: list[Note] = []
    if not transcript.follow:
        new = transcript.new_entries
        below = f"{new} new below" if new else "more below"
        notes.append(Note(Content.styled(below, MUTED), transcript.follow_end, DOWN))
    if stashed:
        words = Content.styled(f"{stashed} stashed ({first_way('stash')})", MUTED)
        notes.append(Note(words, lambda: run("stash")))
    elsewhere = next((label.number for label in labels if label.state == "waiting" and not label.current), 0)
    if elsewhere:
        way = (f" ({first_way('answer_permission')})", MUTED)
        words = Content.assemble((f"△ session {elsewhere} needs an answer", "$warning"), way)
        notes.append(Note(words, lambda: run("answer_permission")))
    return notes


class SnapshotProgress:
    """Has the words for it told whenever they are others, empty ones where there is nothing to say.

    `warn` is told once, when the agent `runs`, that there is no undo here; not where the user has switched it off.
    """

    def __init__(
        self,
        source: SessionChanges,
        tell: Callable[[str], None],
        warn: Callable[[str], None],
        clock: Callable[[], float] = monotonic,
        runs: Callable[[], bool] = lambda: True,
    ) -> None:
        self._source, self._tell, self._warn, self._clock, self._runs = source, tell, warn, clock, runs
        self._warned = False
        self._since: float | None = None
        self.close = source.subscribe(self.look)
        self.look()

    def look(self) -> None:
        if self._source.off not in ("", SWITCHED_OFF.off) and self._runs() and not self._warned:
            self._warned = True
            self._warn(f"Undo is not available here. {self._source.off}.")
        progress = self._source.progress
        if progress is None:
            self._since = None
            self._tell("")
            return
        if self._since is None:
            self._since = self._clock()
        if self._clock() - self._since >= SHOWN_AFTER:
            self._tell(f"Taking a snapshot: {progress.words}")
