"""The base of modal screens."""

from collections.abc import Sequence

from textual import events
from textual.await_complete import AwaitComplete
from textual.binding import Binding
from textual.screen import ModalScreen, ScreenResultType
from textual.widgets import Input

from acp_tui.ui.painted_screen import PaintedScreen

SHORT = 22  # rows of a screen; with fewer of them an overlay has none to leave blank
BESIDE, BESIDE_SHORT = 8, 3  # rows of a panel with a list that are not the list's
ROWS: list[tuple[int, str]] = [(0, "-short"), (SHORT, "-tall")]
MOST_ROWS = 20  # of a list in a panel
LEAVING = ("escape", "ctrl+c", "ctrl+q")


class Closable(PaintedScreen[ScreenResultType]):
    """A screen that the keys which opened it close again."""

    opened_by: Sequence[str] = ()  # as commands have them: `alt+p`, `ctrl+x m`
    _first = ""  # of two keys, the one that was pressed

    def takes(self, event: events.Key) -> bool:
        """Whether this key closes the screen, or is the first of two that do, and is nobody else's then.

        In a line the first of two may be the one that cuts out what is selected. A letter is written there, and
        another sign too, unless the line is empty.
        """
        line = self.focused if isinstance(self.focused, Input) else None
        way = f"{self._first} {event.key}" if self._first else event.key
        self._first = ""
        if way in self.opened_by and not (line and way == event.key and _is_written(event, line)):
            self.dismiss()
        elif any(each.startswith(f"{event.key} ") for each in self.opened_by) and not (line and line.selected_text):
            self._first = event.key
        else:
            return False
        return True


def _is_written(event: events.Key, line: Input) -> bool:
    sign = event.character if event.is_printable else None
    return sign is not None and (sign.isalnum() or bool(line.value))


class Overlay(Closable[ScreenResultType], ModalScreen[ScreenResultType]):
    """A screen over another one, which leaves once, however many keys were pressed before it had.

    A click beside its panel (it is a `.picker` then) closes it, too.
    """

    VERTICAL_BREAKPOINTS = ROWS
    BINDINGS = [
        Binding(",".join(LEAVING), "dismiss", show=False),
        Binding("ctrl+l", "app.redraw", show=False),
    ]

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Leave; once it has left, Textual would take away the screen below."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    @property
    def is_short(self) -> bool:
        return self.app.size.height < SHORT

    def list_rows(self, beside: int = 0) -> int:
        """How many rows a list may have in the panel, where `beside` rows are taken by more than title and hints."""
        height = self.app.size.height
        room = height - BESIDE_SHORT if self.is_short else height * 4 // 5 - BESIDE
        return max(1, min(MOST_ROWS, room - beside))

    def on_click(self, event: events.Click) -> None:
        if self.has_class("picker") and self.get_widget_at(event.screen_x, event.screen_y)[0] is self:
            event.stop()
            self.dismiss()
