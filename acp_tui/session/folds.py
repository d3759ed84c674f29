"""The table behind `Session.apply`: which fold takes which update or fact.

Every function `fold_…` of this floor is a fold; the type of its second parameter says what it takes.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any, get_args

from acp_tui.protocol.terminals import TerminalOutputChunk, TerminalUpdate
from acp_tui.protocol.updates import Update
from acp_tui.session import (
    compactions,
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

Fold = Callable[[Any, Any], None]  # (session, event); each fold's own signature is exact


def _folds_of(module: ModuleType) -> dict[type, Fold]:
    folds = (function for name, function in vars(module).items() if name.startswith("fold_"))
    return {tuple(fold.__annotations__.values())[1]: fold for fold in folds}


FOLDS: dict[type, Fold] = {}
for _module in (
    *(messages, tool_calls, terminals, info, notices, compactions, turn_folds, queue, questions, writes),
    *(own_commands, history),
):
    FOLDS |= _folds_of(_module)

# Terminals may run on this machine, so that their output is no sign of life from the agent.
HEARD = frozenset(get_args(Update)) - {TerminalUpdate, TerminalOutputChunk}
