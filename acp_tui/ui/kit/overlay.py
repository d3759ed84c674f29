"""Modal screens: the base of all of them, and one that asks for a line of text."""

from collections.abc import Awaitable, Callable, Sequence

from textual import events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen, ScreenResultType
from textual.widgets import Input, Static

from acp_tui.errors import Fault
from acp_tui.ui.kit.fields import SafeInput
from acp_tui.ui.kit.theme import CLOSE, HintLine
from acp_tui.ui.painted_screen import PaintedScreen
from acp_tui.ui.render.text import sanitise_line

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


class AskLine(Overlay[None]):
    """Asks until `act` takes what was written without a `Fault`, which is shown; Esc leaves."""

    DEFAULT_CSS = "AskLine .ask-fault { height: auto; margin: 0 0 0 1; color: $warning; }"

    def __init__(self, title: str, value: str, act: Callable[[str], Awaitable[None]], does: str = "save") -> None:
        super().__init__(classes="picker")
        self._title, self._value, self._act, self._does = title, value, act, does
        self._fault = Static(classes="ask-fault")

    def compose(self) -> ComposeResult:
        with Vertical(classes="picker-panel"):
            yield Static(Content.styled(self._title, "bold"), classes="picker-title")
            yield SafeInput(self._value, compact=True, select_on_focus=False)
            yield self._fault
            yield HintLine((("enter", self._does), CLOSE), classes="picker-hints")

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if not event.value.strip():
            return
        try:
            await self._act(event.value.strip())
        except Fault as fault:
            self._fault.update(
                Content(sanitise_line(" · ".join(filter(None, (fault.title, fault.message, fault.hint)))))
            )
            return
        self.dismiss()
