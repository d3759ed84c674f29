"""The parts of a conversation screen that its first frame does without: panels, and what the user can do."""

from dataclasses import replace

from acp_tui.ui.export.copies import CopyActions
from acp_tui.ui.export.opening import OpenActions
from acp_tui.ui.find.bar import FindBar
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.options.actions import KeptOptions, OptionActions
from acp_tui.ui.options.limits import ResetTimer
from acp_tui.ui.options.selectors import OfferLine
from acp_tui.ui.own_prompts.actions import OwnPromptActions
from acp_tui.ui.prompt.attachments import AttachActions
from acp_tui.ui.prompt.completions import Completions
from acp_tui.ui.prompt.draft import Draft, bare
from acp_tui.ui.prompt.drafts import DraftKeeping, EarlierPrompts
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.prompt.outbox import Outbox
from acp_tui.ui.prompt.queue import QueueList
from acp_tui.ui.prompt.queue_actions import QueueActions
from acp_tui.ui.prompt.sent_lines import SentLines
from acp_tui.ui.prompt.shell import ShellActions, line_of
from acp_tui.ui.prompt.stash import StashActions
from acp_tui.ui.prompt.vim.switch import VimSwitch
from acp_tui.ui.questions.actions import Questions
from acp_tui.ui.sessions.actions import AgentActions, SessionActions
from acp_tui.ui.sessions.folders import FolderActions
from acp_tui.ui.sessions.tabs import Tabs
from acp_tui.ui.sidebar.panel import Sidebar
from acp_tui.ui.slash.current import CurrentCommands
from acp_tui.ui.status.own_line import OwnStatus
from acp_tui.ui.transcript.view import TranscriptView


class Parts:
    """Made from the widgets of the first frame, once that is painted; `status` and `resets` are given to it."""

    status: OwnStatus
    resets: ResetTimer

    def __init__(
        self,
        view: SessionView,
        tabs: Tabs,
        editor: PromptEditor,
        transcript: TranscriptView,
        queue: QueueList,
        offer: OfferLine,
    ) -> None:
        session = view.session
        self.view, self._history = view, editor.prompt_history
        self.find = FindBar(transcript, session, view.focus_prompt)
        self.sidebar = Sidebar(view)
        self.commands = CurrentCommands(session)
        self.completions = Completions(view, editor, transcript, self.commands)
        self.questions = Questions(view, editor, lambda: not self.completions.commands.is_open)
        self.agent = AgentActions(view)
        self.options, self.kept = OptionActions(view), KeptOptions(view, offer)
        self.sessions = SessionActions(view, tabs, editor)
        self.copies = CopyActions(transcript, session)
        self.opening = OpenActions(view, self.copies)
        self.drafts = DraftKeeping(editor)
        self.vim = VimSwitch(view, editor, self.completions.close)
        self.earlier = EarlierPrompts(view, editor)
        self.attaching = AttachActions(view, editor)
        self.queue = QueueActions(view, queue, editor)
        self.stash = StashActions(view, editor, self.queue.take_place)
        self.shell = ShellActions(view, editor, transcript)
        self.outbox = Outbox(view, editor, transcript, self.agent.restart)
        self.folders = FolderActions(view, self.sessions, self.agent, self.completions.mentions.look_anew)
        self.own_prompts = OwnPromptActions(view, editor, self._prompt, self.completions.edited)
        self.commands.prompts = lambda: self.own_prompts.listed
        self.completions.opened = self.own_prompts.look
        self.sent = SentLines(view, editor, self.commands, self._prompt, self.own_prompts.used)
        self.sent.shell = self.shell.run
        self.sessions.on_their_way = lambda: self.outbox.on_their_way
        self.sessions.replaced = self.sent.go_elsewhere

    def connection_changed(self) -> None:
        self.questions.connection_changed()
        self.status.ask()

    def close(self) -> None:
        self.drafts.close()
        self.stash.close()

    def send(self, draft: Draft) -> None:
        self.kept.pass_by()
        if line_of(draft.text) != "":
            self._history.add(bare(draft.text))
        self.sent.send(draft)

    def _prompt(self, draft: Draft) -> None:
        self.outbox.send(replace(draft, place=self.queue.take_place()))
        self.stash.sent()
