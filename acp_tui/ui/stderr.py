"""What the agent wrote to standard error, to be read; its words are text, never escapes."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from acp_tui.ui.clipboard import write_clipboard
from acp_tui.ui.hints import CLOSE, SCROLL, key_hints
from acp_tui.ui.overlay import Overlay
from acp_tui.ui.render.text import sanitise

LINES = 2_000
EVERY = 1.0  # seconds between two looks


class StderrScreen(Overlay[None]):
    """Scrolls; follows the end while one is there."""

    BINDINGS = [
        Binding("escape,q,ctrl+c,ctrl+q,enter", "dismiss", "Close", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("y,c", "copy", show=False),
    ]

    def __init__(self, tail: Callable[[int], list[str]]) -> None:
        super().__init__(classes="picker")
        self._tail = tail
        self._lines: list[str] = []

    def compose(self) -> ComposeResult:
        """Title, lines, hints."""
        with Vertical(classes="picker-panel help-panel"):
            yield Static(Content.styled("Standard error of the agent", "bold"), classes="picker-title")
            with VerticalScroll():
                yield Static(id="stderr-lines")
            yield Static(key_hints((SCROLL, ("y", "copy"), CLOSE)), classes="picker-hints")

    def on_mount(self) -> None:
        """Begin at the end, and look again now and then."""
        self._scroll.focus()
        self._look()
        self.call_after_refresh(self._scroll.scroll_end, animate=False)
        self.set_interval(EVERY, self._look)

    @property
    def _scroll(self) -> VerticalScroll:
        return self.query_one(VerticalScroll)

    def _look(self) -> None:
        lines = self._tail(LINES)
        if lines == self._lines and lines:
            return
        self._lines = lines
        at_end = self._scroll.is_vertical_scroll_end
        text = sanitise("\n".join(lines)) or "Nothing so far."
        self.query_one("#stderr-lines", Static).update(Content(text))
        if at_end:
            self._scroll.scroll_end(animate=False)

    def action_scroll(self, step: int) -> None:
        """Scroll by one row."""
        self._scroll.scroll_relative(y=step, animate=False)

    def action_copy(self) -> None:
        """Put all of it on the clipboard."""
        write_clipboard(self.app, sanitise("\n".join(self._lines)))
        self.app.notify("Copied standard error", markup=False, timeout=3)
