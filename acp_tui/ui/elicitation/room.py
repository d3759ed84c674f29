"""How many rows a docked panel may take; must not know what it shows."""

from textual.widget import Widget

LEAST = 7  # rows, however small the screen is


def rows_for(panel: Widget) -> int:
    """What the panel's neighbours leave of the screen, but not all of that: some of the transcript stays."""
    height = panel.app.size.height
    siblings = panel.parent.children if isinstance(panel.parent, Widget) else ()
    taken = sum(other.outer_size.height for other in siblings if other is not panel and other.display)
    return max(LEAST, min(height * 2 // 3, height * 4 // 5 - taken - 1))
