"""Drafts from elsewhere: kept over a crash, put aside for later, written in the user's own editor, or sent before."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from acp_tui.errors import Fault
from acp_tui.host.desktop.user_commands import editor_command
from acp_tui.host.prompts.drafts import KeptDraft, StashedDraft, stash_of
from acp_tui.ui.commands.key_table import ways_to
from acp_tui.ui.kit.announcements import announce_fault, say
from acp_tui.ui.kit.line_editor import Piece
from acp_tui.ui.kit.picker import Picker, PickerRow
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.prompt.draft import Draft, as_attached, bare, clean_paste
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.terminal.suspension import run_on_terminal

DELAY = 0.4  # seconds after the first of some edits


class DraftActions:
    """The draft of one prompt: kept over a crash, written in the user's own editor, or an earlier prompt."""

    def __init__(self, view: SessionView, editor: PromptEditor) -> None:
        self._view, self._editor = view, editor
        self._empty = not editor.text
        self._kept = KeptDraft(editor.prompt_history.path)
        self._waits = False

    def restore(self) -> None:
        """Bring back what a run that did not end properly has left; of several drafts the newest, others by history."""
        drafts = self._kept.left_behind()
        for draft in drafts[:-1] if not self._editor.text else drafts:
            self._editor.prompt_history.add(bare(draft.text))
        if drafts and not self._editor.text:
            draft = drafts[-1]
            text, attached = as_attached(draft.text, draft.attached)
            self._editor.set_draft(text, attached)
            words = "Restored your unsent draft"
            lost = "" if text == draft.text else " (attachments were not kept)"
            say(self._editor.app, words + lost, 4)

    def edited(self) -> None:
        if not self._waits:
            self._waits = True
            self._editor.set_timer(DELAY, self._keep)
        before, self._empty = self._empty, not self._editor.text
        if before and not self._empty:
            self._view.client.changes(self._view.session).typed()

    def close(self) -> None:
        self._kept.keep("")
        self._kept.close()

    def _keep(self) -> None:
        self._waits = False
        editor = self._editor
        self._kept.keep(editor.draft, editor.chips.attachments(editor.text))

    def edit_externally(self) -> None:
        """Lend the terminal to the user's own editor; what it saves is the draft."""
        self._view.app.run_worker(self._edit(), group="editor", exclusive=True)

    async def _edit(self) -> None:
        view, editor = self._view, self._editor
        with TemporaryDirectory(prefix="acp-tui-") as folder:
            path = Path(folder) / "prompt.md"
            path.write_text(editor.draft, "utf-8", "replace")
            try:
                code = await run_on_terminal(view.app, editor_command(str(path)), view.session.cwd)
                text = path.read_text("utf-8", "replace")
            except Fault as fault:
                announce_fault(view.app, fault)
                return
            except OSError as error:
                view.say(f"Cannot read the edited prompt ({error.strerror}). The draft is unchanged.", 5, "warning")
                return
        if code:
            view.say(f"The editor exited with code {code}. The draft is unchanged.", 4)
        else:
            editor.rewrite(clean_paste(text).removesuffix("\n"))
        view.focus_prompt()

    def search_history(self) -> None:
        """Pick one of the prompts of this project; what is written goes to them."""
        rows = [PickerRow(text, sanitise_line(text)) for text in reversed(self._editor.prompt_history.entries)]
        self._view.open(Picker("Prompt history", rows), self._recall)

    def _recall(self, text: str | None) -> None:
        if text is not None:
            self._editor.set_aside()
            self._editor.set_draft(bare(text))


class StashActions:
    """The stash of the project, as one prompt uses it: what is written is put aside, and comes back when it is wanted.

    By itself it comes back once something else was sent, if it was put aside here.
    """

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

    def bring_back(self, draft: Draft) -> Draft:
        """A prompt was sent: the last one that was put aside here has its place again."""
        there = self._stash.names()
        self._ours = [name for name in self._ours if name in there]
        if self._ours and not self._editor.text:
            self._take(self._ours[-1])
            self._editor.hold()
        return draft

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
