"""What one command of vim's changed, undone and done again as one: TextArea's history parts it by letters and time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import TextArea

if TYPE_CHECKING:
    from textual.widgets.text_area import Edit


class Changes:
    """The changes of one text, by the batches of edits that the history of the area has."""

    def __init__(self, area: TextArea) -> None:
        self._area = area
        self._joined: list[list[Edit]] = []  # batches that belong to the one before them
        self._last: list[Edit] | None = None
        self.begin()

    def begin(self) -> None:
        """What is edited from now on is another change."""
        self._last = next(reversed(self._area.history.undo_stack), None)
        self._area.history.checkpoint()

    def end(self) -> None:
        """What was edited since then is one change."""
        history = self._area.history
        batches = history.undo_stack
        first = next((at + 1 for at, batch in enumerate(batches) if batch is self._last), 0)
        known = [*batches, *history.redo_stack]
        self._joined = [each for each in known if self._is_joined(each)] + batches[first + 1 :]

    def undo(self) -> None:
        while batches := self._area.history.undo_stack:
            self._area.undo()
            if not self._is_joined(batches[-1]):
                break

    def redo(self) -> None:
        while self._area.history.redo_stack:
            self._area.redo()
            left = self._area.history.redo_stack
            if not left or not self._is_joined(left[-1]):
                break

    def _is_joined(self, batch: list[Edit]) -> bool:
        return any(batch is each for each in self._joined)
