"""Going back to a session: what the agent tells, what was recorded, and how one is opened, deleted, exported."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.client import Login
from acp_tui.host.records.records import Records
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from acp_tui.protocol.vocabulary.session_updates import MessageUpdate
from acp_tui.session.state import Session
from acp_tui.ui.kit.row_list import RowList
from acp_tui.ui.sessions.browser import SessionBrowser
from acp_tui.ui.sessions.past_session_actions import FoldersQuestion
from tests.pilot.driver import User, user
from tests.pilot.fake_client import FakeClient, end_turn, say
from tests.pilot.questions import painted
from tests.unit.host.changes.kept_sessions import KeptRun

pytestmark = pytest.mark.anyio

PROJECT = "/home/someone/project"


def able(client: FakeClient, **capabilities: Any) -> None:
    connection = client.connection
    connection.capabilities = replace(connection.capabilities, **capabilities)


def tell(client: FakeClient, *told: SessionInfo) -> None:
    """The agent has told all of its sessions."""
    client.known_sessions.list.entries = list(told)
    client.known_sessions.list.loading = False
    client.known_sessions.list.changed()


def info(id_: str, title: str, cwd: str = PROJECT) -> SessionInfo:
    return SessionInfo(session_id=id_, cwd=cwd, title=title, updated_at="2026-11-20T10:00:00Z")


def browser_rows(someone: User) -> list[str]:
    assert isinstance(someone.app.screen, SessionBrowser), someone.app.screen
    return [str(row.draw(90)) for row in someone.app.screen.query_one(RowList).rows]


async def opened(someone: User, *told: SessionInfo) -> None:
    able(someone.client, list_sessions=True)
    await someone.press("ctrl+s")
    await someone.wait_until(lambda: bool(someone.acts("list")), "the question")
    tell(someone.client, *told)
    await someone.wait_until(lambda: records_read(someone), "what was recorded")
    await someone.pilot.pause()


async def asked_where(someone: User) -> FoldersQuestion:
    """Wait for the question where to open the session, and until keys count there."""
    await someone.wait_for("This session uses folders outside this project")
    question = someone.app.screen
    assert isinstance(question, FoldersQuestion)
    await painted(someone)
    return question


def records_read(someone: User) -> bool:
    return all(worker.is_finished for worker in someone.app.workers if worker.group == "records")


def recorded(
    folder: Path, title: str = "Fix the cellar door", agent: str = "OpenCode", *, id_: str = "old", run: bool = False
) -> Records:
    """Records with one session more in them."""
    records = Records(folder)
    session = Session(id=id_, cwd=PROJECT, agent_name=agent, title=title)
    records.record(session, run=run)
    words = [TextContent(text="It squeaks")]
    session.apply(MessageUpdate(session_update="user_message", message_id="u1", content=words))
    say(session, "The hinge was loose.")
    end_turn(session)
    records.close()
    return Records(folder)


async def test_the_agents_sessions_are_asked_for_and_listed() -> None:
    async with user() as someone:
        able(someone.client, list_sessions=True)
        await someone.press("ctrl+s")
        await someone.wait_for("loading more…")
        assert someone.acts("list") == [(PROJECT,)]
        tell(someone.client, info("a", "Fix the login"), info("b", "Write the docs"))
        await someone.wait_for("Fix the login")
        assert someone.sees("2 sessions")
        assert someone.sees(PROJECT)
        assert browser_rows(someone)[0] == "OpenCode"
        await someone.type("docs")
        await someone.wait_until(lambda: not someone.sees("Fix the login"), "the filter")
        await someone.press("escape")
        assert someone.app.screen is someone.conversation


async def test_enter_opens_it_in_place_of_a_session_where_nothing_was_said() -> None:
    async with user() as someone:
        able(someone.client, load_session=True)
        await opened(someone, info("a", "Fix the login"))
        await someone.press("enter")
        await someone.wait_until(lambda: someone.acts("load") == [("a",)], "the loading")
        await someone.wait_until(lambda: someone.conversation.session.id == "a", "the session")
        assert someone.acts("close session") == [("s1",)]
        await someone.wait_for("Fix the login")


async def test_a_session_with_words_in_it_stays_beside() -> None:
    async with user() as someone:
        able(someone.client, load_session=True)
        await someone.type("a draft")
        await opened(someone, info("a", "Fix the login"))
        await someone.press("enter")
        await someone.wait_for("2 Fix the login")
        assert someone.acts("close session") == []


async def test_an_agent_that_can_only_list_says_so() -> None:
    async with user() as someone:
        await opened(someone, info("a", "Fix the login"))
        await someone.press("enter")
        assert any("cannot load or resume" in toast for toast in someone.toasts())
        assert someone.acts("load") == []


async def test_the_open_one_is_marked_and_shown_again() -> None:
    async with user() as someone:
        able(someone.client, load_session=True)
        await someone.send("hello")
        await someone.press("ctrl+n")
        await opened(someone, info("s1", "The first"))
        assert browser_rows(someone)[1].startswith("◐ 1 The first")
        await someone.press("enter")
        await someone.wait_until(lambda: someone.conversation.session is someone.session, "the first")
        assert someone.acts("load") == []


async def test_enter_goes_to_another_session_than_the_one_it_was_opened_from() -> None:
    async with user() as someone:
        able(someone.client, load_session=True)
        await opened(someone, info(someone.session.id, "Where we are"), info("s9", "Another"))
        value = someone.app.screen.query_one(RowList).value
        assert value is not None
        assert value.id == "s9"
        assert [row.split()[1] for row in browser_rows(someone) if "current" in row] == ["Where"]
        await someone.press("enter")
        await someone.wait_until(lambda: someone.acts("load") == [("s9",)], "the other session")


async def test_a_record_is_shown_as_history_where_the_agent_forgets(tmp_path: Path) -> None:
    async with user(records=recorded(tmp_path)) as someone:
        await someone.press("ctrl+s")
        await someone.wait_for("Fix the cellar door")
        assert not someone.sees("cannot list sessions")
        assert someone.sees("Recorded")
        await someone.press("enter")
        await someone.wait_for("The hinge was loose.")
        await someone.wait_for("Restored from a local record")
        assert someone.conversation.session.id == "s2"
        await someone.send("It still does")
        await someone.wait_for("It still does")
        assert someone.sees("It squeaks")
        assert not someone.conversation.session.closed


async def test_what_the_agent_tells_later_comes_first_until_the_user_moved(tmp_path: Path) -> None:
    async with user(records=recorded(tmp_path)) as someone:
        able(someone.client, list_sessions=True)
        await someone.press("ctrl+s")
        await someone.wait_for("Fix the cellar door")
        tell(someone.client, info("a", "Of the agent"))
        await someone.wait_for("Of the agent")
        browser = someone.app.screen
        assert isinstance(browser, SessionBrowser)
        rows = browser.query_one(RowList)
        assert rows.value is not None
        assert rows.value.title == "Of the agent"
        await someone.press("down")
        tell(someone.client, info("a", "Of the agent"), info("b", "One more"))
        await someone.wait_for("One more")
        assert rows.value.title == "Fix the cellar door"


async def test_an_agent_that_loads_but_lists_nothing_is_asked_for_what_was_recorded(tmp_path: Path) -> None:
    async with user(records=recorded(tmp_path)) as someone:
        able(someone.client, load_session=True)
        await someone.press("ctrl+s")
        await someone.wait_for("Fix the cellar door")
        await someone.press("enter")
        await someone.wait_until(lambda: someone.acts("load") == [("old",)], "the loading")


@pytest.mark.parametrize("known", [True, False])
async def test_a_record_waits_until_the_agent_has_told_whether_it_knows_it(tmp_path: Path, *, known: bool) -> None:
    async with user(records=recorded(tmp_path), phase="starting") as someone:
        someone.session.agent_name = "opencode.sh"  # as the command names it until a session is open
        await someone.press("ctrl+s")
        await someone.wait_for("Fix the cellar door")
        await someone.press("enter")
        await someone.wait_for("Opening… waiting for the agent")
        someone.client.connection.spoken = "ACP 1"
        able(someone.client, list_sessions=True, load_session=True)
        someone.client._lifecycle.enter("ready")
        await someone.wait_until(lambda: bool(someone.acts("list")), "the question")
        assert someone.acts("load") == []
        tell(someone.client, *[info("old", "Fix the cellar door")] * known)
        if known:
            await someone.wait_until(lambda: someone.acts("load") == [("old",)], "the loading")
        else:
            await someone.wait_for("The hinge was loose.")
            assert someone.acts("load") == []


async def test_what_is_told_and_recorded_is_there_once(tmp_path: Path) -> None:
    async with user(records=recorded(tmp_path)) as someone:
        await opened(someone, info("old", "Fix the cellar door"))
        assert sum("cellar door" in row for row in browser_rows(someone)) == 1


async def test_tab_shows_all_folders() -> None:
    async with user() as someone:
        await opened(someone)
        await someone.press("tab")
        assert someone.acts("list")[-1] == (None,)
        tell(someone.client, info("b", "Elsewhere", "/srv/else"))
        await someone.wait_for("Sessions  all folders")
        await someone.wait_for("/srv/else")
        assert someone.sees("tab this folder")
        await someone.press("tab")
        assert someone.acts("list")[-1] == (PROJECT,)


async def test_runs_are_hidden_until_they_are_asked_for(tmp_path: Path) -> None:
    recorded(tmp_path, "Nightly check", id_="n", run=True)
    async with user(records=recorded(tmp_path)) as someone:
        await opened(someone, info("n", "Nightly check"), info("a", "Fix the login"))
        await someone.wait_for("2 sessions · 1 run hidden")
        assert not someone.sees("Nightly check")
        assert someone.sees("^O show runs")
        await someone.press("ctrl+o")
        await someone.wait_for("Nightly check")
        assert someone.sees(f"Sessions  with runs · {PROJECT}")
        assert someone.sees("3 sessions")
        assert not someone.sees("hidden")
        await someone.press("ctrl+o")
        await someone.wait_for("1 run hidden")


async def test_one_agents_sessions_are_shown_where_that_is_asked_for(tmp_path: Path) -> None:
    recorded(tmp_path, "Of another", "Kimi", id_="k")
    async with user(records=recorded(tmp_path)) as someone:
        await opened(someone)
        assert someone.sees("Of another")
        assert someone.sees("^G this agent")
        assert not someone.sees("show runs")
        await someone.press("ctrl+g")
        await someone.wait_for(f"Sessions  only OpenCode · {PROJECT}")
        assert someone.sees("1 session")
        assert not someone.sees("Of another")
        await someone.press("tab")
        await someone.wait_for("only OpenCode · all folders")
        await someone.press("ctrl+g")
        await someone.wait_for("Of another")


async def test_where_there_are_neither_runs_nor_other_agents_no_key_is_shown_for_them() -> None:
    async with user() as someone:
        await opened(someone, info("a", "Fix the login"))
        assert someone.sees("1 session")
        assert not someone.sees("this agent")
        assert not someone.sees("show runs")


async def test_a_small_screen_has_the_way_out_among_the_hints() -> None:
    async with user((60, 20)) as someone:
        await opened(someone, info("a", "Fix the login"))
        await someone.wait_for("enter open  tab all folders")
        assert someone.sees("esc close")


ELSEWHERE = SessionInfo(session_id="a", cwd="/etc", title="Fix the login", additional_directories=[PROJECT, "/nope"])


@pytest.mark.parametrize("keys", [("enter",), ("escape",)])
async def test_a_session_elsewhere_is_told_and_not_opened_without_a_choice(keys: tuple[str, ...]) -> None:
    async with user() as someone:
        able(someone.client, load_session=True)
        await opened(someone, ELSEWHERE)
        assert someone.sees("outside this project: /etc, /nope")
        await someone.press("enter")
        await asked_where(someone)
        assert someone.sees("! /etc")
        assert someone.sees("! /nope  (does not exist)")
        await someone.press(*keys)
        await someone.wait_until(lambda: someone.app.screen is someone.conversation, "the conversation")
        assert someone.acts("load") == []


async def test_keys_that_were_typed_ahead_choose_no_folders() -> None:
    async with user() as someone:
        able(someone.client, load_session=True)
        await opened(someone, ELSEWHERE)
        await someone.press("enter")
        question = await asked_where(someone)
        question.rule.await_paint()  # as before its first frame
        await someone.press("down", "down", "enter")
        assert someone.app.screen is question
        assert someone.acts("load") == []


@pytest.mark.parametrize(
    ("downs", "folders", "cwd"), [(1, [PROJECT], PROJECT), (2, ["/etc", PROJECT, "/nope"], "/etc")]
)
async def test_a_session_elsewhere_has_the_folders_that_the_user_chose(
    downs: int, folders: list[str], cwd: str
) -> None:
    async with user() as someone:
        able(someone.client, load_session=True)
        await opened(someone, ELSEWHERE)
        await someone.press("enter")
        await asked_where(someone)
        await someone.press(*["down"] * downs, "enter")
        await someone.wait_until(lambda: someone.acts("load") == [("a",)], "the loading")
        assert someone.client.folders == folders
        await someone.wait_until(lambda: someone.conversation.session.cwd == cwd, "the session")
        told = "outside: /etc" if cwd == "/etc" else PROJECT
        await someone.wait_until(lambda: told in someone.rows()[0] + someone.rows()[1], "the folder in the header")


async def test_the_header_tells_folders_elsewhere_also_beside_tabs() -> None:
    async with user((60, 20)) as someone:
        able(someone.client, load_session=True)
        await someone.type("a draft, so that there are two tabs")
        await opened(someone, ELSEWHERE)
        await someone.press("enter")
        await asked_where(someone)
        await someone.press("down", "down", "enter")
        await someone.wait_for("outside: /etc")


async def test_a_fork_of_a_session_elsewhere_is_asked_about() -> None:
    async with user() as someone:
        able(someone.client, fork_session=True)
        await opened(someone, ELSEWHERE)
        await someone.press("ctrl+k")
        await asked_where(someone)
        await someone.press("enter")
        assert someone.acts("fork") == []


async def test_a_record_of_another_folder_is_asked_about(tmp_path: Path) -> None:
    records = Records(tmp_path)
    session = Session(id="old", cwd="/srv/else", agent_name="OpenCode", title="Far away")
    records.record(session)
    session.apply(MessageUpdate(session_update="user_message", message_id="u1", content=[TextContent(text="x")]))
    end_turn(session)
    records.close()
    async with user(records=Records(tmp_path)) as someone:
        await someone.press("ctrl+s", "tab")
        await someone.wait_for("Far away")
        await someone.press("enter")
        await asked_where(someone)
        await someone.press("down", "enter")
        await someone.wait_for("Restored from a local record")
        assert someone.conversation.session.cwd == PROJECT


async def test_folders_that_are_odd_are_named_as_what_they_are() -> None:
    async with user() as someone:
        able(someone.client, load_session=True)
        await opened(someone, info("a", "Odd", "../x"))
        await someone.press("enter")
        await asked_where(someone)
        assert someone.sees("not an absolute path")
        assert not someone.sees("Open with these folders")


async def test_deleting_asks_and_then_has_it_forgotten(tmp_path: Path) -> None:
    recorded(tmp_path)
    records = recorded(tmp_path)  # it was gone on with, so that there are two records of it
    async with user(records=records) as someone:
        able(someone.client, delete_session=True, load_session=True)
        await opened(someone, info("old", "Fix the cellar door"))
        await someone.press("delete")
        await someone.wait_for('Delete "Fix the cellar door"?')
        await someone.press("enter")
        assert someone.acts("delete") == []
        await someone.press("delete", "down", "enter")
        assert someone.acts("delete") == [("old",)]
        assert records.list() == []


@pytest.fixture
def kept(tmp_path: Path) -> KeptRun:
    """Snapshots of a session in which a file was written."""
    project = tmp_path / "kept"
    project.mkdir()
    run = KeptRun(project, "old", agent="OpenCode")
    (project / "secret").write_bytes(b"secret of the session")
    run.look("ended", 1)
    return run


async def test_deleting_a_session_deletes_the_bytes_that_its_snapshots_kept(tmp_path: Path, kept: KeptRun) -> None:
    assert kept.store.names()
    async with user(records=recorded(tmp_path / "records")) as someone:
        able(someone.client, delete_session=True, load_session=True)
        await opened(someone, info("old", "Fix the cellar door"))
        await someone.press("delete")
        await someone.wait_for('Delete "Fix the cellar door"?')
        await someone.press("down", "enter")
        await someone.wait_until(lambda: not kept.store.content.digests() and not kept.is_kept, "their end")


async def test_what_cannot_be_deleted_is_said() -> None:
    async with user() as someone:
        await opened(someone, info("a", "Theirs"), info("s1", "Ours"))
        await someone.press("delete")
        assert any("cannot delete" in toast for toast in someone.toasts())
        await someone.press("down", "delete")
        assert any("close it first" in toast for toast in someone.toasts())


async def test_a_fork_from_the_list_begins_with_the_record(tmp_path: Path) -> None:
    async with user(records=recorded(tmp_path)) as someone:
        able(someone.client, fork_session=True)
        await opened(someone, info("old", "Fix the cellar door"))
        await someone.wait_for("^K fork")
        await someone.press("ctrl+k")
        await someone.wait_until(lambda: someone.acts("fork") == [("old",)], "the fork")
        await someone.wait_for("The hinge was loose.")
        await someone.wait_for("Restored from a local record")


async def test_what_an_agent_without_a_list_may_know_is_forked_from_its_record(tmp_path: Path) -> None:
    async with user(records=recorded(tmp_path)) as someone:
        able(someone.client, fork_session=True, resume_session=True)
        await someone.press("ctrl+s")
        await someone.wait_for("Fix the cellar door")
        await someone.press("ctrl+k")
        await someone.wait_until(lambda: someone.acts("fork") == [("old",)], "the fork")


async def test_what_cannot_be_forked_is_said(tmp_path: Path) -> None:
    async with user(records=recorded(tmp_path, agent="Another")) as someone:
        await someone.press("ctrl+s")
        await someone.wait_for("Fix the cellar door")
        await someone.press("ctrl+k")
        assert any("cannot fork" in toast for toast in someone.toasts())
        able(someone.client, fork_session=True)
        await someone.press("ctrl+k")
        assert any("does not know this session" in toast for toast in someone.toasts())
        assert isinstance(someone.app.screen, SessionBrowser)


async def renamed(someone: User, title: str) -> None:
    """Open the line for another title, and write that."""
    await someone.press("f2")
    await someone.wait_for("Rename session")
    await someone.press("ctrl+u")
    await someone.type(title)
    await someone.press("enter")


async def test_renaming_is_the_agents_where_it_keeps_titles() -> None:
    async with user() as someone:
        able(someone.client, title_session=True)
        await opened(someone, info("a", "Fix the login"), info("s1", "Ours"))
        await renamed(someone, "Doors")
        await someone.wait_until(lambda: someone.acts("title") == [("a", "Doors")], "the title")
        await someone.wait_until(lambda: len(someone.acts("list")) == 2, "another look")
        tell(someone.client, info("a", "Doors"), info("s1", "Ours"))
        await someone.wait_for("Doors")


async def test_a_record_is_renamed_and_keeps_that_name_before_the_agents(tmp_path: Path) -> None:
    records = recorded(tmp_path)
    async with user(records=records) as someone:
        await opened(someone, info("old", "Of the agent"))
        await renamed(someone, "Cellar [/] \u2022")
        await someone.wait_for("Cellar [/]")
        assert [(one.title, one.named) for one in records.list()] == [("Cellar [/] \u2022", True)]
        assert not someone.sees("Of the agent")
        assert someone.acts("title") == []


async def test_what_nobody_can_rename_is_said() -> None:
    async with user() as someone:
        await opened(someone, info("a", "Fix the login"))
        await someone.press("f2")
        assert any("cannot rename" in toast for toast in someone.toasts())
        assert isinstance(someone.app.screen, SessionBrowser)


async def test_the_archive_is_one_tab_further_and_sessions_go_in_and_out() -> None:
    async with user() as someone:
        able(someone.client, archive_session=True)
        await opened(someone, info("a", "Fix the login"), info("s1", "Ours"))
        await someone.wait_for("^A archive")
        await someone.press("ctrl+a")
        assert someone.acts("archive") == [("a",)]
        await someone.press("down", "ctrl+a")
        assert any("close it first" in toast for toast in someone.toasts())
        await someone.press("tab", "tab")
        await someone.wait_for("archived by the agent")
        assert someone.acts("list archive") == [(None,)]
        tell(someone.client, info("b", "Long ago"))
        await someone.wait_for("^A unarchive")
        await someone.press("ctrl+a")
        assert someone.acts("take out") == [("b",)]
        await someone.press("tab")
        assert someone.acts("list")[-1] == (PROJECT,)


async def test_without_an_archive_there_is_no_word_of_it() -> None:
    async with user() as someone:
        await opened(someone, info("a", "Fix the login"))
        assert not someone.sees("archive")
        await someone.press("ctrl+a")
        assert any("cannot archive" in toast for toast in someone.toasts())


async def test_what_the_highlighted_session_is_doing_is_asked_and_shown() -> None:
    async with user() as someone:
        await opened(someone, info("a", "Fix the login"), info("b", "Write the docs"))
        await someone.press("down")
        await someone.wait_until(lambda: {("a",), ("b",)} <= set(someone.acts("look")), "the questions")
        someone.client.known_sessions.list.doing["b"] = "working"
        someone.client.known_sessions.list.changed()
        await someone.wait_for("working")
        assert ["working" in row for row in browser_rows(someone)] == [False, False, True]


async def test_a_record_is_exported(tmp_path: Path) -> None:
    async with user(records=recorded(tmp_path)) as someone:
        await someone.press("ctrl+s")
        await someone.wait_for("Fix the cellar door")
        await someone.press("ctrl+e")
        await someone.wait_for("Export to Markdown")


async def test_a_problem_of_the_list_is_said_and_how_one_logs_in() -> None:
    async with user((80, 24)) as someone:
        await opened(someone, info("a", "Fix the login"))
        someone.client._lifecycle.ask_login(Login((), "Log in first"))
        someone.client.known_sessions.list.problem = "Log in first (code -32000)"
        someone.client.known_sessions.list.changed()
        await someone.wait_for("Log in first (code -32000) · esc, then alt+a to log in")
        assert someone.sees("Fix the login")
        assert all(len(row) <= 80 for row in someone.rows())


async def test_hostile_words_are_words() -> None:
    async with user() as someone:
        await opened(someone, info("a", "[@click=app.quit]x[/]\x1b[2J", "/[b]\x07"))
        await someone.wait_for("[@click=app.quit]x[/]")


async def test_ctrl_d_names_the_key_that_deletes_and_ctrl_f_finds(tmp_path: Path) -> None:
    async with user(records=recorded(tmp_path)) as someone:
        await opened(someone, info("old", "Fix the cellar door"))
        await someone.press("ctrl+d")
        assert any("Press Delete to delete" in toast for toast in someone.toasts())
        assert not someone.sees('Delete "')
        await someone.press("ctrl+f")
        await someone.wait_for("Search all sessions")


async def test_an_empty_list_is_one_sentence_and_the_keys_that_do_something() -> None:
    async with user() as someone:
        someone.session.id = ""
        await someone.press("ctrl+s")
        await someone.wait_for("No sessions yet")
        await someone.wait_for("tab all folders")
        for words in ("0 sessions", "cannot list", "enter open", "delete", "rename", "fork", "export"):
            assert not someone.sees(words), words
