"""What the docked panels that ask have in common: their one line without the focus, and their part of the screen."""

from collections.abc import Iterable

from textual.content import Content
from textual.widget import Widget

from acp_tui.ui.commands.key_table import ways_to
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.render.text import sanitise_line

LOUD = "bold $warning"
LEAST_SHARE = 6  # rows of the whole panel
LEAST_FORM = 7
LEAST_TRANSCRIPT = 8  # one part in so many of the screen


def count(waiting: int) -> Content:
    """Which of several questions this is."""
    return Content.styled(f"  1 of {waiting} waiting" if waiting > 1 else "", MUTED)


def banner(agent: str, waiting: int, asked: str) -> Content:
    """All that a panel without the focus says: who waits, how to get there, and what is asked."""
    name = sanitise_line(agent, 30) or "agent"
    said = (f"△ {name} waits — {ways_to('answer_permission')}", LOUD)
    return Content.assemble(said, count(waiting), (f"  {sanitise_line(asked, 200)}", "$foreground"))


def cells_of(panel: Widget) -> int:
    """The cells in a row of the panel, before it was ever laid out."""
    return panel.app.size.width - panel.styles.gutter.width - panel.styles.margin.width


def share_of(panel: Widget) -> int:
    """How many rows the panel may take: what its neighbours leave of the screen, but not all of that."""
    height = panel.app.size.height
    return max(LEAST_SHARE, min(height * 2 // 3, rows_left(panel, height // LEAST_TRANSCRIPT)))


def rows_left(panel: Widget, least: int) -> int:
    """The rows of the screen that nothing beside the panel needs; what stretches keeps `least` of them.

    Siblings count with the rows that they had when they were last laid out.
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
        if child.display and child.layer == inner.layer and child.styles.dock == "none":
            height = child.styles.height
            rows += max(gap, child.styles.margin.top)
            gap = child.styles.margin.bottom
            if child is not inner:
                rows += least if height is not None and height.is_fraction else child.outer_size.height
    return rows + gap


def rows_for(panel: Widget) -> int:
    """How many rows a panel with a form may take: of the screen a fifth is left to the transcript."""
    height = panel.app.size.height
    siblings = panel.parent.children if isinstance(panel.parent, Widget) else ()
    taken = sum(other.outer_size.height for other in siblings if other is not panel and other.display)
    return max(LEAST_FORM, min(height * 2 // 3, height * 4 // 5 - taken - 1))
