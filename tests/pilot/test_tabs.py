"""Several sessions beside each other: tabs, what waits elsewhere, what is kept, what is put away."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual import events

from acp_tui.host.catalog.agent_list import AgentList
from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.config.choices import PromptHistory
from acp_tui.protocol.vocabulary.session_updates import SessionInfoUpdate
from acp_tui.session.facts import PermissionAnswered
from acp_tui.session.state import Session
from acp_tui.ui.agents.agents_screen import AgentsScreen
from acp_tui.ui.app import AppSettings
from acp_tui.ui.conversation_screen import ConversationScreen
from acp_tui.ui.sessions.tabs import Opened
from acp_tui.ui.terminal.terminal_capabilities import Way
from tests.pilot.driver import User, user
from tests.pilot.fake_client import FakeClient, ask_permission, end_turn, say

pytestmark = pytest.mark.anyio


def titled(session: Session, title: str) -> None:
    session.apply(SessionInfoUpdate(title=title))


async def two(someone: User) -> tuple[Session, Session]:
    """Two sessions, of which the second is shown."""
    first = someone.session
    titled(first, "Fix the login")
    await someone.press("ctrl+n")
    await someone.wait_for("2 new session")
    await someone.wait_until(lambda: someone.conversation.complete, "all parts")
    return first, someone.conversation.session


async def test_a_session_that_is_left_before_it_has_all_its_parts_gets_none() -> None:
    async with user() as someone:
        await two(someone)
        left = someone.conversation
        await someone.press("ctrl+x", "X")
        await someone.wait_until(lambda: not left.is_attached, "the first session alone")
        parts = left.parts
        await left._complete()
        assert left.parts is parts


async def test_one_session_has_no_tabs() -> None:
    async with user() as someone:
        assert someone.sees("● ready")
        assert not someone.sees("1 new session")


async def test_a_new_session_is_shown_beside_the_first() -> None:
    async with user() as someone:
        first, second = await two(someone)
        assert second is not first
        assert second.cwd == first.cwd
        assert someone.sees("1 Fix the login")
        assert someone.sees("OpenCode 1.18")
        await someone.press("ctrl+x", "1")
        assert someone.conversation.session is first
        await someone.press("ctrl+x", "right")
        assert someone.conversation.session is second
        await someone.press("ctrl+x", "right")
        assert someone.conversation.session is first
        await someone.press("ctrl+pageup")
        assert someone.conversation.session is second


async def test_each_keeps_its_draft_its_place_and_its_focus() -> None:
    async with user() as someone:
        say(someone.session, "\n\n".join(f"line {n}" for n in range(200)))
        await someone.wait_for("line 199")
        await someone.press("pageup")
        await someone.type("half a thought")
        top = someone.conversation.transcript.viewport.shown[0]
        await two(someone)
        await someone.type("another")
        await someone.press("ctrl+x", "1")
        assert someone.draft == "half a thought"
        assert someone.conversation.transcript.viewport.shown[0] == top
        assert someone.focused == "editor"
        await someone.press("ctrl+x", "2")
        assert someone.draft == "another"


async def test_a_tab_tells_how_its_session_stands() -> None:
    async with user() as someone:
        first, _ = await two(someone)
        someone.client.of(first).submit([])
        await someone.wait_for("1 Fix the login ◐")
        ask_permission(first)
        await someone.wait_for("1 Fix the login △")
        someone.client.of(first).questions.answer_permission(1, "once")
        await someone.wait_for("1 Fix the login ◐")
        end_turn(first)
        await someone.wait_for("1 Fix the login ●")
        await someone.press("ctrl+x", "1")
        await someone.wait_until(lambda: not someone.sees("Fix the login ●"), "seen")
        assert any("1 Fix the login: done" in toast for toast in someone.toasts())


async def test_a_turn_that_failed_elsewhere_is_marked() -> None:
    async with user() as someone:
        first, second = await two(someone)
        someone.client.of(first).submit([])
        end_turn(first, "error")
        await someone.wait_for("1 Fix the login")
        someone.client._lifecycle.enter("gone")
        await someone.wait_for("1 Fix the login ✗")
        assert second is someone.conversation.session


async def test_what_waits_elsewhere_is_said_and_one_key_goes_there() -> None:
    async with user() as someone:
        first, _ = await two(someone)
        someone.client.of(first).submit([])
        ask_permission(first)
        await someone.wait_for("△ session 1 needs an answer (alt+a)")
        [(words, *_)] = someone.conversation.status._notes
        assert [span.style for span in words.spans if "△" in words.plain[span.start : span.end]] == ["$warning"]
        await someone.press("alt+a")
        assert someone.conversation.session is first
        await someone.wait_until(lambda: someone.focused == "permission", "the panel")
        await someone.wait_for("Edit login.py")


async def test_several_questions_of_one_session_are_one_call() -> None:
    async with user() as someone:
        first, _ = await two(someone)
        titled(first, "Fix the login")
        for key in (1, 2, 3):
            ask_permission(first, key)
        await someone.wait_for("△ session 1 needs an answer (alt+a)")
        await someone.pilot.pause()

        def calls() -> int:
            return sum("Fix the login: needs an answer" in toast for toast in someone.toasts())

        assert calls() == 1
        for key in (1, 2, 3):
            first.apply(PermissionAnswered(key, "no"))
        someone.app.clear_notifications()
        assert calls() == 0
        ask_permission(first, 4)
        await someone.wait_until(lambda: calls() == 1, "the call for what is asked later")


async def test_the_background_is_not_painted_and_nothing_of_it_is_lost() -> None:
    async with user() as someone:
        first, _ = await two(someone)
        screen = someone.app.tabs.entries[0].screen
        assert isinstance(screen, ConversationScreen)
        before = screen.transcript.viewport.new_entries, len(screen.transcript.viewport.layout.entries)
        someone.client.of(first).submit([])
        say(first, "said while nobody looked")
        await someone.pilot.pause(0.1)
        assert (screen.transcript.viewport.new_entries, len(screen.transcript.viewport.layout.entries)) == before
        timer = screen.status._timer
        assert timer is not None
        assert not timer._active.is_set()
        await someone.press("ctrl+x", "1")
        await someone.wait_for("said while nobody looked")


CALLS: list[tuple[Way, list[str]]] = [
    (
        "desktop",
        ["\x1b]9;acp-tui: 1 Fix the login: needs an answer\x1b\\", "\x1b]9;acp-tui: 1 Fix the login: done\x1b\\"],
    ),
    ("bell", ["\x07", "\x07"]),
    ("off", []),
]


async def test_where_nobody_looks_the_terminal_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("TERM_PROGRAM", "WezTerm")
    monkeypatch.delenv("TMUX", raising=False)
    async with user() as someone:
        told: list[str] = []
        first, _ = await two(someone)
        monkeypatch.setattr(someone.app, "_tell_terminal", told.append)
        someone.app.post_message(events.AppBlur())
        await someone.wait_until(lambda: not someone.app.app_focus, "the blur")
        for key, (way, written) in enumerate(CALLS, 1):
            monkeypatch.setattr(someone.app, "_settings", AppSettings(calls_by=way))
            someone.client.of(first).submit([])
            ask_permission(first, key)
            first.apply(PermissionAnswered(key, "once"))
            end_turn(first)
            await someone.pilot.pause()
            assert [each for each in told if not each.startswith("\x1b]2;")] == written, way  # but the title
            assert not any("Fix the login" in toast for toast in someone.toasts()), way
            told.clear()


async def test_a_click_on_a_tab_shows_its_session() -> None:
    async with user() as someone:
        first, _ = await two(someone)
        header = someone.conversation.header
        await someone.pilot.click(header, offset=(header.gutter.left + 3, 0))
        assert someone.conversation.session is first


async def test_closing_puts_the_session_away() -> None:
    async with user() as someone:
        first, second = await two(someone)
        await someone.type("half a thought")
        await someone.press("ctrl+x", "X")
        assert someone.acts("close session") == [(second.id,)]
        assert someone.conversation.session is first
        assert someone.conversation.history.entries == ["half a thought"]
        await someone.wait_for("● ready")
        assert someone.acts("close") == []


async def test_closing_a_session_at_work_asks_first() -> None:
    async with user() as someone:
        first, second = await two(someone)
        await someone.send("go")
        await someone.press("ctrl+x", "X")
        assert someone.acts("close session") == []
        assert any("still working. Press ^X X again" in toast for toast in someone.toasts())
        await someone.press("ctrl+x", "X")
        assert someone.conversation.session is first
        assert someone.acts("close session") == [(second.id,)]


async def test_the_last_session_gives_way_to_a_new_one() -> None:
    async with user() as someone:
        await someone.press("ctrl+x", "X")
        assert any("only open session" in toast for toast in someone.toasts())
        await someone.send("go")
        end_turn(someone.session)
        await someone.press("ctrl+x", "X")
        assert someone.acts("close session") == [("s1",)]
        await someone.wait_until(lambda: someone.conversation.session.id == "s2", "the new one")


async def test_the_last_session_of_an_agent_ends_it() -> None:
    async with user() as someone:
        other = FakeClient()
        other.connection.agent = None
        someone.app.converse(Opened(other, other.open_session(), PromptHistory(None)))
        await someone.wait_for("2 new session")
        assert list(someone.app.connections._tasks) == [someone.client, other]
        await someone.press("ctrl+x", "X")
        assert ("close",) in other.acts
        await someone.wait_until(lambda: list(someone.app.connections._tasks) == [someone.client], "its end")
        assert someone.acts("close") == []


async def test_another_agent_is_chosen_from_the_list_beside_this_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, project = tmp_path / "programs" / "goose", tmp_path / "project"
    for folder in (program.parent, project):
        folder.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    other = FakeClient()
    async with user() as someone:
        await someone.press("ctrl+x", "N")
        assert any("No other agents" in toast for toast in someone.toasts())

        def agents(begin: Callable[[Opened], object], _folder: str) -> AgentsScreen:
            def start(_launch: LaunchPlan) -> None:
                begin(Opened(other, other.open_session(), PromptHistory(None)))

            return AgentsScreen(AgentList(project), start, demo=no_demo)

        def no_demo() -> LaunchPlan:
            raise OSError

        someone.app.agents = agents
        await someone.press("ctrl+x", "N")
        await someone.wait_for("New session with…")
        await someone.press("escape")
        await someone.wait_until(lambda: someone.app.screen is someone.conversation, "the session again")
        await someone.press("ctrl+x", "N")
        await someone.press("ctrl+x", "N")
        await someone.wait_until(lambda: someone.app.screen is someone.conversation, "the session again")
        await someone.press("ctrl+x", "N")
        await someone.type("goose")
        await someone.press("enter")
        await someone.wait_for("2 new session")
        assert someone.conversation.client is other


async def test_leaving_ends_every_agent_and_keeps_every_draft() -> None:
    async with user() as someone:
        other = FakeClient()
        history = PromptHistory(None)
        await someone.type("one")
        someone.app.converse(Opened(other, other.open_session(), history))
        await someone.wait_for("2 new session")
        await someone.type("two")
        ours = someone.app.tabs.entries[0].history
        await someone.press("ctrl+q")
        await someone.wait_until(lambda: not someone.app.is_running, "the end")
        assert ("close",) in other.acts
        assert someone.acts("close") == [()]
        assert (ours.entries, history.entries) == (["one"], ["two"])


async def test_quitting_asks_for_work_in_any_session() -> None:
    async with user() as someone:
        first, _ = await two(someone)
        someone.client.of(first).submit([])
        await someone.press("ctrl+q")
        assert someone.app.is_running
        assert any("The agent is still working." in toast for toast in someone.toasts())
        await someone.press("ctrl+q")
        await someone.wait_until(lambda: not someone.app.is_running, "the end")


async def test_a_fork_is_one_more_session_where_the_agent_can() -> None:
    async with user() as someone:
        await someone.command("fork")
        assert any("cannot fork" in toast for toast in someone.toasts())
        connection = someone.client.connection
        connection.capabilities = replace(connection.capabilities, fork_session=True)
        await someone.command("fork")
        assert someone.acts("branch") == [("", "")]
        assert someone.conversation.session.id == "s2"


async def test_the_list_of_open_sessions_switches() -> None:
    async with user() as someone:
        first, _ = await two(someone)
        await someone.press("ctrl+x", "tab")
        assert [row[:18].strip() for row in someone.picker_rows()] == ["1 Fix the login", "● 2 new session"]
        await someone.type("login")
        await someone.press("enter")
        assert someone.conversation.session is first


async def test_many_tabs_are_counted_where_they_do_not_fit() -> None:
    async with user((40, 12)) as someone:
        for _ in range(5):
            await someone.press("ctrl+n")
        await someone.wait_for("6 ")
        assert all(len(row) <= 40 for row in someone.rows())
        assert someone.rows()[0].lstrip().startswith("+")


@pytest.mark.parametrize("capable", [True, False])
async def test_this_session_is_renamed_by_a_slash_command(*, capable: bool) -> None:
    async with user() as someone:
        connection = someone.client.connection
        connection.capabilities = replace(connection.capabilities, title_session=capable)
        await someone.type("/rename")
        await someone.press("enter")
        assert someone.draft == "/rename "
        await someone.press("enter")
        await someone.wait_for("Rename session")
        assert someone.sees("this machine only") is not capable
        await someone.press("ctrl+u")
        await someone.type("Doors")
        await someone.press("enter")
        await someone.pilot.pause()
        assert someone.acts("title") == ([("s1", "Doors")] if capable else [])
        someone.session.apply(SessionInfoUpdate(title="Of the agent"))
        await someone.wait_for("Of the agent" if capable else "Doors")


async def test_beside_tabs_the_folder_and_an_unusual_protocol_stay() -> None:
    async with user((100, 30)) as someone:
        someone.client.connection.spoken = "ACP 1"
        await two(someone)
        assert someone.sees("OpenCode 1.18 · /home/someone/project")
        someone.client.connection.spoken = "ACP 2"
        someone.conversation.connection_changed()
        await someone.wait_for("OpenCode 1.18 · ACP 2 · /home/someone/project")
    async with user((80, 24)) as someone:
        await two(someone)
        await two(someone)
        assert someone.sees("project")
        assert someone.sees("1 Fix the login")
