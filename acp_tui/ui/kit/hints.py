"""Which keys do something now, told the same way everywhere: the key louder than what it does."""

from collections.abc import Iterable, Sequence

from textual.content import Content
from textual.widgets import Static

from acp_tui.ui.kit.theme import KEY, MUTED

GAP = 2  # cells between two hints
Hint = tuple[str, str]  # a key, and what it does
MOVE, SCROLL, CLOSE = ("↑↓", "move"), ("↑↓", "scroll"), ("esc", "close")


def turning(layout: str) -> Hint:
    """The key that shows a diff in the other layout."""
    return ("s", "unified" if layout == "split" else "side by side")


def fitting(hints: Sequence[Hint], room: int, dispensable: Iterable[Hint]) -> list[Hint]:
    """The hints that fit in `room` cells: those that are `dispensable` go first, one by one, in that order."""
    kept = list(hints)
    for hint in dispensable:
        if key_hints(kept).cell_length <= room:
            break
        if hint in kept:
            kept.remove(hint)
    return kept


def key_hints(hints: Iterable[Hint], room: int | None = None) -> Content:
    """`y copy  esc close` in one row; with a `room` (cells) as many as it holds, the first ones."""
    line = Content("")
    for key, word in hints:
        gap = " " * GAP if line.cell_length else ""
        longer = Content.assemble(line, gap, (key, KEY), (f" {word}", MUTED))
        if room is not None and longer.cell_length > room:
            break
        line = longer
    return line


class HintLine(Static):
    """A row of hints. Where it is too short, those before the last one go first: that tells how to leave."""

    def __init__(self, hints: Sequence[Hint] = (), *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._hints = hints

    def show(self, hints: Sequence[Hint]) -> None:
        self._hints = hints
        self.update(key_hints(fitting(hints, self.size.width, reversed(hints[:-1]))), layout=False)

    def on_resize(self) -> None:
        self.show(self._hints)
