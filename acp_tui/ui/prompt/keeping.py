"""The draft that survives a crash: kept a moment after it was edited, brought back at the next start."""

from acp_tui.host.drafts import KeptDraft
from acp_tui.host.prompt_history import PromptHistory
from acp_tui.ui.announcements import say
from acp_tui.ui.prompt.chips import as_attached, bare
from acp_tui.ui.prompt.editor import PromptEditor

DELAY = 0.4  # seconds after the first of some edits


class DraftKeeping:
    """The kept draft of one prompt."""

    def __init__(self, editor: PromptEditor, history: PromptHistory) -> None:
        self._editor, self._history = editor, history
        self._kept = KeptDraft(history.path)
        self._waits = False

    def restore(self) -> None:
        """Bring back what a run that did not end properly has left; of several drafts the newest, others by history."""
        drafts = self._kept.left_behind()
        for draft in drafts[:-1] if not self._editor.text else drafts:
            self._history.add(bare(draft.text))
        if drafts and not self._editor.text:
            draft = drafts[-1]
            text, attached = as_attached(draft.text, draft.attached)
            self._editor.set_draft(text, attached)
            words = "What you were writing when the program ended is back"
            lost = "" if text == draft.text else ", without what was attached: that was not kept"
            say(self._editor.app, words + lost, 4)

    def edited(self) -> None:
        """Keep the draft soon."""
        if not self._waits:
            self._waits = True
            self._editor.set_timer(DELAY, self._keep)

    def close(self) -> None:
        """The prompt is gone, in good order."""
        self._kept.keep("")
        self._kept.close()

    def _keep(self) -> None:
        self._waits = False
        editor = self._editor
        self._kept.keep(editor.draft, editor.chips.attachments(editor.text))
