"""`!command` in the prompt: run here, not sent; its output goes along with the next prompt if the user wants it."""

from acp_tui.host.desktop.user_commands import OwnCommands, told_output
from acp_tui.protocol.vocabulary.tool_calls import TerminalReference
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.folds.tool_calls import is_own
from acp_tui.session.text.phrases import counted
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.prompt.draft import Draft, Stop
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.transcript.view import TranscriptView

SIGN = "!"


def line_of(text: str) -> str | None:
    """The command that a prompt stands for; None if it is none."""
    return text[1:].strip() if text.startswith(SIGN) else None


class ShellActions:
    """The user's own commands in one session."""

    def __init__(self, view: SessionView, editor: PromptEditor, transcript: TranscriptView) -> None:
        self._view, self._editor, self._transcript = view, editor, transcript
        self._commands = OwnCommands(view.session)

    def run_line(self, draft: Draft) -> Draft | Stop:
        """Run a draft that is a command; others go on."""
        line = line_of(draft.text)
        if line is None:
            return draft
        self.run(line)
        return Stop.DONE

    def run(self, line: str) -> None:
        if not line:
            self._view.say(f"Type a command after {SIGN}, for example {SIGN}git status")
            return
        self._editor.run_worker(self._commands.run(line), group="shell")
        self._transcript.follow_end()

    def stop(self) -> bool:
        return self._commands.stop()

    def attach_output(self) -> None:
        """Put the output of a command into the prompt: the one under the transcript's cursor, else the last own one."""
        entry = self._chosen()
        terminals = self._view.session.terminals
        terminal = next((terminals[name] for name in _terminal_ids(entry) if name in terminals), None)
        if entry is None or terminal is None:
            self._view.say(f"No command output yet. Run a command with {SIGN}command.")
            return
        text = told_output(entry, terminal)
        lines = counted(text.count("\n") - 4, "line")
        self._editor.put_in("Output", f"{sanitise_line(entry.title, 24)}, {lines}", text)
        self._view.focus_prompt()

    def _chosen(self) -> ToolCallEntry | None:
        session = self._view.session
        current = self._transcript.current_entry
        if isinstance(current, ToolCallEntry) and _terminal_ids(current):
            return current
        own = (entry for entry in reversed(session.entries) if is_own(session, entry))
        return next((entry for entry in own if isinstance(entry, ToolCallEntry)), None)


def _terminal_ids(entry: ToolCallEntry | None) -> list[str]:
    return [item.terminal_id for item in entry.content if isinstance(item, TerminalReference)] if entry else []
