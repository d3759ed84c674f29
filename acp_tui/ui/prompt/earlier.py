"""Earlier prompts and messages, picked from a list to be edited and sent again."""

import time
from collections.abc import Mapping, Sequence
from functools import partial

from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.session.entries import MessageEntry
from acp_tui.session.folds.messages import attachments_of, text_of
from acp_tui.ui.kit.key_guards import DoublePress
from acp_tui.ui.kit.picker import Picker, PickerRow
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.prompt.draft import as_attached
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.render.text import sanitise_line


class EarlierPrompts:
    """The prompts of this project, and the user's messages of one session."""

    def __init__(self, view: SessionView, editor: PromptEditor) -> None:
        self._view, self._editor = view, editor
        self._escapes = DoublePress()

    def search(self) -> None:
        rows = [PickerRow(text, sanitise_line(text)) for text in reversed(self._editor.prompt_history.entries)]
        self._view.open(Picker("Prompt history", rows), partial(self._recall, {}))

    def escape(self) -> None:
        """Esc where there is nothing to step back from: the second time on an empty prompt, pick an earlier message."""
        if not self._editor.text and self._escapes.again(time.monotonic()):
            self.pick()

    def pick(self) -> None:
        """Pick a message of this session to edit and send again."""
        said = [each for each in self._view.session.entries if isinstance(each, MessageEntry) and each.role == "user"]
        attached: dict[str, Sequence[ContentBlock]] = {}
        for entry in reversed(said):
            attached.setdefault(text_of(entry.parts).strip(), attachments_of(entry.parts))
        rows = [PickerRow(text, sanitise_line(text)) for text in attached if text]
        if rows:
            self._view.open(Picker("Your messages in this session", rows), partial(self._recall, attached))
        else:
            self._view.say("You have written nothing in this session yet")

    def _recall(self, attached: Mapping[str, Sequence[ContentBlock]], text: str | None) -> None:
        """Write what was chosen; what was written before is in the history."""
        if text is not None:
            self._editor.set_aside()
            self._editor.set_draft(*as_attached(text, attached.get(text, ())))
