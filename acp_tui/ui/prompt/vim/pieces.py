"""Chips and emoji as vim's keys see them: one character each, so that every motion and operator takes them whole."""

import re
from collections.abc import Collection
from itertools import count

from acp_tui.ui.editing.emoji import EMOJI
from acp_tui.ui.prompt.vim.places import EMOJI_PIECES, PIECES

_PIECE = re.compile(f"[{chr(PIECES[0])}-{chr(PIECES[-1])}]")


class Pieces:
    """Which character stands for which label or emoji; each keeps its own."""

    def __init__(self) -> None:
        self._signs: dict[str, str] = {}  # by labels
        self._labels: dict[str, str] = {}  # by signs
        self._free, self._free_for_emoji = (map(chr, count(pieces[0])) for pieces in (PIECES, EMOJI_PIECES))

    def shrink(self, text: str, at: int, labels: Collection[str]) -> tuple[str, int]:
        """The text with a character for each of the labels and emoji, and where the cursor is in it.

        A text that has such characters itself stays as it is.
        """
        if (not labels and text.isascii()) or _PIECE.search(text):
            return text, at
        label_in = re.compile("|".join([*map(re.escape, labels), EMOJI.pattern]))
        before = at
        for found in label_in.finditer(text):
            if found.start() < before:
                at -= min(before, found.end()) - found.start() - (before >= found.end())
        return label_in.sub(lambda found: self._sign(found[0], found[0] in labels), text), at

    def _sign(self, label: str, is_chip: bool) -> str:
        if label not in self._signs:
            self._signs[label] = sign = next(self._free if is_chip else self._free_for_emoji)
            self._labels[sign] = label
        return self._signs[label]

    def grow(self, text: str) -> str:
        """The text with the labels in their places again."""
        return _PIECE.sub(lambda found: self._labels.get(found[0], found[0]), text)
