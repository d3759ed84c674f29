"""Lending the terminal to another program, as the user's editor, and taking it back.

While the terminal is lent the session goes on: updates are folded, nothing is painted (`batch_update`), and what
would be written anyway (a bell, a title) is dropped by the driver, whose writer has stopped. The other program is
awaited, never waited for: a blocked loop would block the agent.
"""

import os
import signal
from collections.abc import Mapping, Sequence
from typing import Any

from textual.app import App, SuspendNotSupported

from acp_tui.errors import Fault, UserFault
from acp_tui.host.prompts.mentions import file_inside
from acp_tui.host.system.threads import in_thread
from acp_tui.host.user_programs import editor_command, run_in_foreground
from acp_tui.ui.kit.session_view import SessionView, announce_fault, say

WITHIN = 10.0  # seconds


def suspend(app: App[Any]) -> None:
    """Give the terminal back to the shell that started this program, until it is continued (`fg`).

    The whole process group stops, as the terminal's own Ctrl+Z has it; agents have groups of their own and go on.
    Where no shell could continue it, the kernel does not stop it.
    """
    if not hasattr(signal, "SIGTSTP"):
        say(app, "Cannot suspend on this system", 3)
        return
    try:
        with app.batch_update(), app.suspend():
            ours = signal.signal(signal.SIGTSTP, signal.SIG_DFL)  # Textual's stops it for good, whoever started it
            try:
                os.killpg(os.getpgrp(), signal.SIGTSTP)
            finally:
                signal.signal(signal.SIGTSTP, ours)
    except SuspendNotSupported:
        say(app, "Cannot suspend in this terminal", 3)
    app.refresh(layout=True)


async def run_on_terminal(
    app: App[Any],
    argv: Sequence[str],
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    output: bytearray | None = None,
) -> int:
    """Run a command on the app's terminal until it ends; its exit code, negative for a signal.

    `output` gets the last of what it wrote, raw; nothing where the system cannot tell.

    Call it in a worker of the *app*, which is cancelled only when the app ends: the command ends then, and the
    terminal is left as it is. Raises `UserFault` where the command cannot be started or there is no terminal to
    lend, with the app back on the screen.
    """
    failed: Fault | None = None
    code = 0
    try:
        with app.batch_update(), app.suspend():
            try:
                code = await run_in_foreground(argv, cwd, env, output)
            except Fault as fault:
                failed = fault  # raised only when the app has its terminal back
    except SuspendNotSupported as error:
        raise UserFault("Cannot run another program in this terminal", " ".join(argv)) from error
    app.refresh(layout=True)
    if failed is not None:
        raise failed
    return code


def edit_file(app: App[Any], path: str, line: int | None, roots: Sequence[str]) -> None:
    """Lend the terminal to `$EDITOR`; files outside the `roots` are not opened. What goes wrong is told in a toast."""
    app.run_worker(_edit(app, path, line, roots), group="editor", exclusive=True)


async def _edit(app: App[Any], path: str, line: int | None, roots: Sequence[str]) -> None:
    try:
        target = await in_thread(file_inside, path, roots, within=WITHIN)
        code = await run_on_terminal(app, editor_command(target, line), roots[0] if roots else None)
    except Fault as fault:
        announce_fault(app, fault)
        return
    except TimeoutError:
        announce_fault(app, UserFault(f"Cannot open {path}", "The file system is not responding."))
        return
    if code:
        say(app, f"Editor exited with code {code}", 4, "warning")


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
