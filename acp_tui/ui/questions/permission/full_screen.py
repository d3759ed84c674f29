"""The whole subject of a permission on the full screen."""

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Static

from acp_tui.ui.entries.tool_calls.diff import Layout
from acp_tui.ui.kit.hints import Hint, key_hints
from acp_tui.ui.kit.overlay import Overlay
from acp_tui.ui.render.unit import Unit
from acp_tui.ui.transcript.units_view import UnitsView


class SubjectScreen(Overlay[Layout]):
    """Shows units in either layout; leaves with the layout that was shown last."""

    DEFAULT_CSS = """
    SubjectScreen { background: $background; }
    SubjectScreen > Vertical { padding: 1 2; }
    SubjectScreen UnitsView { scrollbar-gutter: stable; }
    SubjectScreen #full-hints { height: 1; margin: 1 0 0 1; }
    """
    BINDINGS = [
        Binding("escape,ctrl+c,ctrl+q,q,v", "leave", show=False),
        Binding("s", "turn", show=False),
        Binding("space", "page_down", show=False),
    ]

    def __init__(self, units: Callable[[Layout], Sequence[Unit]], layout: Layout) -> None:
        super().__init__()
        self._units, self._shown = units, layout
        self._view = UnitsView()
        self._view.can_focus = True  # it has the keys that scroll

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

    def action_leave(self) -> None:
        self.dismiss(self._shown)

    def action_turn(self) -> None:
        self._shown = "split" if self._shown == "unified" else "unified"
        self._show()

    def action_page_down(self) -> None:
        self._view.scroll_page_down()


def turning(layout: Layout) -> Hint:
    """The key that shows a diff in the other layout."""
    return ("s", "unified" if layout == "split" else "side by side")
