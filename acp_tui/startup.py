"""The boundary of the fast start: the only place where an import waits for its first use.

A start is arguments, the agent's process, Textual and a first frame; what only later frames or some sessions need is
named in `LATE`. Every other import stands at the top of its file.
"""

from functools import cache
from importlib import import_module
from types import ModuleType

LATE: dict[str, str] = {  # module: why it waits
    "markdown_it": "no text is drawn in the first frame (40 ms)",
    "pygments.lexers": "nor is code",
    "acp_tui.ui.command_actions": "runs at the first command",
    "acp_tui.ui.history.search": "opened by a command, not each session (6 ms)",
    "acp_tui.ui.inspector.origins": "opened by a command, not each session (7 ms)",
    "acp_tui.ui.inspector.screen": "as above (5 ms)",
    "acp_tui.session.folds": "folds know every word of the protocol; nothing has happened in a new session",
    "acp_tui.session.tool_subject": "nor is there work to be named (pydantic)",
    "PIL.Image": "most sessions have no picture",
}


@cache
def late(module: str) -> ModuleType:
    """Import a module of `LATE`, the first time; `KeyError` where it is not named there."""
    LATE[module]
    return import_module(module)
