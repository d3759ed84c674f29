"""The inspector's list of messages: one row each, painted only where it is seen, following what comes."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message as Event
from textual.scroll_view import ScrollView
from textual.strip import Strip

from acp_tui.host.recording.message import Message
from acp_tui.ui.kit.theme import palette_of
from acp_tui.ui.render.palette import Palette

Draw = Callable[[Message, int, Palette], list[Segment]]


class MessageList(ScrollView, can_focus=True):
    """Messages with a cursor; at the last one it follows what comes."""

    DEFAULT_CSS = """
    MessageList { background: transparent; scrollbar-size-vertical: 1; overflow-x: hidden; }
    """

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
        page = max(1, self.size.height - 1)
        steps = {"up": -1, "k": -1, "down": 1, "j": 1, "pageup": -page, "pagedown": page}
        far = {"home": -len(self.shown), "end": len(self.shown), "g": -len(self.shown), "G": len(self.shown)}
        step = steps.get(event.key) or far.get(event.key)
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
        self._bring_into_view(place)
        self.refresh()
        if changed:
            self.post_message(self.Moved(self.shown[place]))

    def _bring_into_view(self, place: int) -> None:
        top, height = int(self.scroll_offset.y), max(1, self.size.height)
        if place < top:
            self.scroll_to(y=place, animate=False, immediate=True)
        elif place >= top + height:
            self.scroll_to(y=place - height + 1, animate=False, immediate=True)

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
