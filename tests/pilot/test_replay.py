"""A record of the wire on the screen: read, searched, expanded and inspected; nothing can be done in it."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from acp_tui.host.records.wire_record import WireLine
from acp_tui.host.wire_replay import WireReplay
from acp_tui.ui.app import AcpTuiApp
from acp_tui.ui.inspector_screen import InspectorScreen
from acp_tui.ui.sessions.replay_screen import ReplayScreen
from tests.pilot.driver import Viewer
from tests.unit.host.wire_lines import INTRODUCED, LINES, chunk, line, opened, update

pytestmark = pytest.mark.anyio
EVIL = "\x1b[2J\x1b]52;c;eA==\x07\x9b31m\u202e[@click=app.quit]x[/] \x00\x7f\u200b"
CALL = {"toolCallId": "t", "title": "Look around", "kind": "read", "status": "completed", "rawOutput": "here\n" * 50}


@asynccontextmanager
async def viewer(lines: Sequence[WireLine] = LINES) -> AsyncIterator[Viewer]:
    replay = WireReplay(lines)
    app = AcpTuiApp(entrance=lambda: ReplayScreen(replay, "wire.jsonl"))
    async with app.run_test(size=(100, 30)) as pilot:
        someone = Viewer(app, pilot, replay.sessions[0])
        await someone.wait_for("Recording")
        yield someone


async def test_the_finished_session_is_on_the_screen() -> None:
    async with viewer() as someone:
        for shown in ("one two three", "Recorded · /somewhere/else", "1 h 06 min", "q quit", "F12 inspector"):
            assert someone.sees(shown), shown
        assert not someone.sees("session 1 of")
        assert not someone.sees("next session")


async def test_what_was_said_is_found_and_expanded() -> None:
    async with viewer([*LINES, update(4002, "tool_call", **CALL)]) as someone:
        await someone.press("up")
        folded = someone.rows()
        await someone.press("enter")
        assert someone.rows() != folded
        await someone.press("slash")
        await someone.type("three")
        await someone.press("enter")
        await someone.wait_for("1 / 1")
        await someone.press("escape")
        assert isinstance(someone.app.screen, ReplayScreen)


async def test_the_inspector_shows_all_that_passed_and_what_made_a_block() -> None:
    async with viewer([*LINES, update(4002, "tool_call", **CALL)]) as someone:
        await someone.press("f12")
        await someone.opened(InspectorScreen)
        await someone.wait_for("✓ session/prompt")
        await someone.wait_for(" 0.000 ●   agent started")
        await someone.wait_for("ACP 1 · 11 messages")
        await someone.press("escape", "up", "i")
        await someone.wait_for("1 of 11 messages · of Look around")


async def test_its_sessions_come_one_after_the_other() -> None:
    two = [*opened(0, 1, session_id="a"), chunk(0, "of a", "a"), *opened(0, 2, session_id="b"), chunk(1, "of b", "b")]
    async with viewer([*INTRODUCED, *two]) as someone:
        for key, shown in (("tab", "of b"), ("tab", "of a"), ("shift+tab", "of b"), ("shift+tab", "of a")):
            await someone.press(key)
            await someone.wait_for(shown)
            assert someone.sees(f"session {1 + 'ab'.index(shown[-1])} of 2")
        assert len(someone.app.screen_stack) == 1


async def test_nothing_is_done_in_it() -> None:
    """Not by the keys of a conversation either; Esc does not leave."""
    async with viewer() as someone:
        before = someone.rows()
        await someone.press("left_curly_bracket", "r", "R", "x", "d", "escape", "escape")
        await someone.type("hello")
        await someone.press("end")
        assert isinstance(someone.app.screen, ReplayScreen)
        assert not someone.app.tabs.entries
        assert [row.strip() for row in someone.rows()][:3] == [row.strip() for row in before][:3]
        assert not someone.sees("hello")


@pytest.mark.parametrize("key", ["q", "ctrl+q"])
async def test_it_is_left(key: str) -> None:
    async with viewer() as someone:
        await someone.press(key)
        await someone.wait_until(lambda: someone.app.return_code == 0, "the end")


async def test_what_an_agent_writes_is_text() -> None:
    named = line(0, "<-", id=0, result={"protocolVersion": 1, "agentInfo": {"name": EVIL, "version": EVIL}})
    async with viewer([*INTRODUCED[:2], named, *opened(0, 1), chunk(1, EVIL)]) as someone:
        await someone.wait_for("[@click=app.quit]x[/]")
        assert not set("".join(someone.rows())) & {*map(chr, range(32)), "\x7f", "\x9b", "\u202e"}
