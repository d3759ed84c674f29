"""Opening a file that the agent named in the user's own editor, at its line."""

from collections.abc import Sequence
from typing import Any

from textual.app import App

from acp_tui.errors import Fault, UserFault
from acp_tui.host.blocking import in_thread
from acp_tui.host.editor import editor_command
from acp_tui.host.excerpts import file_inside
from acp_tui.ui.announcements import announce_fault, say
from acp_tui.ui.suspension import run_on_terminal

WITHIN = 10.0  # seconds


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
        announce_fault(app, UserFault(f"{path} cannot be opened", "The file system does not answer."))
        return
    if code:
        say(app, f"The editor ended with exit code {code}", 4, "warning")
