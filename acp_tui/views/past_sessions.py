"""Sessions that the user can go back to: those that the agent lists and those recorded here, merged, and as rows.

The usage of recorded ones is a table by agent, project, day or model, in which currencies are never added.
What lists say of each is a row of `LIST_COLUMNS`, for the list of sessions, what a search finds, and `acp-tui search`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from acp_tui.frozen import Frozen
from acp_tui.host.records.record_info import RecordInfo, run_check, time_in
from acp_tui.host.records.usage import MICROS, MOST_READ, Ledger, SpentRow, UsageRow, quarter_start
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from acp_tui.safe_text import one_line
from acp_tui.session.entries import MessageEntry, NoticeEntry
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import begins_with_ours, counted, duration
from acp_tui.views.formatting import (
    EARLIEST,
    SEPARATOR,
    Span,
    StyledText,
    Tone,
    brief_path,
    elsewhere,
    home_path,
    money,
    tokens,
)

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
    "folder", 28, lambda each: home_path(each.cwd), printed=30, is_path=True, missing="unknown folder"
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
    """Below what a session stands: that it is open, its agent, which lists it, or that it was only recorded."""
    return "Open" if known.session is not None else agent if known.info is not None else "Recorded"


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


By = Literal["agent", "project", "day", "model"]
BYS: tuple[By, ...] = get_args(By)
NOT_REPORTED = "—"
MIB = 1024**2
LEAST, MOST, GAP = 14, 48, 2  # cells of a name, and between columns


class UsageTotal(Frozen):
    """What rows of the ledger come to; `milliseconds` are those of turns, `cost` is in millionths by currency.

    Of `tokens` and `cost` there are none (None, empty) if no agent reported any.
    """

    name: str
    sessions: int
    turns: int
    milliseconds: int
    tokens: int | None
    cost: Mapping[str, int]

    @property
    def amounts(self) -> dict[str, float]:
        """The cost in units of money."""
        return {currency: micros / MICROS for currency, micros in sorted(self.cost.items())}


class UsageColumn(NamedTuple):
    """A column of numbers; the first to be left out if there is no room is the one with the highest `rank`."""

    title: str
    texts: Sequence[str]
    rank: int

    @property
    def width(self) -> int:
        return max(map(len, (self.title, *self.texts)))


def totals(ledger: Ledger, by: By) -> list[UsageTotal]:
    """The usage by agent, project, day or model: days with the latest first, others with the longest turns first."""
    groups: dict[str, list[SpentRow]] = {}
    for row in ledger.rows:
        groups.setdefault(_name(row, by), []).append(row)
    found = [_sum(name, rows) for name, rows in groups.items()]
    found.sort(key=lambda each: each.name)
    return sorted(found, key=lambda each: each.name if by == "day" else each.milliseconds, reverse=True)


def whole(ledger: Ledger) -> UsageTotal:
    return _sum("Total", ledger.rows)


def _sum(name: str, rows: Iterable[SpentRow]) -> UsageTotal:
    sessions, cost, spent = set[int](), dict[str, int](), list[UsageRow]()
    for row in rows:
        spent.append(row.usage)
        sessions.add(row.session)
        for currency, micros in row.usage.cost.items():
            cost[currency] = cost.get(currency, 0) + micros
    counts = [usage.tokens for usage in spent if usage.tokens is not None]
    turns, took = sum(usage.turns for usage in spent), sum(usage.milliseconds for usage in spent)
    return UsageTotal(name, len(sessions), turns, took, sum(counts) if counts else None, cost)


def _name(row: SpentRow, by: By) -> str:
    match by:
        case "agent":
            return row.agent
        case "project":
            return row.folder
        case "day":
            return _day(row.usage.quarter).isoformat()
        case "model":
            return row.usage.model


@cache
def _day(quarter: int) -> date:
    """The day by the local clock."""
    return quarter_start(quarter).astimezone().date()


def usage_table(ledger: Ledger, by: By, width: int) -> list[str]:
    """The lines of the table, of at most `width` characters if that is 40 or more: a heading, rows and the total."""
    rows = [*totals(ledger, by), whole(ledger)]
    shown = [home_path(row.name) if by == "project" else row.name for row in rows]
    names = [by.capitalize(), *(one_line(name or NOT_REPORTED) for name in shown)]
    columns = [
        UsageColumn("Sessions", [f"{row.sessions:,}" for row in rows], 2),
        UsageColumn("Turns", [f"{row.turns:,}" for row in rows], 1),
        UsageColumn("Time", [duration(row.milliseconds / 1000) for row in rows], 0),
        UsageColumn("Tokens", [NOT_REPORTED if row.tokens is None else tokens(row.tokens) for row in rows], 0),
        UsageColumn("Cost", [_cost(row) for row in rows], 0),
    ]
    for rank in (2, 1):
        if _room(columns, width) < min(LEAST, max(map(len, names))):
            columns = [column for column in columns if column.rank != rank]
    room = max(1, min(_room(columns, width), MOST, max(map(len, names))))
    texts = zip(names, *([column.title, *column.texts] for column in columns), strict=True)
    cut = brief_path if by == "project" else one_line
    return [_line(cut(name, room).ljust(room), columns, rest) for name, *rest in texts]


def _room(columns: Sequence[UsageColumn], width: int) -> int:
    return width - sum(GAP + column.width for column in columns)


def _line(name: str, columns: Sequence[UsageColumn], texts: Sequence[str]) -> str:
    cells = (f"{text:>{GAP + column.width}}" for column, text in zip(columns, texts, strict=True))
    return name + "".join(cells)


def _cost(total: UsageTotal) -> str:
    return ", ".join(money(amount, currency) for currency, amount in total.amounts.items()) or NOT_REPORTED


def usage_notes(ledger: Ledger) -> Iterator[str]:
    """Since when the sessions are, how many reported no cost, and what was not read."""
    if ledger.since is None:
        yield "No turns are recorded yet."
    else:
        since = f"{ledger.since.astimezone():%d %b %Y}".lstrip("0")
        parts = [f"{counted(ledger.sessions, 'session')} since {since}"]
        yield SEPARATOR.join(parts + [f"{ledger.unpriced:,} reported no cost"] * bool(ledger.unpriced))
    if ledger.unread:
        yield f"{counted(ledger.unread, 'record')} not read (at most {MOST_READ // MIB} MiB at a time)"


def usage_json(ledger: Ledger, by: By) -> dict[str, Any]:
    """The same as JSON data; money is in its unit, and null is what no agent reported."""
    return {
        "by": by,
        "since": ledger.since.isoformat() if ledger.since is not None else None,
        "sessions_without_cost": ledger.unpriced,
        "unread_records": ledger.unread,
        "rows": [{by: row.name or None, **_json(row)} for row in totals(ledger, by)],
        "total": _json(whole(ledger)),
    }


def _json(total: UsageTotal) -> dict[str, Any]:
    minutes = round(total.milliseconds / 60_000, 3)
    spent = {"tokens": total.tokens, "cost": total.amounts or None}
    return {"sessions": total.sessions, "turns": total.turns, "minutes": minutes, **spent}
