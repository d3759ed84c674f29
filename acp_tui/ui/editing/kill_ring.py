"""What was deleted by keys that keep it, as readline has it: one ring for all fields of the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from acp_tui.frozen import Frozen

if TYPE_CHECKING:
    from textual.app import App

    from acp_tui.protocol.vocabulary.content import ContentBlock

MOST = 30  # pieces; the oldest goes


class Piece(Frozen):
    """A text, and what the labels in it stand for: pastes and attachments."""

    text: str
    held: Mapping[str, str | ContentBlock] = field(default_factory=dict)

    def __add__(self, other: Piece) -> Piece:
        return Piece(self.text + other.text, {**self.held, **other.held})


class KillRing:
    """Pieces, the newest last."""

    def __init__(self) -> None:
        self._pieces: list[Piece] = []
        self._left: object = None
        self._back = 0  # how many pieces before the newest the last yank took

    def kill(self, piece: Piece, found: object, left: object, *, backward: bool) -> None:
        """Keep what was deleted. `found` and `left` are the field, its text and the cursor before and after it.

        Where nothing has changed since the last kill, both are one piece, in the order in which they stood.
        """
        if self._pieces and found == self._left:
            last = self._pieces.pop()
            piece = piece + last if backward else last + piece
        self._pieces = [*self._pieces, piece][-MOST:]
        self._left, self._back = left, 0

    def yank(self) -> Piece | None:
        """The newest piece."""
        self._back = 0
        return self._pieces[-1] if self._pieces else None

    def older(self) -> Piece | None:
        """The piece before the one that was yanked last, and after the oldest the newest again."""
        self._back = (self._back + 1) % max(1, len(self._pieces))
        return self._pieces[-1 - self._back] if self._pieces else None


_rings: WeakKeyDictionary[App[object], KillRing] = WeakKeyDictionary()


def ring_of(app: App[object]) -> KillRing:
    return _rings.setdefault(app, KillRing())
