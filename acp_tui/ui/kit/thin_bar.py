"""The one look of scrollbars: a thin thumb on the ground of what it belongs to."""

from typing import Any

from rich.segment import Segment, Segments
from rich.style import Style
from textual.scrollbar import ScrollBarRender

THUMB = "┃"


class ThinBar(ScrollBarRender):
    """Textual's vertical bar with its thumb as a line of whole cells; where one may click is the same."""

    @classmethod
    def render_bar(cls, *args: Any, **how: Any) -> Segments:
        made = super().render_bar(*args, **how)
        if not how["vertical"]:
            return made
        thumb = Style(color=how["bar_color"], bgcolor=how["back_color"], meta={"@mouse.down": "grab"})
        line = Segment(THUMB * how["thickness"], thumb)  # one for all its rows: who paints them holds each cell once
        cells = [line if cell.style and cell.style.meta == thumb.meta else cell for cell in made.segments]
        return Segments(cells, new_lines=True)
