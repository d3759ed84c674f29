"""`!command` in the prompt: run here, not sent; its output goes along with the next prompt if the person wants it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_tui.ui.figures import counted
from acp_tui.ui.render.text import sanitise_line

if TYPE_CHECKING:
    from acp_tui.host.own_commands import OwnCommands
    from acp_tui.session.entries import ToolCallEntry
    from acp_tui.ui.screen import ConversationScreen

SIGN = "!"


def line_of(text: str) -> str | None:
    """The command that a prompt stands for; None if it is none."""
    return text[1:].strip() if text.startswith(SIGN) else None


class ShellActs:
    """The person's own commands on one screen."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen
        self._commands: OwnCommands | None = None

    def run(self, line: str) -> None:
        """Run a line beside whatever the agent does; of an empty one say what belongs there."""
        if not line:
            self._screen.app.notify(f"{SIGN} and a command, as {SIGN}git status, runs it here", markup=False, timeout=3)
            return
        if self._commands is None:
            from acp_tui.host.own_commands import OwnCommands  # noqa: PLC0415 (the first frame does not need it)

            self._commands = OwnCommands(self._screen.session)
        self._screen.run_worker(self._commands.run(line), group="shell")
        self._screen.transcript.follow_end()

    def stop(self) -> bool:
        """End what was begun last; whether anything runs."""
        return self._commands is not None and self._commands.stop()

    def attach_output(self) -> None:
        """Put the output of a command into the prompt: the one under the transcript's cursor, else the last own one."""
        from acp_tui.host.own_commands import told_output  # noqa: PLC0415 (the first frame does not need it)

        entry = self._chosen()
        terminals = self._screen.session.terminals
        terminal = next((terminals[name] for name in _terminal_ids(entry) if name in terminals), None)
        if entry is None or terminal is None:
            self._screen.app.notify("No command has run here; !command runs one", markup=False, timeout=3)
            return
        text = told_output(entry, terminal)
        lines = counted(text.count("\n") - 4, "line")
        self._screen.editor.put_in("Output", f"{sanitise_line(entry.title, 24)}, {lines}", text)
        self._screen.focus_prompt()

    def _chosen(self) -> ToolCallEntry | None:
        from acp_tui.session.entries import ToolCallEntry  # noqa: PLC0415 (the first frame does not need it)
        from acp_tui.session.own_commands import is_own  # noqa: PLC0415

        session = self._screen.session
        current = self._screen.transcript.current_entry
        if isinstance(current, ToolCallEntry) and _terminal_ids(current):
            return current
        own = (entry for entry in reversed(session.entries) if is_own(session, entry))
        return next((entry for entry in own if isinstance(entry, ToolCallEntry)), None)


def _terminal_ids(entry: ToolCallEntry | None) -> list[str]:
    from acp_tui.protocol.tool_calls import TerminalReference  # noqa: PLC0415 (the first frame does not need it)

    return [item.terminal_id for item in entry.content if isinstance(item, TerminalReference)] if entry else []
