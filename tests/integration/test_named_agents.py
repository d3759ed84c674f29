"""Agents by their names, from the command line: configured ones, a project's, those that are not there."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_tui import cli, compose
from acp_tui.host.catalog.launch import Launch
from acp_tui.host.catalog.roster import Roster
from acp_tui.host.config.config import PROJECT_FILE, own_file
from acp_tui.ui.app import AcpTuiApp
from acp_tui.ui.commands.rebinding import rebind
from tests.agents.scripted import Script, write_script
from tests.integration.runs import HEAD, run
from tests.integration.test_cli import exit_code
from tests.own_config import write_own_config


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
    write_own_config(f"[agents.mine]\ncommand = '{program}'\nargs = ['--acp']\nfs = false\nprotocol = 2\n")
    return program


class Chosen:
    """What the command line came to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.launches: list[Launch] = []
        self.choices: list[tuple[Path, str | None]] = []
        monkeypatch.setattr(cli, "_on_screen", self._on_screen)

    def _on_screen(self, what: str, first: Launch | Roster, name: str | None, *_: object) -> int:
        if isinstance(first, Launch):
            self.launches.append(first)
        else:
            self.choices.append((first.folder, name))
        return 0


@pytest.mark.usefixtures("terminal", "mine")
def test_without_an_agent_one_is_chosen_on_the_screen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    chosen = Chosen(monkeypatch)
    monkeypatch.chdir(tmp_path)
    folder = tmp_path.resolve()
    assert [exit_code(), exit_code("--agent"), exit_code("--agent", "mine", "--cwd", "/")] == [0, 0, 0]
    assert chosen.choices == [(folder, None), (folder, ""), (Path("/"), "mine")]


@pytest.mark.usefixtures("terminal")
def test_an_agent_that_is_not_installed_is_told_with_how_to_get_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    assert exit_code("--agent", "opencode") == 2
    told = capsys.readouterr().err
    assert "OpenCode is not installed" in told
    assert "npm install -g opencode-ai" in told


def test_it_is_told_the_same_way_where_its_command_was_written_out(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.chdir(tmp_path)
    assert exit_code("run", "hi", "--agent", "opencode") == 2
    by_name = [line.strip() for line in capfd.readouterr().err.splitlines()]
    assert exit_code("run", "hi", "--", "opencode", "acp") == 1
    written_out = capfd.readouterr().err.splitlines()
    assert by_name[0] == "OpenCode is not installed"
    assert [line.strip("[] ").removeprefix("error: ") for line in written_out] == [line.strip() for line in by_name]
    assert len(by_name) == 4


def test_what_only_acp_tui_has_installed_is_started_by_its_usual_command_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = write_script(tmp_path, HEAD + "    agent.say('here'); agent.end_turn(prompt); agent.serve()\n")
    own_file().parent.mkdir(parents=True)
    command = f"[agents.opencode]\ncommand = '{script.path}'\n"
    own_file().write_text(command)
    assert run("run", "hi", "--", "opencode", "acp", cwd=tmp_path).code == 1  # a command of the user's, not installed
    own_file().write_text(f"{command}package = 'npm:opencode-ai@1.18.33'\n")
    assert run("run", "hi", "--", "opencode", "acp", cwd=tmp_path).out == "here\n"
    (tmp_path / PROJECT_FILE).write_text(command)
    assert run("run", "hi", "--", "opencode", "acp", cwd=tmp_path).code == 1


def test_another_program_of_that_name_is_not_taken_for_it(tmp_path: Path) -> None:
    ended = run("run", "hi", "--", "./opencode", "acp", cwd=tmp_path)
    assert (ended.code, "./opencode: command not found" in ended.err) == (1, True)
    assert "not installed" not in ended.err


def test_a_bad_config_file_is_told_with_its_line(capsys: pytest.CaptureFixture[str], mine: Path) -> None:
    own_file().write_text("theme = 1\n")
    for arguments in (("run", "hi", "--agent", "mine"), ("agents",), ("config", "--print")):
        assert exit_code(*arguments) == 2
        told = capsys.readouterr().err
        assert f"{own_file()}, line 1, theme: must be a string in quotes, not 1" in told
        assert "Traceback" not in told


def test_config_without_a_terminal_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("config") == 2
    assert "config --print" in capsys.readouterr().err


def test_config_is_printed_with_keys(capsys: pytest.CaptureFixture[str], mine: Path) -> None:
    own_file().write_text("theme = 'nrod'\n[keys]\nhelpp = 'f1'\npalette = 'f7'\n")
    assert exit_code("config", "--print") == 0
    told = capsys.readouterr().out
    assert f"# {own_file()}, line 3, keys.helpp: unknown command. Did you mean help?" in told
    assert f"# {own_file()}, line 1, theme: unknown theme 'nrod'. Did you mean nord?" in told
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
    assert "Consent needed" in refused.err
    assert "--trust-project" in refused.err
    assert "hello" not in refused.out
    trusted = run("run", "--agent", "theirs", "--trust-project", "hi", cwd=tmp_path)
    assert (trusted.code, trusted.out.strip()) == (0, "hello")
    again = run("run", "--agent", "theirs", "hi", cwd=tmp_path)
    assert again.code == 2


ANSWER = f"{HEAD}    agent.say('hello')\n    agent.end_turn(prompt)\n    agent.serve()\n"


def own_agent(script: Script) -> None:
    argv = ", ".join(f"'{word}'" for word in script.argv[1:])
    write_own_config(f"[agents.mine]\ncommand = '{script.argv[0]}'\nargs = [{argv}]\n")


def test_what_a_project_proposes_runs_only_where_that_is_agreed(tmp_path: Path) -> None:
    script = write_script(tmp_path, ANSWER)
    own_agent(script)
    (tmp_path / PROJECT_FILE).write_text("default_agent = 'mine'\n")
    refused = run("run", "hi", cwd=tmp_path)
    assert refused.code == 2
    assert str(tmp_path / PROJECT_FILE) in refused.err
    assert "--trust-project" in refused.err
    assert refused.out == ""
    for arguments in (("--trust-project",), ("--agent", "mine")):
        agreed = run("run", *arguments, "hi", cwd=tmp_path)
        assert (agreed.code, agreed.out.strip()) == (0, "hello")


def test_a_program_that_changes_after_the_consent_is_not_started(tmp_path: Path) -> None:
    script = write_script(tmp_path, ANSWER)
    program = tmp_path / "run.sh"
    program.write_text(f"#!/bin/sh\nexec {shlex.join(script.argv)}\n")
    program.chmod(0o755)
    (tmp_path / PROJECT_FILE).write_text("[agents.theirs]\ncommand = './run.sh'\n")
    roster = Roster(tmp_path)
    roster.trust(roster.launch(roster.find("theirs")))
    assert run("run", "--agent", "theirs", "hi", cwd=tmp_path).code == 0
    program.write_text("#!/bin/sh\ntouch pwned\n")
    refused = run("run", "--agent", "theirs", "hi", cwd=tmp_path)
    assert refused.code == 2
    assert "Consent needed" in refused.err
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("text", ["[agents.x]\nargs = 5", "theme = ", "[agents.x]\ncommand = '~nobody-here/x'"])
def test_a_bad_project_file_bars_no_list(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, mine: Path, text: str
) -> None:
    path = tmp_path / PROJECT_FILE
    path.write_text(text)
    folder = tmp_path / "below"
    folder.mkdir()
    assert [exit_code("agents", "--cwd", str(folder)), exit_code("config", "--print", "--cwd", str(folder))] == [0, 0]
    told = capsys.readouterr().out
    assert f"{mine} --acp" in told
    assert f"{path}, line " in told


def test_a_bad_project_file_bars_no_start(tmp_path: Path) -> None:
    script = write_script(tmp_path, ANSWER)
    own_agent(script)
    path = tmp_path / PROJECT_FILE
    path.write_text("[agents.x]\nargs = 5")
    for arguments in (("run", "hi", "--", *script.argv), ("run", "--agent", "mine", "hi")):
        ended = run(*arguments, cwd=tmp_path)
        assert (ended.code, ended.out.strip()) == (0, "hello"), ended.err
    assert f"{path}, line 2, agents.x.args: must be a list" in ended.err
    assert "correct or remove it" in ended.err


@pytest.mark.usefixtures("terminal")
def test_a_bad_project_file_is_told_on_the_screen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / PROJECT_FILE
    path.write_text("theme = 1")
    told: list[str] = []

    def show(app: AcpTuiApp) -> int:
        told.extend(app._settings.problems)
        return 0

    monkeypatch.setattr(compose, "_run", show)
    monkeypatch.chdir(tmp_path)
    assert [exit_code(), exit_code("--agent"), exit_code("--", "agent")] == [0, 0, 0]
    assert len(told) == 3
    assert all(problem.startswith(f"{path}, line 1, theme: ") for problem in told)
