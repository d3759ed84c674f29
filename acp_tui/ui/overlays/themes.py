"""Choosing a theme: each is seen while one moves over its name, and the one that is picked is kept."""

from collections.abc import Awaitable, Callable
from typing import Any

from textual.app import App

from acp_tui.ui.kit.named import meant_by
from acp_tui.ui.kit.picker import Picker, PickerRow
from acp_tui.ui.kit.row_list import RowList
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import grounds_of, other_ground

Change = Callable[[str], Awaitable[None]]


class ThemeActions:
    """Setting the theme. `change` draws everything in another one, in one frame."""

    def __init__(self, view: SessionView, change: Change) -> None:
        self._view, self._change = view, change

    def set(self, name: str | None) -> None:
        if name is not None:
            self._view.app.theme = name
            self._view.prefer("theme", name)

    def toggle(self) -> None:
        self.set(other_ground(self._view.app.current_theme))

    def pick(self, name: str) -> None:
        """Set the theme that this names; where that is not one, open the list, with what was written as its filter."""
        app = self._view.app
        if (meant := meant_by(name, app.available_themes, lambda theme: (theme,))) is not None:
            self.set(meant)
        else:
            self._view.open(ThemePicker(app, self._change, name), self.set)


class ThemePicker(Picker[str]):
    """Shows the theme of the highlighted row; however it is left without a choice, the one from before comes back."""

    KEYS = (("↑↓", "preview"), ("enter", "select"), ("esc", "cancel"))

    def __init__(self, app: App[Any], change: Change, query: str = "") -> None:
        themes = grounds_of(app.available_themes)
        rows = [PickerRow(name, name, ground, current=name == app.theme) for name, ground in themes]
        super().__init__("Themes", rows, query=query)
        self._change, self._picked = change, False
        self._before = self._wanted = app.theme
        self._changing = False

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        row = self.list.value
        self._show_theme(row.value if row else self._before)

    def choose(self, value: PickerRow[str]) -> None:
        self._picked = True
        self._wanted = value.value
        super().choose(value)

    def on_unmount(self) -> None:
        if not self._picked:
            self._show_theme(self._before)

    def _show_theme(self, name: str) -> None:
        self._wanted = name
        if not self._changing and name != self.app.theme:
            self._changing = True
            self.app.run_worker(self._follow(), exit_on_error=False)

    async def _follow(self) -> None:
        """One theme after the other; those that were passed by meanwhile are left out."""
        try:
            while self._wanted != self.app.theme:
                await self._change(self._wanted)
        finally:
            self._changing = False
