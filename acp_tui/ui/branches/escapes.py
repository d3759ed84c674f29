"""Esc pressed twice where there is nothing to step back from: it clears the prompt, then lists one's messages."""

from collections.abc import Callable
from time import monotonic

from acp_tui.ui.branches.message_list import messages_of
from acp_tui.ui.commands.keys import spell
from acp_tui.ui.commands.registry import BY_ID
from acp_tui.ui.kit.key_guards import WITHIN, DoublePress
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.status.footer import KeyFooter

CALM = 1.0  # seconds after a press that cancelled in which no other one counts: who cancels may hammer the key


class Escapes:
    """Counts the presses of one session; the footer says what the second one does, as long as it does that."""

    def __init__(self, view: SessionView, editor: PromptEditor, footer: KeyFooter, pick: Callable[[], object]) -> None:
        self._view, self._editor, self._footer, self._pick = view, editor, footer, pick
        self._presses = DoublePress(view.strokes)
        self._calm_until = float("-inf")

    def cancelled(self) -> None:
        """This press has cancelled something."""
        self._calm_until = monotonic() + CALM

    def press(self) -> None:
        now, ways, written = monotonic(), BY_ID["cancel"].ways, bool(self._editor.text)
        if now < self._calm_until or not (written or messages_of(self._view.session)):
            return
        if not self._presses.again(now, ways):
            key = spell(self._view.strokes.which(ways) or next(iter(ways), ""))
            what = "clear the prompt" if written else "edit an earlier message"
            self._footer.tell(f"{key} again", f"to {what}", WITHIN)
            self._view.strokes.before_next(self._footer.settle)
        elif written:
            self._editor.set_aside()
        else:
            self._pick()
