"""What completes a prompt while it is written: the pop-ups of commands and of mentions, and their keys."""

from collections.abc import Callable

from acp_tui.ui.prompt.completion import CommandCompletion
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.prompt.local_commands import with_local
from acp_tui.ui.prompt.mention_acts import MentionActions
from acp_tui.ui.session_view import SessionView


class Completions:
    """The pop-ups of one prompt; they take their keys before the editor does."""

    def __init__(self, view: SessionView, editor: PromptEditor, prompt_top: Callable[[], int]) -> None:
        self._view, self._editor, self._prompt_top = view, editor, prompt_top
        self.commands = CommandCompletion(self.accept)
        self.mentions = MentionActions(view, editor, prompt_top)
        editor.popup_keys = self._take_key

    def edited(self) -> None:
        """What is written changed: offer what completes it."""
        text = self._editor.text if self._editor.document.line_count == 1 else ""
        self.commands.offer(text, with_local(self._view.session.commands))
        if self.commands.display:
            self.commands.stand_on(self._prompt_top())
        self.mentions.edited()

    def accept(self) -> None:
        """Write the highlighted command."""
        command = self.commands.chosen()
        if command is not None:
            self._editor.set_draft(f"/{command.name} ")
            self.commands.close()
            self._editor.focus()

    def _take_key(self, key: str) -> bool:
        """Whether a pop-up took the key."""
        if self.commands.is_open or self.mentions.list.is_open:
            self.edited()  # a key can come before the news of what was typed before it
        if self.mentions.take_key(key):
            return True
        if not self.commands.is_open:
            return False
        if key in ("up", "down"):
            self.commands.move(-1 if key == "up" else 1)
            return True
        if key == "tab" or (key == "enter" and not self._written_out()):
            self.accept()
            return True
        return False

    def _written_out(self) -> bool:
        """Whether the highlighted command stands in the editor already, so that Enter sends it."""
        command = self.commands.chosen()
        return command is not None and self._editor.text == f"/{command.name}"
