"""Killing and yanking in the prompt, where a chip goes as one and comes back with what it stands for."""

from textual.widgets import TextArea

from acp_tui.ui.editing.kill_ring import Piece
from acp_tui.ui.editing.killing import AreaKilling
from acp_tui.ui.prompt.draft import Chips


class PromptKilling(AreaKilling):
    """In an editor with chips."""

    def __init__(self, area: TextArea, chips: Chips) -> None:
        super().__init__(area)
        self._chips = chips

    def _whole(self, start: int, end: int) -> tuple[int, int]:
        return self._chips.whole(self._field.text, start, end)

    def _piece(self, text: str) -> Piece:
        return self._chips.piece(text)

    def _restored(self, piece: Piece) -> str:
        return self._chips.restore(piece)
