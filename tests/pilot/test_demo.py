"""The app with the real demo agent, by keys: what it offers in every shape is seen and used."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Literal

import pytest
from textual import events

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.config.choices import PromptHistory
from acp_tui.host.config.state_files import cache_folder
from acp_tui.ui.app import AcpTuiApp
from acp_tui.ui.sessions.tabs import Opened
from tests.agents import demo_scenes, demo_version2, older_demo
from tests.pilot.driver import Viewer

pytestmark = pytest.mark.anyio


class Visitor(Viewer):
    """Someone in front of the app with an agent that is there."""

    async def run(self, command: str, until: str) -> None:
        """Play a scene of the demo to words on the screen."""
        await self.type(command)
        self.app.post_message(events.Key("enter", None))
        await self.wait_for(until)
        await self.wait_until(lambda: not self.session.turn.active, "the end of the turn")

    async def chose(self, value: str) -> None:
        """Wait until the last option has this value."""
        await self.wait_until(lambda: self.session.config_options[-1].value_name() == value, value)


@asynccontextmanager
async def demo(folder: Path, *agent: str, rows: int = 40) -> AsyncIterator[Visitor]:
    argv = ("env", "ACP_TUI_DEMO_PACE=0", sys.executable, *(agent or (demo_scenes.__file__,)))
    client = Client(LaunchPlan(AgentCommand(argv), folder), attended=True)
    session = client.open_session()
    app = AcpTuiApp(Opened(client, session, PromptHistory(None)))
    async with app.run_test(size=(120, rows), notifications=True) as pilot:
        someone = Visitor(app, pilot, session)
        await someone.wait_until(lambda: someone.conversation.complete, "all parts of the screen")
        await someone.wait_until(lambda: client.connection.phase == "ready", "the agent")
        yield someone
        client.close()
        await someone.wait_until(lambda: client.connection.phase == "closed", "the end of the agent")


async def test_content_is_shown_and_saved(tmp_path: Path) -> None:
    async with demo(tmp_path, rows=80) as someone:
        await someone.run("/content", "open, save or copy it")
        await someone.wait_until(lambda: [row.count("▀") for row in someone.rows()].count(51) == 16, "the picture")
        for words in ("▣ image  image/png · 320 × 200", "♪ audio  audio/wav · 3.2 KB", "for the agent only"):
            assert someone.sees(words), words
        await someone.press("ctrl+x", "up", "up", "up", "o", "enter", "down", "enter")
        await someone.wait_until(lambda: any("Saved to" in toast for toast in someone.toasts()), "the file")
        (picture,) = (cache_folder() / "content").iterdir()
        assert picture.suffix == ".png"


async def test_odd_options_are_shown_and_a_long_list_is_picked_from(tmp_path: Path) -> None:
    async with demo(tmp_path) as someone:
        await someone.run("/odd", "New options: Rights, Region, Catalogue")
        await someone.press("ctrl+x", "c", "up", "enter")
        for item in ("Item 13.4", "Item 2.2"):
            await someone.type(item.lower())
            await someone.press("enter")
            await someone.chose(item)
            await someone.press("ctrl+x", "c", "up", "enter")
        rows = [" ".join(row.split()[:3]) for row in someone.picker_rows()]
        assert rows[:3] == ["Recently used", "● Item 2.2", "Item 13.4 Number"]


async def test_a_refusal_goes_back_with_the_reason(tmp_path: Path) -> None:
    async with demo(tmp_path) as someone:
        await someone.press("alt+p")
        await someone.type("unreleased")
        await someone.press("enter")
        await someone.wait_until(lambda: any("not released yet" in toast for toast in someone.toasts()), "the reason")
        assert someone.sees("Model Sage 4")


async def test_options_that_depend_on_the_model_come_and_go(tmp_path: Path) -> None:
    async with demo(tmp_path) as someone:
        await someone.press("alt+p")
        await someone.type("nano")
        await someone.press("enter")
        await someone.wait_until(lambda: any("Removed: Thinking" in toast for toast in someone.toasts()), "what went")
        await someone.wait_for("Model Swift Nano")


async def test_usage_titles_plans_and_notices(tmp_path: Path) -> None:
    async with demo(tmp_path) as someone:
        await someone.run("/full CHF", "▲ 96% of 200k, nearly full · 12.00 CHF")
        await someone.run("/title Spring cleaning", "Session renamed")
        await someone.wait_until(lambda: someone.app.title == "Spring cleaning · acp-tui", "the window's title")
        await someone.run("/title ", "Session title cleared")
        await someone.wait_until(lambda: someone.app.title == "acp-tui", "no title")
        await someone.run("/plans", "two remain")
        assert someone.sees("Plans")
        await someone.run("/notice", "Context compacted")
        await someone.command("notices")
        await someone.wait_for("Error  Server down")


async def test_a_finished_plan_is_gone_when_the_next_prompt_is_sent(tmp_path: Path) -> None:
    async with demo(tmp_path) as someone:
        await someone.run("/plan", "All six steps are done")
        await someone.wait_for("▸ Plan")
        assert not someone.sees("✓ Clean up")
        await someone.run("hello", "Hello!")
        assert not someone.sees("▸ Plan")
        await someone.press("ctrl+t")
        assert someone.sees("✓ Clean up")


async def test_modes_and_models_the_older_way_look_the_same(tmp_path: Path) -> None:
    async with demo(tmp_path, older_demo.__file__) as someone:
        await someone.wait_for("Mode Ask   Model Sage 4")
        await someone.press("shift+tab")
        await someone.wait_for("Mode Accept edits")
        await someone.press("alt+p")
        await someone.type("turbo")
        await someone.press("enter")
        await someone.wait_for("Model Swift 2 Turbo")


@pytest.mark.parametrize("protocol", ["1", "2"])
async def test_what_it_suggests_is_taken_by_tab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocol: Literal["1", "2"]
) -> None:
    """In protocol 1 as the protocol has it; in protocol 2, where it looks for no capability, as Claude's adapter."""
    monkeypatch.setattr("tests.pilot.test_demo.AgentCommand", partial(AgentCommand, protocol=protocol))
    async with demo(tmp_path, *([demo_version2.__file__] if protocol == "2" else [])) as someone:
        await someone.run("/scenes", "never edits")
        await someone.wait_for("tab accept")
        await someone.press("tab")
        assert someone.draft == "find out why the login test fails and fix it"
