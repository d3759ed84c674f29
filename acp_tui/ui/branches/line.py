"""What stands above the prompt while an earlier message is edited: how the conversation goes on once it is sent."""

from collections.abc import Sequence

from textual.content import Content
from textual.widgets import Static

from acp_tui.frozen import Frozen
from acp_tui.ui.kit.hints import Hint, key_hints
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.render.text import sanitise

MOST_LINES = 3  # of what is told between title and keys; a narrow screen has few rows


class Told(Frozen):
    """A title, sentences below it, and the keys."""

    title: str
    about: str
    hints: Sequence[Hint]


class BranchLine(Static):
    """A few rows in the prompt's own place, so that they go where it goes."""

    DEFAULT_CSS = """
    BranchLine { display: none; height: auto; margin: 0 0 1 0; }
    .-short BranchLine { margin: 0; }
    """

    def __init__(self) -> None:
        super().__init__(id="branch")
        self._told: Told | None = None

    def show(self, told: Told | None) -> None:
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
    about = Content(sanitise(told.about)).wrap(width)
    if len(about) > MOST_LINES:
        about = [*about[: MOST_LINES - 1], about[MOST_LINES - 1].truncate(width - 1) + Content("…")]
    title = Content.styled(told.title, f"{ACCENT} bold").truncate(width, ellipsis=True)
    return Content("\n").join([title, *(row.stylize(MUTED) for row in about), key_hints(told.hints, width)])
