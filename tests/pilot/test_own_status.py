"""A status line of one's own and the panels about a session, by keys."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from acp_tui.host.config.config import load_config
from acp_tui.host.config.preferences import Preferences
from acp_tui.host.records.records import Records
from acp_tui.protocol.vocabulary.session_updates import AccountLimit, UsageUpdate
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate
from acp_tui.ui.app import AppSettings
from acp_tui.ui.commands.registry import BY_ID
from acp_tui.ui.text_panels import FactsPanel
from tests.pilot.choosing import configure
from tests.pilot.driver import PATIENCE, User, user
from tests.pilot.fake_client import end_turn, tell_options, tell_usage
from tests.processes import alive

pytestmark = pytest.mark.anyio

ITEMS = 'status_line = ["branch", "context", "cost", "limit", "model"]'
UNIX = pytest.mark.skipif(os.name == "nt", reason="the tests' programs are shell scripts")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout whose branch a test can change."""
    (tmp_path / ".git").mkdir()
    check_out(tmp_path, "main")
    return tmp_path


@pytest.fixture
def configured(project: Path) -> Callable[..., AppSettings]:
    """The settings that these lines of the user's config file make."""

    def configured(*lines: str) -> AppSettings:
        configure("\n".join(lines))
        return AppSettings(preferences=Preferences(load_config(project)))

    return configured


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command need not wait for its turn, and it and Git's files have all the time that a busy machine takes."""
    monkeypatch.setattr("acp_tui.ui.status.custom_status_line.PATIENCE", 60.0)
    monkeypatch.setattr(
        "acp_tui.host.status_command.StatusCommand.__init__.__kwdefaults__", {"every": 0.0, "within": 60.0}
    )


def check_out(project: Path, branch: str) -> None:
    (project / ".git" / "HEAD").write_text(f"ref: refs/heads/{branch}\n")


def status_command(project: Path, script: str) -> str:
    """The setting for a command that is this script."""
    path = project / "status.sh"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o700)
    return f'status_command = "{path}"'


async def test_the_items_stand_below_the_options_in_place_of_the_usage(
    configured: Callable[..., AppSettings], project: Path
) -> None:
    async with user(settings=configured(ITEMS), cwd=str(project)) as someone:
        await someone.wait_for("main")
        tell_options(someone.session)
        tell_usage(someone.session)
        limit = AccountLimit(kind="five_hour", used=0.4)
        someone.session.apply(UsageUpdate(used=68_000, size=200_000, limits=[limit]))
        await someone.wait_for("main · 34% of 200k · $0.05 · 5 h limit 40% · Sonnet 5")
        assert sum("34%" in row for row in someone.rows()) == 1


async def test_without_the_setting_there_is_no_row_of_its_own() -> None:
    async with user(prepare=tell_usage) as someone:
        assert not someone.conversation.query("#own-status")
        assert someone.sees("34% of 200k · $0.05")


async def test_the_branch_is_read_again_when_a_tool_call_or_a_turn_has_ended(
    configured: Callable[..., AppSettings], project: Path
) -> None:
    async with user(settings=configured('status_line = ["branch"]'), cwd=str(project)) as someone:
        await someone.wait_for("main")
        await someone.send("go")
        check_out(project, "during")
        someone.session.apply(ToolCallUpdate(tool_call_id="t", title="git switch", status="completed"))
        await someone.wait_for("during")
        check_out(project, "after")
        end_turn(someone.session)
        await someone.wait_for("after")


async def test_a_limit_is_no_longer_told_once_it_begins_anew(
    configured: Callable[..., AppSettings], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1_800_000_000.0
    monkeypatch.setattr("acp_tui.views.formatting.time", lambda: now)
    async with user(settings=configured('status_line = ["limit"]')) as someone:
        limit = AccountLimit(kind="five_hour", standing="reached", resets_at=now + 0.01)
        someone.session.apply(UsageUpdate(used=1, size=2, limits=[limit]))
        await someone.wait_until(lambda: sum("5 h limit reached" in row for row in someone.rows()) == 2, "both lines")
        now += 1
        await someone.wait_until(lambda: not someone.sees("limit"), "that it is over")


@UNIX
async def test_the_command_is_told_and_its_line_is_text(configured: Callable[..., AppSettings], project: Path) -> None:
    script = r"""printf '\033[31m[bold]%s\033[2J\n' "$(sed 's/.*"used": \([0-9]*\).*/\1/')" """
    async with user(settings=configured(status_command(project, script)), cwd=str(project)) as someone:
        await someone.wait_for("[bold]")
        tell_usage(someone.session)
        await someone.wait_for("[bold]68000")
        assert someone.sees("34% of 200k")  # whoever only has a command keeps the usage where it is
        assert not any("\x1b" in row for row in someone.rows())


@UNIX
async def test_a_command_that_fails_is_told_once_and_runs_again(
    configured: Callable[..., AppSettings], project: Path
) -> None:
    script = f"echo x >> {project}/runs; test -e {project}/good && echo well"
    async with user(settings=configured(status_command(project, script)), cwd=str(project)) as someone:
        await someone.wait_until(lambda: "exit code 1" in told(someone), "a toast")
        runs = project / "runs"
        before = len(runs.read_text())
        tell_usage(someone.session)
        await someone.wait_until(lambda: len(runs.read_text()) > before, "another run")
        assert told(someone).count("exit code 1") == 1
        (project / "good").touch()
        tell_options(someone.session)
        await someone.wait_for("well")
        await someone.command("notices")
        await someone.wait_for("The status command failed")


def told(someone: User) -> str:
    return "\n".join(note.message for note in someone.app.toasts.told)


@UNIX
async def test_a_command_that_runs_is_ended_with_the_app(configured: Callable[..., AppSettings], project: Path) -> None:
    script = f"echo $$ > {project}/new; mv {project}/new {project}/pid; exec sleep 1000"
    async with user(settings=configured(status_command(project, script)), cwd=str(project)) as someone:
        await someone.wait_until((project / "pid").exists, "the command")
        pid = int((project / "pid").read_text())
    with anyio.fail_after(PATIENCE):
        while alive(pid):  # noqa: ASYNC110 (processes have no event for us)
            await anyio.sleep(0.01)


PANELS = [
    ("show_status", "Status", "OpenCode 1.18"),
    ("show_usage", "Usage and cost", "34% of 200k (68,000 of 200,000 tokens)"),
    ("show_mcp_servers", "MCP servers", "acp-tui --mcp FILE"),
]


async def test_panels_tell_of_the_session_and_are_copied() -> None:
    async with user(prepare=tell_usage) as someone:
        for command, title, row in PANELS:
            await someone.command(BY_ID[command].label)
            await someone.opened(FactsPanel)
            await someone.wait_for(row)
            assert someone.sees(title)
            await someone.press("y")
            assert row in someone.app.clipboard
            await someone.press("escape")
            assert someone.app.screen is someone.conversation


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_a_panel_fits_small_screens_and_scrolls(size: tuple[int, int]) -> None:
    async with user(size, prepare=tell_options) as someone:
        someone.conversation.action_command("show_status")
        await someone.wait_for("esc close")
        assert someone.sees("Status")
        await someone.press(*["down"] * 40)
        await someone.wait_for("Fast")


async def test_the_status_names_the_files_of_the_session(
    configured: Callable[..., AppSettings], tmp_path: Path
) -> None:
    records = Records(tmp_path / "records")
    settings = configured('theme = "nord"')._replace(log_file=tmp_path / "acp-tui.log")
    async with user(settings=settings, records=records, cwd=str(tmp_path)) as someone:
        await someone.send("go")
        records.flush()
        await someone.wait_until(lambda: records.path_of(someone.session) is not None, "the record")
        someone.conversation.action_command("show_status")
        await someone.press("end")
        await someone.wait_for("acp-tui.log")
        assert someone.sees("~/.config/acp-tui/config.toml")
        assert someone.sees("Record")


async def test_the_usage_of_all_sessions_is_a_tab_away(tmp_path: Path) -> None:
    lines = [
        {"kind": "record", "started": "2026-03-04T12:00:00+00:00", "agent": "Ägent", "session_id": "s", "cwd": "/p"},
        {"kind": "MessageUpdate", "data": {"fromHere": True}},
        {"kind": "StateUpdate", "data": {"state": "running"}},
        {"kind": "UsageUpdate", "data": {"cost": {"amount": 4.5, "currency": "USD"}}},
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    async with user((60, 20), prepare=tell_usage, records=Records(tmp_path)) as someone:
        await someone.type("/usage model")
        await someone.press("enter")
        await someone.wait_for("1 session since 4 Mar 2026")
        assert someone.sees("all sessions by model")
        await someone.press("tab")
        await someone.wait_for("this session")
        assert someone.sees("34% of 200k")
        await someone.press("tab")
        await someone.wait_for("Ägent")
        assert someone.sees("$4.50")
        assert someone.sees("tab by project")
        await someone.press("y")
        assert "$4.50" in someone.app.clipboard
        await someone.press("shift+tab", "shift+tab")
        await someone.wait_for("by model")
    async with user(records=None) as someone:
        await someone.type("/usage day")
        await someone.press("enter")
        await someone.wait_for("Session recording is off")
