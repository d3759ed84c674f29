"""A tool call in words: sign, verb, subject, ending."""

from acp_tui.protocol.vocabulary.tool_calls import FINISHED_STATUSES
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.state import Session
from acp_tui.session.tools.subject import ToolSubject, called, short_path
from acp_tui.session.tools.title import NOT_FINISHED, TODO, verb_of
from acp_tui.ui.render.text import sanitise_line
from acp_tui.views.formatting import SHORTEST_TOLD, exit_words, seconds

__all__ = ["NOT_FINISHED", "SHORTEST_TOLD", "exit_words", "seconds", "verb_of"]  # beside what is here
SUBJECT_LIMIT = 400
VERB_WIDTH = 8

ICONS = {"edit": "✎", "delete": "✕", "move": "→", "think": "✻", "fetch": "↓", "switch_mode": "⇄", TODO: "☰"}
ANY_TOOL = "●"
COMMAND_SIGN = "$"  # stands before what runs, and before nothing else
WAITING = "waiting for you"
STATUSES = {  # sign, and ink, which says no more than the sign
    "pending": ("○", "muted"),
    "in_progress": ("◐", "accent"),
    "failed": ("✗", "error"),
    "cancelled": ("⊘", "muted"),
    "rejected": ("⊘", "muted"),
    "paused": ("◑", "warning"),
    WAITING: ("△", "warning"),
}
UNFINISHED = ("pending", "in_progress")
STOPPED = ("rejected", "cancelled")  # by the user: how it ended is no news, and nothing was changed
LEFT_OPEN = "◌"


def status_of(entry: ToolCallEntry, session: Session) -> str:
    """The status, or `rejected`, WAITING while the user is asked, NOT_FINISHED where the turn ended first."""
    if entry.status in FINISHED_STATUSES:
        return entry.stopped if entry.status == "cancelled" and entry.stopped else entry.status
    if any(pending.tool_call_id == entry.id for pending in session.own_permissions):
        return WAITING
    return NOT_FINISHED if entry.sealed and entry.status in UNFINISHED else entry.status


def sign_of(subject: ToolSubject, status: str) -> str:
    """A command's is always `$`; any other call has its kind's icon once it is done, before that its status's sign."""
    if subject.lead == "command":
        return COMMAND_SIGN
    return ICONS.get(subject.kind, ANY_TOOL) if status == "completed" else STATUSES.get(status, (LEFT_OPEN,))[0]


def named(entry: ToolCallEntry, session: Session) -> str:
    """What a call is about, as other lines tell of it: `make all`, `Read a.py`, else its title."""
    return sanitise_line(called(entry, session), SUBJECT_LIMIT)


def line(text: str, cwd: str = "") -> str:
    """A text on one line, with files of the session's folder relative to it."""
    if len(cwd) > 1:
        text = text.replace(cwd.rstrip("/") + "/", "")
    return sanitise_line(text, SUBJECT_LIMIT)


def place(path: str, line: int | None, cwd: str) -> str:
    """A path and the line, safe and on one line: within the session's folder relative to it."""
    return sanitise_line(short_path(path, line, cwd), SUBJECT_LIMIT)
