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
from acp_tui.host.desktop.user_commands import editor_command, run_in_foreground
from acp_tui.host.prompts.mentions import file_inside
from acp_tui.host.system.threads import in_thread
from acp_tui.ui.kit.announcements import announce_fault, say

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
