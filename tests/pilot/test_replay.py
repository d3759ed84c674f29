"""A record of the wire on the screen: the pace is set by keys, nothing else is done by the user in front of it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import anyio
import pytest
from textual.pilot import Pilot

from acp_tui.host.playback.cast import Cast
from acp_tui.host.playback.player import Player
from acp_tui.host.recording.wire_record import WireLine
from acp_tui.ui.app import DEFAULT_SETTINGS
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.replay import cast_app
from acp_tui.ui.replay.app import ReplayApp
from acp_tui.ui.screen import ConversationScreen
from tests.pilot.driver import PATIENCE

pytestmark = pytest.mark.anyio


def line(at: float, direction: Any, **message: Any) -> WireLine:
    return WireLine(at, direction, json.dumps({"jsonrpc": "2.0", **message}).encode())


def chunk(at: float, text: str) -> WireLine:
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    return line(at, "<-", method="session/update", params={"sessionId": "s", "update": update})


LINES = [
    WireLine(0, "start", b""),
    line(0, "->", id=0, method="initialize", params={"protocolVersion": 1}),
    line(0, "<-", id=0, result={"protocolVersion": 1, "agentInfo": {"name": "Recorded", "version": "1"}}),
    line(0, "->", id=1, method="session/new", params={"cwd": "/somewhere/else"}),
    line(0, "<-", id=1, result={"sessionId": "s"}),
    line(1, "->", id=2, method="session/prompt", params={"sessionId": "s", "prompt": [{"type": "text", "text": "hi"}]}),
    chunk(2, "one "),
    chunk(3, "two "),
    chunk(4000, "three"),
    line(4001, "<-", id=2, result={"stopReason": "end_turn"}),
]


class Viewer:
    def __init__(self, app: ReplayApp, pilot: Pilot[int], player: Player) -> None:
        self.app, self.pilot, self.player = app, pilot, player

    def rows(self) -> list[str]:
        return [strip.text for strip in self.app.screen._compositor.render_strips()]

    async def wait_for(self, text: str) -> None:
        deadline = monotonic() + PATIENCE
        while not any(text in row for row in self.rows()):
            assert monotonic() < deadline, f"waited in vain for {text!r}:\n" + "\n".join(self.rows())
            await self.pilot.pause(0.02)


@asynccontextmanager
async def viewer(speed: float = 1.0, *, stepping: bool = False) -> AsyncIterator[Viewer]:
    player = Player(LINES, "wire.jsonl", speed, stepping=stepping)
    app = ReplayApp(player, "wire.jsonl")
    async with app.run_test(size=(100, 30)) as pilot:
        someone = Viewer(app, pilot, player)
        await someone.wait_for("Replay wire.jsonl")
        yield someone


async def test_all_is_played_and_stays_on_the_screen() -> None:
    async with viewer(1e6) as someone:
        await someone.wait_for("one two three")
        await someone.wait_for("finished ·")
        assert any("Recorded 1" in row for row in someone.rows())
        assert any("/somewhere/else" in row for row in someone.rows())
        assert any("line 9 of 9" in row for row in someone.rows())


async def test_space_plays_the_next_line() -> None:
    async with viewer(stepping=True) as someone:
        await someone.wait_for("paused")
        for number in range(1, 7):
            await someone.pilot.press("space")
            await someone.wait_for(f"line {number} of 9")
        await someone.wait_for("one")
        assert not any("one two" in row for row in someone.rows())
        await someone.pilot.press("space")
        await someone.wait_for("one two")


async def test_keys_set_the_pace_even_where_something_is_typed() -> None:
    async with viewer(stepping=True) as someone:
        await someone.wait_for("paused")
        someone.app.screen.query_one("#prompt").display = True
        someone.app.screen.query_one(PromptEditor).focus()
        await someone.pilot.pause()
        assert isinstance(someone.app.focused, PromptEditor)
        await someone.pilot.press("space", "space")
        await someone.wait_for("line 2 of 9")
        await someone.pilot.press("p")
        assert not someone.player.timeline.stepping


async def test_after_the_leader_keys_set_no_pace() -> None:
    async with viewer(stepping=True) as someone:
        await someone.wait_for("paused")
        await someone.pilot.press("ctrl+x")
        await someone.wait_for("^X then a key")
        await someone.pilot.press("p")
        await someone.wait_for("^X p is not assigned")
        assert someone.player.timeline.stepping


async def test_the_pace_changes_while_it_plays() -> None:
    async with viewer() as someone:
        await someone.pilot.press("p")
        await someone.wait_for("paused")
        await someone.pilot.press("plus")
        await someone.wait_for("2×")
        await someone.pilot.press("minus", "minus")
        await someone.wait_for("0.5×")
        someone.player.timeline.run(1e6)
        await someone.wait_for("finished ·")


async def test_the_inspector_shows_what_is_played_and_takes_its_own_keys() -> None:
    async with viewer(1e6) as someone:
        await someone.wait_for("finished ·")
        await someone.pilot.press("f12")
        await someone.wait_for("✓ session/prompt")
        await someone.pilot.press("p")
        await someone.wait_for("problems only")


@pytest.mark.parametrize("answered", [True, False])
async def test_a_cast_ends_by_itself_even_where_the_rest_cannot_be_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answered: bool
) -> None:
    monkeypatch.setattr(cast_app, "LAST", 0.05)
    if not answered:
        monkeypatch.setattr(cast_app, "STUCK", 0.05)
    refused = line(0, "<-", id=0, error={"code": -32603, "message": "no"})
    lines = LINES if answered else [*LINES[:2], refused, *LINES[3:]]
    player = Player(lines, "wire.jsonl", 100, patience=2.0)
    cast = Cast(tmp_path / "x.cast", (80, 24))
    app = cast_app.CastApp(player, cast, DEFAULT_SETTINGS)
    with anyio.fail_after(PATIENCE):
        await app.run_async()
    cast.close()
    assert app.finished
    assert (app.stopped_at == 0) is answered
    assert '"version":2' in cast.path.read_text()


async def test_what_was_said_is_not_sent_again_from_a_replay() -> None:
    async with viewer(1e6) as someone:
        await someone.wait_for("finished ·")
        screen = someone.app.screen
        assert isinstance(screen, ConversationScreen)
        while not screen.complete:
            await someone.pilot.pause(0.02)
        for keys in (["up", "left_curly_bracket", "enter"], ["r"], ["R"]):
            await someone.pilot.press(*keys)
            await someone.pilot.pause()
        assert [tab.session for tab in someone.app.tabs.entries] == [someone.player.session]
        assert someone.app.query_one(PromptEditor).text == ""
