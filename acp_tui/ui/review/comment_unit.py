"""How a comment is drawn below its line."""

from collections.abc import Sequence

from acp_tui.ui.entries.shared_units import FixedUnit
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise
from acp_tui.ui.render.unit import Row
from acp_tui.ui.render.wrap import Line, Run, expand_tabs, row_edge, rows_of
from acp_tui.ui.review.comments import Comment

INDENT = 2
BAR = "▌"


class CommentUnit(FixedUnit):
    """The user's words behind the user's bar, and before them what the line above does not tell."""

    def __init__(self, comment: Comment) -> None:
        self._comment = comment

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        wash = palette.user_background
        bar: list[Run] = [(" " * INDENT, palette.text), (BAR, palette.user + wash), (" ", wash)]
        texts = [expand_tabs(line) for line in sanitise(self._comment.text).strip("\n").split("\n")]
        lines: list[Line] = []
        for index, text in enumerate(texts):
            label = label_of(self._comment) if index == 0 else ""
            runs = [(f"{label}  ", palette.muted + wash)] if label else []
            lines.append(Line([*runs, (text, palette.text + wash)], bar, bar, wash, wide=True))
        return rows_of(lines, row_edge(width))


def label_of(comment: Comment) -> str:
    """`lines 3–5`, `draft`."""
    lines = f"lines {comment.first}–{comment.last}" if comment.first != comment.last else ""
    return " · ".join(filter(None, (lines, "draft" if comment.draft else "")))
