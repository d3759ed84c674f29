"""Words found in recorded sessions, and a recorded transcript read, by keys."""

from pathlib import Path

import pytest

from acp_tui.host.records.records import Records
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageChunk, StateUpdate
from acp_tui.session.state import Session
from acp_tui.ui.sessions.past_session_actions import HistoryScreen
from acp_tui.ui.sessions.record_search import SearchScreen
from tests.pilot.driver import User, user

pytestmark = pytest.mark.anyio


def said(folder: Path, prompt: str, answer: str, session_id: str, *, run: bool = False) -> None:
    """A session that was recorded some time."""
    records = Records(folder)
    session = Session(session_id, "/home/someone/project", agent_name="OpenCode")
    records.record(session, run=run)
    session.apply(StateUpdate(state="running"))  # before the answer: a turn without one gets a notice
    for kind, text in (("user_message_chunk", prompt), ("agent_message_chunk", answer)):
        content = TextContent(type="text", text=text)
        session.apply(MessageChunk.model_validate({"sessionUpdate": kind, "messageId": kind, "content": content}))
    session.apply(StateUpdate(state="idle", stop_reason="end_turn"))
    records.close()


async def opened(someone: User, folder: Path) -> None:
    someone.app.records = Records(folder)
    await someone.press("ctrl+x", "slash")
    assert isinstance(someone.app.screen, SearchScreen)


async def test_words_are_found_as_one_types_and_the_transcript_is_read(tmp_path: Path) -> None:
    said(tmp_path, "fix the login", "The fixture never awaits", "one")
    said(tmp_path, "something else", "Nothing to see", "two")
    async with user() as someone:
        await opened(someone, tmp_path)
        await someone.type("FIXTURE")
        await someone.wait_for("Found in 1 session")
        await someone.wait_for("fix the login")
        await someone.wait_for("The fixture never awaits")
        await someone.press("enter")
        await someone.wait_for("History   fix the login")
        assert someone.sees("OpenCode · /home/someone/project")
        assert isinstance(someone.app.screen, HistoryScreen)
        await someone.press("up", "y")
        assert someone.app.clipboard == "The fixture never awaits"
        await someone.press("escape")
        assert isinstance(someone.app.screen, SearchScreen)
        await someone.press("escape")
        assert len(someone.app.screen_stack) == 1


async def test_runs_are_hidden_and_counted_until_they_are_asked_for(tmp_path: Path) -> None:
    said(tmp_path, "fix the login", "The fixture never awaits", "one")
    said(tmp_path, "nightly check", "The fixture is fine", "two", run=True)
    async with user() as someone:
        await opened(someone, tmp_path)
        await someone.type("fixture")
        await someone.wait_for("Found in 1 session · 1 run hidden")
        assert not someone.sees("nightly check")
        assert someone.sees("^O show runs")
        await someone.press("ctrl+o")
        await someone.wait_for("Found in 2 sessions")
        assert someone.sees("nightly check")
        await someone.press("ctrl+o")
        await someone.wait_for("1 run hidden")


async def test_nothing_found_is_said(tmp_path: Path) -> None:
    async with user() as someone:
        await opened(someone, tmp_path)
        await someone.press("pageup", "pagedown")  # nothing to go to
        await someone.type("nowhere")
        await someone.wait_for("No matches")
        await someone.press("enter")
        assert isinstance(someone.app.screen, SearchScreen)


async def test_recorded_text_is_only_text(tmp_path: Path) -> None:
    said(tmp_path, "[@click=app.quit]needle[/]\x1b[2J", "\x1b]52;c;AAAA\x07 [/] needle \u202e", "[/red]")
    async with user() as someone:
        await opened(someone, tmp_path)
        await someone.type("needle")
        await someone.wait_for("[@click=app.quit]needle[/]")
        await someone.press("enter")
        await someone.wait_for("History")
        assert not any("\x1b" in row or "\u202e" in row for row in someone.rows())


async def test_a_record_that_is_gone_is_said(tmp_path: Path) -> None:
    said(tmp_path, "fix", "needle", "one")
    async with user() as someone:
        await opened(someone, tmp_path)
        await someone.type("needle")
        await someone.wait_for("Found in 1 session")
        for info in Records(tmp_path).list():
            Records(tmp_path).delete(info.path)
        await someone.press("enter")
        await someone.wait_until(lambda: any("cannot be read" in toast for toast in someone.toasts()), "the word")


async def test_without_records_there_is_nothing_to_search() -> None:
    async with user() as someone:
        someone.app.records = None
        await someone.press("ctrl+x", "slash")
        assert someone.app.screen is someone.conversation
        assert any("Session recording is off" in toast for toast in someone.toasts())


async def test_the_transcript_is_searched(tmp_path: Path) -> None:
    said(tmp_path, "fix", "needle in a haystack", "one")
    async with user((80, 24)) as someone:
        await opened(someone, tmp_path)
        await someone.type("needle")
        await someone.wait_for("Found in 1 session")
        await someone.press("enter")
        await someone.wait_for("History   fix")
        await someone.press("ctrl+f")
        await someone.type("haystack")
        await someone.wait_for("1 / 1")
        await someone.press("escape")
        assert isinstance(someone.app.screen, HistoryScreen)
