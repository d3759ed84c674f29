"""Slash commands in the palette: which there are, under which name each is typed, and what choosing one does."""

from collections.abc import Callable, Mapping

from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.palette.entries import Row, slash_rows
from acp_tui.ui.prompt.draft import Draft
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.slash.current import CurrentCommands
from acp_tui.ui.slash.offers import Offer


class SlashLines:
    """Those of one session. `send` takes a draft the way that the prompt's go."""

    def __init__(
        self, view: SessionView, editor: PromptEditor, commands: CurrentCommands, send: Callable[[Draft], object]
    ) -> None:
        self._view, self._editor, self._commands, self._send = view, editor, commands, send

    def rows(self) -> list[Row]:
        """The agent's, own prompts, and what the agent does not offer though one looks for it."""
        agent = sanitise_line(self._view.agent_name, 30) or "Agent"
        return slash_rows(self._commands.now.rows, agent, self.write)

    def typed(self) -> Mapping[str, str]:
        """The names by which the client's commands are typed, by their ids."""
        return {each.command.id: each.name for each in self._commands.now.rows if each.command is not None}

    def write(self, offer: Offer) -> None:
        """Send it; one that asks for words is put before what is written, with the cursor behind all."""
        if not offer.asks:
            self._send(Draft(f"/{offer.name}"))
            return
        editor = self._editor
        begun = editor.text.startswith("/") and not editor.is_text and not any(map(str.isspace, editor.text))
        editor.replace(f"/{offer.name} ", (0, 0), (0, len(editor.text) if begun else 0))
        self._view.focus_prompt()
        editor.move_cursor(editor.document.end)
