"""The board of all open sessions: its sections and rows in words, and the counts that header, tab and title carry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from acp_tui.session.entries import MessageEntry
from acp_tui.session.text.phrases import counted, duration, plus_minus
from acp_tui.startup import late
from acp_tui.views.formatting import SEPARATOR, Tone, brief, capitalised, last_line
from acp_tui.views.status import LOOKS, State, asker_of, login_wanted, state_of, status_of, waiting

if TYPE_CHECKING:
    from acp_tui.host.client import Client
    from acp_tui.session.state import Session
    from acp_tui.views.status import PendingQuestion

Section = Literal["needs", "finished", "working", "idle"]
HEADINGS: dict[Section, str] = {
    "needs": "Needs you",
    "finished": "Finished, not seen",
    "working": "Working",
    "idle": "Idle",
}
ORDER: tuple[Section, ...] = tuple(HEADINGS)
LOOK_BACK = 60  # entries; the last words of an agent that are further up are not looked for
LONGEST = 200  # characters of what is asked, done or was answered
IDLE_SIGN = "·"


class OpenSession(NamedTuple):
    """One open session, its number from 1 and its name among the others.

    `seen` is false from the end of a turn that was not on the screen until the session is.
    """

    number: int
    name: str
    client: Client
    session: Session
    seen: bool = True

    @property
    def state(self) -> State:
        return state_of(self.session, self.client.connection, seen=self.seen)

    @property
    def section(self) -> Section:
        state = self.state
        if state == "waiting":
            return "needs"
        if state == "working":
            return "working"
        return "idle" if self.seen or self.session.turn.ended_at is None else "finished"

    @property
    def questions(self) -> Sequence[PendingQuestion | None]:
        """What needs the user, the oldest first; a login, None, is alone but for what is asked while it is tried."""
        if self.section != "needs":
            return ()
        connection, asked = self.client.connection, waiting(self.session)
        under_way = connection.login is not None and bool(connection.login.trying and asked)
        return (None,) if login_wanted(connection) and not under_way else asked


class Counts(NamedTuple):
    """How many questions need the user, and how many sessions have finished unseen."""

    needs: int = 0
    finished: int = 0

    @property
    def parts(self) -> list[tuple[str, Tone]]:
        """`△ 3` and `● 1` in their tones; what is 0 is left out."""
        counts = (self.needs, LOOKS["waiting"]), (self.finished, LOOKS["done"])
        return [(f"{sign.sign} {count:,}", sign.tone) for count, sign in counts if count]

    @property
    def words(self) -> str:
        return " ".join(words for words, _ in self.parts)


class TabLabel(NamedTuple):
    """One tab: its number (from 1), its name, how its session stands, and whether that is a branch of another one.

    It carries its part of the counts of all.
    """

    number: int
    name: str
    state: State = "idle"
    current: bool = False
    branch: bool = False
    counts: Counts = Counts()


def label_of(opened: OpenSession, *, current: bool) -> TabLabel:
    counts = Counts(len(opened.questions), opened.section == "finished")
    return TabLabel(
        opened.number, opened.name, opened.state, current, opened.session.branched is not None, counts=counts
    )


def total_of(labels: Iterable[TabLabel]) -> Counts:
    """The counts of all sessions: what header and title carry."""
    each = [label.counts for label in labels]
    return Counts(sum(counts.needs for counts in each), sum(counts.finished for counts in each))


def window_title(labels: Iterable[TabLabel], title: str) -> str:
    """The title of the terminal's window: `△ 3 ● 1 · Fix the login · acp-tui`."""
    return SEPARATOR.join(filter(None, (total_of(labels).words, title, "acp-tui")))


class BoardRow(NamedTuple):
    """One row: a session, or one of the questions for which it needs the user."""

    section: Section
    opened: OpenSession
    asked: PendingQuestion | None = None

    def stands_for(self, other: BoardRow) -> bool:
        """Whether it is the same question of the same session; which section it is in may have changed."""
        return self.opened.session is other.opened.session and self.asked is other.asked


def rows_of(opened: Iterable[OpenSession]) -> list[BoardRow]:
    """All rows in the order of the sections: questions and what has finished by their times, the others as the tabs."""
    rows: list[BoardRow] = []
    for each in opened:
        section = each.section  # once: of 1,000 questions each would have all of them sorted
        rows += [BoardRow(section, each, asked) for asked in (each.questions or (None,))]
    return sorted(rows, key=lambda row: (ORDER.index(row.section), _time(row)))


def _time(row: BoardRow) -> float:
    if row.section == "needs":
        return row.asked.asked_at if row.asked is not None else 0.0
    return row.opened.session.turn.ended_at or 0.0 if row.section == "finished" else 0.0


class BoardWords(NamedTuple):
    """The words of a row: a sign in its tone, name, what, and when; the last may be empty."""

    sign: str
    tone: Tone
    name: str
    what: str
    when: str = ""


def words_of(row: BoardRow) -> BoardWords:
    """The words of a row, now; those of 1,000 rows take longer than a key may, so they are made where one is drawn."""
    opened, session = row.opened, row.opened.session
    sign, now = LOOKS[opened.state], session.clock()
    client = opened.client
    if row.section == "needs":
        since = duration(now - row.asked.asked_at) if row.asked is not None else ""
        return BoardWords(sign.sign, sign.tone, opened.name, _question(row.asked, session), since)
    status = status_of(session, client.connection, now, client.unsent_since).text.lstrip("✗△ ")
    if row.section == "finished":
        done = status if opened.state == "failed" else _last_words(session) or status or "Done"
        ago = f"{duration(now - (session.turn.ended_at or now))} ago"
        return BoardWords(
            sign.sign, sign.tone, opened.name, SEPARATOR.join(filter(None, (done, _changes(session)))), ago
        )
    what = status or brief(session.agent_name, 60)
    return BoardWords(sign.sign or IDLE_SIGN, sign.tone, opened.name, what)


def _question(asked: PendingQuestion | None, session: Session) -> str:
    """What is asked, in one line, behind the subagent that asks."""
    if asked is None:
        return "Log in"
    request, asker = getattr(asked, "request", None), capitalised(asker_of(asked, session))
    lead = f"{asker}: " if asker else ""
    if request is None:
        return "Options for the session"
    if hasattr(request, "options"):
        subjects = late("acp_tui.session.tools.subject")
        about, cwd = subjects.asked_subject(asked, session), session.whose(request.session_id).cwd
        return lead + brief(f"{subjects.verb_before(about)}{subjects.told_line(about, cwd)}", LONGEST)
    return lead + brief(request.message or "", LONGEST)


def _last_words(session: Session) -> str:
    """The last line that the agent wrote in its last turn."""
    for entry in reversed(session.entries[-LOOK_BACK:]):
        if isinstance(entry, MessageEntry):
            if entry.role == "user":
                break
            if entry.role == "agent" and (words := last_line(entry.parts)):
                return words
    return ""


def _changes(session: Session) -> str:
    """The files that its last turn changed: `2 files +12 −3`."""
    ends = late("acp_tui.session.folds.file_changes").TurnEntry
    entry = next((each for each in reversed(session.entries[-LOOK_BACK:]) if isinstance(each, ends)), None)
    if entry is None or not entry.files:
        return ""
    return " ".join((counted(entry.files, "file"), *plus_minus(entry.added, entry.removed)))
