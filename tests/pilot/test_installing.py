"""Installing an agent from the list: the question, the command, what follows; npm is a stand-in that remembers."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from textual.app import App

from acp_tui.host.catalog import agent_list as list_room
from acp_tui.host.catalog.agent_entries import Agent, Package
from acp_tui.host.catalog.installation import RIGHTS, agents_folder
from acp_tui.host.catalog.registry import Registry
from acp_tui.host.config.config import PROJECT_FILE, own_file
from acp_tui.ui.agents import install_flow
from acp_tui.ui.agents.install_flow import CANCELLED, InstallScreen
from acp_tui.ui.kit.picker import Picker
from tests.pilot.choosing import Chooser, asked, chooser, configure, put_program, without_gaps

pytestmark = pytest.mark.anyio

HOSTILE, HARMLESS = "[red]\x1b[2J[@click=app.quit]x[/]\u202e", "[red]⟨U+001B⟩[2J[@click=app.quit]x[/]⟨U+202E⟩"
NPM = """\
#!{python}
import json, os, pathlib, sys
prefix = pathlib.Path(sys.argv[sys.argv.index("--prefix") + 1])
said = dict(argv=sys.argv, cwd=os.getcwd(), project=os.environ.get("PROJECT"))
pathlib.Path({record!r}).write_text(json.dumps(said))
print("added 1 package")
if {code}:
    sys.exit("npm error code E404")
(prefix / "bin").mkdir(parents=True)
for name in ("opencode", "extra"):
    (prefix / "bin" / name).write_text("#!/bin/sh\\n")
    (prefix / "bin" / name).chmod(0o755)
"""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of PATH, with npm and no agent."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    put_npm(folder)
    return folder


def put_npm(folder: Path, code: int = 0) -> None:
    put_program(folder, "npm", NPM.format(python=sys.executable, record=str(folder / "ran.json"), code=code))


@pytest.fixture
def project(tmp_path: Path, programs: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What commands wrote; a test by keys has no terminal to lend."""
    written: list[str] = []

    async def run(_app: App[Any], argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> int:
        done = await anyio.run_process(argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, check=False)
        written.append(done.stdout.decode())
        return done.returncode

    monkeypatch.setattr(install_flow, "run_on_terminal", run)
    return written


def ran(programs: Path) -> dict[str, Any] | None:
    record = programs / "ran.json"
    told: dict[str, Any] | None = json.loads(record.read_text()) if record.exists() else None
    return told


async def ask(someone: Chooser, name: str = "opencode") -> None:
    await someone.type(name)
    await someone.press("enter")
    assert isinstance(await asked(someone), InstallScreen)


async def test_it_is_installed_found_and_started(project: Path, programs: Path, terminal: list[str]) -> None:
    async with chooser(project) as someone:
        await ask(someone)
        assert ran(programs) is None
        await someone.press("y")
        await someone.wait_until(lambda: bool(someone.launches), "the agent")
        (launch,) = someone.launches
        assert Path(launch.command.program).is_relative_to(agents_folder() / "opencode")
        assert launch.cwd == project
    told = ran(programs)
    assert told is not None
    assert told["argv"][1:3] == ["install", "-g"]
    assert not Path(told["cwd"]).is_relative_to(project)
    (written,) = terminal
    assert written.startswith(f"\n$ {programs}/npm install -g --prefix {agents_folder()}/opencode/")
    assert "added 1 package" in written
    async with chooser(project) as someone:  # another run has it, too
        assert someone.highlighted == "opencode"
        assert someone.sees("✓ OpenCode")


async def test_everything_is_said_before(project: Path, programs: Path) -> None:
    async with chooser(project, size=(200, 60)) as someone:
        await ask(someone)
        rows = without_gaps(*someone.rows())
        for told in (
            "Install OpenCode and start it?",
            "agent opencode",
            "package opencode-ai (npm)",
            "version 1.",
            "license MIT",
            "publisher",
            f"command {programs}/npm install -g --prefix",
            "then starts",
            "runs in",
            "(outside your project)",
            "saved in",
            *RIGHTS,
            "n Don't install",
            "y Install and start",
            "Do you trust this package?",  # its publisher is not stated
        ):
            assert without_gaps(told) in rows, told


async def test_no_is_no(project: Path, programs: Path) -> None:
    async with chooser(project) as someone:
        await ask(someone)
        for keys in (("n",), ("escape",), ("enter",), ("ctrl+c",), ("down", "up", "enter")):
            await someone.press(*keys)
            assert someone.app.screen is someone.list, keys
            assert someone.said == "", keys
            await someone.press("enter")
            await asked(someone)
    assert ran(programs) is None
    assert not own_file().exists()


@pytest.mark.parametrize("size", [(120, 40), (40, 12)])  # a panel of part of the screen, and one without gaps
async def test_it_is_read_to_its_end_before_it_is_agreed_to(
    project: Path, programs: Path, size: tuple[int, int]
) -> None:
    async with chooser(project, size=size) as someone:
        await someone.type("opencode")
        await someone.press("enter")
        screen = await asked(someone)
        seen = set[str]()
        while screen.rows_below:
            before = screen.rows_below
            seen |= {row.strip(" ▌") for row in someone.rows()}
            await someone.press("y")
            assert screen.rows_below < before
            assert ran(programs) is None
        assert someone.sees("n  Don't install")
        assert someone.sees("y  Install and start")
        assert someone.sees("confirm")


async def test_keys_that_were_typed_ahead_agree_to_nothing(project: Path, programs: Path) -> None:
    async with chooser(project) as someone:
        await someone.type("opencode")
        await someone.press("enter")
        screen = await asked(someone)
        screen.rule.await_paint()
        await someone.press("y", "down", "enter")
        assert someone.app.screen is screen
        assert ran(programs) is None


async def test_a_failure_says_what_to_do(project: Path, programs: Path, terminal: list[str]) -> None:
    put_npm(programs, code=1)
    async with chooser(project) as someone:
        await ask(someone)
        await someone.press("y")
        await someone.wait_for("OpenCode was not installed")
        assert "npm failed with exit code 1" in someone.said
        assert "Try it in your shell: npm install -g opencode-ai@" in someone.said
        assert someone.highlighted == "opencode"
        assert someone.launches == []
        assert not own_file().exists()
        put_npm(programs)
        await someone.press("enter")
        await asked(someone)
        await someone.press("y")
        await someone.wait_until(lambda: bool(someone.launches), "the agent")
    assert "Failed with exit code 1. Press Enter to return to acp-tui." in terminal[0]
    assert "Press Enter" not in terminal[1]


async def test_ctrl_c_cancels_the_command_only(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def cancelled(*_given: object) -> int:
        return CANCELLED

    monkeypatch.setattr(install_flow, "run_on_terminal", cancelled)
    async with chooser(project) as someone:
        await ask(someone)
        await someone.press("y")
        await someone.wait_for("Installation cancelled")
        assert someone.launches == []
        assert not own_file().exists()


async def test_what_it_needs_first_is_said(project: Path, programs: Path) -> None:
    async with chooser(project) as someone:
        await someone.type("vibe")
        assert someone.sees("needs uv")
        await someone.press("enter")
        assert someone.app.screen is someone.list
        assert "uv is needed to install Mistral Vibe" in someone.said
        assert "https://docs.astral.sh/uv" in someone.said


async def test_a_page_is_shown_and_nothing_is_run(
    project: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    async def open_address(address: str) -> bool:
        opened.append(address)
        return False

    monkeypatch.setattr(install_flow, "open_address", open_address)
    async with chooser(project) as someone:
        await someone.type("goose")
        assert someone.sees("enter show page")
        await someone.press("enter")
        assert isinstance(someone.app.screen, Picker)
        assert someone.sees("Open in your browser")
        assert opened == []
        await someone.press("down", "enter")
        assert someone.app.clipboard.startswith("https://github.com/")
        assert someone.said == f"Copied\n{someone.app.clipboard}"
        await someone.press("enter", "enter")
        await someone.wait_for("No browser could be started")
        assert opened == [someone.app.clipboard]
        assert someone.launches == []
    assert ran(programs) is None


async def test_a_default_agent_that_is_missing_is_said_and_not_installed(project: Path, programs: Path) -> None:
    configure("default_agent = 'opencode'\n")
    async with chooser(project, chosen=None) as someone:
        assert someone.app.screen is someone.list
        assert someone.highlighted == "opencode"
        assert "OpenCode is not installed" in someone.said
        await someone.press("enter")
        await asked(someone)
    assert ran(programs) is None


async def test_nothing_is_installed_by_itself_for_a_projects_file(project: Path, programs: Path) -> None:
    (project / PROJECT_FILE).write_text(
        "default_agent = 'opencode'\n[agents.opencode]\npackage = 'npm:opencode-ai@1.0.0'\n"
    )
    async with chooser(project, chosen=None) as someone:
        assert "OpenCode is not installed" in someone.said
        assert someone.app.screen is someone.list
        assert someone.launches == []
    assert ran(programs) is None


async def test_a_registrys_package_is_installed_with_all_that_is_shown(
    project: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = HOSTILE
    agent = Agent(
        "extra",
        f"Extra{hostile}",
        hostile,
        ("extra", "--acp", hostile),
        "registry",
        {"MODE": hostile},
        package=Package("npm", "extra-agent", "1.2.3"),
        licence=hostile,
        publisher=hostile,
    )
    monkeypatch.setattr(list_room, "fetch_registry", lambda _source: Registry((agent,)))
    configure("registry = 'https://example.com/registry.json'\n")
    async with chooser(project, size=(200, 60)) as someone:
        await someone.type("extra")
        await someone.wait_for("npm install -g extra-agent@1.2.3")
        await someone.press("enter")
        await asked(someone)
        for told in (
            "listed by    the registry",
            "MODE=[red]⟨U+001B⟩[2J[@click=app.quit]x[/]⟨U+202E⟩",
            "extra-agent (npm)",
            "Do you trust its publisher?",
        ):
            assert someone.sees(told), told
        assert not any(sign in row for row in someone.rows() for sign in "\x1b\u202e")
        await someone.press("y")
        await someone.wait_until(lambda: bool(someone.launches), "the agent")
        (launch,) = someone.launches
        assert launch.command.argv[1:] == ("--acp", hostile)
        assert launch.command.env["MODE"] == hostile
    assert os.environ.get("MODE") is None
