"""The whole subject of a permission on the full screen; must not know how it is answered."""

from collections.abc import Callable, Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from acp_tui.ui.hints import key_hints
from acp_tui.ui.overlay import Overlay
from acp_tui.ui.permission.units_view import UnitsView
from acp_tui.ui.permission.words import turning
from acp_tui.ui.transcript.diff import Layout
from acp_tui.ui.transcript.unit import Unit


class SubjectScreen(Overlay[Layout]):
    """Shows units in either layout; leaves with the layout that was shown last."""

    DEFAULT_CSS = """
    SubjectScreen {
        background: $background;
    }
    SubjectScreen > Vertical {
        padding: 1 2;
    }
    SubjectScreen UnitsView {
        scrollbar-gutter: stable;
    }
    SubjectScreen #full-hints {
        height: 1;
        margin: 1 0 0 1;
    }
    """

    def __init__(self, units: Callable[[Layout], Sequence[Unit]], layout: Layout) -> None:
        super().__init__()
        self._units, self._shown = units, layout
        self._view = UnitsView()

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self._view
            yield Static(id="full-hints")

    def on_mount(self) -> None:
        self._show()

    def _show(self) -> None:
        self._view.show(self._units(self._shown))
        hints = (("esc", "back"), turning(self._shown), ("↑↓ pgup pgdn", "scroll"))
        self.query_one("#full-hints", Static).update(key_hints(hints))

    def on_key(self, event: events.Key) -> None:
        acts: dict[str, Callable[[], object]] = {
            "escape": self._leave,
            "q": self._leave,
            "v": self._leave,
            "s": self._turn,
            "up": self._view.scroll_up,
            "down": self._view.scroll_down,
            "pageup": self._view.scroll_page_up,
            "pagedown": self._view.scroll_page_down,
            "space": self._view.scroll_page_down,
            "home": self._view.scroll_home,
            "end": self._view.scroll_end,
        }
        act = acts.get(event.key)
        if act is not None:
            event.stop()
            event.prevent_default()
            act()

    def _leave(self) -> None:
        self.dismiss(self._shown)

    def _turn(self) -> None:
        self._shown = "split" if self._shown == "unified" else "unified"
        self._show()
