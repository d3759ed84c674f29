"""Opening the settings screen, and what lets a new value count at once."""

from collections.abc import Callable
from functools import partial
from typing import Any

from acp_tui.startup import late
from acp_tui.ui.app import AcpTuiApp
from acp_tui.ui.overlays.themes import ThemePicker
from acp_tui.ui.parts import Parts
from acp_tui.ui.terminal.mouse import give_mouse
from acp_tui.ui.transcript.view import TranscriptView

READ_EACH_TIME = ("editing", "copy_on_select", "suggestions")  # by who uses it: it counts at once by itself


def open_settings(app: AcpTuiApp, parts: Parts, transcript: TranscriptView, words: str) -> None:
    """Show the settings, filtered by `words`."""
    themes = partial(ThemePicker, app, app.change_theme)
    module = late("acp_tui.ui.settings.screen")
    parts.view.open(module.SettingsScreen(app.preferences, _appliers(app, parts, transcript), themes, words))


def _appliers(app: AcpTuiApp, parts: Parts, transcript: TranscriptView) -> dict[str, Callable[[Any], None]]:
    """By setting what takes its new value; what has none counts from the next start."""

    def use_theme(name: str) -> None:
        app.theme = name if name in app.available_themes else app.default_theme

    def show_details(on: bool) -> None:
        if on is not transcript.unfolded:
            transcript.toggle_all()

    return {
        "theme": use_theme,
        "sidebar": lambda _on: parts.sidebar.look_at_setting(),
        "details": show_details,
        "notifications": app.call_by,
        "mouse": lambda on: give_mouse(app, on),
        **dict.fromkeys(READ_EACH_TIME, lambda _value: None),
    }
