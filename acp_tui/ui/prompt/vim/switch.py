"""Whether the prompt is edited with vim's keys. Until it is, none of them is loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events

from acp_tui.startup import late
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.options.selectors import SelectorBar
from acp_tui.ui.prompt.editor import PromptEditor

if TYPE_CHECKING:
    from acp_tui.ui.prompt.vim.keyboard import VimKeys


class VimSwitch:
    """Asks the setting at each key: it may have been changed beside another session."""

    def __init__(
        self, view: SessionView, editor: PromptEditor, bar: SelectorBar, close_lists: Callable[[], object]
    ) -> None:
        """The mode stands in the `bar`; `close_lists` closes what completes words."""
        self._view, self._editor, self._close_lists = view, editor, close_lists
        self._made: VimKeys | None = None
        editor.modal_keys, editor.emptied = self._takes, self._emptied
        bar.mode, self._changed = self._word, bar.look
        if self._is_on:
            bar.look()

    def toggle(self) -> None:
        self._view.prefer("editing", "default" if self._is_on else "vim")
        self._changed()
        self._view.say("Vim keys on · esc for normal mode" if self._is_on else "Vim keys off", 3)

    @property
    def _is_on(self) -> bool:
        return self._view.preference("editing", str) == "vim"

    @property
    def _keys(self) -> VimKeys | None:
        if not self._is_on:
            self._made = None
        elif self._made is None:
            module = late("acp_tui.ui.prompt.vim.keyboard")
            self._made = module.VimKeys(self._editor, self._changed, self._close_lists)
        return self._made

    def _takes(self, event: events.Key) -> bool:
        before, keys = self._made, self._keys
        if keys is not before:
            self._changed()
        return keys is not None and keys.takes(event)

    def _word(self) -> str:
        keys = self._keys
        return keys.word if keys is not None else ""

    def _emptied(self) -> None:
        if (keys := self._keys) is not None:
            keys.start_anew()
