"""The docked panel that asks in the composer's place: its one line without the focus, its rows, its focus."""

from collections.abc import Iterable
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.containers import Vertical
from textual.content import Content
from textual.css.scalar import Unit
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from acp_tui.session.state import Session
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.kit.answer_rule import AnswerRule, Meaning
from acp_tui.ui.kit.key_routing import Typed, answer_keys_of
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.transcript.placed_scroll_view import columns_of
from acp_tui.views.status import PendingQuestion, asker_of

LOUD = "bold $warning"
LEAST_SHARE = 6  # rows of the whole panel
FEW_ROWS = 30  # of a screen; with more of them a panel takes no more than two thirds
MARGINS = 2  # rows above and below an open panel, where there are not few
ASKER_AT_MOST, ASKER_AT_LEAST = 60, 22  # cells of who asks
FEW_CELLS = 50  # of a row, below which it says no more than `1 of 3`
LOW = 14  # rows of a screen; up to so many there are no blank rows and no grey words


class DockedPanel(Vertical, can_focus=True):
    """Asks under the rule of answers while it is `opened`, which it is with the focus; else it is a single line."""

    DEFAULT_CSS = """
    DockedPanel { display: none; height: auto; margin: 0 1; background: $surface; border-left: outer $warning; }
    DockedPanel.-roomy { padding: 1 0 0 0; }
    DockedPanel.-banner { padding: 0; }
    DockedPanel.-vacant > * { visibility: hidden; }
    DockedPanel > .docked-row { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    ROOMY: ClassVar[int] = 20  # rows of the whole panel from which on it has blank rows
    ROOMY_SCREEN: ClassVar[int] = 25  # rows of a screen below which the panel has no blank rows
    LEAST_BESIDE: ClassVar[int] = 8  # one part in so many of the screen that stays for what stretches

    class Dismissed(Message):
        """The user wants the focus elsewhere, without answering."""

    def __init__(self, *parts: Widget, id: str) -> None:  # noqa: A002 (Textual's name)
        """`parts` stand between the heading and the keys."""
        self.rule = AnswerRule()
        self.opened = self._are_painted = False  # `_are_painted`: the answers, at all
        self._heading, self._hints = (Static(classes=f"docked-row docked-{part}") for part in ("heading", "hints"))
        self._fitted = Size()  # the cells of a row and the rows that there were
        super().__init__(self._heading, *parts, self._hints, id=id)

    @property
    def asked(self) -> object:
        """What is asked, by its identity; None where nothing is."""
        raise NotImplementedError

    def end(self) -> None:
        raise NotImplementedError

    def heading(self) -> Content:
        raise NotImplementedError

    def banner(self) -> Content:
        """All that is said without the focus."""
        raise NotImplementedError

    def fit(self, share: int) -> None:
        """Draw what stands between the heading and the keys, in so many rows with both, if the panel is open."""
        raise NotImplementedError

    def hints(self) -> Content:
        raise NotImplementedError

    def meaning(self, event: Typed) -> Meaning:
        """What a key or a paste is in this question."""
        raise NotImplementedError

    def move(self, step: int) -> bool | None:
        """Move the highlight; whether it is on an "always" answer now, or None if it did not move."""
        raise NotImplementedError

    def mark(self, event: events.Key | None) -> None:
        """Show which answer stands unless something follows, or none."""

    def on_mount(self) -> None:
        """What its neighbours take of the screen is the panel's business."""
        self.screen.screen_layout_refresh_signal.subscribe(self, lambda _: self.laid_out())

    def laid_out(self) -> None:
        """Everything on the screen has its place: fit into what is left there."""
        if self.opened and self.asked is not None and self._fitted != Size(cells_of(self), share_of(self)):
            self.draw()

    def present(self, *, anew: bool, take_focus: bool) -> None:
        """Show what is asked; what is asked `anew` is open if it gets the focus, or has it already."""
        self.display = True
        if anew:
            self.rule.forget()
            self.opened, self._are_painted = take_focus or self.has_focus_within, False
            self.await_paint()
        if take_focus:
            self.take_focus()
        else:
            self.draw()

    def deliver(self, answer: Message) -> None:
        self.post_message(answer)

    def draw(self) -> None:
        if self.asked is None:
            return
        self._fitted = Size(cells_of(self), share_of(self))
        self.set_class(not self.opened, "-banner")
        self.set_class(self.opened and self.is_roomy, "-roomy")
        self._hints.display = self.opened
        self.fit(self._fitted.height)
        self._heading.update(self.heading() if self.opened else self.banner(), layout=False)
        self.show_hints()

    @property
    def is_roomy(self) -> bool:
        """Whether there are rows to be left blank."""
        return self._fitted.height >= self.ROOMY and self.app.size.height >= self.ROOMY_SCREEN

    def show_hints(self) -> None:
        """The hints come with what they act on."""
        self._hints.update(self.hints() if self._are_painted else "", layout=False)

    def await_paint(self) -> None:
        """What is asked, or where the answers stand, has changed: they count from when that is painted."""
        self.rule.await_paint()
        self.call_after_refresh(self.painted)

    def painted(self) -> None:
        if self.opened:
            self.rule.paint(answer_keys_of(self.app).clock.now())
        if not self._are_painted:
            self._are_painted = True
            self.call_later(self.show_hints)

    def click_counts(self) -> bool:
        return answer_keys_of(self.app).click_counts(self.rule)

    def take_focus(self) -> None:
        """Open, with the focus. Textual hands that of what is being hidden around: a panel that asks nothing stays."""
        if self.asked is None:
            return
        moves = not self.opened or not self.has_focus_within
        self.opened = True
        if not self.has_focus_within:
            self.screen.set_focus(self)  # at once: the rows that are its own then count
        self.draw()
        if moves:
            self.await_paint()

    def on_focus(self) -> None:
        if self.has_focus_within:  # else the event is late: Escape has moved the focus since
            self.take_focus()

    def on_click(self) -> None:
        if not self.has_focus_within:
            self.take_focus()

    def leave(self) -> bool:
        """Step back, as Esc asks for; whether that is all that Esc does."""
        if self.asked is not None and self.opened:
            self.step_back()
        return self.asked is not None

    def step_back(self) -> None:
        self.let_go()
        self.post_message(self.Dismissed())

    def let_go(self) -> None:
        """Be open no more, at once: keys that follow are no answers."""
        self.opened = False
        self.screen.set_focus(None)

    def fold(self) -> None:
        """Be a single line: the focus is elsewhere. What was entered is kept."""
        if not self.has_class("-banner"):
            self.opened = False
            self.rule.forget()
            self.draw()

    def put_away(self) -> None:
        self.opened = self.display = False
        self.rule.forget()
        self.end()

    def vacate(self) -> None:
        """Nothing is asked any more, but the place stays."""
        self.add_class("-vacant")
        self.rule.forget()
        self.end()


def count(waiting: int, width: int = FEW_CELLS) -> Content:
    """Which of several questions this is, in a row of so many cells."""
    words = f"  1 of {waiting}{' waiting' if width >= FEW_CELLS else ''}"
    return Content.styled(words if waiting > 1 else "", MUTED)


def banner(agent: str, waiting: int, asked: str, needs: str = "an answer") -> Content:
    """All that a panel without the focus says: who needs what, how to get there, and what is asked."""
    name = sanitise_line(agent, 60) or "The agent"
    said = (f"△ {name} needs {needs} ({first_way('answer_permission')})", LOUD)
    return Content.assemble(said, count(waiting), (f"  {sanitise_line(asked, 200)}", "$foreground"))


def asker(asked: PendingQuestion, session: Session, room: int = ASKER_AT_MOST) -> str:
    """The subagent that asks, in at most `room` cells, or so many that it is still told which one."""
    words = asker_of(asked, session)
    most = min(ASKER_AT_MOST, max(ASKER_AT_LEAST, room))
    return words if cell_len(words) <= most else f'{cut(words, most - 1)}"'


def room_for_name(width: int, waiting: int) -> int:
    """The cells that are left in a row for who asks, beside what is said of it and how to get there."""
    return width - len("△  needs an answer ()") - cell_len(first_way("answer_permission")) - count(waiting).cell_length


def cells_of(panel: Widget) -> int:
    """The cells in a row of the panel, before it was ever laid out."""
    return columns_of(panel) - panel.styles.gutter.width - panel.styles.margin.width


def share_of(panel: DockedPanel) -> int:
    """How many rows the panel may take: what its neighbours leave of the screen, where that is high not all of it."""
    height = panel.app.size.height
    left = rows_left(panel, height // panel.LEAST_BESIDE)
    return max(LEAST_SHARE, left if height < FEW_ROWS else min(height * 2 // 3, left - MARGINS))


def rows_left(panel: Widget, least: int) -> int:
    """The rows of the screen that nothing beside the panel needs; what stretches keeps `least` of them.

    Siblings count with the rows that they are given, else with those that they had when they were last laid out.
    """
    left = panel.screen.size.height
    inner = panel
    while isinstance(parent := inner.parent, Widget):
        left -= parent.gutter.height + _rows_of(parent.children, inner, least)
        inner = parent
    return left


def _rows_of(children: Iterable[Widget], inner: Widget, least: int) -> int:
    """The rows of what is laid out together with `inner`, without its own; margins that meet are one."""
    rows = gap = 0
    for child in children:
        if child is not inner and child.display and child.layer == inner.layer and child.styles.dock == "none":
            rows += max(gap, child.styles.margin.top) + _height_of(child, least)
            gap = child.styles.margin.bottom
    return rows + gap


def _height_of(child: Widget, least: int) -> int:
    height = child.styles.height
    if height is not None and height.is_fraction:
        return least
    return int(height.value) if height is not None and height.unit is Unit.CELLS else child.outer_size.height
