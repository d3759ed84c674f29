"""Sessions to go back to, as rows of so many cells."""

from datetime import UTC, datetime

import pytest

from acp_tui.host.client import Connection
from acp_tui.host.records.record_info import RecordInfo
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from acp_tui.session.state import Session
from acp_tui.ui.sessions.browser import folders_row, open_sign, rank, session_row
from acp_tui.views.past_sessions import Listing, PastSession
from tests.rows import each_of

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize("width", [30, 68, 200])
@pytest.mark.parametrize("listing", ["folder", "everywhere"])
def test_a_row_fits(width: int, listing: Listing) -> None:
    known = PastSession(SessionInfo(session_id="a", cwd="/a/very/long/path/" * 9, title="界" * 90))
    drawn = session_row(known, width, NOW, "", listing)
    assert drawn.cell_length <= width
    assert "界" in drawn.plain


def test_a_folder_that_the_agent_did_not_tell_is_told_as_that() -> None:
    known = PastSession(SessionInfo(session_id="a", cwd="", title="One"))
    assert "unknown folder" in session_row(known, 80, NOW, "", "everywhere").plain


def recorded(title: str, last: str, agent: str = "Kimi", cwd: str = "/code/app") -> PastSession:
    return PastSession(record=RecordInfo("a.jsonl", "a", agent, cwd, title, NOW, NOW, 1, last_prompt=last))


@each_of(
    ("width", "shown", "left_out"),
    [
        (150, ("Fix the door", "Then the window", "Kimi", "/code/app"), ()),
        (70, ("Fix the door", "Kimi", "/code/app"), ("window",)),
        (44, ("Fix the door", "/code/app"), ("Kimi",)),
        (36, ("Fix the door",), ("Kimi", "/code/app")),
    ],
)
def test_what_matters_least_is_left_out_first(width: int, shown: tuple[str, ...], left_out: tuple[str, ...]) -> None:
    row = session_row(recorded("Fix the door", "Then the window"), width, NOW, "", "everywhere").plain
    assert all(text in row for text in shown)
    assert not any(text in row for text in left_out)


def test_a_second_text_says_that_it_is_the_last_prompt() -> None:
    assert (
        "  last: Then the window"
        in session_row(recorded("Fix the door", "Then the window"), 150, NOW, "", "folder").plain
    )
    assert "last:" not in session_row(recorded("Fix the door", ""), 150, NOW, "", "folder").plain


@each_of(
    ("connection", "sign"),
    [(Connection("ready"), "·"), (Connection("starting"), "◐"), (Connection("gone"), "✗")],
)
def test_an_open_one_leads_with_its_state(connection: Connection, sign: str) -> None:
    known = PastSession(SessionInfo(session_id="a", cwd="/p", title="One"), session=Session("a", "/p"))
    assert open_sign(known, connection)[0] == sign


def test_open_ones_stand_first_then_those_that_the_agent_lists() -> None:
    opened = PastSession(record=recorded("One", "").record, session=Session("a", "/p"))
    listed, ready = PastSession(SessionInfo(session_id="b", cwd="/p")), Connection("ready")
    known = [recorded("Three", ""), listed, opened]
    assert sorted(known, key=lambda each: rank(each, ready)) == [opened, listed, known[0]]


def test_another_one_has_no_sign() -> None:
    assert open_sign(recorded("One", ""), Connection("ready")) == (" ", "muted")


@each_of(
    ("title", "last", "message"),
    [("One", "Two", "Two"), ("Fix the cellar door now", "Fix the cellar door now please", ""), ("One", "", "")],
)
def test_a_last_message_that_the_title_says_is_not_repeated(title: str, last: str, message: str) -> None:
    assert recorded(title, last).last_message == message


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
    known = PastSession(SessionInfo(session_id="a", cwd=cwd, additional_directories=list(more)))
    assert folders_row(known, ["/p", "/more"], width).plain.strip() == shown


def test_of_many_folders_the_end_of_the_first_is_shown_and_the_rest_counted() -> None:
    known = PastSession(SessionInfo(session_id="a", cwd="/" + "x" * 50 + "/end", additional_directories=["/a", "/b"]))
    row = folders_row(known, ["/p"], 60).plain
    assert row.endswith("xxx/end  +2 more")
    assert len(row.strip("\n")) <= 60


def test_one_that_needs_the_user_says_so_in_place_of_its_last_message() -> None:
    known = recorded("Fix the door", "Then the window")
    row = session_row(known, 150, NOW, "", "folder", ("△ 2", "warning")).plain
    assert row.startswith("△ 2 Fix the door")
    assert "needs you" in row
    assert "last:" not in row
