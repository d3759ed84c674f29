"""What the agent wrote to standard error, to be read; its words are text, never escapes."""

from collections.abc import Callable

from textual.binding import Binding
from textual.content import Content

from acp_tui.ui.kit.announcements import say
from acp_tui.ui.kit.hints import CLOSE, SCROLL
from acp_tui.ui.overlays.text_panel import TextPanel
from acp_tui.ui.render.text import sanitise
from acp_tui.ui.terminal.clipboard import write_clipboard

LINES = 2_000
EVERY = 1.0  # seconds between two looks


class StderrScreen(TextPanel):
    """It follows the end while that is shown."""

    BINDINGS = [Binding("y,c", "copy", show=False)]
    HINTS = (SCROLL, ("y", "copy"), CLOSE)

    def __init__(self, tail: Callable[[int], list[str]]) -> None:
        super().__init__("Standard error of the agent")
        self._tail = tail
        self._lines: list[str] = []

    def on_mount(self) -> None:
        super().on_mount()
        self._look()
        self.call_after_refresh(self.scroll.scroll_end, animate=False)
        self.set_interval(EVERY, self._look)

    def _look(self) -> None:
        lines = self._tail(LINES)
        if lines == self._lines and lines:
            return
        self._lines = lines
        at_end = self.scroll.is_vertical_scroll_end
        self.words.update(Content(sanitise("\n".join(lines)) or "Nothing so far."))
        if at_end:
            self.scroll.scroll_end(animate=False)

    def action_copy(self) -> None:
        write_clipboard(self.app, sanitise("\n".join(self._lines)))
        say(self.app, "Copied standard error", 3)
