"""Continuing from an earlier message: it is chosen, edited in the prompt and sent; a branch of the session takes it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from acp_tui.host.agent.agent_services import NOTHING
from acp_tui.host.sessions.continuation import FILES_STAY
from acp_tui.protocol.vocabulary.config_options import OptionValue
from acp_tui.protocol.vocabulary.content import AudioContent, ContentBlock
from acp_tui.session.entries import Entry, MessageEntry
from acp_tui.session.folds.messages import attachments_of, parts_of, text_of
from acp_tui.session.tools.running_work import is_at_work
from acp_tui.startup import late
from acp_tui.ui.branches.rewind import (
    EarlierMessage,
    FilesSince,
    RewindSource,
    Way,
    is_own,
    messages_of,
    name_of_message,
)
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.commands.registry import OURS
from acp_tui.ui.kit.line_editor import LabelledText
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import ACCENT
from acp_tui.ui.prompt.banners import NO_KEYS, Banner
from acp_tui.ui.prompt.draft import Draft, as_attached, as_sent, as_text
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.sessions.session_actions import SessionActions
from acp_tui.ui.status.option_actions import OptionActions
from acp_tui.ui.transcript.transcript_view import TranscriptView
from acp_tui.ui.undo.undo_actions import TakeBackActions
from acp_tui.views.command_index import SessionCommands
from acp_tui.views.options import OptionChoice

if TYPE_CHECKING:
    from acp_tui.ui.branches.rewind_panel import RewindPanel, Rewound
    from acp_tui.ui.undo.undo_panel import StepChoice

PANEL = "acp_tui.ui.branches.rewind_panel"
BUSY = "The agent is working here, so the branch needs a new tab"
LOST = "This session could not be resumed, so the branch needs a new tab"
NONE = "No messages in this session yet"
REWIND = "pick_earlier"  # the command that lists the messages


class EditedMessage:
    """A message that is edited: what was in the prompt before it came there, and whether its branch takes this tab.

    `files` is what is true of the files; takings back `besides` are no news for the branch. `undo`: the number of the
    undo that came with it, if one did.
    """

    def __init__(
        self, entry: MessageEntry, before: LabelledText, files: str, besides: Collection[int], undo: int | None
    ) -> None:
        self.entry, self.before, self.files, self.besides, self.undo = entry, before, files, besides, undo
        self.draft = ""  # as it came to the prompt
        self.here = False


class BranchActions:
    """What one prompt sends to a branch instead of to its own session."""

    slash: SessionCommands | None = None
    """What lines would run; without it every message comes back as text."""

    def __init__(
        self,
        view: SessionView,
        editor: PromptEditor,
        sessions: SessionActions,
        options: OptionActions,
        files: TakeBackActions,
    ) -> None:
        self._view, self._editor, self._sessions, self._options = view, editor, sessions, options
        self._files, self._banners = files, files.banners
        self._editing: EditedMessage | None = None
        self._unsubscribe: Callable[[], None] = lambda: None

    def pick(self) -> None:
        """List the messages; where going back waits for the turn's end, do not go back."""
        if self._files.waits_for(REWIND):
            self._files.withdraw()
        elif self._said:
            self._view.run(self._open())
        else:
            self._view.say(NONE)

    def edit(self, entry: Entry | None) -> bool:
        """Edit this entry, if it is a message of the user's; whether it is one."""
        if not isinstance(entry, MessageEntry) or not is_own(entry) or not self._said:
            return False
        self._choose(entry)
        return True

    def retry(self) -> None:
        """Send the last prompt again, to a branch from before it."""
        self._retry(NOTHING)

    def retry_with(self) -> None:
        """The same with another model or mode, which is chosen first."""
        if self._said:
            self._options.ask("Send again with", ("model", "mode"), self._retry_chosen)
        else:
            self._view.say(NONE)

    def toggle(self) -> bool:
        """In this tab, or in a new one; whether a message is edited at all."""
        if self._editing is None:
            return False
        if not self._editing.here and (needs := self._needs_tab):
            self._view.say(needs)
        else:
            self._editing.here = not self._editing.here
            self._look()
        return True

    def look(self) -> None:
        """What goes on in the session, or what its agent can, is another: the line says what holds now."""
        editing = self._editing
        if editing is None:
            return
        if editing.here and (needs := self._needs_tab):
            editing.here = False
            self._view.say(needs)
        self._look()

    def leave(self) -> bool:
        """Do not go on from the chosen message; whether one was chosen.

        What was edited stays as a draft; what was not gives way to what was written before.
        """
        editing, editor = self._editing, self._editor
        if editing is None:
            return False
        self._end()
        if editor.text == editing.draft:
            editor.put_back(editing.before)
        return True

    def direct(self, draft: Draft) -> Draft:
        """A draft that is sent now, to the branch that is chosen for it."""
        editing = self._editing
        return draft if editing is None else replace(draft, goes=partial(self._send, editing))

    def _choose(self, entry: MessageEntry) -> None:
        """Continue from it at once, unless files may have changed since: then the dialog shows what."""
        source = RewindSource(self._view, self._files.changes)
        message = source.of(entry)
        if known := source.unchanged(message):
            self._edit(entry, known)
        else:
            self._view.run(self._files.looking(self._compare(source, message)))

    async def _compare(self, source: RewindSource, message: EarlierMessage) -> None:
        back = await source.files_since(message)
        if back.preview is None:
            self._edit(message.entry, back)
        else:
            await self._open(message.entry)

    async def _open(self, entry: MessageEntry | None = None, way: Way = "both") -> None:
        """The dialog, with this message highlighted, or the last one."""
        view, source = self._view, RewindSource(self._view, self._files.changes)
        self._files.done_looking()
        at = source.of(entry) if entry is not None else None
        panel: RewindPanel = late(PANEL).RewindPanel(source, self._files.show, at, way)
        panel.rule.by_key = at is None
        rewound = await view.ask(panel)
        if rewound is None:
            return
        entry = rewound.message.entry
        if rewound.files is None:
            said = FILES_STAY if rewound.back.preview is not None else rewound.back.said
            self._edit(entry, replace(rewound.back, said=said))
        elif view.session.turn.active:
            reopen = partial(self._open, entry, rewound.way)
            self._files.begin(REWIND, f"Rewind to {name_of_message(entry)}", reopen)
        else:
            await self._undo(rewound, rewound.files)

    async def _undo(self, rewound: "Rewound", files: "StepChoice") -> None:
        """The files first; if nothing was done to them, all stays as it is."""
        entry, taken = rewound.message.entry, await self._files.carry_out(files, quiet=self._is_end_seen)
        if taken is None:
            return
        if rewound.way == "both":
            self._edit(entry, replace(rewound.back, said=""), taken.number)
            return
        if self._editing is not None:
            self._end()
        if self._editor.text:
            self._editor.set_aside()
        self._write(entry)
        self._view.focus_prompt()

    @property
    def _is_end_seen(self) -> bool:
        """Whether what comes to the transcript is seen."""
        return all(transcript.follow for transcript in self._editor.screen.query(TranscriptView))

    def _edit(self, entry: MessageEntry, back: FilesSince, undo: int | None = None) -> None:
        editor, besides = self._editor, {*filter(None, (undo,))}
        written = editor.piece
        if self._editing is not None:
            written = self._editing.before
        elif editor.text:
            editor.set_aside()
        if back.point is not None:
            besides |= self._files.later_than(back.point)
        self._editing = EditedMessage(entry, written, back.said, besides, undo)
        self._unsubscribe()
        self._unsubscribe = self._files.changes.subscribe(self._look)
        self._files.set_besides(besides)
        self._write(entry)
        self._editing.draft = editor.text
        self._look()
        self._view.focus_prompt()

    def _write(self, entry: MessageEntry) -> None:
        parts = parts_of(self._view.client.branches.own_blocks(entry))
        blocks = attachments_of(parts)
        text, attached = as_attached(text_of(parts), blocks)
        self._editor.set_draft(as_sent(text) if self._runs_at_agent(text) else as_text(text), attached)
        labelled = self._editor.chips.attachments(self._editor.text)
        for block in blocks:
            if block not in labelled:
                self._editor.put_in(*_label(block), block)
        self._editor.close_lists()

    def _runs_at_agent(self, text: str) -> bool:
        """Whether a line is a command of the agent, and never one of ours: the agent may have replayed the message."""
        found = self.slash.now.of_line(text) if self.slash is not None else None
        return found is not None and bool(found[0].agent_name) and found[0].name not in OURS

    def _send(self, editing: EditedMessage, blocks: Sequence[ContentBlock]) -> None:
        self.look()
        noted = self._files.noted(blocks, editing.besides)
        branch = self._view.client.branches.begin(self._view.session, editing.entry, noted)
        if self._editing is editing:
            self._end()
        self._sessions.show_branch(branch, here=editing.here)

    def _retry_chosen(self, choice: OptionChoice | None) -> None:
        if choice is not None:
            self._retry({choice.option_id: choice.value})

    def _retry(self, options: Mapping[str, OptionValue]) -> None:
        session, branches = self._view.session, self._view.client.branches
        last = next(iter(self._said[-1:]), None)
        if last is None:
            self._view.say(NONE)
            return
        plan = branches.plan(session, last)
        self._sessions.show_branch(branches.begin(session, last, branches.own_blocks(last), options), here=False)
        self._view.say(f"Sent again · {plan.said[0]}", 5)

    def _end(self) -> None:
        self._editing = None
        self._unsubscribe()
        self._files.set_besides(())
        self._look()

    @property
    def _said(self) -> list[MessageEntry]:
        """What can be edited here: nothing where there is no prompt, in a replay. A question only takes its place."""
        there = all(node.display or node.has_class("-asked") for node in self._editor.ancestors)
        return messages_of(self._view.session) if there else []

    @property
    def _needs_tab(self) -> str:
        """Why its branch needs a tab of its own: what putting this session away would end or lose; empty if nothing."""
        session, can = self._view.session, self._view.client.connection.capabilities
        if is_at_work(session) or session.queue:
            return BUSY
        listed = can.list_sessions and (can.load_session or can.resume_session)
        return "" if session.observed or listed else LOST

    def _look(self) -> None:
        if self._editing is None:
            self._banners.put("branch")
            return
        session, entry, here = self._view.session, self._editing.entry, self._editing.here
        hints = (
            (first_way("submit"), "send, replace this" if here else "send, keep this open"),
            (first_way("take_suggestion"), "keep it open" if here else "replace it"),
            (first_way("cancel"), "cancel"),
        )
        plan = self._view.client.branches.plan(session, entry)
        done = next((each for each in self._files.changes.taken_back if each.number == self._editing.undo), None)
        undone = done is not None and not done.undone  # its row in the transcript says so
        files = "" if undone else (done is None and self._editing.files) or FILES_STAY
        about = [*filter(None, (files if each == FILES_STAY else each for each in plan.said))]
        title = [(f"Edit {name_of_message(entry)}", NO_KEYS)]
        self._banners.put("branch", Banner(title, f"{ACCENT} bold", about=about, hints=hints))


def _label(block: ContentBlock) -> tuple[str, str]:
    kind = "Audio" if isinstance(block, AudioContent) else "Image"
    return kind, str(getattr(block, "mime_type", "")).partition("/")[2]
