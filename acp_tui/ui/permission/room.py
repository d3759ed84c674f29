"""How much of the screen a docked panel may take; must not know what is in it."""

from collections.abc import Iterable

from textual.widget import Widget

LEAST_SHARE = 6  # rows of the whole panel
LEAST_TRANSCRIPT = 8  # one part in so many of the screen


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


LEAST = 7  # rows, however small the screen is


def rows_for(panel: Widget) -> int:
    """What the panel's neighbours leave of the screen, but not all of that: some of the transcript stays."""
    height = panel.app.size.height
    siblings = panel.parent.children if isinstance(panel.parent, Widget) else ()
    taken = sum(other.outer_size.height for other in siblings if other is not panel and other.display)
    return max(LEAST, min(height * 2 // 3, height * 4 // 5 - taken - 1))
