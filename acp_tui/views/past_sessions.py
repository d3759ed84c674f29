"""Sessions that the user can go back to: those that the agent lists and those recorded here, merged, and as rows.

What lists say of each is a row of `LIST_COLUMNS`, for the list of sessions, what a search finds, and `acp-tui search`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from acp_tui.frozen import Frozen
from acp_tui.host.records.record_info import RecordInfo, run_check, time_in
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from acp_tui.safe_text import one_line
from acp_tui.session.entries import MessageEntry, NoticeEntry
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import begins_with_ours, counted
from acp_tui.views.formatting import EARLIEST, SEPARATOR, Span, StyledText, Tone, elsewhere, home_path

if TYPE_CHECKING:
    from acp_tui.host.connection.lifecycle import Connection
    from acp_tui.host.records.search import SearchResult
    from acp_tui.host.sessions.known_sessions import SessionList

Listing = Literal["folder", "everywhere", "archive"]


class PastSession(Frozen):
    """One session, as the agent tells it (`info`), as it was recorded here (`record`), or both; `session` if open.

    `older` are records of it from before it was gone on with. `run`: `acp-tui run` made it, and it is not open.
    """

    info: SessionInfo | None = None
    record: RecordInfo | None = None
    session: Session | None = None
    older: tuple[RecordInfo, ...] = ()
    run: bool = False

    @property
    def id(self) -> str:
        return self.info.session_id if self.info else str(self.record.path) if self.record else ""

    @property
    def title(self) -> str:
        recorded = self.record.title if self.record else ""
        given = recorded if self.record and self.record.named else ""
        told = (self.session and self.session.title) or given or (self.info and _title_of(self.info))
        return one_line(told or recorded or "untitled", 200)

    @property
    def cwd(self) -> str:
        return self.info.cwd if self.info else self.record.cwd if self.record else ""

    @property
    def folders(self) -> tuple[str, ...]:
        named = (self.cwd, *(self.info.additional_directories if self.info else ()))
        return tuple(filter(None, named))

    @property
    def agent(self) -> str:
        return one_line(self.record.agent, 40) if self.record and not self.info else ""

    @property
    def last_message(self) -> str:
        """How the user's last message begins, if the title does not say it."""
        mine = (
            each for each in reversed(self.session.entries if self.session else ()) if isinstance(each, MessageEntry)
        )
        here = next((each.plain() for each in mine if each.role == "user"), "")
        text = one_line(here.strip() or (self.record.last_prompt if self.record else ""), 200)
        return "" if text[:20] == self.title[:20] else text

    @property
    def updated(self) -> datetime:
        told = time_in(self.info.updated_at or "") if self.info else None
        return told or (self.record.updated if self.record else EARLIEST)


def _title_of(info: SessionInfo) -> str:
    return "" if begins_with_ours(info.title or "") else info.title or ""


def past_sessions(
    told: Iterable[SessionInfo],
    records: Sequence[RecordInfo],
    open_now: Sequence[Session],
    agent: str,
    *,
    lasting: bool = False,
) -> list[PastSession]:
    """All of them once, the agent's before those that were only recorded, each group with the latest first.

    `lasting`: the agent goes back to sessions by their ids. Others may count them anew in every run.
    """
    sessions = {(session.id, session.cwd): session for session in open_now if session.id and _is_recorded(session)}
    theirs: dict[str, list[RecordInfo]] = {}
    others: dict[object, list[RecordInfo]] = {}
    ids = {info.session_id: info for info in told}
    is_run = run_check(records)
    begun = {session.id for session in open_now} - {id_ for id_, _ in sessions}  # nothing of them is recorded yet
    for record in sorted(records, key=lambda record: record.updated, reverse=True):
        own = record.agent == agent and record.session_id != ""
        latest_of_it = record.session_id not in theirs and record.session_id not in begun
        if own and record.session_id in ids and (lasting or latest_of_it):
            theirs.setdefault(record.session_id, []).append(record)
        else:
            same = (record.session_id, record.cwd) if own and lasting else record.path
            others.setdefault(same, []).append(record)
    recorded: list[PastSession] = []
    for latest, *older in others.values():
        session = sessions.pop((latest.session_id, latest.cwd), None) if latest.agent == agent else None
        recorded.append(PastSession(None, latest, session, tuple(older), session is None and is_run(latest)))
    by_id = {session.id: session for session in open_now}
    agents = []
    for id_, info in ids.items():
        own_records, open_one = theirs.get(id_, []), by_id.get(id_)
        run = open_one is None and any(map(is_run, own_records))
        agents.append(PastSession(info, next(iter(own_records), None), open_one, tuple(own_records[1:]), run))
    return [*_latest_first(agents), *_latest_first(recorded)]


def filtered(known: Iterable[PastSession], agent: str = "", *, runs: bool = False) -> tuple[list[PastSession], int]:
    """Those of one agent (empty: of all), without runs unless they are wanted; and how many runs are hidden."""
    of_agent = [each for each in known if not agent or each.info or (each.record and each.record.agent == agent)]
    shown = [each for each in of_agent if runs or not each.run]
    return shown, len(of_agent) - len(shown)


def _is_recorded(session: Session) -> bool:
    """Whether it can have a record: not before something was said."""
    return bool(session.queue) or not all(isinstance(entry, NoticeEntry) for entry in session.entries)


def _latest_first(known: Sequence[PastSession]) -> list[PastSession]:
    return sorted(known, key=lambda each: each.updated, reverse=True)


def searched(known: PastSession) -> tuple[str, ...]:
    """The words by which one is found, weightiest first."""
    return known.title, known.cwd, known.agent


class SessionColumn(NamedTuple):
    """A column of a list of sessions, beside its title and its time: a name, the most cells, and the text.

    The list of sessions has other room for it (`listed`), and so has the command line (`printed`); 0 is the same.
    Of what `is_path` that list shows the end, which says more. It says `missing` if there is no text. Columns of a
    higher `rank` are the first to be left out if there is no room.
    """

    name: str
    width: int
    text: Callable[[PastSession], str]
    listed: int = 0
    printed: int = 0
    is_path: bool = False
    missing: str = ""
    rank: int = 1


FOLDER = SessionColumn(
    "folder", 28, lambda each: home_path(each.cwd), printed=30, is_path=True, missing="folder not known"
)
LIST_COLUMNS = (SessionColumn("agent", 20, lambda each: each.agent, listed=40, rank=2), FOLDER)


def columns_of(listing: Listing) -> list[SessionColumn]:
    """Those that say something: all sessions of one folder have that one."""
    return [column for column in LIST_COLUMNS if column is not FOLDER or listing != "folder"]


def list_title(listing: Listing, folder: str, agent: str = "", *, runs: bool) -> StyledText:
    """Which sessions are listed: of which folders, of one agent alone, with runs."""
    where = {"everywhere": "all folders", "archive": "archived by the agent"}.get(listing)
    only = (f"only {agent} · " if agent else "") + ("with runs · " if runs else "")
    return [("Sessions", "bold"), (f"  {only}{where or one_line(home_path(folder), 60)}", "muted")]


def list_heading(known: PastSession, agent: str) -> str:
    """Below what a session stands: its agent, which tells it, or that it was only recorded."""
    return agent if known.info is not None else "Recorded by acp-tui"


def list_state(
    shown: int, hidden: int, listed: SessionList, connection: Connection, *, asked: bool, log_in: str, short: bool
) -> Span:
    """How many are shown and how many runs hidden, and how far the agent's list has come, once it was `asked`.

    `log_in` says by which key one logs in. `short`: nothing but open sessions is listed.
    """
    text = counted(shown, "session") + (f" · {counted(hidden, 'run')} hidden" if hidden else "")
    if not asked and connection.phase == "starting":
        return f"{text} · {connection.step}", "muted"
    if not connection.capabilities.list_sessions:
        return text + " · this agent cannot list sessions" * short, "muted"
    if listed.loading:
        return f"{text} · loading more…", "muted"
    if listed.problem:
        way = f" · esc, then {log_in} to log in" if connection.login is not None else ""
        return one_line(listed.problem, 200) + way, "warning"
    return text, "muted"


def record_origin(info: RecordInfo) -> str:
    """With which agent and in which folder a session was recorded, and when it ended."""
    when = info.updated.astimezone().strftime("%d %B %Y, %H:%M")
    return SEPARATOR.join(filter(None, (one_line(info.agent, 30), one_line(home_path(info.cwd), 40), when)))


def search_state(found: SearchResult, shown: int, hidden: int, *, any_words: bool, goes_on: bool = False) -> str:
    """How far a search has come; in the end how many sessions are shown and runs hidden, and what was left out."""
    if goes_on:
        return f"Searching… {counted(found.searched, 'session')}"
    text = f"Found in {counted(shown, 'session')}" if shown else "No matches" if any_words else ""
    return SEPARATOR.join(filter(None, (text, f"{counted(hidden, 'run')} hidden" if hidden else "", found.shortfall)))


class FoldersLine(NamedTuple):
    """The folders of a session that are not the user's; where they do not fit, the first, and how many `more`."""

    lead: str
    paths: list[str]
    more: str
    tone: Tone


def folders_line(known: PastSession, roots: Sequence[str]) -> FoldersLine | None:
    """Those that are not the user's `roots`: what lies outside all of them is said alone, and aloud."""
    named = [folder for folder in known.folders if folder not in roots]
    beyond = elsewhere(named, roots)
    if not named:
        return None
    paths = [one_line(home_path(folder), 4096) for folder in beyond or named]
    more = f"  +{len(paths) - 1} more" if len(paths) > 1 else ""
    return FoldersLine("outside this project: " if beyond else "in ", paths, more, "warning" if beyond else "muted")
