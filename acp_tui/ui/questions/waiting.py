"""What waits for the user's answer: permissions, forms, addresses, the options before a session, a log-in."""

from typing import Protocol

from rich.cells import cell_len

from acp_tui.host.client import Connection
from acp_tui.session.state import Session
from acp_tui.session.tools.family import speaker
from acp_tui.ui.render.text import cut, sanitise_line

ASKER_AT_MOST, ASKER_AT_LEAST = 60, 22  # cells of who asks


class Asked(Protocol):
    """A permission, an elicitation, or the options before a session, as `session.pending` has them."""

    asked_at: float


def waiting(session: Session) -> list[Asked]:
    """All that the agent asks, the oldest first."""
    questions: list[Asked] = [*session.permissions, *session.elicitations]
    if session.input_options is not None:
        questions.append(session.input_options)
    return sorted(questions, key=lambda asked: asked.asked_at)


def asker(asked: Asked, session: Session, room: int = ASKER_AT_MOST) -> str:
    """The subagent that asks, in words and safe: `subagent “Explore”`; empty where it is the session itself.

    In at most `room` cells, or so many that it is still told which one.
    """
    request = getattr(asked, "request", None)
    words = sanitise_line(speaker(getattr(request, "session_id", None), session))
    most = min(ASKER_AT_MOST, max(ASKER_AT_LEAST, room))
    return words if cell_len(words) <= most else f"{cut(words, most - 1)}”"


def capitalised(words: str) -> str:
    return words[:1].upper() + words[1:]


def login_wanted(connection: Connection) -> bool:
    """Whether the agent waits for a log-in; one that the user asked for by themselves keeps nothing waiting."""
    login = connection.login
    if login is None or connection.phase not in ("starting", "ready"):
        return False
    return connection.phase == "starting" or bool(login.reason)
