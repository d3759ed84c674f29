"""Chips as vim's keys see them: one character each, so that every motion and operator takes them whole."""

import re
from collections.abc import Collection
from itertools import count

from acp_tui.ui.prompt.vim.places import PIECES

_PIECE = re.compile(f"[{chr(PIECES[0])}-{chr(PIECES[-1])}]")


class Pieces:
    """Which character stands for which label; a label keeps its own."""

    def __init__(self) -> None:
        self._signs: dict[str, str] = {}  # by labels
        self._labels: dict[str, str] = {}  # by signs
        self._free = map(chr, count(PIECES[0]))

    def shrink(self, text: str, at: int, labels: Collection[str]) -> tuple[str, int]:
        """The text with a character for each of the labels, and where the cursor is in it.

        A text that has such characters itself stays as it is.
        """
        if not labels or _PIECE.search(text):
            return text, at
        for label in labels:
            if label not in self._signs:
                self._signs[label] = sign = next(self._free)
                self._labels[sign] = label
        label_in = re.compile("|".join(map(re.escape, labels)))
        before = at
        for found in label_in.finditer(text):
            if found.start() < before:
                at -= min(before, found.end()) - found.start() - (before >= found.end())
        return label_in.sub(lambda found: self._signs[found[0]], text), at

    def grow(self, text: str) -> str:
        """The text with the labels in their places again."""
        return _PIECE.sub(lambda found: self._labels.get(found[0], found[0]), text)
