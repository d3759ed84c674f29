"""The inspector's screen: the list, the message under the cursor, a filter.

It reads the traffic while it is open, in slices, and nothing at all while it is closed. A message of the list is
painted only where it is seen.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message as Event
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Input, Static

from acp_tui.host.client import AgentCommand, Connection
from acp_tui.host.records.inspection import Inspection, Message, Selection
from acp_tui.host.records.traffic import Traffic
from acp_tui.session.entries import Origin
from acp_tui.session.text.phrases import counted
from acp_tui.ui.commands.registry import BY_ID
from acp_tui.ui.kit.base_screens import ROWS, Closable
from acp_tui.ui.kit.list_panel import KeyedWidget, PanelKey, UnitsView
from acp_tui.ui.kit.row_list import FilterLine
from acp_tui.ui.kit.session_view import say
from acp_tui.ui.kit.theme import ACCENT, KEY, MOVE, MUTED, HintLine, palette_of
from acp_tui.ui.message_rows import counts, indented, row, units_of
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise, sanitise_line
from acp_tui.ui.terminal.terminal_capabilities import write_clipboard
from acp_tui.views.formatting import byte_size


class Inspected(Protocol):
    """What is looked at: a client, or a recording of one."""

    @property
    def command(self) -> AgentCommand: ...
    @property
    def connection(self) -> Connection: ...
    @property
    def traffic(self) -> Traffic: ...


Draw = Callable[[Message, int, Palette], list[Segment]]


class TrafficList(ScrollView, can_focus=True):
    """Messages with a cursor; at the last one it follows what comes."""

    DEFAULT_CSS = "TrafficList { background: transparent; scrollbar-size-vertical: 1; overflow-x: hidden; }"

    @dataclass
    class Moved(Event):
        """The cursor stands on another message, or on none."""

        message: Message | None

    def __init__(self, draw: Draw, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._draw = draw
        self.shown: list[Message] = []
        self._cursor: int | None = None  # the message's number, which stays when others go
        self.follow = True

    @property
    def current(self) -> Message | None:
        place = self._place()
        return self.shown[place] if place is not None else None

    def show(self, messages: list[Message]) -> None:
        self.shown = messages
        self._laid_out()

    def extend(self, messages: Sequence[Message], first: int) -> None:
        """More messages came; those with a number below `first` are gone."""
        del self.shown[: bisect_left(self.shown, first, key=lambda message: message.number)]
        self.shown.extend(messages)
        self._laid_out()

    def move(self, step: int) -> None:
        place = self._place()
        self._go(len(self.shown) - 1 if place is None else place + step)

    def on_key(self, event: events.Key) -> None:
        page, far = max(1, self.size.height - 1), len(self.shown)
        steps = {"up": -1, "k": -1, "down": 1, "j": 1, "pageup": -page, "pagedown": page}
        step = (steps | {"home": -far, "end": far, "g": -far, "G": far}).get(event.key)
        if step:
            event.stop()
            event.prevent_default()
            self.move(step)

    def on_click(self, event: events.Click) -> None:
        self._go(int(self.scroll_offset.y) + event.y)

    def on_resize(self) -> None:
        if self.shown:
            self._laid_out()

    def render_line(self, y: int) -> Strip:
        width, palette = self.scrollable_content_region.width, palette_of(self.app)
        place = int(self.scroll_offset.y) + y
        base = self.rich_style
        if place >= len(self.shown):
            return Strip.blank(width, base)
        message = self.shown[place]
        if message.number == self._cursor:
            base += Style(bgcolor=(palette.user_background if self.has_focus else palette.panel_background).bgcolor)
        segments = [
            Segment(one.text, base + one.style if one.style else base) for one in self._draw(message, width, palette)
        ]
        return Strip(segments).adjust_cell_length(width, base)

    def _place(self) -> int | None:
        if self._cursor is None or not self.shown:
            return None
        place = bisect_left(self.shown, self._cursor, key=lambda message: message.number)
        return min(place, len(self.shown) - 1)

    def _go(self, place: int) -> None:
        if not self.shown:
            return
        place = max(0, min(place, len(self.shown) - 1))
        self.follow = place == len(self.shown) - 1
        self._set(place)

    def _set(self, place: int) -> None:
        number = self.shown[place].number
        changed, self._cursor = number != self._cursor, number
        self.scroll_to_region(Region(0, place, 1, 1), animate=False, immediate=True)
        self.refresh()
        if changed:
            self.post_message(self.Moved(self.shown[place]))

    def _laid_out(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, len(self.shown))
        if not self.shown:
            if self._cursor is not None:
                self._cursor = None
                self.post_message(self.Moved(None))
            self.refresh()
            return
        place = self._place()
        self._set(len(self.shown) - 1 if self.follow or place is None else place)


INTERVAL = 0.1  # seconds between two looks at what came
SLICE = 0.008  # seconds of each that go into reading


class InspectorScreen(Closable[None], KeyedWidget):
    """What passes between us and one agent; with an `origin`, only what made one entry of the transcript."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (112, "-wide")]
    VERTICAL_BREAKPOINTS = ROWS
    KEYS = (
        PanelKey("up", act="move(-1)"),  # from the filter; the list and the message have their own
        PanelKey("down", act="move(1)"),
        MOVE,
        PanelKey("slash", "filter", lambda panel: panel.filter.focus()),
        PanelKey("p", "problems", "problems"),
        PanelKey("a", act="all"),
        PanelKey("y,c", "copy", "copy"),
        PanelKey("tab,shift+tab", "scroll", "turn"),
        PanelKey("escape", "close", "back"),
        PanelKey("q,ctrl+c,ctrl+q", act="dismiss"),
    )
    CSS = """
    InspectorScreen { background: $background; }
    #inspector-head { height: 1; margin: 1 3 0 3; }
    #inspector-defaults { height: auto; max-height: 3; margin: 0 3; }
    #inspector-filter-row { height: 1; margin: 0 3 1 3; }
    #inspector-filter-row > Static { width: auto; }
    #inspector-filter-row Input {
        width: 1fr; height: 1; border: none; padding: 0; margin: 0 0 0 1; background: $background;
    }
    #inspector-body { height: 1fr; margin: 0 1 0 2; layout: horizontal; }
    #inspector-list { width: 1fr; height: 1fr; }
    #inspector-details { width: 1fr; height: 1fr; margin: 0 1 0 3; scrollbar-gutter: stable; }
    InspectorScreen.-narrow #inspector-body { layout: vertical; }
    InspectorScreen.-narrow #inspector-details { margin: 1 1 0 1; }
    #inspector-hints { height: 1; margin: 1 3; }
    InspectorScreen.-short #inspector-head, InspectorScreen.-short #inspector-filter-row,
    InspectorScreen.-short #inspector-hints { margin: 0 2; }
    """

    def __init__(self, client: Inspected, origin: Origin | None = None) -> None:
        super().__init__()
        self.opened_by = BY_ID["inspect"].ways
        self._connection, self._defaults = client.connection, client.command.defaults
        self._inspection = Inspection(client.traffic)
        self._selection = Selection(origin=origin)
        self._last = 0
        self._list = TrafficList(
            lambda message, width, palette: row(message, self._inspection.began, width, palette), id="inspector-list"
        )
        self._details = UnitsView(id="inspector-details")
        self._details.can_focus = True
        self.filter = FilterLine("Filter by method, text, id, stderr, answer…")

    def compose(self) -> ComposeResult:
        yield Static(id="inspector-head")
        if self._defaults:
            yield Static(Content.styled("\n".join(map(sanitise, self._defaults)), MUTED), id="inspector-defaults")
        with Horizontal(id="inspector-filter-row"):
            yield Static(Content.styled("/", KEY))
            yield self.filter
        with Container(id="inspector-body"):
            yield self._list
            yield self._details
        yield HintLine(self.hints(), id="inspector-hints")

    def on_mount(self) -> None:
        self._list.focus()
        self._look()
        self.set_interval(INTERVAL, self._look)

    def on_unmount(self) -> None:
        self._inspection.close()

    def _look(self) -> None:
        stop = perf_counter() + SLICE
        if self._inspection.work(lambda: perf_counter() > stop):
            messages = self._inspection.messages
            new = [message for message in messages if message.number > self._last]
            self._last = messages[-1].number
            self._list.extend(list(filter(self._selection.has, new)), messages[0].number)
            self._say()

    def _select(self, selection: Selection) -> None:
        self._selection = selection
        self._list.show(list(filter(selection.has, self._inspection.messages)))
        self._say()

    def _say(self) -> None:
        inspection, selection = self._inspection, self._selection
        problems = sum(bool(message.problem) for message in inspection.messages)
        said = [counts(self._list.shown, len(inspection.messages), problems)]
        if self._connection.spoken:
            said.insert(0, self._connection.spoken)
        if selection.origin is not None:
            said.append(f"of {sanitise_line(selection.origin.title, 50)} (a: show all)")
        elif selection.problems:
            said.append("problems only (p: show all)")
        if inspection.gone or inspection.late:
            said.append(
                f"{counted(inspection.gone, 'earlier message')} dropped"
                if inspection.gone
                else "earlier messages dropped"
            )
        if inspection.left_out:
            said.append(f"{byte_size(inspection.left_out)} not shown (too fast)")
        line = Content.assemble(("Inspector", f"{ACCENT} bold"), ("   " + " · ".join(said), MUTED))
        self.query_one("#inspector-head", Static).update(line)

    @on(TrafficList.Moved)
    def _moved(self, event: TrafficList.Moved) -> None:
        units = units_of(event.message, self._inspection.began) if event.message is not None else []
        self._details.scroll_home(animate=False)
        self._details.show(units)

    @on(Input.Changed)
    def _filtered(self, event: Input.Changed) -> None:
        event.stop()
        self._select(Selection(event.value, self._selection.problems, self._selection.origin))

    @on(Input.Submitted)
    def _filter_done(self, event: Input.Submitted) -> None:
        event.stop()
        self._list.focus()

    def action_problems(self) -> None:
        selection = self._selection
        self._select(Selection(selection.words, not selection.problems, selection.origin))

    def action_all(self) -> None:
        with self.prevent(Input.Changed):
            self.filter.value = ""
        self._select(Selection())

    def action_turn(self) -> None:
        (self._details if self.focused is self._list else self._list).focus()

    def action_copy(self) -> None:
        message: Message | None = self._list.current
        if message is not None and message.line:
            write_clipboard(self.app, sanitise(indented(message.line)))
            say(self.app, f"Copied the message ({byte_size(message.size)})", 3)

    def action_back(self) -> None:
        if self.focused is self._list:
            self.dismiss(None)
        else:
            self._list.focus()

    def action_move(self, step: int) -> None:
        self._list.move(step)
