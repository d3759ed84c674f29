"""The transcript's scrollbar: the cells of Textual's, from strips that are held."""

from typing import Any, cast

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
        self._strips: list[Strip] = []

    def render_lines(self, crop: Region) -> list[Strip]:
        """In place of the widget's own; whatever is not as it is known here is painted by the widget."""
        bar = self._bar
        rendered = bar.render()
        if not isinstance(rendered, ScrollBarRender) or bar.size.width != 1 or crop.column_span != (0, 1):
            return type(bar).render_lines(bar, crop)
        self._look(rendered)
        return self._strips[crop.y : crop.bottom]

    def refresh(self) -> None:
        """Have the cells painted that differ from what was painted, once size or place is another."""
        bar = self._bar
        rendered = bar.render()
        if not isinstance(rendered, ScrollBarRender) or bar.size.width != 1:
            bar.refresh()
            return
        before = self._strips
        self._look(rendered)
        after = self._strips
        if len(before) != len(after):
            bar.refresh()
        elif changed := [Region(0, y, 1, 1) for y in range(len(after)) if before[y] != after[y]]:
            bar.refresh(*changed)

    def _look(self, rendered: ScrollBarRender) -> None:
        bar = self._bar
        shape = (bar.size.height, rendered.virtual_size, rendered.window_size, rendered.position)
        look = (rendered.style, bar.visual_style.rich_style, bar.background_colors[1], tuple(bar.get_line_filters()))
        if (shape, look) != self._key:
            self._key = (shape, look)
            self._strips = self._paint(rendered)

    def _paint(self, rendered: ScrollBarRender) -> list[Strip]:
        bar = self._bar
        base, background = bar.visual_style.rich_style, bar.background_colors[1]
        cells: dict[int, Strip] = {}  # rows that look alike share a segment
        options = bar.app.console_options.update(width=1, height=bar.size.height)
        (made,) = rendered.__rich_console__(bar.app.console, options)
        segments = cast("Segments", made).segments[: bar.size.height]
        for segment in segments:
            if id(segment) not in cells:
                strip = Strip([Segment(segment.text, base + segment.style if segment.style else base)], 1)
                for line_filter in bar.get_line_filters():
                    strip = strip.apply_filter(line_filter, background)
                cells[id(segment)] = strip
        return [cells[id(segment)] for segment in segments]
