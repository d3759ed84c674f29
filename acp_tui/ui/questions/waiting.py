"""What waits for the user's answer: permissions, forms, addresses, the options before a session, a log-in."""

from typing import Protocol

from acp_tui.host.client import Connection
from acp_tui.session.state import Session
from acp_tui.session.tools.family import speaker
from acp_tui.ui.render.text import sanitise_line


class Asked(Protocol):
    """A permission, an elicitation, or the options before a session, as `session.pending` has them."""

    asked_at: float


def waiting(session: Session) -> list[Asked]:
    """All that the agent asks, the oldest first."""
    questions: list[Asked] = [*session.permissions, *session.elicitations]
    if session.input_options is not None:
        questions.append(session.input_options)
    return sorted(questions, key=lambda asked: asked.asked_at)


def asker(asked: Asked, session: Session) -> str:
    """The subagent that asks, in words and safe: `subagent “Explore”`; empty where it is the session itself."""
    request = getattr(asked, "request", None)
    return sanitise_line(speaker(getattr(request, "session_id", None), session), 60)


def capitalised(words: str) -> str:
    return words[:1].upper() + words[1:]


def login_wanted(connection: Connection) -> bool:
    """Whether the agent waits for a log-in; one that the user asked for by themselves keeps nothing waiting."""
    login = connection.login
    if login is None or connection.phase not in ("starting", "ready"):
        return False
    return connection.phase == "starting" or bool(login.reason)
