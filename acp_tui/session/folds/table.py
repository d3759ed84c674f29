"""The table behind `Session.apply`: which fold takes which update or fact.

Every function `fold_…` of this floor is a fold; the type of its second parameter says what it takes.
"""

from collections.abc import Callable
from typing import Any, get_args

from acp_tui.protocol.vocabulary.terminals import TerminalOutputChunk, TerminalUpdate
from acp_tui.protocol.vocabulary.updates import Update
from acp_tui.session.folds import (
    history,
    info,
    messages,
    notices,
    own_commands,
    questions,
    subagents,
    terminals,
    tool_calls,
    writes,
)
from acp_tui.session.folds import turn as turn_folds

Fold = Callable[[Any, Any], None]  # (session, event); each fold's own signature is exact


_MODULES = (
    messages,
    tool_calls,
    terminals,
    own_commands,
    writes,
    questions,
    turn_folds,
    info,
    notices,
    history,
    subagents,
)
FOLDS: dict[type, Fold] = {
    tuple(fold.__annotations__.values())[1]: fold
    for module in _MODULES
    for name, fold in vars(module).items()
    if name.startswith("fold_")
}
# Terminals may run on this machine, so that their output is no sign of life from the agent.
HEARD = frozenset(get_args(Update)) - {TerminalUpdate, TerminalOutputChunk}
