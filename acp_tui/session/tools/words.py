"""What a tool call does and how it ended, in words that every front end uses."""

from acp_tui.session.entries import ToolCallEntry

SUBAGENT, TODO = "subagent", "todo"
"""Kinds of calls that only their inputs tell: the protocol has no words for them."""

VERBS = {
    "read": "Read",
    "edit": "Edit",
    "delete": "Delete",
    "move": "Move",
    "search": "Search",
    "execute": "Run",
    "think": "Think",
    "fetch": "Fetch",
    "switch_mode": "Mode",
    SUBAGENT: "Subagent",
    TODO: "Todos",
}
READING = ("read", "search", "fetch")  # kinds of calls that change nothing
ANY_VERB = "Tool"
NOT_FINISHED = "not finished"
_ENDINGS = {"completed": "done", "failed": "failed", "cancelled": "cancelled"}


def verb_of(kind: str) -> str:
    return VERBS.get(kind, ANY_VERB)


def ending_of(entry: ToolCallEntry) -> str:
    """How the call ended: done, failed, rejected, cancelled, not finished; empty while it goes on."""
    ended = _ENDINGS.get(entry.status, NOT_FINISHED if entry.sealed else "")
    return entry.stopped if ended == "cancelled" and entry.stopped else ended
