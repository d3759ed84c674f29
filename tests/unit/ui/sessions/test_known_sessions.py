"""Sessions to go back to: each there once, the latest first, told in one line."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from acp_tui.host.records.info import RecordInfo
from acp_tui.protocol.vocabulary.sessions import SessionInfo
from acp_tui.session.facts import Noticed
from acp_tui.session.state import Session
from acp_tui.ui.sessions.known import Known, filtered, folders_row, known_row, known_sessions
from acp_tui.views.formatting import EARLIEST, age
from tests.rows import each_of
from tests.unit.session.speech import user

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def info(id_: str, updated: str | None = None) -> SessionInfo:
    return SessionInfo(session_id=id_, cwd="/p", title=id_.title(), updated_at=updated)


def record(id_: str, hours: float = 1, agent: str = "Kimi", cwd: str = "/p", *, run: bool = False) -> RecordInfo:
    when = NOW - timedelta(hours=hours)
    return RecordInfo(Path(f"/r/{id_}-{hours}"), id_, agent, cwd, f"recorded {id_}", when, when, 10, run=run)


def test_what_we_put_before_the_user_s_words_is_no_title() -> None:
    told = info("a").model_copy(update={"title": '<resource uri="conversati…'})
    assert Known(told).title == "untitled"
    assert Known(told, record("a")).title == "recorded a"


def test_a_record_of_a_told_session_is_not_a_second_one() -> None:
    known = known_sessions([info("a")], [record("a"), record("a", 2), record("b")], [], "Kimi", lasting=True)
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
        known = known_sessions([info(id_) for id_ in told], records, [], "Kimi", lasting=lasting)
        assert [each.title for each in known if each.run] == runs
        shown, hidden = filtered(known)
        assert (hidden, len(shown)) == (len(runs), len(known) - len(runs))
        assert filtered(known, runs=True) == (known, 0)


def test_an_open_session_is_no_run() -> None:
    session = Session(id="a", cwd="/p")
    session.apply(user("go"))
    for told in ([info("a")], []):
        [known] = known_sessions(told, [record("a", run=True)], [session], "Kimi", lasting=True)
        assert (known.session, known.run) == (session, False)


def test_hidden_runs_are_counted_among_the_agent_s_sessions() -> None:
    records = [record("b", 1), record("c", 2, run=True), record("d", 3, "Other"), record("e", 4, "Other", run=True)]
    known = known_sessions([info("a")], records, [], "Kimi", lasting=True)
    shown, hidden = filtered(known, "Kimi")
    assert ([each.title for each in shown], hidden) == (["A", "recorded b"], 1)
    shown, hidden = filtered(known, "Other", runs=True)
    assert ([each.title for each in shown[-2:]], hidden) == (["recorded d", "recorded e"], 0)


def test_ids_that_an_agent_counts_anew_hide_no_older_records() -> None:
    records = [record("a", 1), record("a", 2), record("a", 3)]
    known = known_sessions([info("a")], records, [], "Kimi")
    assert [each.record for each in known] == records
    assert [each.info is not None for each in known] == [True, False, False]
    begun = Session(id="a", cwd="/p")
    theirs, *recorded = known_sessions([info("a")], records, [begun], "Kimi")
    assert (theirs.session, theirs.record) == (begun, None)
    assert [each.record for each in recorded] == records
    begun.apply(user("go"))
    assert known_sessions([info("a")], records, [begun], "Kimi")[0].record == records[0]


def test_another_agents_session_of_the_same_id_is_another_one() -> None:
    known = known_sessions([info("a")], [record("a", agent="Other")], [], "Kimi")
    assert [each.agent for each in known] == ["", "Other"]


def test_each_group_has_the_latest_first() -> None:
    told = [info("old", "2026-01-01T00:00:00Z"), info("never", "soon"), info("new", "2026-11-01T00:00:00")]
    known = known_sessions(told, [record("x", 5), record("y", 2)], [], "Kimi")
    assert [each.id for each in known] == ["new", "old", "never", "/r/y-2", "/r/x-5"]
    assert known[2].updated == EARLIEST


def test_of_sessions_that_were_counted_anew_the_latest_is_the_open_one() -> None:
    records = [record("1", 9), record("1", 1), record("1", 0.5, cwd="/q")]
    session = Session(id="1", cwd="/p")
    session.apply(Noticed("info", "ready"))
    assert [each.session for each in known_sessions([], records, [session], "Kimi")] == [None, None, None]
    session.apply(user("hello"))
    known = known_sessions([], records, [session], "Kimi")
    assert [each.session is session for each in known] == [False, True, False]


def test_records_of_one_session_are_one_where_its_id_lasts() -> None:
    records = [record("1", 9), record("1", 1), record("1", 2, agent="Other"), record("", 3), record("", 4)]
    latest, *rest = known_sessions([], records, [], "Kimi", lasting=True)
    assert (latest.record, latest.older) == (records[1], (records[0],))
    assert [(each.record, each.older) for each in rest] == [(each, ()) for each in records[2:]]
    assert all(not each.older for each in known_sessions([], records, [], "Kimi"))
    [told, *_] = known_sessions([info("1")], records, [], "Kimi", lasting=True)
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


@pytest.mark.parametrize("width", [30, 68, 200])
@pytest.mark.parametrize("folders", [True, False])
def test_a_row_fits(width: int, folders: bool) -> None:
    known = Known(SessionInfo(session_id="a", cwd="/a/very/long/path/" * 9, title="界" * 90))
    drawn = known_row(known, width, NOW, folders=folders)
    assert drawn.cell_length <= width
    assert "界" in drawn.plain


def test_a_folder_that_the_agent_did_not_tell_is_told_as_that() -> None:
    known = Known(SessionInfo(session_id="a", cwd="", title="One"))
    assert "folder not known" in known_row(known, 80, NOW, folders=True).plain


@each_of("width", [40, 68, 200])
@each_of(
    ("cwd", "more", "shown"),
    [
        ("/p", (), ""),
        ("/p", ("/more",), ""),
        ("/p/sub", (), "in /p/sub"),
        ("/p", ("/more/sub",), "in /more/sub"),
        ("/etc", (), "outside this project: /etc"),
        ("/p", ("/more", "/etc"), "outside this project: /etc"),
        ("/p/sub", ("/etc",), "outside this project: /etc"),
        ("/p/../etc", (), "outside this project: /p/../etc"),
        ("../x", (), "outside this project: ../x"),
        ("/pp", (), "outside this project: /pp"),
        ("/e\x1b]0;x\x07", (), "outside this project: /e␛]0;x␇"),
        ("", (), ""),
    ],
)
def test_folders_that_are_not_the_users_stand_below(cwd: str, more: tuple[str, ...], shown: str, width: int) -> None:
    known = Known(SessionInfo(session_id="a", cwd=cwd, additional_directories=list(more)))
    assert folders_row(known, ["/p", "/more"], width).plain.strip() == shown


def test_of_many_folders_the_end_of_the_first_is_shown_and_the_rest_counted() -> None:
    known = Known(SessionInfo(session_id="a", cwd="/" + "x" * 50 + "/end", additional_directories=["/a", "/b"]))
    row = folders_row(known, ["/p"], 60).plain
    assert row.endswith("xxx/end  +2 more")
    assert len(row.strip("\n")) <= 60
