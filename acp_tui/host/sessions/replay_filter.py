"""Filters what an agent replays of a session whose transcript is here already: counted, not shown twice.

The transcript stays as the user saw it. An agent that was killed may remember less than that.
"""

from acp_tui.protocol.vocabulary.plans import PlanRemoved, PlanUpdate
from acp_tui.protocol.vocabulary.terminals import TerminalOutputChunk, TerminalUpdate
from acp_tui.protocol.vocabulary.tool_calls import ToolCallContentChunk, ToolCallUpdate
from acp_tui.protocol.vocabulary.updates import (
    CompactionSummaryChunk,
    CompactionUpdate,
    MessageChunk,
    MessageUpdate,
    PromptSuggestionsUpdate,
    SessionMessage,
    SessionMessageChunk,
    SubagentUpdate,
    UnknownUpdate,
    Update,
)
from acp_tui.session.entries import MessageEntry
from acp_tui.session.facts import Noticed
from acp_tui.session.state import Session

_REPLAYED = (
    MessageUpdate
    | MessageChunk
    | ToolCallUpdate
    | ToolCallContentChunk
    | TerminalUpdate
    | TerminalOutputChunk
    | PlanUpdate
    | PlanRemoved
    | CompactionUpdate
    | CompactionSummaryChunk
    | PromptSuggestionsUpdate
    | SessionMessage
    | SessionMessageChunk
    | SubagentUpdate
    | UnknownUpdate
)


class ReplayFilter:
    """For one replay, from the request that asks for it to its answer."""

    def __init__(self) -> None:
        self._prompts: set[str] = set()

    def takes(self, update: Update, child_id: str = "") -> bool:
        """Whether it is told again, of the session or of a child; a child that is not known here is left out, too."""
        if isinstance(update, MessageUpdate | MessageChunk) and update.role == "user" and not child_id:
            self._prompts.add(update.message_id)
        return isinstance(update, _REPLAYED)

    def shortfall(self, session: Session) -> Noticed | None:
        """What the user is told when the agent replayed fewer prompts than they wrote."""
        told = len(self._prompts)
        ours = sum(isinstance(entry, MessageEntry) and entry.role == "user" for entry in session.entries)
        if told >= ours:
            return None
        return Noticed("warning", "The agent may not remember all of this", f"It sent {told} of {ours} prompts again.")
