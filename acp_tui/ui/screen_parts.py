"""The parts of a conversation screen that its first frame does without: panels, and what the user can do.

The reason for its size: a line for each part.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, Protocol

from textual import events

from acp_tui.host.status_command import StatusCommand
from acp_tui.session.entries import Entry
from acp_tui.session.tools.running_work import is_at_work
from acp_tui.startup import late
from acp_tui.ui.agents.consent_dialog import OwnPromptActions
from acp_tui.ui.branches.branch_actions import BranchActions
from acp_tui.ui.branches.handover import HandOverActions, Links
from acp_tui.ui.branches.rewind import AsideActions, messages_of
from acp_tui.ui.changes.extensions import ChangesActions
from acp_tui.ui.changes.review_session import ReviewActions, ReviewInChanges
from acp_tui.ui.commands.registry import BY_ID, COMMANDS
from acp_tui.ui.export_actions import CopyActions, ExportActions, OpenActions
from acp_tui.ui.find_bar import FindBar
from acp_tui.ui.kit.key_routing import answer_keys_of
from acp_tui.ui.kit.session_view import WITHIN, DoublePress, SessionView
from acp_tui.ui.kit.theme import spell
from acp_tui.ui.prompt.banners import Banners
from acp_tui.ui.prompt.completions import Completions
from acp_tui.ui.prompt.draft import LEAVING, Draft, EditorExtension, bare
from acp_tui.ui.prompt.draft_actions import DraftActions, ShellActions, StashActions, line_of
from acp_tui.ui.prompt.dropped_files import AttachActions
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.prompt.limit_actions import LimitActions
from acp_tui.ui.prompt.prompt_pipeline import CommandSteps, DeliverySteps, PromptPipeline, Step, for_commands
from acp_tui.ui.prompt.prompt_queue import QueueActions, QueueList
from acp_tui.ui.questions.question_queue import QuestionQueue
from acp_tui.ui.questions.rule_offer import RuleActions
from acp_tui.ui.questions.subject_screen import DiffActions
from acp_tui.ui.sessions.session_actions import (
    AgentActions,
    AskFirst,
    FolderActions,
    SessionActions,
    SubagentActions,
    unsent,
)
from acp_tui.ui.sessions.tabs import Program
from acp_tui.ui.sessions.work_list import WorkActions
from acp_tui.ui.status.custom_status_line import OwnStatus
from acp_tui.ui.status.footer import KeyFooter
from acp_tui.ui.status.option_actions import KeptOptions, OptionActions
from acp_tui.ui.status.preset_actions import PresetActions
from acp_tui.ui.status.sidebar import Sidebar
from acp_tui.ui.status.status_line import SnapshotProgress
from acp_tui.ui.terminal.suspension import TerminalActions
from acp_tui.ui.text_panels import OverlayActions, ProgramFiles
from acp_tui.ui.transcript.transcript_view import TranscriptView
from acp_tui.ui.undo.undo_actions import ScreenKeys, TakeBackActions
from acp_tui.views.command_index import SessionCommands

if TYPE_CHECKING:
    from acp_tui.ui.command_palette import Row, ThemeActions

PALETTE = "acp_tui.ui.command_palette"
ABOVE_PROMPT, IN_PROMPT = ("everything", "hand_over", "offer"), ("limit", "take_back", "branch", "review")  # banners
CALM = 1.0  # seconds after an Esc that cancelled in which no other one counts: who cancels may hammer the key


class FirstFrame(NamedTuple):
    """What the screen has from its first frame on, as far as later parts use it.

    `run` does a command by its id, and its argument if it has one; `look_at_turn` shows anew what goes on.
    """

    editor: PromptEditor
    transcript: TranscriptView
    queue: QueueList
    footer: KeyFooter
    run: Callable[..., object]
    look_at_turn: Callable[[], object]


class Around(Program, ProgramFiles, Protocol):
    """The app, as far as the parts of a session use it."""

    status_command: StatusCommand | None  # of all sessions, once one has asked for it

    async def change_theme(self, name: str) -> None: ...


class Parts:
    """Made once the first frame is painted."""

    def __init__(self, view: SessionView, app: Around, frame: FirstFrame) -> None:
        session, editor, transcript = view.session, frame.editor, frame.transcript
        self.view, self._history, self._transcript = view, editor.prompt_history, transcript
        self.banners, self.prompt_banners = Banners(*ABOVE_PROMPT), Banners(*IN_PROMPT)
        self.find = FindBar(transcript, session, view.focus_prompt)
        self.sidebar, self.status = Sidebar(view), OwnStatus(view, _status_command(view, app))
        self.snapshots: SnapshotProgress | None = None
        self.own_prompts = OwnPromptActions(view, editor, self._prompts_listed)
        own = self.own_prompts
        self.slash = SessionCommands(session, COMMANDS, lambda: own.listed, lambda: own.are_read)
        self.completions = Completions(view, editor, self.slash, self.own_prompts.look)
        self.review = ReviewActions(view, editor, self.prompt_banners, partial(frame.run, "show_changes"))
        self.questions = QuestionQueue(view, editor, lambda: not self.completions.commands.is_open, self.review.take)
        self.limits = LimitActions(view, self.prompt_banners, lambda: self.questions.is_free)
        self.subagents = SubagentActions(view, self.questions.came, frame.run)
        self.changes = ChangesActions(view, transcript, self.subagents.open_id)
        self.changes.extras.extensions.append(ReviewInChanges(self.review, self.changes.extras))
        self.work, self.agent = WorkActions(view, transcript, self.subagents.open_id), AgentActions(view)
        self.options, self.kept = OptionActions(view), KeptOptions(view, self.banners)
        self.rules, self.copies = RuleActions(view, self.banners, frame.run), CopyActions(transcript, session)
        self.opening, self.presets = OpenActions(view, self.copies), PresetActions(view)
        self.drafts, self.exports = DraftActions(view, editor), ExportActions(view)
        self.vim, self.attaching = VimSwitch(view, editor), AttachActions(view, editor)
        self.queue, self.shell = QueueActions(view, frame.queue, editor), ShellActions(view, editor, transcript)
        self.stash = StashActions(view, editor, self.queue.take_place, frame.look_at_turn)
        self.hand_over, self.links = HandOverActions(view, editor, app, self.banners), Links(view, app)
        self.take_back = TakeBackActions(view, self.prompt_banners)
        self.changes.extras.extensions.append(ScreenKeys(self.take_back))
        self.commands = CommandSteps(view, self.slash, self.own_prompts.use, frame.run)
        self.delivery = DeliverySteps(view, transcript, self.agent.restart)
        begin = partial(editor.run_worker, group="sent")
        self.pipeline = PromptPipeline(begin, lambda draft: editor.give_back(draft.recalled, draft.attachments))
        # In this order they are asked, after the leader and the chips: vim's keys before those of the pop-ups.
        editor.extensions += (self.vim, self.completions, self.completions.mentions, self.attaching, self.commands)
        self.sessions = SessionActions(view, app.tabs, editor, self.pipeline)
        self.branches = BranchActions(view, editor, self.sessions, self.options, self.take_back)
        self.branches.slash = self.slash
        self.folders = FolderActions(view, self.sessions, self.agent, self.completions.mentions.look_anew)
        self.aside = AsideActions(view, editor, BY_ID["side_question"].slash[0])
        self.diffs, self.terminal = DiffActions(view, self.review), TerminalActions(view)
        self.overlays, self._change_theme = OverlayActions(view, app), app.change_theme
        self.program, self.leaving = ProgramActions(self, app, frame), LeaveActions(self, app, frame)
        self.pipeline.stages += self._stages()

    @cached_property
    def themes(self) -> "ThemeActions":
        actions: ThemeActions = late(PALETTE).ThemeActions(self.view, self._change_theme)
        return actions

    def connection_changed(self) -> None:
        if self.view.client.connection.never_started:
            self.queue.return_all()
        self.questions.connection_changed()
        self.status.ask()
        self.hand_over.restore_links()
        self.branches.look()
        if self.snapshots is not None:
            self.snapshots.look()

    def edited(self) -> None:
        self.completions.edited()
        self.drafts.edited()
        self.hand_over.look()
        self.questions.edited()

    def close(self) -> None:
        self.drafts.close()
        self.take_back.close()
        if self.snapshots is not None:
            self.snapshots.close()
        self.stash.close()

    def _stages(self) -> list[Sequence[Step]]:
        commands, delivery = self.commands, self.delivery
        at_enter = [self._note, self.branches.direct]
        may_run = (commands.await_lists, self.shell.run_line, commands.leave, commands.hold_back, commands.use)
        as_command = [
            *map(for_commands, may_run),
            self.hand_over.without_mentions,
            self.review.without_mentions,
            self.queue.put_in_place,
            self.stash.bring_back,
        ]
        to_agent = [
            delivery.await_agent,
            delivery.read_files,
            delivery.pack,
            delivery.branch_off,
            self.hand_over.leaves,
            self.review.leaves,
            self.take_back.leading,
            delivery.submit,
        ]
        return [at_enter, as_command, to_agent]

    def _note(self, draft: Draft) -> Draft:
        """The user goes on: an offer has passed, and the history has what was sent."""
        self.kept.pass_by()
        if draft.verbatim or (line_of(draft.text) != "" and draft.text.strip() not in LEAVING):
            self._history.add(bare(draft.recalled))
        return replace(draft, sent_at=self.view.session.clock())

    def _prompts_listed(self) -> None:
        self.completions.edited()

    def go_on(self) -> None:
        """Do what Enter means where nothing is written: open what waits for an answer; after a prompt it was a slip."""
        if not (self.questions.open_waiting() or self.limits.open_reached() or self.queue.just_sent):
            self.agent.open_without_prompt(self.queue.send_now)

    def enter_entry(self, entry: Entry | None) -> None:
        """What Enter does with an entry of the transcript: the first of these that means something there."""
        edits = self.branches.edit(entry) or self.links.follow(entry) or self.changes.open_entry(entry)
        if not edits and not self.subagents.open_entry(entry):
            self._transcript.toggle_current()

    def unfold_entry(self, entry: Entry | None) -> None:
        if not self._transcript.toggle_current():
            self.subagents.open_entry(entry)

    def toggle_details(self) -> None:
        if not (self._transcript.has_focus and self._transcript.toggle_current()):
            self._transcript.toggle_all()
            self.view.prefer("details", self._transcript.unfolded)


def _status_command(view: SessionView, app: Around) -> StatusCommand | None:
    words = view.preference("status_command", tuple)
    if app.status_command is None and words:
        app.status_command = StatusCommand(words)
    return app.status_command


class ProgramActions:
    """What a session opens of the program around it: palette, settings, and the sessions of other times."""

    def __init__(self, parts: Parts, program: Program, frame: FirstFrame) -> None:
        self._parts, self._program, self._frame = parts, program, frame

    def open_palette(self) -> None:
        parts, frame = self._parts, self._frame
        palette = late(PALETTE).PaletteActions(parts.view, frame.editor, parts.slash, frame.run, parts.pipeline.send)
        palette.open(self._rows(), partial(late(PALETTE).past_rows, parts.view, parts.sessions, self._program.records))

    def _rows(self) -> "Iterator[Row]":
        view, options, themes, palette = self._parts.view, self._parts.options, self._parts.themes, late(PALETTE)
        yield from palette.tab_rows(self._program.tabs)
        yield from palette.option_rows(view.session.config_options, options.change_option, options.choose)
        yield from palette.theme_rows(view.app.available_themes, view.app.theme, themes.set)

    def open_settings(self, words: str) -> None:
        settings = late("acp_tui.ui.settings_screen")
        settings.open_settings(self._parts.view.app, self._parts, self._frame.transcript, words)

    def browse_sessions(self, words: str) -> None:
        view, browser = self._parts.view, late("acp_tui.ui.sessions.browser")
        view.open(browser.SessionBrowser(view, self._parts.sessions, self._program.records, words))

    def search_records(self) -> None:
        view, records = self._parts.view, self._program.records
        if records is None:
            view.say("Session recording is off")
            return
        records.flush()
        view.open(late("acp_tui.ui.sessions.record_search").SearchScreen(records, self._parts.links.follow))

    def show_branches(self) -> None:
        tree = late("acp_tui.ui.branches.tree_screen")
        tree.TreeActions(self._parts.view, self._parts.sessions, self._program.records).open()


class LeaveActions:
    """Esc, Ctrl+C and quitting: stepping back from the nearest thing, cancelling, and asking before work is lost."""

    def __init__(self, parts: Parts, program: Program, frame: FirstFrame) -> None:
        self._view, self._parts, self._program = parts.view, parts, program
        self._editor, self._footer = frame.editor, frame.footer
        self._escapes, self._interrupts = DoublePress(self._view.strokes), DoublePress(self._view.strokes)
        self._calm_until = float("-inf")
        self._quits = AskFirst(self._view, "quit", "end_of_input")

    def step_back(self) -> None:
        """Undo the nearest thing: pop-up, selection, focus; in the end cancel the turn."""
        parts, editor, screen = self._parts, self._editor, self._editor.screen
        if parts.completions.commands.display:
            parts.completions.commands.close()
        elif parts.find.is_open:
            parts.find.close()
        elif parts.sidebar.is_over:
            parts.sidebar.toggle()
        elif screen.selections or not editor.selection.is_empty:
            screen.clear_selection()
            editor.move_cursor(editor.cursor_location)
        elif screen.focused is not editor:
            self._view.focus_prompt()
        elif parts.branches.leave() or parts.take_back.withdraw():
            pass
        elif parts.shell.stop() or self._cancel():
            self._calm_until = monotonic() + CALM
        else:
            self._step_back_twice()

    def _step_back_twice(self) -> None:
        """There is nothing to step back from: a second press clears the prompt, or lists one's messages.

        The footer says what it does, as long as it does that. A press right after one that closed something, on any
        screen, does nothing: who closes may press once too often.
        """
        now, ways, written = monotonic(), BY_ID["cancel"].ways, bool(self._editor.text)
        surplus = answer_keys_of(self._view.app).escapes.is_surplus(self._view.strokes.at)
        if surplus or now < self._calm_until or not (written or messages_of(self._view.session)):
            return
        if not self._escapes.again(now, ways):
            key = spell(self._view.strokes.which(ways) or next(iter(ways), ""))
            what = "clear the prompt" if written else "edit an earlier message"
            self._footer.tell(f"{key} again", f"to {what}", WITHIN)
            self._view.strokes.before_next(self._footer.settle)
        elif written:
            self._editor.set_aside()
        else:
            self._parts.branches.pick()

    def _cancel(self) -> bool:
        active = self._view.session.turn.active
        if active:
            self._view.client.of(self._view.session).cancel()
        return active

    def interrupt(self) -> None:
        """Copy, else clear the draft, else cancel; the second time in a row that copied nothing, quit.

        While a question stands in its place the draft is out of sight, and nothing is done to it.
        """
        unseen, ways = self._parts.questions.has_focus, BY_ID["interrupt"].ways
        selected = ("" if unseen else self._editor.selected_text) or self._editor.screen.get_selected_text()
        if selected:
            self._parts.copies.text(selected, "the selection")
        elif self._interrupts.again(monotonic(), ways):
            self._leave(hurry=True)
        else:
            if self._editor.text and not unseen:
                self._editor.set_aside()
            elif self._parts.shell.stop():
                return
            else:
                self._cancel()
            way = self._view.strokes.which(ways) or next(iter(ways), "")
            self._view.say(f"Press {spell(way) if way else 'the key'} again to quit", 2)

    def quit(self) -> None:
        self._quits.before(self._leave, self._lost(), "quit")

    def _leave(self, *, hurry: bool = False) -> None:
        """Leave now; the drafts stay in the history. In a `hurry`, no agent is waited for long."""
        for tab in self._program.tabs.entries:
            tab.screen.set_aside()
        self._view.app.call_later(self._program.leave, hurry=hurry)

    def _lost(self) -> str:
        """What leaving would end or lose, in words; empty if nothing."""
        tabs = self._program.tabs.entries
        working = sum(is_at_work(tab.session) for tab in tabs)
        queued = sum(len(tab.session.queue) for tab in tabs)
        if working:
            return "The agent is still working." if working == 1 else f"{working} agents are still working."
        return unsent(queued)


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
            self._made = late("acp_tui.ui.prompt.vim_keyboard").VimKeys(self._editor)
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
