"""What the panels that ask have in common: the composer's place, their one line without the focus, their rows."""

from collections.abc import Iterable

from rich.cells import cell_len
from textual.content import Content
from textual.css.scalar import Unit
from textual.widget import Widget

from acp_tui.session.state import Session
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.views.session_labels import PendingQuestion, asker_of

LOUD = "bold $warning"
LEAST_SHARE = 6  # rows of the whole panel
LEAST_TRANSCRIPT = 8  # one part in so many of the screen
FEW_ROWS = 30  # of a screen; with more of them a panel takes no more than two thirds
MARGINS = 2  # rows above and below an open panel, where there are not few
ASKER_AT_MOST, ASKER_AT_LEAST = 60, 22  # cells of who asks
ROOMY = 20  # rows of the whole panel from which on it has blank rows


def count(waiting: int) -> Content:
    """Which of several questions this is."""
    return Content.styled(f"  1 of {waiting} waiting" if waiting > 1 else "", MUTED)


def banner(agent: str, waiting: int, asked: str, needs: str = "an answer") -> Content:
    """All that a panel without the focus says: who needs what, how to get there, and what is asked."""
    name = sanitise_line(agent, 60) or "The agent"
    said = (f"△ {name} needs {needs} ({first_way('answer_permission')})", LOUD)
    return Content.assemble(said, count(waiting), (f"  {sanitise_line(asked, 200)}", "$foreground"))


def asker(asked: PendingQuestion, session: Session, room: int = ASKER_AT_MOST) -> str:
    """The subagent that asks, in at most `room` cells, or so many that it is still told which one."""
    words = asker_of(asked, session)
    most = min(ASKER_AT_MOST, max(ASKER_AT_LEAST, room))
    return words if cell_len(words) <= most else f"{cut(words, most - 1)}”"


def room_for_name(width: int, waiting: int) -> int:
    """The cells that are left in a row for who asks, beside what is said of it and how to get there."""
    return width - len("△  needs an answer ()") - cell_len(first_way("answer_permission")) - count(waiting).cell_length


def cells_of(panel: Widget) -> int:
    """The cells in a row of the panel, before it was ever laid out."""
    return panel.app.size.width - panel.styles.gutter.width - panel.styles.margin.width


def share_of(panel: Widget) -> int:
    """How many rows the panel may take: what its neighbours leave of the screen, where that is high not all of it."""
    height = panel.app.size.height
    left = rows_left(panel, height // LEAST_TRANSCRIPT)
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
