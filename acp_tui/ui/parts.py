"""The parts of a conversation screen that its first frame does without: panels, and what the user can do."""

from dataclasses import replace

from acp_tui.ui.export.copies import CopyActions
from acp_tui.ui.export.opening import OpenActions
from acp_tui.ui.find.bar import FindBar
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.options.actions import KeptOptions, OptionActions
from acp_tui.ui.options.selectors import OfferLine
from acp_tui.ui.prompt.attachments import AttachActions
from acp_tui.ui.prompt.completions import Completions, local_command
from acp_tui.ui.prompt.draft import Draft, bare
from acp_tui.ui.prompt.drafts import DraftKeeping, EarlierPrompts
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.prompt.outbox import Outbox
from acp_tui.ui.prompt.queue import QueueList
from acp_tui.ui.prompt.queue_actions import QueueActions
from acp_tui.ui.prompt.shell import ShellActions, line_of
from acp_tui.ui.prompt.stash import StashActions
from acp_tui.ui.questions.actions import Questions
from acp_tui.ui.sessions.actions import AgentActions, SessionActions
from acp_tui.ui.sessions.tabs import Tabs
from acp_tui.ui.sidebar.panel import Sidebar
from acp_tui.ui.transcript.view import TranscriptView


class Parts:
    """Made from the widgets of the first frame, once that is painted."""

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
        self.completions = Completions(view, editor, transcript)
        self.questions = Questions(view, editor, lambda: not self.completions.commands.is_open)
        self.agent = AgentActions(view)
        self.options, self.kept = OptionActions(view), KeptOptions(view, offer)
        self.sessions = SessionActions(view, tabs, editor)
        self.copies = CopyActions(transcript, session)
        self.opening = OpenActions(view, self.copies)
        self.drafts = DraftKeeping(editor)
        self.earlier = EarlierPrompts(view, editor)
        self.attaching = AttachActions(view, editor)
        self.queue = QueueActions(view, queue, editor)
        self.stash = StashActions(view, editor, self.queue.take_place)
        self.shell = ShellActions(view, editor, transcript)
        self.outbox = Outbox(view, editor, transcript, self.agent.restart)

    def close(self) -> None:
        self.drafts.close()
        self.stash.close()

    def send(self, draft: Draft) -> None:
        line, ours = line_of(draft.text), local_command(draft.text, self.view.session.commands)
        self.kept.pass_by()
        if line != "":
            self._history.add(bare(draft.text))
        if line is not None:
            self.shell.run(line)
        elif ours == "config":
            self.options.show_all()
        elif ours == "rename":
            self.sessions.rename()
        else:
            self.outbox.send(replace(draft, place=self.queue.take_place()))
            self.stash.sent()
