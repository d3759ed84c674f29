"""Sessions to go back to: each there once, the latest first; and in words."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from acp_tui.host.client import Login
from acp_tui.host.connection.lifecycle import Connection
from acp_tui.host.records.record_info import RecordInfo
from acp_tui.host.records.search import SearchResult
from acp_tui.host.sessions.known_sessions import SessionList
from acp_tui.protocol.capabilities import AgentCapabilities
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from acp_tui.session.facts import Noticed
from acp_tui.session.state import Session
from acp_tui.views.formatting import EARLIEST, age, plain
from acp_tui.views.past_sessions import (
    LIST_COLUMNS,
    Listing,
    PastSession,
    columns_of,
    filtered,
    folders_line,
    list_heading,
    list_state,
    list_title,
    past_sessions,
    record_origin,
    search_state,
)
from tests.rows import each_of
from tests.unit.session.speech import user

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


LISTINGS: tuple[Listing, ...] = ("folder", "everywhere", "archive")


def info(id_: str, updated: str | None = None) -> SessionInfo:
    return SessionInfo(session_id=id_, cwd="/p", title=id_.title(), updated_at=updated)


def record(id_: str, hours: float = 1, agent: str = "Kimi", cwd: str = "/p", *, run: bool = False) -> RecordInfo:
    when = NOW - timedelta(hours=hours)
    return RecordInfo(Path(f"/r/{id_}-{hours}"), id_, agent, cwd, f"recorded {id_}", when, when, 10, run=run)


def test_what_we_put_before_the_user_s_words_is_no_title() -> None:
    told = info("a").model_copy(update={"title": '<resource uri="conversati…'})
    assert PastSession(told).title == "untitled"
    assert PastSession(told, record("a")).title == "recorded a"


def test_a_record_of_a_told_session_is_not_a_second_one() -> None:
    known = past_sessions([info("a")], [record("a"), record("a", 2), record("b")], [], "Kimi", lasting=True)
    assert [(each.title, each.agent) for each in known] == [("A", ""), ("recorded b", "Kimi")]
    assert known[0].record == record("a")
    assert known[0].updated == NOW - timedelta(hours=1)


@each_of(
    ("told", "records", "runs"),
    [
        ("", [record("a", run=True), record("b")], ["recorded a"]),
        ("a", [record("a", run=True)], ["A"]),
        ("a", [record("a", run=True, agent="Other")], ["recorded a"]),  # that of another agent is not the agent's
        ("a", [], []),  # the agent alone knows it
        ("", [record("", run=True), record("")], ["recorded"]),  # the agent did not start
        ("", [record("a", 1, run=True), record("a", 2)], []),
        ("", [record("a", 1), record("a", 2, run=True)], []),
    ],
)
def test_what_the_screen_never_went_on_with_is_a_run(told: str, records: list[RecordInfo], runs: list[str]) -> None:
    for lasting in (True, False):
        known = past_sessions([info(id_) for id_ in told], records, [], "Kimi", lasting=lasting)
        assert [each.title for each in known if each.run] == runs
        shown, hidden = filtered(known)
        assert (hidden, len(shown)) == (len(runs), len(known) - len(runs))
        assert filtered(known, runs=True) == (known, 0)


def test_an_open_session_is_no_run() -> None:
    session = Session(id="a", cwd="/p")
    session.apply(user("go"))
    for told in ([info("a")], []):
        [known] = past_sessions(told, [record("a", run=True)], [session], "Kimi", lasting=True)
        assert (known.session, known.run) == (session, False)


def test_hidden_runs_are_counted_among_the_agent_s_sessions() -> None:
    records = [record("b", 1), record("c", 2, run=True), record("d", 3, "Other"), record("e", 4, "Other", run=True)]
    known = past_sessions([info("a")], records, [], "Kimi", lasting=True)
    shown, hidden = filtered(known, "Kimi")
    assert ([each.title for each in shown], hidden) == (["A", "recorded b"], 1)
    shown, hidden = filtered(known, "Other", runs=True)
    assert ([each.title for each in shown[-2:]], hidden) == (["recorded d", "recorded e"], 0)


def test_ids_that_an_agent_counts_anew_hide_no_older_records() -> None:
    records = [record("a", 1), record("a", 2), record("a", 3)]
    known = past_sessions([info("a")], records, [], "Kimi")
    assert [each.record for each in known] == records
    assert [each.info is not None for each in known] == [True, False, False]
    begun = Session(id="a", cwd="/p")
    theirs, *recorded = past_sessions([info("a")], records, [begun], "Kimi")
    assert (theirs.session, theirs.record) == (begun, None)
    assert [each.record for each in recorded] == records
    begun.apply(user("go"))
    assert past_sessions([info("a")], records, [begun], "Kimi")[0].record == records[0]


def test_another_agents_session_of_the_same_id_is_another_one() -> None:
    known = past_sessions([info("a")], [record("a", agent="Other")], [], "Kimi")
    assert [each.agent for each in known] == ["", "Other"]


def test_each_group_has_the_latest_first() -> None:
    told = [info("old", "2026-01-01T00:00:00Z"), info("never", "soon"), info("new", "2026-11-01T00:00:00")]
    known = past_sessions(told, [record("x", 5), record("y", 2)], [], "Kimi")
    assert [each.id for each in known] == ["new", "old", "never", "/r/y-2", "/r/x-5"]
    assert known[2].updated == EARLIEST


def test_of_sessions_that_were_counted_anew_the_latest_is_the_open_one() -> None:
    records = [record("1", 9), record("1", 1), record("1", 0.5, cwd="/q")]
    session = Session(id="1", cwd="/p")
    session.apply(Noticed("info", "ready"))
    assert [each.session for each in past_sessions([], records, [session], "Kimi")] == [None, None, None]
    session.apply(user("hello"))
    known = past_sessions([], records, [session], "Kimi")
    assert [each.session is session for each in known] == [False, True, False]


def test_records_of_one_session_are_one_where_its_id_lasts() -> None:
    records = [record("1", 9), record("1", 1), record("1", 2, agent="Other"), record("", 3), record("", 4)]
    latest, *rest = past_sessions([], records, [], "Kimi", lasting=True)
    assert (latest.record, latest.older) == (records[1], (records[0],))
    assert [(each.record, each.older) for each in rest] == [(each, ()) for each in records[2:]]
    assert all(not each.older for each in past_sessions([], records, [], "Kimi"))
    [told, *_] = past_sessions([info("1")], records, [], "Kimi", lasting=True)
    assert (told.record, told.older) == (records[1], (records[0],))


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(-5, "now"), (59, "now"), (60, "1 min"), (7_199, "1 h"), (86_400, "1 day"), (13 * 86_400, "13 days")],
)
def test_ages_have_one_unit(seconds: float, told: str) -> None:
    assert age(NOW - timedelta(seconds=seconds), NOW) == told


def test_old_ages_are_dates() -> None:
    assert age(NOW - timedelta(days=40), NOW).endswith("Oct 2026")
    assert age(EARLIEST, NOW) == ""


@each_of(
    ("column", "texts"),
    [
        ("agent", ("Kimi", "")),
        ("folder", ("~/code/app", "/elsewhere")),
    ],
)
def test_a_column_says_the_same_wherever_it_is_listed(column: str, texts: tuple[str, str]) -> None:
    recorded = PastSession(record=record("a", cwd=str(Path("~/code/app").expanduser())))
    theirs = PastSession(SessionInfo(session_id="a", cwd="/elsewhere"), record("a"))
    [found] = [each for each in LIST_COLUMNS if each.name == column]
    assert (found.text(recorded), found.text(theirs)) == texts


def test_sessions_of_one_folder_do_not_say_it_each() -> None:
    named = {listing: [column.name for column in columns_of(listing)] for listing in LISTINGS}
    assert named == {"folder": ["agent"], "everywhere": ["agent", "folder"], "archive": ["agent", "folder"]}


@each_of(
    ("listing", "agent", "runs", "said"),
    [
        ("folder", "", False, "Sessions  ~/code/app"),
        ("folder", "Kimi", False, "Sessions  only Kimi · ~/code/app"),
        ("everywhere", "Kimi", True, "Sessions  only Kimi · with runs · all folders"),
        ("archive", "", False, "Sessions  archived by the agent"),
    ],
)
def test_the_title_says_which_sessions_are_listed(listing: Listing, agent: str, runs: bool, said: str) -> None:
    title = list_title(listing, str(Path("~/code/app").expanduser()), agent, runs=runs)
    assert plain(title) == said
    assert [tone for _, tone in title] == ["bold", "muted"]


LISTS = AgentCapabilities(list_sessions=True)
STARTING = Connection("starting", step="starting the agent", capabilities=LISTS)
READY, BLIND = Connection("ready", capabilities=LISTS), Connection("ready")
ASKS = Connection("ready", capabilities=LISTS, login=Login((), "Log in first"))


@each_of(
    ("listed", "connection", "asked", "said"),
    [
        (SessionList(), READY, True, ("2 sessions · 1 run hidden", "muted")),
        (SessionList(loading=True), STARTING, False, ("2 sessions · 1 run hidden · starting the agent", "muted")),
        (SessionList(loading=True), READY, True, ("2 sessions · 1 run hidden · loading more…", "muted")),
        (SessionList(), BLIND, True, ("2 sessions · 1 run hidden · this agent cannot list sessions", "muted")),
        (SessionList(problem="It\nrefused"), READY, True, ("It ⏎ refused", "warning")),
        (SessionList(problem="Log in"), ASKS, True, ("Log in · esc, then alt+a to log in", "warning")),
    ],
)
def test_the_state_says_how_far_the_agents_list_has_come(
    listed: SessionList, connection: Connection, asked: bool, said: tuple[str, str]
) -> None:
    assert list_state(2, 1, listed, connection, asked=asked, log_in="alt+a", short=True) == said
    without = list_state(2, 1, listed, connection, asked=asked, log_in="alt+a", short=False)
    assert without[0] == said[0].removesuffix(" · this agent cannot list sessions")


def test_without_hidden_runs_none_are_counted() -> None:
    assert list_state(1, 0, SessionList(), READY, asked=True, log_in="", short=False) == ("1 session", "muted")


def test_a_session_stands_below_its_agent_or_below_records_or_is_open() -> None:
    assert list_heading(PastSession(info("a")), "Kimi") == "Kimi"
    assert list_heading(PastSession(record=record("a")), "Kimi") == "Recorded"
    assert list_heading(PastSession(info("a"), session=Session("a", "/p")), "Kimi") == "Open"


def test_a_record_says_its_agent_its_folder_and_its_end() -> None:
    ended = datetime(2026, 11, 20, 12, 5).astimezone()
    info = RecordInfo("/r", "a", "Kimi", str(Path("~/code/app").expanduser()), "Fix it", ended, ended, 1)
    assert record_origin(info) == "Kimi · ~/code/app · 20 November 2026, 12:05"
    assert record_origin(replace(info, agent="", cwd="/" + "x" * 50)) == f"/{'x' * 38}… · 20 November 2026, 12:05"


@each_of(
    ("found", "shown", "hidden", "any_words", "said"),
    [
        (SearchResult([], 0), 0, 0, False, ""),
        (SearchResult([], 5), 0, 0, True, "No matches"),
        (SearchResult([], 5), 0, 2, True, "No matches · 2 runs hidden"),
        (SearchResult([], 5), 1, 1, True, "Found in 1 session · 1 run hidden"),
        (
            SearchResult([], 5, 1, 2),
            3,
            0,
            True,
            "Found in 3 sessions · 1 older session was not searched, 2 could not be read",
        ),
    ],
)
def test_what_a_search_came_to_is_counted(
    found: SearchResult, shown: int, hidden: int, any_words: bool, said: str
) -> None:
    assert search_state(found, shown, hidden, any_words=any_words) == said


def test_a_search_that_goes_on_counts_what_it_has_searched() -> None:
    assert search_state(SearchResult([], 1_000), 0, 0, any_words=True, goes_on=True) == "Searching… 1,000 sessions"


@each_of(
    ("cwd", "more", "line"),
    [
        ("/p", (), None),
        ("/p/sub", (), ("in ", ["/p/sub"], "", "muted")),
        ("/etc", ("~/x", "/p/sub"), ("outside this project: ", ["/etc", "~/x"], "  +1 more", "warning")),
        ("/e\x1b]0;x\x07", (), ("outside this project: ", ["/e␛]0;x␇"], "", "warning")),
    ],
)
def test_folders_outside_the_users_are_said_alone_and_aloud(
    cwd: str, more: tuple[str, ...], line: tuple[str, list[str], str, str] | None
) -> None:
    known = PastSession(
        SessionInfo(session_id="a", cwd=cwd, additional_directories=[str(Path(folder).expanduser()) for folder in more])
    )
    assert folders_line(known, ["/p"]) == line
