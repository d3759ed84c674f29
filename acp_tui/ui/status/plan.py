"""The agent's plans, docked above the status line; folded, the heading names the step at hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Region, Size
from textual.style import Style
from textual.widgets import Static

from acp_tui.session.state import Session
from acp_tui.session.text.words import counted, done_words
from acp_tui.startup import late
from acp_tui.ui.kit.theme import AGENT, FAINT, MUTED, palette_of
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.pieces.splitter import pieces_of
from acp_tui.ui.render.text import sanitise, sanitise_line
from acp_tui.ui.render.wrap import LEFT, ROW

if TYPE_CHECKING:  # pydantic, which the first frame does without
    from acp_tui.protocol.vocabulary.plans import Plan, PlanEntry

SIGNS = {"pending": "○", "in_progress": "◐", "completed": "✓", "cancelled": "⊘"}
AT_HAND = f"{SIGNS['in_progress']} "
FINISHED = frozenset({"completed", "cancelled"})
HIGHEST = 10  # rows of steps, and never more than a quarter of the screen
FEW_ROWS = 30
STEP_LIMIT = 400  # cells
WIDTH = 60  # cells of what is set in columns
HEAD_WIDTH = LEFT + ROW - 2  # cells from the panel's edge to the end of the transcript's rows, and one
TEXT_LIMIT = 4_000  # characters of a plan that is one text
MOST_STEPS = 200  # of a plan, around the step at hand; the rest is counted

Styled = tuple[str, str | Style]


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
        self._title.update(Content.assemble(*heading(plans, folded=self.folded)))
        self._count.update(Content.styled(done_words(plans), MUTED))
        palette = palette_of(self.app)
        rows = [row for plan in plans for row in plan_rows(plan, palette, titled=len(plans) > 1)]
        self._scroll.styles.max_height = min(HIGHEST, max(3, self.app.size.height // 4))
        self._steps.update(Content("\n").join(Content.assemble(*row) for row in rows))
        at_hand = (number for number, row in enumerate(rows) if any(text == AT_HAND for text, _ in row[:2]))
        current = next(at_hand, 0)
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
        self._wanted = not self.folded
        self.look()

    def on_click(self) -> None:
        self.toggle()

    def on_resize(self) -> None:
        if self._fitted != self.app.size:
            self.look()


def is_done(plan: Plan) -> bool:
    """Whether it is a list of steps of which none is left; how far another kind is, nobody says."""
    return bool(plan.entries) and all(entry.status in FINISHED for entry in plan.entries)


def heading(plans: Sequence[Plan], *, folded: bool) -> list[Styled]:
    """`Plan`, and folded the step at hand."""
    parts: list[Styled] = [("▸ " if folded else "▾ ", FAINT), ("Plan" if len(plans) == 1 else "Plans", f"bold {AGENT}")]
    if folded:
        left = [entry for plan in plans for entry in plan.entries if entry.status not in FINISHED]
        current = min(left, key=lambda entry: entry.status != "in_progress", default=None)
        if current is not None:
            sign = SIGNS.get(current.status, SIGNS["pending"])
            parts.append((f"  {sign} {sanitise_line(current.content, STEP_LIMIT)}", ""))
    return parts


def plan_rows(plan: Plan, palette: Palette, *, titled: bool) -> Iterator[list[Styled]]:
    """One list of styled texts per step or line; a plan among several has its name and figures above it."""
    rows = _rows(plan, palette)
    if titled:
        yield [(sanitise_line(plan.plan_id, 60), "bold"), (f"  {done_words([plan])}".rstrip(), MUTED)]
        rows = ([("  ", ""), *row] for row in rows)
    yield from rows


def _rows(plan: Plan, palette: Palette) -> Iterator[list[Styled]]:
    yield from _steps(plan.entries)
    if plan.content:
        cut = len(plan.content) - TEXT_LIMIT
        yield from _typeset(sanitise(plan.content[:TEXT_LIMIT]).strip("\n"), palette)
        if cut > 0:
            yield [(f"… {counted(cut, 'more character')}", MUTED)]
    if plan.uri:
        yield [(sanitise_line(plan.uri), MUTED)]
    if plan.type not in plan.known:
        yield [(f"Unknown plan type: {sanitise_line(plan.type, 40)}", MUTED)]


def _typeset(text: str, palette: Palette) -> Iterator[list[Styled]]:
    markdown = late("acp_tui.ui.render.markdown")
    for number, piece in enumerate(pieces_of(text)):
        if number and not piece.joined:
            yield [("", "")]
        indent: Styled = (" " * piece.indent, "")
        if piece.code:
            yield from ([indent, (f"  {line}", MUTED)] for line in piece.lines)
            continue
        for line in markdown.lines_of(piece, palette, palette.text, WIDTH):
            yield [indent, *((run, Style.from_rich_style(style)) for run, style in (*line.gutter, *line.runs))]


def _steps(entries: Sequence[PlanEntry]) -> Iterator[list[Styled]]:
    at_hand = next((index for index, entry in enumerate(entries) if entry.status == "in_progress"), 0)
    first = max(0, min(at_hand - MOST_STEPS // 2, len(entries) - MOST_STEPS))
    if first:
        yield [(f"… {counted(first, 'earlier step')}", MUTED)]
    yield from map(_step, entries[first : first + MOST_STEPS])
    if (later := len(entries) - first - MOST_STEPS) > 0:
        yield [(f"… {counted(later, 'later step')}", MUTED)]


def _step(entry: PlanEntry) -> list[Styled]:
    sign = SIGNS.get(entry.status, SIGNS["pending"])
    tone = {"completed": MUTED, "cancelled": f"{MUTED} strike", "in_progress": "bold"}.get(entry.status, "")
    ink = {"completed": "$success", "in_progress": AGENT}.get(entry.status, MUTED)
    row: list[Styled] = [(f"{sign} ", ink), (sanitise_line(entry.content, STEP_LIMIT), tone)]
    if entry.priority == "high" and entry.status not in FINISHED:
        row.append(("  ! high", "$warning"))
    if entry.status not in SIGNS:
        row.append((f"  {sanitise_line(entry.status, 30)}", MUTED))
    return row
