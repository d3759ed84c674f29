"""Shell commands, what the agent takes of attachments, and kept drafts of the prompt.

A `!command` is run here, not sent; its output goes along with the next prompt if the user wants it. Drafts come from
elsewhere: kept over a crash, put aside for later, written in the user's own editor, or sent before.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from acp_tui.errors import Fault
from acp_tui.host.prompts.drafts import KeptDraft, StashedDraft, stash_of
from acp_tui.host.user_programs import OwnCommands, editor_command, told_output
from acp_tui.protocol.capabilities import PromptCapabilities
from acp_tui.protocol.vocabulary.content import (
    Annotations,
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    TextContent,
    TextResource,
)
from acp_tui.protocol.vocabulary.tool_calls import TerminalReference
from acp_tui.session.digest import shortened
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.folds.tool_calls import is_own
from acp_tui.session.text.phrases import counted
from acp_tui.ui.commands.key_table import ways_to
from acp_tui.ui.kit.line_editor import LabelledText
from acp_tui.ui.kit.picker import Picker
from acp_tui.ui.kit.session_view import SessionView, announce_fault, say
from acp_tui.ui.prompt.draft import Draft, Stop, as_attached, bare, clean_paste
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.terminal.suspension import run_on_terminal
from acp_tui.ui.transcript.transcript_view import TranscriptView
from acp_tui.views.row_search import PickerRow

SIGN = "!"


def line_of(text: str) -> str | None:
    """The command that a prompt stands for; None if it is none."""
    return text[1:].strip() if text.startswith(SIGN) else None


class ShellActions:
    """The user's own commands in one session."""

    def __init__(self, view: SessionView, editor: PromptEditor, transcript: TranscriptView) -> None:
        self._view, self._editor, self._transcript = view, editor, transcript
        self._commands = OwnCommands(view.session)

    def run_line(self, draft: Draft) -> Draft | Stop:
        """Run a draft that is a command; others go on."""
        line = line_of(draft.text)
        if line is None:
            return draft
        self.run(line)
        return Stop.DONE

    def run(self, line: str) -> None:
        if not line:
            self._view.say(f"Type a command after {SIGN}, for example {SIGN}git status")
            return
        self._editor.run_worker(self._commands.run(line), group="shell")
        self._transcript.follow_end()

    def stop(self) -> bool:
        return self._commands.stop()

    def attach_output(self) -> None:
        """Put the output of a command into the prompt: the one under the transcript's cursor, else the last own one."""
        entry = self._chosen()
        terminals = self._view.session.terminals
        terminal = next((terminals[name] for name in _terminal_ids(entry) if name in terminals), None)
        if entry is None or terminal is None:
            self._view.say(f"No command output yet. Run a command with {SIGN}command.")
            return
        text = told_output(entry, terminal)
        lines = counted(text.count("\n") - 4, "line")
        self._editor.put_in("Output", f"{sanitise_line(entry.title, 24)}, {lines}", text)
        self._view.focus_prompt()

    def _chosen(self) -> ToolCallEntry | None:
        session = self._view.session
        current = self._transcript.current_entry
        if isinstance(current, ToolCallEntry) and _terminal_ids(current):
            return current
        own = (entry for entry in reversed(session.entries) if is_own(session, entry))
        return next((entry for entry in own if isinstance(entry, ToolCallEntry)), None)


def _terminal_ids(entry: ToolCallEntry | None) -> list[str]:
    return [item.terminal_id for item in entry.content if isinstance(item, TerminalReference)] if entry else []


MOST_AS_TEXT = 60_000  # bytes of a transcript for an agent that takes no attachments, about 15,000 tokens


def fitted(attached: Sequence[ContentBlock], agent: PromptCapabilities) -> tuple[list[ContentBlock], list[str]]:
    """What is attached, as the agent takes it; and what is said of that which is left out or sent in another way."""
    blocks: list[ContentBlock] = []
    notes: list[str] = []
    images = audio = 0
    for block in attached:
        if isinstance(block, ImageContent) and not agent.image:
            images += 1
        elif isinstance(block, AudioContent) and not agent.audio:
            audio += 1
        elif isinstance(block, EmbeddedResource) and not agent.embedded_context:
            text = _text_of(block)
            short = shortened(text, MOST_AS_TEXT)
            blocks.append(TextContent(text=short, annotations=Annotations(audience=["assistant"])))  # the user knows it
            cut = "" if short == text else f", cut to {MOST_AS_TEXT // 1_000} KB"
            notes.append(f"This agent does not accept attachments. The transcript was sent as text{cut}.")
        else:
            blocks.append(block)
    if images:
        notes.append(f"This agent does not accept images: {counted(images, 'image')} left out")
    if audio:
        notes.append(f"This agent does not accept audio: {counted(audio, 'clip')} left out")
    return blocks, notes


def _text_of(block: EmbeddedResource) -> str:
    resource = block.resource
    return resource.text if isinstance(resource, TextResource) else resource.uri


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
            lost = "" if text == draft.text else " (attachments were not saved)"
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
            self._editor.put_back(LabelledText(draft.text, draft.held))
        return draft is not None

    def _look(self) -> None:
        self.count = len(self._stash.names())
        if self._editor.is_mounted:
            self._changed()
