"""Slash commands in the palette: which there are, under which name each is typed, and what choosing one does."""

from collections.abc import Callable, Mapping

from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.palette.entries import SlashLine
from acp_tui.ui.prompt.draft import Draft
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.slash.current import CurrentCommands


class SlashLines:
    """Those of one session. `send` takes a draft the way that the prompt's go."""

    def __init__(
        self, view: SessionView, editor: PromptEditor, commands: CurrentCommands, send: Callable[[Draft], object]
    ) -> None:
        self._view, self._editor, self._commands, self._send = view, editor, commands, send

    def listed(self) -> list[SlashLine]:
        """The agent's, own prompts, and what the agent does not offer though one looks for it."""
        agent = sanitise_line(self._view.agent_name, 30) or "Agent"
        whose = {"agent": agent, "yours": "Your prompts", "project": "Project prompts"}
        return [
            SlashLine(each.name, whose[each.owner], each.description, asks=each.asks)
            if each.can_run
            else SlashLine(each.name, f"Not offered by {agent}", can_run=False)
            for each in self._commands.now.rows
            if each.command is None
        ]

    def typed(self) -> Mapping[str, str]:
        """The names by which the client's commands are typed, by their ids."""
        return {each.command.id: each.name for each in self._commands.now.rows if each.command is not None}

    def write(self, line: SlashLine) -> None:
        """Send it; one that asks for words is put before what is written, with the cursor behind all."""
        if not line.asks:
            self._send(Draft(f"/{line.name}"))
            return
        editor = self._editor
        begun = editor.text.startswith("/") and not any(map(str.isspace, editor.text))
        editor.replace(f"/{line.name} ", (0, 0), (0, len(editor.text) if begun else 0))
        self._view.focus_prompt()
        editor.move_cursor(editor.document.end)
