"""The agent's plans, docked above the status line; folded, the heading names the step at hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Region, Size
from textual.style import Style
from textual.widgets import Static

from acp_tui.session.state import Session
from acp_tui.session.text.phrases import counted, done_words
from acp_tui.startup import late
from acp_tui.ui.kit.announcements import say
from acp_tui.ui.kit.theme import MUTED, palette_of
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.pieces.splitter import pieces_of
from acp_tui.ui.render.text import painted, sanitise
from acp_tui.ui.render.wrap import LEFT, ROW
from acp_tui.views.plans import AT_HAND, heading, is_done, plan_notes, plan_title, step_rows

if TYPE_CHECKING:  # pydantic, which the first frame does without
    from acp_tui.protocol.vocabulary.session_updates import Plan

HIGHEST = 10  # rows of steps, and never more than a quarter of the screen
FEW_ROWS = 30
WIDTH = 60  # cells of what is set in columns
HEAD_WIDTH = LEFT + ROW - 2  # cells from the panel's edge to the end of the transcript's rows, and one
TEXT_LIMIT = 4_000  # characters of a plan that is one text


class PlanPanel(Vertical):
    """Hidden while there is no plan; a click folds and unfolds."""

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
        self._past: list[Plan] = []  # finished before the last prompt was sent
        self._fitted = Size()
        self._title, self._count = Static(id="plan-name"), Static(id="plan-count")
        self._steps = Static(id="plan-steps")
        self._scroll = VerticalScroll(self._steps, can_focus=False)

    @property
    def folded(self) -> bool:
        """As the user wants it; else folded while the agent asks, on a screen with few rows, and when it is past."""
        if self._wanted is not None:
            return self._wanted
        asked = bool(self.session.permissions or self.session.elicitations)
        past = self._past == list(self.session.plans.values())
        return self.app.size.height < FEW_ROWS or asked or past

    def compose(self) -> ComposeResult:
        head = Horizontal(self._title, self._count)
        head.styles.max_width = HEAD_WIDTH
        yield head
        yield self._scroll

    def on_mount(self) -> None:
        self.look()

    def look(self) -> None:
        self._fitted = self.app.size
        plans = list(self.session.plans.values())
        self._let_pass(plans)
        self.display = bool(plans)
        if not plans:
            return
        self._scroll.display = not self.folded
        self._title.update(painted(heading(plans, folded=self.folded)))
        self._count.update(Content.styled(done_words(plans), MUTED))
        palette = palette_of(self.app)
        rows = [row for plan in plans for row in plan_rows(plan, palette, titled=len(plans) > 1)]
        self._scroll.styles.max_height = min(HIGHEST, max(3, self.app.size.height // 4))
        self._steps.update(Content("\n").join(rows))
        current = next((at for at, row in enumerate(rows) if row.plain.lstrip().startswith(AT_HAND)), 0)
        self.call_after_refresh(self._scroll.scroll_to_region, Region(0, current, 1, 2), animate=False)

    def _let_pass(self, plans: list[Plan]) -> None:
        """What is finished when the next prompt is sent is past, and so is what a session came back with."""
        turn = self.session.turn
        if turn is self._turn and (turn.active or turn.ended_at is not None or plans == self._past):
            return
        self._turn, self._past = turn, plans if all(map(is_done, plans)) else []
        if self._past and not self._wanted:
            self._wanted = None  # unfolded by hand, while it was at hand

    def toggle(self) -> None:
        if not self.session.plans:
            say(self.app, "No plan yet", 3)
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
    for number, piece in enumerate(pieces_of(text)):
        if number and not piece.joined:
            yield Content("")
        indent = " " * piece.indent
        if piece.code:
            yield from (Content.assemble(indent, (f"  {line}", MUTED)) for line in piece.lines)
            continue
        for line in markdown.lines_of(piece, palette, palette.text, WIDTH):
            runs = ((run, Style.from_rich_style(style)) for run, style in (*line.gutter, *line.runs))
            yield Content.assemble(indent, *runs)
