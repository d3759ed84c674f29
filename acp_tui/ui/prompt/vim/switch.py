"""Whether the prompt is edited with vim's keys. Until it is, none of them is loaded."""

from textual import events

from acp_tui.startup import late
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.prompt.draft import EditorExtension
from acp_tui.ui.prompt.editor import PromptEditor

OFF = EditorExtension()


class VimSwitch(EditorExtension):
    """Asks the setting at each key: it may have been changed beside another session."""

    def __init__(self, view: SessionView, editor: PromptEditor) -> None:
        self._view, self._editor = view, editor
        self._made = OFF
        if self._is_on:
            self._changed()

    def toggle(self) -> None:
        self._view.prefer("editing", "default" if self._is_on else "vim")
        self._changed()
        self._view.say("Vim keys on · esc for normal mode" if self._is_on else "Vim keys off", 3)

    @property
    def _is_on(self) -> bool:
        return self._view.preference("editing", str) == "vim"

    @property
    def _keys(self) -> EditorExtension:
        if not self._is_on:
            self._made = OFF
        elif self._made is OFF:
            self._made = late("acp_tui.ui.prompt.vim.keyboard").VimKeys(self._editor)
        return self._made

    def takes_key(self, event: events.Key) -> bool:
        before, keys = self._made, self._keys
        if keys is not before:
            self._changed()
        return keys.takes_key(event)

    @property
    def mode(self) -> str:
        return self._keys.mode

    def emptied(self) -> None:
        self._keys.emptied()

    def _changed(self) -> None:
        self._editor.post_message(PromptEditor.ModeChanged())
