"""Many rows of one line each, of which those on the screen are drawn; must not know what the rows stand for.

Textual's OptionList measures every option and lays the screen out anew whenever they change, which with hundreds of
them takes longer than a frame for every key. Here nothing is measured and nothing is laid out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.strip import Strip
from textual.visual import Visual
from textual.widget import Widget

from acp_tui.ui.tones import MUTED

TRACK, THUMB = Content.styled(" │", f"{MUTED} 30%"), Content.styled(" ┃", MUTED)


@dataclass(frozen=True, slots=True)
class ListRow:
    """A row: its words when they are asked for, and whether it can be chosen; headings cannot."""

    draw: Callable[[], Content]
    choosable: bool = True


class RowList(Widget, can_focus=False):
    """One row is highlighted. The wheel scrolls, a click chooses; keys are the business of who has the focus."""

    COMPONENT_CLASSES = {"row-list--highlighted"}
    DEFAULT_CSS = """
    RowList { height: auto; }
    RowList > .row-list--highlighted { background: $primary 25%; color: $foreground; }
    """

    @dataclass
    class Chosen(Message):
        """The row of this index was clicked."""

        index: int

    def __init__(self) -> None:
        super().__init__()
        self.rows: Sequence[ListRow] = ()
        self.highlighted: int | None = None
        self._top = 0
        self._shown = False
        self._strips: dict[tuple[ListRow, int, bool], Strip] = {}
        self._bars: dict[bool, Strip] = {}

    def fill(self, rows: Sequence[ListRow], highlighted: int | None = None) -> None:
        """Show other rows; without a wish the first that can be chosen is highlighted."""
        self.rows = rows
        self._top = 0
        if highlighted is None:
            highlighted = next((index for index, row in enumerate(rows) if row.choosable), None)
        self.highlight(highlighted)

    def highlight(self, index: int | None) -> None:
        """Highlight a row and bring it into view, with the heading above it."""
        self.highlighted = index
        self._show()
        self.refresh()

    def move(self, step: int) -> None:
        """Highlight the next row that can be chosen; the ends meet."""
        choices = [index for index, row in enumerate(self.rows) if row.choosable]
        if choices:
            at = choices.index(self.highlighted) if self.highlighted in choices else -1
            self.highlight(choices[(at + step) % len(choices)])

    def page(self, step: int) -> None:
        """Highlight a row one page away, or the last one that there is."""
        choices = [index for index, row in enumerate(self.rows) if row.choosable]
        target = (self.highlighted or 0) + step * max(1, self.size.height - 1)
        if choices:
            self.highlight(min(choices, key=lambda index: abs(index - target)))

    def render_line(self, y: int) -> Strip:
        """A row, and at its end where in the list it stands if there are more than fit."""
        index, width, height = self._top + y, self.size.width, self.size.height
        over = len(self.rows) > height
        room = max(1, width - 2 * over)
        strip = self._strip(index, room) if index < len(self.rows) else Strip.blank(room, self.rich_style)
        if not over:
            return strip
        thumb = max(1, height * height // len(self.rows))
        start = round(self._top * (height - thumb) / (len(self.rows) - height))
        return Strip.join([strip, self._bar(within=start <= y < start + thumb)])

    def notify_style_update(self) -> None:
        """Other colours: what was drawn in the old ones is dropped."""
        self._strips.clear()
        self._bars.clear()
        super().notify_style_update()

    def on_resize(self) -> None:
        """Another height shows more or less."""
        self._show()
        self.refresh()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll, without another highlight."""
        self._scroll(event, 3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The same, up."""
        self._scroll(event, -3)

    def on_click(self, event: events.Click) -> None:
        """Choose the row under the pointer."""
        index = self._top + event.y
        if index < len(self.rows) and self.rows[index].choosable:
            event.stop()
            self.highlight(index)
            self.post_message(self.Chosen(index))

    def _scroll(self, event: events.MouseEvent, by: int) -> None:
        event.stop()
        self._top = max(0, min(len(self.rows) - self.size.height, self._top + by))
        self.refresh()

    def _show(self) -> None:
        height, index = self.size.height, self.highlighted
        if not height or index is None:
            return
        if not self._shown:  # where it begins, rows on both sides are of interest
            self._shown, self._top = True, index - height // 2
        above = index - 1 if index and not self.rows[index - 1].choosable else index
        self._top = max(0, min(above, max(self._top, index - height + 1), len(self.rows) - height))

    def _strip(self, index: int, width: int) -> Strip:
        row, lit = self.rows[index], index == self.highlighted
        key = row, width, lit
        if key not in self._strips:
            self._strips[key] = self._drawn(Content(" ") + row.draw(), width, lit=lit)
        return self._strips[key]

    def _bar(self, *, within: bool) -> Strip:
        if within not in self._bars:
            self._bars[within] = self._drawn(THUMB if within else TRACK, 2)
        return self._bars[within]

    def _drawn(self, content: Content, width: int, *, lit: bool = False) -> Strip:
        style = self.get_visual_style("row-list--highlighted") if lit else self.visual_style
        short = content if content.cell_length <= width else content.truncate(width, ellipsis=True)
        return Visual.to_strips(self, short, width, 1, style, pad=True)[0]
