"""Who has the mouse: this program, or the terminal, which selects text by itself then."""

from typing import Any

from textual.app import App

from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.terminal.suspension import suspend


class TerminalActions:
    """What the terminal keeps for itself: the mouse, or for a while all of it."""

    def __init__(self, view: SessionView) -> None:
        self._view = view

    def toggle_mouse(self) -> None:
        wanted = not self._view.preference("mouse", bool)
        give_mouse(self._view.app, wanted)
        self._view.say("Mouse on" if wanted else "Mouse off · the terminal selects text", 3)
        self._view.prefer("mouse", wanted)

    def suspend(self) -> None:
        suspend(self._view.app)


def give_mouse(app: App[Any], wanted: bool) -> None:
    """Have the terminal report the mouse, or not; it stays so when the terminal was lent to another program.

    Textual decides that once, when it starts: a driver without its mouse writes nothing about one.
    """
    driver: Any = app._driver  # noqa: SLF001 (there is no public way, here and below)
    if not hasattr(driver, "_enable_mouse_support"):
        return
    if wanted:
        driver._mouse = True  # noqa: SLF001
        driver._enable_mouse_support()  # noqa: SLF001
        if getattr(driver, "_mouse_pixels", False):  # places are read as pixels then
            driver._enable_mouse_pixels()  # noqa: SLF001
    else:
        app.capture_mouse(None)
        app._set_mouse_over(None, None)  # noqa: SLF001
        driver._disable_mouse_support()  # noqa: SLF001
        driver._mouse = False  # noqa: SLF001
