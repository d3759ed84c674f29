"""Labels of a session: its agent, its name, and a sign and a word for whether it works, waits or is done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from acp_tui.session.entries import MessageEntry, TextPart
from acp_tui.session.tools.running_work import is_at_work, speaker
from acp_tui.views.formatting import Tone, brief

if TYPE_CHECKING:
    from acp_tui.host.client import Client, Connection
    from acp_tui.protocol.vocabulary.initialization import Implementation
    from acp_tui.session.state import Session

State = Literal["working", "waiting", "done", "failed", "idle"]
NEW = "new session"
LOOK_AT = 8  # entries from the beginning among which the first prompt stands


class StateSign(NamedTuple):
    """The sign and the word of a state; a `calm` one in colour by its sign only."""

    sign: str
    tone: Tone
    words: str
    calm: bool = True


LOOKS: dict[State, StateSign] = {
    "working": StateSign("◐", "secondary", "working"),  # the agent's colour as the theme has it
    "waiting": StateSign("△", "warning", "needs an answer"),
    "done": StateSign("●", "success", "done"),
    "failed": StateSign("✗", "error", "failed"),
    "idle": StateSign("", "muted", ""),
}


class TabLabel(NamedTuple):
    """One tab: its number (from 1), its name and how its session stands."""

    number: int
    name: str
    state: State = "idle"
    current: bool = False


class PendingQuestion(Protocol):
    """A permission, an elicitation, or the options before a session, as `session.facts` has them."""

    asked_at: float


def waiting(session: Session) -> list[PendingQuestion]:
    """All that the agent asks, the oldest first."""
    questions: list[PendingQuestion] = [*session.permissions, *session.elicitations]
    if session.input_options is not None:
        questions.append(session.input_options)
    return sorted(questions, key=lambda asked: asked.asked_at)


def asker_of(asked: PendingQuestion, session: Session) -> str:
    """The subagent that asks: `subagent “Explore”`; empty where it is the session itself."""
    request = getattr(asked, "request", None)
    return brief(speaker(getattr(request, "session_id", None), session), 200)


def login_wanted(connection: Connection) -> bool:
    """Whether the agent waits for a log-in; one that the user asked for by themselves keeps nothing waiting."""
    login = connection.login
    if login is None or connection.phase not in ("starting", "ready"):
        return False
    return connection.phase == "starting" or bool(login.reason)


def state_of(session: Session, connection: Connection, *, seen: bool) -> State:
    """How the session stands; what has ended well, or failed in a turn, is told until it was `seen`."""
    if connection.phase in ("gone", "closed") or session.closed:
        return "failed"
    if login_wanted(connection) or waiting(session):
        return "waiting"
    if is_at_work(session) or connection.phase == "starting":
        return "working"
    if seen or session.turn.ended_at is None:
        return "idle"
    return "failed" if session.turn.error is not None else "done"


def standing_of(session: Session, connection: Connection) -> StateSign:
    """How the session stands that is looked at, by sign and word."""
    if connection.phase in ("gone", "closed"):
        never = connection.agent is None and connection.exit_code is None
        return StateSign("✗", "error", "not started" if never else "agent exited", calm=False)
    if connection.phase == "closing":
        return StateSign("◌", "muted", "closing")
    if session.closed:
        return StateSign("✗", "error", "session closed", calm=False)
    if login_wanted(connection) or waiting(session):
        return StateSign("△", "warning", "waiting for you", calm=False)
    if connection.phase == "starting":
        return StateSign("◌", "muted", "starting")
    if is_at_work(session):
        return LOOKS["working"]
    return StateSign("●", "success", "ready")


def name_of(session: Session) -> str:
    """What the user knows the session by: its title, else how its first prompt begins; of a branch, its own first."""
    if session.title:
        return brief(session.title, 80)
    begins = session.index.branched_at
    for entry in [*session.entries[begins : begins + LOOK_AT], *session.entries[:LOOK_AT]]:
        if isinstance(entry, MessageEntry) and entry.role == "user":
            text = next((part.text for part in entry.parts if isinstance(part, TextPart)), "")
            if text.strip():
                return brief(text[:400].strip(), 80)
    return NEW


def names_of(sessions: Sequence[Session]) -> list[str]:
    """The names of all; those in which nothing was said yet are counted, so that one can tell them apart."""
    names = [name_of(session) for session in sessions]
    new = 0
    for at, name in enumerate(names):
        if name == NEW:
            new += 1
            names[at] = NEW if new == 1 else f"{NEW} {new}"
    return names


def agent_words(agent: Implementation) -> str:
    return f"{agent.title or agent.name} {agent.version}".strip()


def agent_title(client: Client, session: Session) -> str:
    """The agent's name and version as one reads them; before it answered, the command."""
    agent = client.connection.agent
    if agent is None:
        argv = client.command.argv
        return brief(session.agent_name or (argv[0].rsplit("/", 1)[-1] if argv else "agent"), 40)
    name = brief(agent.title or agent.name, 40)
    version = brief(agent.version, 16)
    return f"{name} {version}".strip()
