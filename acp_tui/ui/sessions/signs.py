"""The state of a session (working, waiting, done ...) by one sign, for tabs and lists."""

from typing import Literal

from acp_tui.host.client import Connection
from acp_tui.session.entries import MessageEntry, TextPart
from acp_tui.session.state import Session
from acp_tui.ui.asked import login_wanted, waiting
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.tones import MUTED

State = Literal["working", "waiting", "done", "failed", "idle"]
SIGNS: dict[State, str] = {"working": "◐", "waiting": "△", "done": "●", "failed": "✗", "idle": " "}
TONES: dict[State, str] = {
    "working": "$secondary",
    "waiting": "$warning",
    "done": "$success",
    "failed": "$error",
    "idle": MUTED,
}
WORDS: dict[State, str] = {
    "working": "working",
    "waiting": "waits for you",
    "done": "done",
    "failed": "failed",
    "idle": "",
}
LOOK_AT = 8  # entries from the beginning among which the first prompt stands


def state_of(session: Session, connection: Connection, *, seen: bool) -> State:
    """How the session stands; what has ended well, or failed in a turn, is told until it was `seen`."""
    if connection.phase in ("gone", "closed") or session.closed:
        return "failed"
    if login_wanted(connection) or waiting(session):
        return "waiting"
    if session.turn.active or connection.phase == "starting":
        return "working"
    if seen or session.turn.ended_at is None:
        return "idle"
    return "failed" if session.turn.error is not None else "done"


def name_of(session: Session) -> str:
    """What a person knows the session by: its title, else how its first prompt begins."""
    if session.title:
        return sanitise_line(session.title, 80)
    for entry in session.entries[:LOOK_AT]:
        if isinstance(entry, MessageEntry) and entry.role == "user":
            text = next((part.text for part in entry.parts if isinstance(part, TextPart)), "")
            if text.strip():
                return sanitise_line(text[:400].strip(), 80)
    return "new session"
