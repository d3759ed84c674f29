"""The line that offers to keep the options that the user chose, and the keys that answer."""

from textual.content import Content
from textual.widgets import Static

from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.kit.theme import KEY, MUTED
from acp_tui.ui.render.text import cut


class OfferLine(Static):
    """One row above the status line."""

    DEFAULT_CSS = """
    OfferLine { display: none; height: 1; padding: 0 3; margin: 1 0 0 0; }
    """

    def __init__(self) -> None:
        super().__init__(id="offer")
        self._words = ""

    def show(self, words: str) -> None:
        self._words = words
        self.display = bool(words)
        self._paint()

    def on_resize(self) -> None:
        self._paint()

    def _paint(self) -> None:
        keys = ((first_way("keep_choices"), " keep · "), (first_way("decline_choices"), " do not"))
        hint = Content.assemble(*(part for key, word in keys for part in ((key, KEY), (word, MUTED))))
        words = Content(cut(self._words, max(8, self.size.width - hint.cell_length - 2)))
        gap = " " * max(1, self.size.width - words.cell_length - hint.cell_length)
        self.update(Content.assemble(words, gap, hint))
