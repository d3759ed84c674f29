"""The parts of a conversation screen that its first frame does without: panels, and what the user can do."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from acp_tui.host.desktop.status_command import StatusCommand
from acp_tui.ui.branches.actions import BranchActions
from acp_tui.ui.branches.escapes import Escapes
from acp_tui.ui.changes.extensions import ChangesActions
from acp_tui.ui.changes.review import ReviewInChanges
from acp_tui.ui.commands.registry import COMMANDS
from acp_tui.ui.export.copies import CopyActions
from acp_tui.ui.export.opening import OpenActions
from acp_tui.ui.find.bar import FindBar
from acp_tui.ui.hand_over.actions import HandOverActions
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.options.actions import KeptOptions, OptionActions
from acp_tui.ui.options.selectors import OfferLine, SelectorBar
from acp_tui.ui.palette.own_prompts import OwnPromptActions
from acp_tui.ui.prompt.attachments import AttachActions
from acp_tui.ui.prompt.completions import Completions
from acp_tui.ui.prompt.draft import Draft, bare
from acp_tui.ui.prompt.drafts import DraftKeeping, StashActions
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.prompt.pipeline import CommandSteps, DeliverySteps, PromptPipeline, Step
from acp_tui.ui.prompt.queue import QueueActions, QueueList
from acp_tui.ui.prompt.shell import ShellActions, line_of
from acp_tui.ui.prompt.vim.switch import VimSwitch
from acp_tui.ui.questions.actions import Questions
from acp_tui.ui.review.actions import ReviewActions
from acp_tui.ui.sessions.session_actions import AgentActions, FolderActions, SessionActions
from acp_tui.ui.sessions.tabs import Tabs
from acp_tui.ui.sidebar.panel import Sidebar
from acp_tui.ui.status.footer import KeyFooter
from acp_tui.ui.status.line import SnapshotProgress
from acp_tui.ui.status.own_line import OwnStatus
from acp_tui.ui.subagents.actions import SubagentActions
from acp_tui.ui.take_back.actions import ScreenKeys, TakeBackActions
from acp_tui.ui.transcript.view import TranscriptView
from acp_tui.views.command_index import SessionCommands


class FirstFrame(NamedTuple):
    """What the screen has from its first frame on, as far as later parts use it.

    `run` does a command by its id and argument, `look_at_turn` shows anew what goes on.
    """

    editor: PromptEditor
    transcript: TranscriptView
    queue: QueueList
    offer: OfferLine
    selectors: SelectorBar
    footer: KeyFooter
    run: Callable[[str, str], object]
    look_at_turn: Callable[[], object]


class Parts:
    """Made once the first frame is painted."""

    def __init__(self, view: SessionView, tabs: Tabs, frame: FirstFrame, status_command: StatusCommand | None) -> None:
        session, editor, transcript = view.session, frame.editor, frame.transcript
        self.view, self._history = view, editor.prompt_history
        self.find = FindBar(transcript, session, view.focus_prompt)
        self.sidebar = Sidebar(view)
        self.status = OwnStatus(view, status_command)
        self.snapshots: SnapshotProgress | None = None
        self.own_prompts = OwnPromptActions(view, editor, self._prompts_listed)
        own = self.own_prompts
        self.slash = SessionCommands(session, COMMANDS, lambda: own.listed, lambda: own.are_read)
        self.completions = Completions(view, editor, transcript, self.slash, self.own_prompts.look)
        self.review = ReviewActions(view, editor)
        self.questions = Questions(view, editor, lambda: not self.completions.commands.is_open, self.review.take)
        self.subagents = SubagentActions(view, self.questions.came, lambda: frame.run("answer_permission", ""))
        transcript.subagent_clicked = self.sidebar.open_subagent = self.subagents.open_id
        self.changes = ChangesActions(view, transcript, self.subagents.open_id)
        ReviewInChanges(self.review, self.changes.extras)
        transcript.changes_clicked = self.changes.open_turn
        self.agent = AgentActions(view)
        self.options, self.kept = OptionActions(view), KeptOptions(view, frame.offer)
        self.copies = CopyActions(transcript, session)
        self.opening = OpenActions(view, self.copies)
        self.drafts = DraftKeeping(editor, view.client.changes(session).typed)
        self.vim = VimSwitch(view, editor)
        self.attaching = AttachActions(view, editor)
        self.queue = QueueActions(view, frame.queue, editor)
        self.stash = StashActions(view, editor, self.queue.take_place, frame.look_at_turn)
        self.shell = ShellActions(view, editor, transcript)
        self.hand_over = HandOverActions(view, editor)
        self.take_back = TakeBackActions(view)
        ScreenKeys(self.take_back).add_to(self.changes.extras)
        self.commands = CommandSteps(view, self.slash, self.own_prompts.use, frame.run)
        self.delivery = DeliverySteps(view, transcript, self.agent.restart)
        begin = partial(editor.run_worker, group="sent")
        self.pipeline = PromptPipeline(begin, lambda draft: editor.give_back(draft.text, draft.attachments))
        # In this order they are asked, after the leader and the chips: vim's keys before those of the pop-ups.
        editor.extensions += (self.vim, self.completions, self.completions.mentions, self.attaching, self.commands)
        self.sessions = SessionActions(view, tabs, editor, self.pipeline)
        self.branches = BranchActions(view, editor, self.sessions, self.options, self.take_back)
        self.escapes = Escapes(view, editor, frame.footer, self.branches.pick)
        self.folders = FolderActions(view, self.sessions, self.agent, self.completions.mentions.look_anew)
        self.pipeline.stages += self._stages()

    def connection_changed(self) -> None:
        self.questions.connection_changed()
        self.status.ask()
        self.hand_over.restore_links()
        self.branches.look()

    def edited(self) -> None:
        """Another text is written in the prompt."""
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
        """All that happens to a prompt that is sent, in this order."""
        commands, delivery = self.commands, self.delivery
        at_enter = [self._note, self.branches.direct]
        as_command = [
            commands.await_lists,
            self.shell.run_line,
            commands.leave,
            commands.hold_back,
            commands.use,
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
        if line_of(draft.text) != "":
            self._history.add(bare(draft.text))
        return replace(draft, sent_at=self.view.session.clock())

    def _prompts_listed(self) -> None:
        self.completions.edited()
