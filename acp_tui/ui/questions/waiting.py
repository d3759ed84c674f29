"""What waits for the user's answer: permissions, forms, addresses, the options before a session, a log-in."""

from typing import Protocol

from acp_tui.host.client import Connection
from acp_tui.session.state import Session


class Asked(Protocol):
    """A permission, an elicitation, or the options before a session, as `session.pending` has them."""

    asked_at: float


def waiting(session: Session) -> list[Asked]:
    """All that the agent asks, the oldest first."""
    questions: list[Asked] = [*session.permissions, *session.elicitations]
    if session.input_options is not None:
        questions.append(session.input_options)
    return sorted(questions, key=lambda asked: asked.asked_at)


def login_wanted(connection: Connection) -> bool:
    """Whether the agent waits for a log-in; one that the user asked for by themselves keeps nothing waiting."""
    login = connection.login
    if login is None or connection.phase not in ("starting", "ready"):
        return False
    return connection.phase == "starting" or bool(login.reason)
