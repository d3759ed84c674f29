"""The sidebar by keys: beside the transcript and over it, live, remembered; follow and the editor."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from textual.events import MouseScrollUp

from acp_tui.protocol.vocabulary.session_updates import Plan, PlanEntry, PlanUpdate, StateUpdate
from acp_tui.protocol.vocabulary.tool_calls import (
    Diff,
    TerminalExitStatus,
    TerminalUpdate,
    ToolCallLocation,
    ToolCallUpdate,
)
from acp_tui.session.facts import FileWritten
from acp_tui.session.state import Session
from acp_tui.ui.status.sidebar import COLUMNS
from acp_tui.ui.transcript.placed_scroll_view import FULL_WIDTH
from tests.pilot.driver import User, user
from tests.pilot.fake_client import say, tell_usage

pytestmark = pytest.mark.anyio


def at_work(session: Session) -> None:
    say(session, "words of the agent")
    session.apply(PlanUpdate(plan=Plan(entries=[PlanEntry(content="look around", status="in_progress")])))
    tell_usage(session)


def edit(session: Session, path: str, status: str = "completed") -> None:
    content = [Diff(path=path, old_text="1\n2\n3\n", new_text="1\ntwo\n3\n")]
    session.apply(ToolCallUpdate(tool_call_id=path, kind="edit", status=status, title="Edit", content=list(content)))


def column(one: User, text: str) -> int:
    return next(row.index(text) for row in one.rows() if text in row)


async def test_it_is_off_until_asked_for_and_shows_the_plan_instead_of_the_panel() -> None:
    async with user(prepare=at_work) as one:
        assert not one.sees("Usage")
        assert sum("look around" in row for row in one.rows()) == 1
        await one.press("ctrl+x", "b")
        assert one.sees("Usage")
        assert column(one, "look around") > 70
        assert sum("look around" in row for row in one.rows()) == 1
        assert one.sees("words of the agent")
        assert one.focused == "editor"
        await one.press("ctrl+x", "b")
        assert not one.sees("Usage")
        assert sum("look around" in row for row in one.rows()) == 1


async def test_it_follows_what_happens() -> None:
    async with user(prepare=at_work) as one:
        await one.press("ctrl+x", "b")
        edit(one.session, "/home/someone/project/src/login.py")
        await one.wait_for("src/login.py")
        await one.wait_for("+1 −1")
        one.session.apply(FileWritten("/home/someone/project/written.py", 7, 0, 1, created=True))
        await one.wait_for("written.py")
        await one.wait_for("+7")
        one.session.apply(TerminalUpdate(terminal_id="t", command="make test"))
        await one.wait_for("1 running")
        one.session.apply(TerminalUpdate(terminal_id="t", exit_status=TerminalExitStatus(exit_code=0)))
        await one.wait_for("exit 0")


async def test_it_is_as_it_was_left() -> None:
    async with user(prepare=at_work) as one:
        await one.press("ctrl+x", "b")
    async with user(prepare=at_work) as one:
        await one.wait_for("Usage")
        await one.press("ctrl+x", "b")
    async with user(prepare=at_work) as one:
        assert not one.sees("Usage")


async def test_where_there_is_little_room_it_lies_over_the_transcript_and_escape_closes_it() -> None:
    async with user((80, 24), prepare=at_work) as one:
        await one.press("ctrl+x", "b")
        assert one.sees("Usage")
        assert one.conversation.transcript.size.width >= 78
        assert one.sees("esc close")
        await one.press("escape")
        assert not one.sees("Usage")


async def test_it_never_lies_over_a_narrow_screen_unasked() -> None:
    async with user(prepare=at_work) as one:
        await one.press("ctrl+x", "b")
        assert one.sees("Usage")
        assert not one.sees("esc close")
        await one.pilot.resize_terminal(80, 24)
        await one.wait_until(lambda: not one.sees("Usage"), "its end")
        assert sum("look around" in row for row in one.rows()) == 1  # the plan's own panel is back
        await one.pilot.resize_terminal(120, 40)
        await one.wait_for("Usage")
        assert one.conversation.transcript.size.width < 80
    async with user((80, 24), prepare=at_work) as one:
        assert not one.sees("Usage")
        await one.press("ctrl+x", "b")
        assert one.sees("Usage")
        await one.press("ctrl+x", "b")
        assert not one.sees("Usage")
    async with user(prepare=at_work) as one:  # what was done on the narrow one is not how it was left on a wide one
        await one.wait_for("Usage")


WIDE, EDGE = (200, 60), 132


async def test_beside_a_conversation_that_leaves_room_it_is_open_from_top_to_bottom() -> None:
    async with user(WIDE, prepare=at_work) as one:
        await one.wait_for("Usage")
        rows = one.rows()
        assert rows[1].index("Plan") > EDGE
        assert all(row[EDGE + 2] == "│" for row in rows)
        assert sum("look around" in row for row in rows) == 1
        assert one.conversation.dock.size.width == one.conversation.transcript.outer_size.width == EDGE + 1
        assert one.focused == "editor"


async def test_before_anything_happened_it_names_keys_that_the_welcome_does_not() -> None:
    async with user(WIDE) as one:
        await one.wait_for("Toggle sidebar")
        assert one.sees("usage appear here")
        at_work(one.session)
        await one.wait_for("look around")
        assert not one.sees("Toggle sidebar")


@pytest.mark.parametrize(("columns", "opens"), [(169, False), (170, True)])
async def test_from_170_columns_on_it_opens_unasked(columns: int, opens: bool) -> None:
    async with user((columns, 45), prepare=at_work) as one:
        assert one.conversation.parts.sidebar.display is opens
        assert one.conversation.transcript.outer_size.width == EDGE + 1


async def test_if_the_user_closed_it_it_stays_closed_until_they_open_it() -> None:
    async with user(WIDE, prepare=at_work) as one:
        await one.press("ctrl+x", "b")
        assert not one.sees("Usage")
    async with user(WIDE, prepare=at_work) as one:
        assert not one.sees("Usage")
        await one.press("ctrl+x", "b")
        assert one.sees("Usage")
    async with user(WIDE, prepare=at_work) as one:
        assert one.sees("Usage")
    async with user(prepare=at_work) as one:  # that is no wish for smaller screens
        assert not one.sees("Usage")


async def test_a_window_that_becomes_wide_and_narrow_again_has_it_only_while_it_is_wide() -> None:
    async with user(prepare=at_work) as one:
        for size, seen in ((WIDE, True), ((120, 40), False), ((170, 45), True), ((80, 24), False), (WIDE, True)):
            await one.pilot.resize_terminal(*size)
            await one.wait_until(lambda seen=seen: one.sees("Usage") is seen, f"{size}")  # type: ignore[misc]
            assert sum("look around" in row for row in one.rows()) == 1


async def test_rows_of_a_wide_window_leave_no_bar_behind_on_a_narrower_one() -> None:
    async with user(WIDE, prepare=at_work) as one:
        one.conversation.parts.view.prefer("sidebar", True)
        one.conversation.parts.sidebar.setting_changed()
        await one.wait_for("Usage")
        await one.pilot.resize_terminal(120, 40)
        rows = one.conversation.parts.sidebar.query_one("#sidebar-rows")
        await one.wait_until(lambda: rows.size.width < COLUMNS, "its rows")
        await one.wait_until(lambda: rows.size.height == 6, "no row of them wrapped")


async def test_a_conversation_of_full_width_leaves_it_no_room() -> None:
    async with user(WIDE, prepare=at_work) as one:
        sidebar = one.conversation.parts.sidebar
        assert sidebar.display
        one.app.set_class(True, FULL_WIDTH)
        one.conversation.fit_width()
        sidebar.setting_changed()
        assert not sidebar.display
        await one.press("ctrl+x", "b")
        assert sidebar.display
        await one.wait_until(lambda: sidebar.outer_size.width == COLUMNS, "its place beside the transcript")
        assert one.conversation.transcript.outer_size.width == WIDE[0] - COLUMNS


async def test_what_stands_in_it_stands_nowhere_else() -> None:
    async with user(WIDE, prepare=at_work) as one:
        one.session.apply(StateUpdate(state="running"))
        await one.wait_for("^O details")
        assert not one.sees("^T plan")
        assert sum("$0.05" in row for row in one.rows()) == 1
        await one.press("ctrl+t")
        assert one.toasts() == ["The plan is in the sidebar"]
        await one.press("ctrl+x", "b")
        await one.wait_for("^T plan")


async def test_the_wheel_scrolls_the_transcript_beside_it_too() -> None:
    async with user(WIDE, prepare=at_work) as one:
        say(one.session, "word\n\n" * 200, "long")
        await one.wait_until(lambda: one.conversation.transcript.max_scroll_y > 0, "a long transcript")
        before = one.conversation.transcript.scroll_y
        scroll = MouseScrollUp(one.conversation, 150, 20, 0, -1, 0, False, False, False)
        one.conversation.parts.sidebar.post_message(scroll)
        await one.wait_until(lambda: one.conversation.transcript.scroll_y < before, "the transcript to scroll")


async def test_follow_shows_the_lines_and_moves_with_the_agent(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("".join(f"number = {n}\n" for n in range(1, 100)))
    (tmp_path / "b.py").write_text("1\ntwo\n3\n")
    async with user(prepare=at_work) as one:
        one.session.cwd = str(tmp_path)
        await one.press("ctrl+x", "f")
        assert one.sees("No file location")
        locations = [ToolCallLocation(path=str(tmp_path / "a.py"), line=50)]
        call = ToolCallUpdate(tool_call_id="r", kind="read", status="completed", title="Read", locations=locations)
        one.session.apply(call)
        await one.wait_for("a.py:50")
        await one.wait_for("▸50 number = 50")
        assert one.sees(" 46 number = 46")
        edit(one.session, str(tmp_path / "b.py"))
        await one.wait_for("b.py:2")
        await one.wait_for("▸2 two")
        edit(one.session, str(tmp_path / "gone.py"))
        await one.wait_for("does not exist")
        one.session.apply(FileWritten(str(tmp_path / "a.py"), 1, 1, 60))
        await one.wait_for("▸60 number = 60")
        edit(one.session, "/etc/passwd")
        await one.wait_for("outside")
        assert not one.sees("root:")
        await one.press("ctrl+x", "f")
        assert not one.sees("outside")


async def test_follow_shows_files_of_every_folder_of_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "true")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    (tmp_path / "two/b.py").write_text("1\ntwo\n3\n")
    async with user(prepare=at_work) as one:
        one.session.cwd = str(tmp_path / "one")
        source = one.client._context.sessions[one.session].source
        source.scope = replace(source.scope, additional_directories=(str(tmp_path / "two"),))
        await one.press("ctrl+x", "f")
        edit(one.session, str(tmp_path / "two/b.py"))
        await one.wait_for("▸2 two")
        await one.press("ctrl+x", "E")
        await one.wait_until(lambda: any("Cannot run another program" in toast for toast in one.toasts()))


async def test_the_editor_needs_a_terminal_and_a_file_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "true")
    async with user(prepare=at_work) as one:
        one.session.cwd = str(tmp_path)
        await one.press("ctrl+x", "E")
        assert one.toasts() == ["No file location from the agent yet"]
        edit(one.session, "/etc/passwd")
        await one.press("ctrl+x", "E")
        await one.wait_until(lambda: any("outside" in toast for toast in one.toasts()))
        (tmp_path / "a.py").write_text("1\n")
        edit(one.session, str(tmp_path / "a.py"))
        await one.press("ctrl+x", "E")
        await one.wait_until(lambda: any("Cannot run another program" in toast for toast in one.toasts()))


async def test_a_file_that_does_not_answer_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = threading.Event()
    monkeypatch.setattr("acp_tui.ui.terminal.suspension.file_inside", lambda *_: answers.wait(60))
    monkeypatch.setattr("acp_tui.ui.terminal.suspension.WITHIN", 0.1)
    try:
        async with user(prepare=at_work) as one:
            edit(one.session, str(tmp_path / "a.py"))
            await one.press("ctrl+x", "E")
            await one.wait_until(lambda: any("is not responding" in toast for toast in one.toasts()))
    finally:
        answers.set()
