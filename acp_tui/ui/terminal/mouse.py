"""Who has the mouse: this program, or the terminal, which selects text by itself then."""

from typing import Any

from textual.app import App

from acp_tui.ui.kit.session_view import SessionView


def toggle_mouse(view: SessionView, app: App[Any]) -> None:
    wanted = not view.preference("mouse", bool)
    give_mouse(app, wanted)
    view.say("Mouse on" if wanted else "Mouse off · the terminal selects text", 3)
    view.prefer("mouse", wanted)


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
