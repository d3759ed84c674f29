"""The parts of a conversation screen that its first frame does without: panels, and what the user can do."""

from dataclasses import dataclass

from acp_tui.ui.agent_actions import AgentActions
from acp_tui.ui.answering import Questions
from acp_tui.ui.config.panel import KeptOptions, OptionActions
from acp_tui.ui.copies import CopyActions
from acp_tui.ui.find.bar import FindBar
from acp_tui.ui.opening.acts import OpenActions
from acp_tui.ui.prompt.earlier import EarlierPrompts
from acp_tui.ui.prompt.keeping import DraftKeeping
from acp_tui.ui.prompt.mention_acts import Completions
from acp_tui.ui.prompt.outbox import Outbox
from acp_tui.ui.prompt.shell import ShellActions
from acp_tui.ui.prompt.waiting import QueueActions
from acp_tui.ui.sessions.acts import SessionActions
from acp_tui.ui.sidebar.panel import Sidebar


@dataclass(frozen=True, slots=True)
class Parts:
    """They are made by `completing`, once the first frame is painted."""

    find: FindBar
    sidebar: Sidebar
    questions: Questions
    completions: Completions
    drafts: DraftKeeping
    outbox: Outbox
    queue: QueueActions
    shell: ShellActions
    earlier: EarlierPrompts
    agent: AgentActions
    kept: KeptOptions
    options: OptionActions
    sessions: SessionActions
    copies: CopyActions
    opening: OpenActions
