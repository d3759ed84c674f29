"""A text over the screen, to be scrolled, and closed by any of the usual keys."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from acp_tui.ui.kit.hints import CLOSE, SCROLL, Hint, key_hints
from acp_tui.ui.kit.overlay import Overlay


class TextPanel(Overlay[None]):
    """What it says is put into `words`, where it is not known at the beginning."""

    BINDINGS = [
        Binding("escape,q,ctrl+c,ctrl+q,enter", "dismiss", "Close", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
    ]
    HINTS: tuple[Hint, ...] = (SCROLL, CLOSE)

    def __init__(self, title: str, text: Content | str = "") -> None:
        super().__init__(classes="picker")
        self._title = title
        self.words = Static(text, markup=False)
        self.scroll = VerticalScroll(self.words)

    def compose(self) -> ComposeResult:
        with Vertical(classes="picker-panel help-panel"):
            yield Static(Content.styled(self._title, "bold"), classes="picker-title")
            yield self.scroll
            yield Static(key_hints(self.HINTS), classes="picker-hints")

    def on_mount(self) -> None:
        self.scroll.focus()

    def action_scroll(self, step: int) -> None:
        self.scroll.scroll_relative(y=step, animate=False)
