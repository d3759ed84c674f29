"""The rows above the prompt that say what taking back waits for, and what the agent will be told."""

from collections.abc import Callable, Sequence

from textual import events
from textual.content import Content
from textual.widgets import Static

from acp_tui.frozen import Frozen
from acp_tui.ui.kit.hints import Hint, key_hints
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.render.text import cut, sanitise_line

GAP = 2  # cells before the key
LEAST = 20  # cells of the words beside the key


class Said(Frozen):
    """A row: its words, the key that takes it away with what it does, and what a click does."""

    words: str
    hint: Hint
    action: Callable[[], object]
    ink: str = MUTED


class TakeBackLine(Static):
    """One row for each thing that is said."""

    DEFAULT_CSS = """
    TakeBackLine { display: none; height: auto; margin: 0 0 1 0; }
    .-short TakeBackLine { margin: 0; }
    """

    def __init__(self) -> None:
        super().__init__(id="take-back")
        self.said: Sequence[Said] = ()

    def show(self, said: Sequence[Said]) -> None:
        if said != self.said:
            self.said, self.display = said, bool(said)
            self._paint()

    @property
    def is_seen(self) -> bool:
        """Whether it has a place; a question may have that of the prompt."""
        return all(node.display for node in self.ancestors_with_self)

    def on_resize(self) -> None:
        self._paint()

    def on_click(self, event: events.Click) -> None:
        if event.y < len(self.said):
            event.stop()
            self.said[event.y].action()

    def _paint(self) -> None:
        if self.said and self.size.width:
            self.update(Content("\n").join(row_of(each, self.size.width) for each in self.said))


def row_of(said: Said, width: int) -> Content:
    """The words, cut where they leave no room for the key, which stands at the right."""
    hint = key_hints([said.hint] if said.hint[1] else [])
    if width - hint.cell_length - GAP < LEAST:
        hint = Content("")
    words = Content.styled(cut(sanitise_line(said.words, 400), width - hint.cell_length - GAP), said.ink)
    return Content.assemble(words, " " * max(1, width - words.cell_length - hint.cell_length), hint)
