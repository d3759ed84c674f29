import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import anyio
import pytest

from acp_tui import compose
from acp_tui.errors import UserFault
from acp_tui.host.catalog.launch_plan import AgentCommand, LaunchPlan
from acp_tui.host.connection.process_start import EarlyProcess
from acp_tui.session.entries import MessageEntry
from acp_tui.startup import textual_settings
from tests.unit.host.system.test_terminals import until


@pytest.mark.parametrize("before", [None, "60"])
def test_textual_s_settings_last_for_its_import_only(monkeypatch: pytest.MonkeyPatch, before: str | None) -> None:
    monkeypatch.delenv("TEXTUAL_SPEEDUPS", raising=False)
    monkeypatch.delenv("TEXTUAL_FPS", raising=False)
    if before:
        monkeypatch.setenv("TEXTUAL_FPS", before)
    with textual_settings():
        assert os.environ["TEXTUAL_FPS"] == (before or "120")
        assert os.environ["TEXTUAL_SPEEDUPS"] == "0"
    assert os.environ.get("TEXTUAL_FPS") == before
    assert "TEXTUAL_SPEEDUPS" not in os.environ


def test_every_session_has_the_title_of_its_launch_until_the_agent_introduces_itself(tmp_path: Path) -> None:
    client, session, *_ = compose._opened(LaunchPlan(AgentCommand(("agent",)), tmp_path, title="Mine"))
    assert (session.agent_name, client.open_session().agent_name) == ("Mine", "Mine")


@pytest.mark.anyio
async def test_a_start_whose_consent_does_not_hold_any_more_ends_what_was_started_early(tmp_path: Path) -> None:
    def check() -> None:
        raise UserFault("it has changed")

    launch = LaunchPlan(AgentCommand((sys.executable, "-c", "input()"), check=check), tmp_path)
    early = EarlyProcess()
    early.start(launch)
    client, *_ = compose._opened(launch, early)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(client.run)
        with anyio.fail_after(60):
            await until(lambda: early._popen is None and client.connection.fault is not None)
        client.close()
    assert str(client.connection.fault) == "it has changed"


def test_a_demo_without_a_folder_for_its_project_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def scratch() -> NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("acp_tui.demo.project.scratch", scratch)
    with compose._demos("1") as demo, pytest.raises(UserFault) as raised:
        demo()
    told = "The demo could not be started", "No folder for its scratch project: No space left on device"
    assert (raised.value.title, raised.value.message) == told


def test_how_to_go_on_is_said_where_the_current_folder_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    connection = SimpleNamespace(capabilities=SimpleNamespace(load_session=True, resume_session=False))
    tab: Any = SimpleNamespace(
        session=SimpleNamespace(entries=[MessageEntry("m", "user")], id="s1", cwd="/project"),
        client=SimpleNamespace(command=AgentCommand(("agent",)), connection=connection),
    )
    line = compose._continue_line(tab, last_recorded=True)
    assert line == "acp-tui -C /project --resume s1 -- agent"
