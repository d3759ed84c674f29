"""What the mouse selects, in any part of any screen."""

from collections.abc import Callable, Mapping
from typing import Any

from textual import events
from textual.app import App
from textual.selection import Selection
from textual.widget import Widget

from acp_tui.ui.painted_screen import PaintedScreen
from acp_tui.ui.terminal.clipboard import copy


class SelectableScreen(PaintedScreen[None], inherit_bindings=False):
    """A screen on which the end of a drag is no click: it folds and opens nothing where something was selected."""

    def _forward_event(self, event: events.Event) -> None:
        if not (isinstance(event, events.Click) and self.selections):
            super()._forward_event(event)


class CopyOnSelect:
    """Copies what the mouse selects when it is let go, each selection once. It stays selected."""

    def __init__(self) -> None:
        self._copied: dict[Widget, Selection] = {}

    def let_go(self, app: App[Any], selections: Mapping[Widget, Selection], read: Callable[[], str | None]) -> None:
        """The mouse was let go; `read` gives the text of the `selections`."""
        is_new, self._copied = selections != self._copied, dict(selections)
        text = read() if selections and is_new else None
        if text and text.strip():
            copy(app, text, "the selection")
