"""What stands above the prompt while an earlier message is edited: how the conversation goes on once it is sent."""

from collections.abc import Sequence

from textual.content import Content
from textual.widgets import Static

from acp_tui.frozen import Frozen
from acp_tui.ui.kit.hints import Hint, key_hints
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.render.text import sanitise_line

SEPARATOR = " · "


class Told(Frozen):
    """A title, what must be known below it, one idea each, and the keys."""

    title: str
    about: Sequence[str]
    hints: Sequence[Hint]


class BranchLine(Static):
    """A few rows in the prompt's own place, so that they go where it goes."""

    DEFAULT_CSS = "BranchLine { display: none; height: auto; margin: 0 0 1 0; }"

    def __init__(self) -> None:
        super().__init__(id="branch")
        self._told: Told | None = None

    def show(self, told: Told | None) -> None:
        if told != self._told:
            self._told, self.display = told, told is not None
            self._paint()

    def on_resize(self) -> None:
        self._paint()

    def _paint(self) -> None:
        width = self.size.width
        if self._told is not None and width:
            self.update(rows_of(self._told, width))


def rows_of(told: Told, width: int) -> Content:
    """The rows, in so many cells."""
    about = [Content.styled(sanitise_line(row, width), MUTED) for row in packed(told.about, width)]
    title = Content.styled(told.title, f"{ACCENT} bold").truncate(width, ellipsis=True)
    return Content("\n").join([title, *about, key_hints(told.hints, width)])


def packed(ideas: Sequence[str], width: int) -> list[str]:
    """The ideas in as few rows as they need; none goes over two rows."""
    rows: list[str] = []
    for idea in ideas:
        if rows and len(rows[-1] + SEPARATOR + idea) <= width:
            rows[-1] += SEPARATOR + idea
        else:
            rows.append(idea)
    return rows
