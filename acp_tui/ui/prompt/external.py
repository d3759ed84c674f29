"""The draft in the user's own editor."""

from pathlib import Path
from tempfile import TemporaryDirectory

from acp_tui.errors import Fault
from acp_tui.host.editor import editor_command
from acp_tui.ui.announcements import announce_fault
from acp_tui.ui.prompt.chips import clean_paste
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.session_view import SessionView
from acp_tui.ui.suspension import run_on_terminal


def edit_draft(view: SessionView, editor: PromptEditor) -> None:
    """Lend the terminal to the editor; what it saves is the draft."""
    view.app.run_worker(_edit(view, editor), group="editor", exclusive=True)


async def _edit(view: SessionView, editor: PromptEditor) -> None:
    with TemporaryDirectory(prefix="acp-tui-") as folder:
        path = Path(folder) / "prompt.md"
        path.write_text(editor.draft, "utf-8", "replace")
        try:
            code = await run_on_terminal(view.app, editor_command(str(path)), view.session.cwd)
            text = path.read_text("utf-8", "replace")
        except Fault as fault:
            announce_fault(view.app, fault)
            return
        except OSError as error:
            view.say(f"What the editor saved cannot be read ({error.strerror}): the draft is as it was", 5, "warning")
            return
    if code:
        view.say(f"The editor ended with code {code}: the draft is as it was", 4)
    else:
        editor.rewrite(clean_paste(text).removesuffix("\n"))
    view.focus_prompt()
