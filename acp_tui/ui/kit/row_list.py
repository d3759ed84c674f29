"""A list of many rows, of which only those on the screen are drawn.

Textual's OptionList measures every option and lays the screen out anew whenever they change, which with hundreds of
them takes longer than a frame for every key. Here nothing is measured, and nothing is laid out but a list whose height
the styles leave to its rows.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from textual import events
from textual.binding import Binding, BindingsMap
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.style import Style
from textual.visual import Visual
from textual.widget import Widget
from textual.widgets import Input

from acp_tui.ui.kit.line_editor import SafeInput
from acp_tui.ui.kit.session_view import say
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.kit.thin_bar import THUMB

Value = TypeVar("Value")
BAR, GROUND = Content.styled(f" {THUMB}", "$scrollbar"), Content("  ")
ROOMY = 30  # rows of a screen on which groups stand apart
STRIPS_KEPT = 2_000  # drawn lines; with more of them all are drawn anew


@dataclass(frozen=True, slots=True, eq=False)
class ListRow(Generic[Value]):
    """A row: draws its words for so many cells, in so many lines; what stands for no value cannot be chosen."""

    draw: Callable[[int], Content]
    value: Value | None = None
    lines: int = 1


class RowList(Widget, Generic[Value], can_focus=False):
    """One row is highlighted. The wheel scrolls, a click chooses; keys are the business of who has the focus."""

    COMPONENT_CLASSES = {"row-list--highlighted"}
    DEFAULT_CSS = """
    RowList { height: auto; }
    RowList > .row-list--highlighted { background: $primary 16%; color: $foreground; }
    RowList:ansi > .row-list--highlighted { background: ansi_default; }
    """

    @dataclass
    class Highlighted(Message):
        """Another row is highlighted, or the rows are others."""

    @dataclass
    class Chosen(Message):
        """The row with this value was chosen."""

        value: Any

    def __init__(self) -> None:
        super().__init__()
        self.rows: Sequence[ListRow[Value]] = ()
        self.highlighted: int | None = None
        self._lines: list[tuple[int, int]] = []  # of which row, and which of its lines
        self._top = 0
        self._shown = False
        self._strips: dict[tuple[ListRow[Value], int, bool], list[Strip]] = {}

    @property
    def value(self) -> Value | None:
        return self.rows[self.highlighted].value if self.highlighted is not None else None

    def fill(self, rows: Sequence[ListRow[Value]], highlighted: int | None = None) -> None:
        """Show other rows; without a wish from the top, with the highlight on the first that can be chosen."""
        if highlighted is None:
            self._top = 0
            highlighted = next((index for index, row in enumerate(rows) if row.value is not None), None)
        self.rows = rows
        before = len(self._lines)
        self._lines = [(index, line) for index, row in enumerate(rows) for line in range(row.lines)]
        if len(self._strips) > STRIPS_KEPT:
            self._strips.clear()
        if self.styles.is_auto_height and before != len(self._lines):
            self.refresh(layout=True)
        self.highlight(highlighted)

    def highlight(self, index: int | None) -> None:
        self.highlighted = index
        self._show()
        self.refresh()
        self.post_message(self.Highlighted())

    def move(self, step: int) -> None:
        choices = [index for index, row in enumerate(self.rows) if row.value is not None]
        if choices:
            at = choices.index(self.highlighted) if self.highlighted in choices else -1
            self.highlight(choices[(at + step) % len(choices)])

    def page(self, step: int) -> None:
        starts = [
            place for place, (index, line) in enumerate(self._lines) if line == 0 and self.rows[index].value is not None
        ]
        if starts:
            target = self._lines.index((self.highlighted or 0, 0)) + step * max(1, self.size.height - 1)
            self.highlight(self._lines[min(starts, key=lambda place: abs(place - target))][0])

    def get_content_height(self, _container: Size, _viewport: Size, _width: int) -> int:
        return len(self._lines)

    def render_line(self, y: int) -> Strip:
        place, width, height = self._top + y, self.size.width, self.size.height
        over = len(self._lines) > height
        room = max(1, width - 2 * over)
        strip = self._strip(place, room) if place < len(self._lines) else Strip.blank(room, self.rich_style)
        if not over:
            return strip
        thumb = max(1, height * height // len(self._lines))
        start = round(self._top * (height - thumb) / (len(self._lines) - height))
        return Strip.join([strip, self._drawn(BAR if start <= y < start + thumb else GROUND, 2)])

    def notify_style_update(self) -> None:
        """Other colours: what was drawn in the old ones is dropped."""
        self._strips.clear()
        super().notify_style_update()

    def on_resize(self) -> None:
        self._show()
        self.refresh()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._scroll(event, 3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._scroll(event, -3)

    def on_click(self, event: events.Click) -> None:
        place = self._top + event.y
        if place < len(self._lines):
            index, _ = self._lines[place]
            value = self.rows[index].value
            if value is not None:
                event.stop()
                self.highlight(index)
                self.post_message(self.Chosen(value))

    def _scroll(self, event: events.MouseEvent, by: int) -> None:
        event.stop()
        self._top = max(0, min(len(self._lines) - self.size.height, self._top + by))
        self.refresh()

    def _show(self) -> None:
        height, index = self.size.height, self.highlighted
        if not height or index is None:
            return
        first = self._lines.index((index, 0))
        last = first + self.rows[index].lines - 1
        if not self._shown:  # where it begins, rows on both sides are of interest
            head = next((at for at in range(index, 0, -1) if self.rows[at].value is None), 0)
            top = self._lines.index((head, 0))  # with the heading of its group, if both have room
            self._shown, self._top = True, min(first - height // 2, top if last - top < height else first)
        above = first - 1 if index and self.rows[index - 1].value is None else first
        self._top = max(0, min(above, max(self._top, last - height + 1), len(self._lines) - height))

    def _strip(self, place: int, width: int) -> Strip:
        index, line = self._lines[place]
        row, lit = self.rows[index], index == self.highlighted
        key = row, width, lit
        if key not in self._strips:
            drawn = row.draw(width - 1).split("\n", allow_blank=True)
            self._strips[key] = [self._drawn(Content(" ") + each, width, lit=lit) for each in drawn]
        return self._strips[key][line]

    def _drawn(self, content: Content, width: int, *, lit: bool = False) -> Strip:
        style = self.get_visual_style("row-list--highlighted") if lit else self.visual_style
        short = content if content.cell_length <= width else content.truncate(width, ellipsis=True)
        if lit and self.app.native_ansi_color:  # which does not blend a ground for the row: one bar, in one ink
            style += Style(reverse=True)
            short = Content(short.plain).pad_right(width - short.cell_length)
        return Visual.to_strips(self, short, width, 1, style, pad=True)[0]


def grouped(rows: Iterable[tuple[str, ListRow[Value]]], *, apart: bool = False) -> list[ListRow[Value]]:
    """Rows below the headings that they come with; `apart` with a blank row before each but the first."""
    groups: dict[str, list[ListRow[Value]]] = {}
    for heading, row in rows:
        groups.setdefault(heading, []).append(row)
    found: list[ListRow[Value]] = []
    for heading, members in groups.items():
        if apart and found:
            found.append(words_row("", MUTED))
        if heading:
            found.append(words_row(heading, f"{ACCENT} bold"))
        found += members
    return found


def words_row(text: str, style: str) -> ListRow[Any]:
    return ListRow(lambda _width: Content.styled(text, style))


class FilterLine(SafeInput):
    """A line to filter by; keys that its screen binds are left to the screen. With `helped` the screen has help."""

    BINDINGS = [Binding("ctrl+f", "find", show=False)]

    class HelpAsked(Message):
        """The user asks what the keys do."""

    def __init__(self, placeholder: str, query: str = "", *, helped: bool = False) -> None:
        super().__init__(query, placeholder=placeholder, compact=True, select_on_focus=False)
        self._helped = helped

    def on_mount(self) -> None:
        for key in BindingsMap(self.screen.BINDINGS).key_to_bindings:
            self._bindings.key_to_bindings.pop(key, None)

    def action_find(self) -> None:
        """Filter by other words: what is typed next replaces those that are there."""
        self.focus()
        self.select_all()

    def on_key(self, event: events.Key) -> None:
        """On an empty line `?` asks for help; what was typed before it is in the line by now."""
        if self._helped and event.character == "?" and not self.value:
            event.stop()
            event.prevent_default()
            self.post_message(self.HelpAsked())


class FilteredList(Vertical, Generic[Value]):
    """Arrows highlight a row, Enter or a click chooses it, which `RowList.Chosen` says.

    The screen hears by `Input.Changed` what is typed, and shows the rows that answer it. Tab moves, too, where the
    screen does nothing else with it.
    """

    DEFAULT_CSS = "FilteredList { height: auto; }"
    BINDINGS = [
        Binding("up,ctrl+p,shift+tab", "move(-1)", show=False),
        Binding("down,ctrl+n,tab", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
    ]

    def __init__(self, placeholder: str = "Type to filter", *, query: str = "", helped: bool = False) -> None:
        self.line = FilterLine(placeholder, query, helped=helped)
        self.list = RowList[Value]()
        self.moved = False  # by the user, since the screen has set it so
        super().__init__(self.line, self.list)

    def on_mount(self) -> None:
        for key in BindingsMap(self.screen.BINDINGS).key_to_bindings:
            self._bindings.key_to_bindings.pop(key, None)
        self.line.focus()

    def show(
        self, rows: Sequence[ListRow[Value]], keep: Callable[[Value], bool] | None = None, nothing: str = "No matches"
    ) -> None:
        """Show these rows, with the highlight on the one to `keep`, else on the first; without any say `nothing`."""
        kept = None
        if keep is not None:
            kept = next((at for at, row in enumerate(rows) if row.value is not None and keep(row.value)), None)
        self.list.display = bool(rows or nothing)
        self.list.fill(rows or [words_row(nothing, f"{MUTED} italic")], kept)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._choose([node for node in self.ancestors if isinstance(node, Widget)])

    def _choose(self, above: Sequence[Widget]) -> None:
        """Choose once all that is `above` has had its turn: what was typed before goes there hop by hop, too."""
        if above:
            above[0].call_later(self._choose, above[1:])
        elif self.list.value is not None:
            self.post_message(RowList.Chosen(self.list.value))
        else:
            say(self.app, "Nothing to select", 2)

    def action_move(self, step: int) -> None:
        self.moved = True
        self.list.move(step)

    def action_page(self, step: int) -> None:
        self.moved = True
        self.list.page(step)
