"""The base of panels: title, keys from which bindings and hints are made, and a list with or without a filter."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeAlias

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.screen import ScreenResultType
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Static

from acp_tui.ui.kit.base_screens import Overlay
from acp_tui.ui.kit.row_list import FilteredList, ListRow, RowList, Value, words_row
from acp_tui.ui.kit.session_view import say
from acp_tui.ui.kit.theme import CLOSE, MOVE, MUTED, Hint, HintLine, palette_of, spell
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.thumbnail import pictures_read
from acp_tui.ui.render.wrap import Row, Unit
from acp_tui.ui.transcript.row_painter import Painter


class PanelKey(NamedTuple):
    """Keys (as bindings have them) that do something in a panel, while `when` holds.

    The first of them, or a `label`, stands in the hints with `word`, if that is not empty; hints of a lower `rank` come
    first. `act` is a function of the panel, or one of its actions (`move(1)`); without one the key is of others. All of
    them stand in the help with what it says of them, if anything. `missing` says what they lack while they do nothing.
    """

    keys: str
    word: str | Callable[[Any], str] = ""
    act: str | Callable[[Any], object] = ""
    when: Callable[[Any], object] = lambda _panel: True
    label: str = ""
    rank: int = 0
    help: str = ""
    missing: str = ""

    @property
    def names(self) -> list[str]:
        return self.keys.split(",")

    def hint(self, panel: object) -> Hint:
        word = self.word(panel) if callable(self.word) else self.word
        return self.label or spell(self.names[0]), word

    def press(self, panel: object) -> None:
        if callable(self.act):
            self.act(panel)


DELETE = "delete"
PanelKeys: TypeAlias = Sequence[PanelKey | Hint]  # in the order of help and hints; a mere hint is of a key of others


def bindings_of(keys: PanelKeys) -> list[Binding]:
    own = (key for key in keys if isinstance(key, PanelKey) and key.act)
    return [Binding(key.keys, f"press({key.keys!r})", show=False) for key in own]


def _deletes(key: PanelKey | Hint) -> bool:
    return isinstance(key, PanelKey) and key.word == DELETE and DELETE in key.names


def hints_of(panel: object, keys: PanelKeys) -> list[Hint]:
    """What the keys do now."""
    ranked = sorted(keys, key=lambda key: key.rank if isinstance(key, PanelKey) else 0)
    now = (key for key in ranked if not isinstance(key, PanelKey) or key.when(panel))
    found = (key.hint(panel) if isinstance(key, PanelKey) else key for key in now)
    return [hint for hint in found if hint[1]]


def key_of(name: str, panel: object, keys: PanelKeys) -> PanelKey | None:
    """The row of a key that does something now."""
    own = (key for key in keys if isinstance(key, PanelKey) and key.act and name in key.names)
    return next((key for key in own if key.when(panel)), None)


class KeyedWidget(Widget):
    """A widget or screen with its keys in the rows of a table, from which its bindings, hints and help are made.

    It is never the first base of a class: styles are inherited from that one only. Where Delete deletes, Ctrl+D, which
    quits elsewhere, only names that key.
    """

    KEYS: ClassVar[PanelKeys] = ()

    def __init_subclass__(cls, **how: Any) -> None:
        own, leaving = cls.__dict__.get("BINDINGS", ()), Overlay.BINDINGS if issubclass(cls, Overlay) else ()
        naming = [Binding("ctrl+d", "name_delete", show=False)] if any(map(_deletes, cls.KEYS)) else []
        cls.BINDINGS = [*bindings_of(cls.KEYS), *own, *naming, *leaving]  # the first of a key counts
        super().__init_subclass__(**how)

    def hints(self) -> list[Hint]:
        return hints_of(self, self.KEYS)

    def action_name_delete(self) -> None:
        say(self.app, "Press Delete to delete", 2)

    async def action_press(self, keys: str) -> None:
        own = next((key for key in self.KEYS if isinstance(key, PanelKey) and key.keys == keys), None)
        if own is not None and own.when(self):
            if isinstance(own.act, str):
                await self.run_action(own.act)
            else:
                own.press(self)


class Panel(Overlay[ScreenResultType], KeyedWidget):
    """A title, below it the `content` that a subclass has, and the hints."""

    KEYS: ClassVar[PanelKeys] = (CLOSE,)
    PANEL: ClassVar[str] = ""  # more style classes of the panel

    def __init__(self, title: str = "") -> None:
        super().__init__(classes="picker")
        self.title = title or self.TITLE
        self._title, self._hints = Static(classes="picker-title"), HintLine(classes="picker-hints")

    def compose(self) -> ComposeResult:
        with Vertical(classes=f"picker-panel {self.PANEL}"):
            yield self._title
            yield from self.content()
            yield self._hints

    def on_mount(self) -> None:
        self.start()

    def content(self) -> Iterable[Widget]:
        raise NotImplementedError

    def heading(self) -> Content:
        return Content.styled(self.title or "", "bold")

    def start(self) -> None:
        """Show what is known now."""
        self.say()

    def say(self) -> None:
        """Show title and hints as they are now."""
        self._title.update(self.heading())
        self._hints.show(self.hints())


class ListPanel(Panel[ScreenResultType], Generic[Value, ScreenResultType]):
    """Keys move the highlight, Enter or a click chooses its row. A subclass says at least which rows are `listed`."""

    FILTER: ClassVar[str] = ""  # what stands in the empty line of the filter; without it there is none
    KEYS: ClassVar[PanelKeys] = (MOVE, ("enter", "select"), CLOSE)
    BINDINGS = [
        Binding("up,k,ctrl+p", "move(-1)", show=False),
        Binding("down,j,ctrl+n", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("ctrl+f", "find", show=False),
    ]
    nothing = "No matches"
    beside = 0  # rows of the panel that are not of title, filter, list and hints
    steady = 0  # rows of the list whatever is filtered, if there is room; 0 if it grows and shrinks

    def __init__(self, title: str = "", query: str = "") -> None:
        """`query` stands in the filter from the beginning, and is edited there as if it had been typed."""
        super().__init__(title)
        self.rows = FilteredList[Value](self.FILTER, query=query)
        self.list = self.rows.list if self.FILTER else RowList[Value]()
        self.above: Iterable[Widget] = ()
        self.below: Iterable[Widget] = ()

    def content(self) -> Iterable[Widget]:
        return (*self.above, self.rows if self.FILTER else self.list, *self.below)

    def on_resize(self) -> None:
        self.fit()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.rows.moved = False
        self.typed()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.choose(event.value)

    def on_key(self, event: events.Key) -> None:
        """Letters that were typed before the filter had the focus belong into it all the same."""
        if self.FILTER and event.character and event.is_printable:
            event.stop()
            self.rows.line.insert_text_at_cursor(event.character)

    def listed(self) -> Sequence[ListRow[Value]]:
        """The rows that there are now: those that answer the filter, if there is one."""
        raise NotImplementedError

    def choose(self, value: Any) -> None:
        self.dismiss(value)

    def start(self) -> None:
        self.fit()
        self.fill()

    def typed(self) -> None:
        """The filter has other words."""
        self.fill()

    def fit(self) -> None:
        """Take the rows that the screen has for the list."""
        most = self.list_rows(self.beside)
        self.list.styles.max_height = most
        if self.steady:
            self.list.styles.height = max(1, min(self.steady, most))

    @property
    def query_typed(self) -> str:
        return self.rows.line.value.strip()

    def fill(self, keep: Callable[[Value], bool] | None = None) -> None:
        """Show the rows anew, with the highlight on the one to `keep`; else on the best, or where it was."""
        rows = self.listed()
        if self.FILTER:
            self.rows.show(rows, keep, self.nothing)
        else:
            kept = (at for at, row in enumerate(rows) if keep is not None and row.value is not None and keep(row.value))
            at = next(kept, min(self.list.highlighted or 0, len(rows) - 1))
            self.list.fill(rows or [words_row(self.nothing, f"{MUTED} italic")], at if rows else None)
        self.say()

    def hints(self) -> list[Hint]:
        idle = not self.FILTER and self.list.value is None
        return [hint for hint in super().hints() if not (idle and hint is MOVE)]

    def action_move(self, step: int) -> None:
        self.list.move(step)

    def action_page(self, step: int) -> None:
        self.list.page(step)

    def action_find(self) -> None:
        """Ctrl+F finds everywhere: in a list its filter does that, where it has one."""
        if self.FILTER:
            self.rows.line.action_find()
        else:
            say(self.app, "No filter here", 2)

    def action_choose(self) -> None:
        if self.list.value is not None:
            self.choose(self.list.value)


AHEAD = 50  # rows that are measured below the last visible one


class UnitsView(ScrollView, can_focus=False):
    """Shows units; `show` replaces them and keeps the place."""

    DEFAULT_CSS = """
    UnitsView {
        height: 1fr;
        background: transparent;
        scrollbar-size-vertical: 1;
        scrollbar-background: $surface;
        overflow-x: hidden;
    }
    """

    MARGIN = 0  # cells before the rows

    def __init__(self, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._units: Sequence[Unit] = ()
        self._rows: list[Row] = []
        self._measured = 0
        self._width = 0
        self._painter: Painter | None = None
        self._versions: list[int] = []  # of the units that were measured
        self._palette: Palette | None = None  # in which they were drawn
        self._unsubscribe: Callable[[], None] = lambda: None

    def on_mount(self) -> None:
        self._unsubscribe = pictures_read.subscribe(lambda: self.call_later(self._look_again))

    def on_unmount(self) -> None:
        self._unsubscribe()

    def _look_again(self) -> None:
        if self._versions != [unit.version for unit in self._units[: self._measured]]:
            self._begin(self._width)
            self.refresh()

    def show(self, units: Sequence[Unit], width: int | None = None) -> None:
        """Show these units from now on; `width` in cells where the view was not laid out yet."""
        self._units = units
        self._begin(width or self._width or self.scrollable_content_region.width)
        self.refresh()

    def begin_at(self, row: int) -> None:
        """Scroll so that this is the first row, if there are enough below it; before the view is laid out too."""
        self._measure(row + self.size.height + AHEAD)
        self._place()
        self.scroll_to(y=row, animate=False, force=True, immediate=True)

    def rows_at_most(self, limit: int) -> int:
        self._measure(limit)
        return min(len(self._rows), limit)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        self._measure(int(new_value) + self.size.height + AHEAD)
        self._place()
        super().watch_scroll_y(old_value, new_value)

    def on_resize(self) -> None:
        width = self.scrollable_content_region.width
        if width and width != self._width:
            self._begin(width)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self._width and palette_of(self.app) is not self._palette:
            self._begin(self._width)

    def _begin(self, width: int) -> None:
        self._rows, self._measured, self._width, self._painter = [], 0, width, None
        self._versions = []
        if width:
            self._measure(int(self.scroll_y) + self.size.height + AHEAD)
            self._place()

    def _measure(self, rows: int) -> None:
        self._palette = palette = palette_of(self.app)
        while self._measured < len(self._units) and len(self._rows) < rows and self._width:
            self._versions.append(self._units[self._measured].version)
            self._rows.extend(self._rows_of(self._units[self._measured], palette))
            self._measured += 1

    def _rows_of(self, unit: Unit, palette: Palette) -> Sequence[Row]:
        return unit.rows(max(1, self._width - self.MARGIN), palette)

    def _place(self) -> None:
        rest = sum(unit.estimate(self._width) for unit in self._units[self._measured :])
        self.virtual_size = Size(self._width, len(self._rows) + rest)

    def render_line(self, y: int) -> Strip:
        painter, index = self._paint(), int(self.scroll_offset.y) + y
        return painter.strip(self._rows[index]) if index < len(self._rows) else painter.blank

    def _paint(self) -> Painter:
        base = self.rich_style
        width = max(1, self.scrollable_content_region.width - self.MARGIN)
        if self._painter is None or self._painter.width != width or self._painter.base != base:
            self._painter = Painter(base, width)
        return self._painter
