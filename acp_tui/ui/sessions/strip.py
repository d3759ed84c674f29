"""The state of a session by one sign, and the tabs in the header row: as many as fit, and where each can be clicked."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from textual.content import Content

from acp_tui.host.client import Connection
from acp_tui.session.entries import MessageEntry, TextPart
from acp_tui.session.state import Session
from acp_tui.session.tools.family import is_at_work
from acp_tui.ui.kit.theme import ACCENT, FAINT, MUTED
from acp_tui.ui.questions.waiting import login_wanted, waiting
from acp_tui.ui.render.text import cut, sanitise_line

State = Literal["working", "waiting", "done", "failed", "idle"]
NEW = "new session"
LOOK_AT = 8  # entries from the beginning among which the first prompt stands
GAP = 3
NAMES = (26, 20, 14, 9, 5)  # cells of a name; the first that fits is taken


class Look(NamedTuple):
    """How a state is shown; a `calm` one in colour by its sign only."""

    sign: str
    tone: str
    words: str
    calm: bool = True


LOOKS: dict[State, Look] = {
    "working": Look("◐", "$secondary", "working"),
    "waiting": Look("△", "$warning", "needs an answer"),
    "done": Look("●", "$success", "done"),
    "failed": Look("✗", "$error", "failed"),
    "idle": Look("", MUTED, ""),
}


class Label(NamedTuple):
    """One tab: its number (from 1), its name and how its session stands."""

    number: int
    name: str
    state: State = "idle"
    current: bool = False


class Strip(NamedTuple):
    """What is shown, and which cells show which number."""

    content: Content
    places: tuple[tuple[int, int, int], ...]


def strip_of(labels: Sequence[Label], width: int) -> Strip:
    """As many tabs as fit in `width` cells, with the current one; those left out are counted at either side."""
    for cells in NAMES:
        if strip_width(labels, cells) <= width:
            return _drawn(labels, cells, 0, 0)
    first, last = _around(labels, NAMES[-1], width)
    return _drawn(labels[first:last], NAMES[-1], first, len(labels) - last)


def _around(labels: Sequence[Label], cells: int, width: int) -> tuple[int, int]:
    at = next((index for index, label in enumerate(labels) if label.current), 0)
    first, last = at, at + 1
    while True:
        grown = [(first, last + 1)] * (last < len(labels)) + [(first - 1, last)] * (first > 0)
        fitting = [(a, b) for a, b in grown if strip_width(labels[a:b], cells) + 2 * (GAP + 3) <= width]
        if not fitting:
            return first, last
        first, last = fitting[0]


def strip_width(labels: Sequence[Label], cells: int) -> int:
    """Cells that all tabs take with names of at most so many."""
    return sum(_words(label, cells).cell_length for label in labels) + GAP * max(0, len(labels) - 1)


def _words(label: Label, cells: int) -> Content:
    look = LOOKS[label.state]
    parts: list[tuple[str, str]] = [
        (f"{label.number} ", ACCENT if label.current else FAINT),
        (cut(label.name, cells), "bold" if label.current else MUTED),
    ]
    if look.sign:
        parts.append((f" {look.sign}", look.tone))
    return Content.assemble(*parts)


def _drawn(labels: Sequence[Label], cells: int, before: int, after: int) -> Strip:
    line = Content.styled(f"+{before}" + " " * GAP, FAINT) if before else Content("")
    places: list[tuple[int, int, int]] = []
    for label in labels:
        if places:
            line += Content(" " * GAP)
        start = line.cell_length
        line += _words(label, cells)
        places.append((start, line.cell_length, label.number))
    if after:
        line += Content.styled(" " * GAP + f"+{after}", FAINT)
    return Strip(line, tuple(places))


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


def standing_of(session: Session, connection: Connection) -> Look:
    """How the session stands that is looked at, by sign and word."""
    if connection.phase in ("gone", "closed"):
        never = connection.agent is None and connection.exit_code is None
        return Look("✗", "$error", "not started" if never else "agent exited", calm=False)
    if connection.phase == "closing":
        return Look("◌", MUTED, "closing")
    if session.closed:
        return Look("✗", "$error", "session closed", calm=False)
    if login_wanted(connection) or waiting(session):
        return Look("△", "$warning", "waiting for you", calm=False)
    if connection.phase == "starting":
        return Look("◌", MUTED, "starting")
    if is_at_work(session):
        return LOOKS["working"]
    return Look("●", "$success", "ready")


def name_of(session: Session) -> str:
    """What the user knows the session by: its title, else how its first prompt begins; of a branch, its own first."""
    if session.title:
        return sanitise_line(session.title, 80)
    begins = session.index.branched_at
    for entry in [*session.entries[begins : begins + LOOK_AT], *session.entries[:LOOK_AT]]:
        if isinstance(entry, MessageEntry) and entry.role == "user":
            text = next((part.text for part in entry.parts if isinstance(part, TextPart)), "")
            if text.strip():
                return sanitise_line(text[:400].strip(), 80)
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
