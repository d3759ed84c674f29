"""Agents by their names, from the command line: configured ones, a project's, those that are not there."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from acp_tui import cli
from acp_tui.host.config.config import PROJECT_FILE, own_file
from acp_tui.host.launch import Launch
from acp_tui.host.roster import Roster
from acp_tui.ui.commands.rebinding import rebind
from tests.agents.scripted import Script, write_script
from tests.integration.runs import HEAD, run
from tests.integration.test_cli import exit_code


@pytest.fixture(autouse=True)
def own_keys() -> Iterator[None]:
    """Other tests want the commands' own keys."""
    yield
    rebind({})


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that there is a terminal."""
    monkeypatch.setattr(cli, "_is_terminal", lambda *streams: True)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A configured agent, which is a program."""
    program = tmp_path / "agent"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    own_file().parent.mkdir(parents=True)
    own_file().write_text(f"[agents.mine]\ncommand = '{program}'\nargs = ['--acp']\nfs = false\nprotocol = 2\n")
    return program


class Chosen:
    """What the command line came to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.launches: list[Launch] = []
        self.choices: list[tuple[Path, str]] = []
        monkeypatch.setattr(cli, "_show", self._show)
        monkeypatch.setattr(cli, "_choose", self._choose)

    def _show(self, launch: Launch) -> int:
        self.launches.append(launch)
        return 0

    def _choose(self, roster: Roster, name: str, scoped: Callable[[Launch], Launch]) -> int:
        self.choices.append((roster.folder, name))
        return 0


@pytest.mark.usefixtures("terminal", "mine")
def test_without_an_agent_one_is_chosen_on_the_screen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    chosen = Chosen(monkeypatch)
    monkeypatch.chdir(tmp_path)
    folder = tmp_path.resolve()
    assert [exit_code(), exit_code("--agent"), exit_code("--agent", "mine", "--cwd", "/")] == [0, 0, 0]
    assert chosen.choices == [(folder, ""), (folder, ""), (Path("/"), "mine")]
    own_file().write_text("default_agent = 'mine'\n" + own_file().read_text())
    assert [exit_code(), exit_code("--agent")] == [0, 0]
    assert chosen.choices[3:] == [(folder, "mine"), (folder, "")]


@pytest.mark.usefixtures("terminal")
def test_an_agent_that_is_not_installed_is_told_with_how_to_get_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    assert exit_code("--agent", "opencode") == 2
    told = capsys.readouterr().err
    assert "OpenCode is not installed" in told
    assert "npm install -g opencode-ai" in told


def test_a_bad_config_file_is_told_with_its_line(capsys: pytest.CaptureFixture[str], mine: Path) -> None:
    own_file().write_text("theme = 1\n")
    for arguments in (("run", "hi", "--agent", "mine"), ("agents",), ("config", "--print")):
        assert exit_code(*arguments) == 2
        told = capsys.readouterr().err
        assert f"{own_file()}, line 1, theme: must be text in quotes, not 1" in told
        assert "Traceback" not in told


def test_config_without_a_terminal_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("config") == 2
    assert "config --print" in capsys.readouterr().err


def test_config_is_printed_with_keys(capsys: pytest.CaptureFixture[str], mine: Path) -> None:
    own_file().write_text("theme = 'nrod'\n[keys]\nhelpp = 'f1'\npalette = 'f7'\n")
    assert exit_code("config", "--print") == 0
    told = capsys.readouterr().out
    assert f"# {own_file()}, line 3, keys.helpp: there is no such command. Do you mean help?" in told
    assert f"# {own_file()}, line 1, theme: there is no theme 'nrod'. Do you mean nord?" in told
    assert 'palette = ["f7"]' in told


def test_agents_are_listed(capsys: pytest.CaptureFixture[str], mine: Path) -> None:
    assert exit_code("agents") == 0
    told = capsys.readouterr().out
    assert f"{mine} --acp (configured)" in told
    assert "opencode" in told


def project_agent(tmp_path: Path, script: Script) -> None:
    argv = ", ".join(f"'{word}'" for word in script.argv[1:])
    text = f"[agents.theirs]\ncommand = '{script.argv[0]}'\nargs = [{argv}]\n"
    (tmp_path / PROJECT_FILE).write_text(text)


def test_a_project_s_agent_runs_only_where_that_is_agreed(tmp_path: Path) -> None:
    script = write_script(tmp_path, f"{HEAD}    agent.say('hello')\n    agent.end_turn(prompt)\n    agent.serve()\n")
    project_agent(tmp_path, script)
    refused = run("run", "--agent", "theirs", "hi", cwd=tmp_path)
    assert refused.code == 2
    assert "you have not agreed to start it" in refused.err
    assert "--trust-project" in refused.err
    assert "hello" not in refused.out
    trusted = run("run", "--agent", "theirs", "--trust-project", "hi", cwd=tmp_path)
    assert (trusted.code, trusted.out.strip()) == (0, "hello")
    again = run("run", "--agent", "theirs", "hi", cwd=tmp_path)
    assert again.code == 2
