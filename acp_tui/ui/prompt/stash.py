"""The stash: what is written is put aside, and comes back when it is wanted or something else was sent."""

from collections.abc import Callable

from acp_tui.errors import Fault
from acp_tui.host.store.stash import StashedDraft, stash_of
from acp_tui.ui.commands.key_table import ways_to
from acp_tui.ui.kit.announcements import announce_fault
from acp_tui.ui.kit.line_editing import Piece
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.prompt.editor import PromptEditor


class StashActions:
    """The stash of the project, as one prompt uses it. By itself comes back only what was put aside here."""

    def __init__(
        self,
        view: SessionView,
        editor: PromptEditor,
        put_aside: Callable[[], object],
        changed: Callable[[], object],
    ) -> None:
        """`put_aside` is told when the prompt has been emptied; it may write another text there. `changed` hears of
        another `count`.
        """
        self._view, self._editor, self._put_aside, self._changed = view, editor, put_aside, changed
        self._stash = stash_of(editor.prompt_history.path)
        self._ours: list[str] = []
        self.count = len(self._stash.names())  # drafts that wait
        self.close = self._stash.subscribe(self._look)

    def toggle(self) -> None:
        """Put aside what is written; where nothing is, bring the newest back."""
        if self._editor.text.strip():
            self._put()
        elif not self._take():
            self._look()  # another run may have taken what was there
            self._view.say(f"Nothing stashed. Press {ways_to('stash')} to stash a prompt.")

    def sent(self) -> None:
        """A prompt was sent: the last one that was put aside here has its place again."""
        there = self._stash.names()
        self._ours = [name for name in self._ours if name in there]
        if self._ours and not self._editor.text:
            self._take(self._ours[-1])
            self._editor.hold()

    def _put(self) -> None:
        piece = self._editor.piece
        try:
            self._ours.append(self._stash.put(StashedDraft(piece.text, piece.held)))
        except Fault as fault:
            announce_fault(self._view.app, fault)
            return
        self._editor.set_draft("")
        self._put_aside()

    def _take(self, name: str = "") -> bool:
        """Bring a draft back; whether there was one, or at least something to say about it."""
        try:
            draft = self._stash.take(name)
        except Fault as fault:
            announce_fault(self._view.app, fault)
            return True
        if draft is not None:
            self._editor.put_back(Piece(draft.text, draft.held))
        return draft is not None

    def _look(self) -> None:
        self.count = len(self._stash.names())
        if self._editor.is_mounted:
            self._changed()
