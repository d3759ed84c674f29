"""The clipboard (OSC 52 for the terminal, also over SSH; pyperclip for this machine's own), and copying on select."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from textual.app import App
from textual.selection import Selection
from textual.widget import Widget

from acp_tui.host.system.threads import in_joined_thread, in_thread
from acp_tui.startup import late
from acp_tui.ui.kit.session_view import say
from acp_tui.ui.render.text import sanitise
from acp_tui.views.formatting import lines_in


def copy(app: App[Any], text: str, what: str) -> None:
    """Put `text` on the clipboard, without escapes and controls, and say that it is `what`."""
    text = sanitise(text)
    if not text:
        say(app, f"No {what.removeprefix('the ')} to copy", 3)
        return
    write_clipboard(app, text)
    say(app, f"Copied {what} ({lines_in(text)})", 3)


def write_clipboard(app: App[Any], text: str) -> None:
    """Put `text` on the clipboard by both ways; what is missing on a machine is passed over."""
    app.copy_to_clipboard(text)
    if not _remote():
        app.run_worker(in_joined_thread(_copy, text), exit_on_error=False, group="clipboard")


async def read_clipboard(app: App[Any]) -> str:
    """The text on this machine's clipboard, else what was copied in this app."""
    text = "" if _remote() else await in_thread(_paste)
    return text or app.clipboard


def _remote() -> bool:
    return "SSH_CONNECTION" in os.environ


def _copy(text: str) -> None:
    pyperclip = late("pyperclip")
    with suppress(pyperclip.PyperclipException):  # no clipboard program on this machine; OSC 52 has been sent
        pyperclip.copy(text)


def _paste() -> str:
    pyperclip = late("pyperclip")
    try:
        return str(pyperclip.paste())
    except pyperclip.PyperclipException:
        return ""


class CopyOnSelect:
    """Copies what the mouse selects when it is let go, each selection once. It stays selected."""

    def __init__(self) -> None:
        self._copied: dict[Widget, Selection] = {}

    def let_go(self, app: App[Any], selections: Mapping[Widget, Selection], read: Callable[[], str | None]) -> None:
        is_new, self._copied = selections != self._copied, dict(selections)
        text = read() if selections and is_new else None
        if text and text.strip():
            copy(app, text, "the selection")
