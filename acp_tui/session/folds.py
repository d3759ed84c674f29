"""Which fold takes which update or fact; the table behind `Session.apply`."""

from collections.abc import Callable
from typing import Any

from acp_tui.protocol import commands as command_words
from acp_tui.protocol import config_options as config_words
from acp_tui.protocol import plans as plan_words
from acp_tui.protocol import terminals as terminal_words
from acp_tui.protocol import tool_calls as tool_call_words
from acp_tui.protocol import updates
from acp_tui.session import (
    compactions,
    facts,
    history,
    info,
    messages,
    notices,
    own_commands,
    questions,
    queue,
    terminals,
    tool_calls,
    turn_folds,
    writes,
)
from acp_tui.session.state import HistoryTold

Fold = Callable[[Any, Any], None]  # (session, event); each fold's own signature is exact

_UPDATES: dict[type, Fold] = {
    updates.MessageChunk: messages.fold_chunk,
    updates.MessageUpdate: messages.fold_update,
    updates.StateUpdate: turn_folds.fold_state,
    updates.SessionInfoUpdate: info.fold_info,
    updates.UsageUpdate: info.fold_usage,
    updates.Notice: notices.fold_notice,
    updates.CompactionUpdate: compactions.fold_update,
    updates.CompactionSummaryChunk: compactions.fold_chunk,
    updates.PromptDropped: turn_folds.fold_dropped,
    updates.UnknownUpdate: notices.fold_unknown,
    updates.RejectedUpdate: notices.fold_rejected,
    tool_call_words.ToolCallUpdate: tool_calls.fold_update,
    tool_call_words.ToolCallContentChunk: tool_calls.fold_chunk,
    plan_words.PlanUpdate: info.fold_plan,
    plan_words.PlanRemoved: info.fold_plan_removed,
    command_words.AvailableCommandsUpdate: info.fold_commands,
    config_words.ConfigOptionUpdate: info.fold_config_options,
}

# Terminals may run on this machine, so that their output is no sign of life from the agent.
_TERMINALS: dict[type, Fold] = {
    terminal_words.TerminalUpdate: terminals.fold_update,
    terminal_words.TerminalOutputChunk: terminals.fold_chunk,
}

_FACTS: dict[type, Fold] = {
    facts.PromptQueued: queue.fold_queued,
    facts.QueuedPromptTaken: queue.fold_taken,
    facts.QueuedPromptMoved: queue.fold_moved,
    facts.PromptSteered: queue.fold_steered,
    facts.SteeringAnswered: queue.fold_steering_answered,
    facts.CancelRequested: turn_folds.fold_cancel,
    facts.PermissionReceived: questions.fold_permission,
    facts.PermissionAnswered: questions.fold_permission_answered,
    facts.ElicitationReceived: questions.fold_elicitation,
    facts.ElicitationAnswered: questions.fold_elicitation_answered,
    facts.ElicitationCompleted: questions.fold_elicitation_completed,
    facts.InputOptionsOffered: questions.fold_options_offered,
    facts.InputOptionsSettled: questions.fold_options_settled,
    facts.ConfigOptionRequested: info.fold_option_requested,
    facts.ConfigOptionSettled: info.fold_option_settled,
    facts.AgentGone: turn_folds.fold_gone,
    facts.AgentReturned: turn_folds.fold_returned,
    facts.SessionIdentified: info.fold_identified,
    facts.SessionNamed: info.fold_named,
    facts.SessionLoaded: turn_folds.fold_loaded,
    HistoryTold: history.fold_told,
    facts.PromptPutBack: turn_folds.fold_put_back,
    facts.FileWritten: writes.fold_written,
    facts.EditFound: writes.fold_found,
    facts.OwnCommandRun: own_commands.fold_run,
    facts.OwnCommandEnded: own_commands.fold_ended,
    facts.Noticed: notices.fold_noticed,
}

HEARD = frozenset(_UPDATES)
FOLDS: dict[type, Fold] = {**_UPDATES, **_TERMINALS, **_FACTS}
