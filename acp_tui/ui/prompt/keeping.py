"""The draft that survives a crash: kept a moment after it was edited, brought back at the next start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_tui.host.drafts import KeptDraft
from acp_tui.ui.prompt.chips import as_attached, bare

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen

DELAY = 0.4  # seconds after the first of some edits


class DraftKeeping:
    """The kept draft of one screen."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen
        self._kept = KeptDraft(screen.history.path)
        self._waits = False

    def restore(self) -> None:
        """Bring back what a run that did not end properly has left; of several drafts the newest, others by history."""
        drafts = self._kept.left_behind()
        for draft in drafts[:-1] if not self._screen.editor.text else drafts:
            self._screen.history.add(bare(draft.text))
        if drafts and not self._screen.editor.text:
            draft = drafts[-1]
            text, attached = as_attached(draft.text, draft.attached)
            self._screen.editor.set_draft(text, attached)
            words = "What you were writing when the program ended is back"
            lost = "" if text == draft.text else ", without what was attached: that was not kept"
            self._screen.app.notify(words + lost, markup=False, timeout=4)

    def edited(self) -> None:
        """Keep the draft soon."""
        if not self._waits:
            self._waits = True
            self._screen.set_timer(DELAY, self._keep)

    def close(self) -> None:
        """The prompt is gone, in good order."""
        self._kept.keep("")
        self._kept.close()

    def _keep(self) -> None:
        self._waits = False
        editor = self._screen.editor
        self._kept.keep(editor.draft, editor.chips.attachments(editor.text))
