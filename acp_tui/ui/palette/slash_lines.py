"""Slash commands in the palette: which there are, under which name each is typed, and what choosing one does."""

from collections.abc import Callable, Mapping

from acp_tui.ui.commands.registry import COMMANDS
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.palette.entries import SlashLine
from acp_tui.ui.prompt.completion import wants_words
from acp_tui.ui.prompt.draft import Draft
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.render.text import sanitise_line

EXPECTED = ("compact", "init", "review")  # what other clients have, and here is the agent's


class SlashLines:
    """Those of one session. `send` takes a draft the way that the prompt's go."""

    def __init__(self, view: SessionView, editor: PromptEditor, send: Callable[[Draft], object]) -> None:
        self._view, self._editor, self._send = view, editor, send

    def listed(self) -> list[SlashLine]:
        """The agent's, and those that one looks for and it does not have."""
        whose = sanitise_line(self._view.agent_name, 30) or "Agent"
        ours = {name for command in COMMANDS if command.wins for name in command.slash}
        offered = [command for command in self._view.session.commands if command.type == "command"]
        lines = [
            SlashLine(
                f"agent:{command.name}" if command.name in ours else command.name,
                whose,
                command.description,
                asks=wants_words(command),
            )
            for command in offered
        ]
        missing = (name for name in EXPECTED if name not in {command.name for command in offered})
        return lines + [SlashLine(name, whose, "not offered by this agent", can_run=False) for name in missing]

    def typed(self) -> Mapping[str, str]:
        """The names by which the client's commands are typed, by their ids."""
        theirs = {command.name for command in self._view.session.commands}
        hidden = {command.id for command in COMMANDS if not command.wins and theirs.intersection(command.slash[:1])}
        return {
            command.id: f"{'client:' if command.id in hidden else ''}{command.slash[0]}"
            for command in COMMANDS
            if command.slash
        }

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
