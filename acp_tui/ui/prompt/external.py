"""The draft in the person's own editor; must not know which that is."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from acp_tui.errors import Fault
from acp_tui.host.editor import editor_command
from acp_tui.ui.announcements import announce_fault
from acp_tui.ui.prompt.chips import clean_paste
from acp_tui.ui.suspension import run_on_terminal

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen


def edit_draft(screen: ConversationScreen) -> None:
    """Lend the terminal to the editor; what it saves is the draft."""
    screen.app.run_worker(_edit(screen), group="editor", exclusive=True)


async def _edit(screen: ConversationScreen) -> None:
    editor = screen.editor
    with TemporaryDirectory(prefix="acp-tui-") as folder:
        path = Path(folder) / "prompt.md"
        path.write_text(editor.draft, "utf-8", "replace")
        try:
            code = await run_on_terminal(screen.app, editor_command(str(path)), screen.session.cwd)
            text = path.read_text("utf-8", "replace")
        except Fault as fault:
            announce_fault(screen.app, fault)
            return
        except OSError as error:
            reason = f"What the editor saved cannot be read ({error.strerror}): the draft is as it was"
            screen.app.notify(reason, severity="warning", markup=False)
            return
    if code:
        screen.app.notify(f"The editor ended with code {code}: the draft is as it was", markup=False, timeout=4)
    else:
        editor.rewrite(clean_paste(text).removesuffix("\n"))
    screen.focus_prompt()
