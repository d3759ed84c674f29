"""The transcript's scrollbar: the cells of Textual's, from strips that are held."""

from typing import Any

from rich.segment import Segment, Segments
from textual.geometry import Region
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip


class HeldCells:
    """Paints a vertical scrollbar of one column.

    Textual renders all of it through a console wherever the thumb moved, which is with each frame of an answer that
    scrolls: 0.54 ms for 27 rows. Of the four or five cells that differ in a bar each is made once here: 0.08 ms.
    """

    def __init__(self, bar: ScrollBar) -> None:
        self._bar = bar
        self._key: tuple[Any, ...] = ()
        self._strips: list[Strip] | None = []

    def render_lines(self, crop: Region) -> list[Strip]:
        """In place of the widget's own; whatever is not as it is known here is painted by the widget."""
        strips = self._look() if crop.column_span == (0, 1) else None
        return type(self._bar).render_lines(self._bar, crop) if strips is None else strips[crop.y : crop.bottom]

    def refresh(self) -> None:
        """Have the cells painted that differ from what was painted, once size or place is another."""
        before, after = self._strips, self._look()
        if before is None or after is None or len(before) != len(after):
            self._bar.refresh()
        elif changed := [Region(0, y, 1, 1) for y in range(len(after)) if before[y] != after[y]]:
            self._bar.refresh(*changed)

    def _look(self) -> list[Strip] | None:
        """A strip for each row as the bar is now; None where it is not as it is known here."""
        bar = self._bar
        rendered = bar.render()
        if not isinstance(rendered, ScrollBarRender) or bar.size.width != 1:
            return None
        shape = (bar.size.height, rendered.virtual_size, rendered.window_size, rendered.position)
        look = (rendered.style, bar.visual_style.rich_style, bar.background_colors[1], tuple(bar.get_line_filters()))
        if (shape, look) != self._key:
            self._key = (shape, look)
            self._strips = self._paint(rendered)
        return self._strips

    def _paint(self, rendered: ScrollBarRender) -> list[Strip] | None:
        bar = self._bar
        options = bar.app.console_options.update(width=1, height=bar.size.height)
        made = list(rendered.__rich_console__(bar.app.console, options))
        if len(made) != 1 or not isinstance(made[0], Segments):  # another Textual
            return None
        base, background = bar.visual_style.rich_style, bar.background_colors[1]
        cells: dict[int, Strip] = {}  # rows that look alike share a segment
        segments = made[0].segments[: bar.size.height]
        for segment in segments:
            if id(segment) not in cells:
                strip = Strip([Segment(segment.text, base + segment.style if segment.style else base)], 1)
                for line_filter in bar.get_line_filters():
                    strip = strip.apply_filter(line_filter, background)
                cells[id(segment)] = strip
        return [cells[id(segment)] for segment in segments]
