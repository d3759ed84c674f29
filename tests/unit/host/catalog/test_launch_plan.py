"""The launch plan with what the user's file says, and what the system is given for it: an agent that was chosen by its
name is kept apart from the project; what was written out stays as it is.
"""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.agent.logins import Logins
from acp_tui.host.catalog.launch_plan import AgentCommand, LaunchPlan, Start, by_command, start_of, with_settings
from acp_tui.host.client import Client
from acp_tui.host.config.config import load_config
from acp_tui.host.config.state_files import cache_folder
from acp_tui.host.connection.lifecycle import Connection
from acp_tui.protocol.capabilities import AgentCapabilities
from acp_tui.protocol.vocabulary.initialization import AuthMethod, Initialized
from tests.own_config import write_own_config

NPX, UVX, BIN = "/opt/bin/npx", "/opt/bin/uvx", "/opt/bin"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"node_modules/.bin:{folder}/.venv/bin:{BIN}")
    return folder


def started(project: Path, program: str, *argv: str, **env: str) -> Start:
    return start_of(AgentCommand(argv, env, program=program), str(project))


def test_the_user_s_file_adds_what_holds_for_all_and_to_what_was_written_out_the_folder_s(project: Path) -> None:
    write_own_config(
        f"system_prompt = 'All'\nsuggestions = false\nsnapshots = false\n"
        f"[folders.'{project}']\nappend_system_prompt = 'Here'\n"
    )
    config = load_config(project)
    written = with_settings(by_command(("agent",), project), config)
    named = with_settings(LaunchPlan(AgentCommand(("agent",), name="mine"), project), config)  # it has the folder's
    assert [plan.system_prompt.texts for plan in (written, named)] == [("All", "Here"), ("All",)]
    for plan in (written, named):
        assert not plan.capabilities.prompt_suggestions
        assert plan.snapshots.off


def test_without_a_file_a_plan_stays_as_it_is_and_snapshots_are_taken(project: Path) -> None:
    plan = by_command(("agent",), project)
    assert not (with_snapshots := with_settings(plan, load_config(project))).snapshots.off
    assert with_snapshots == replace(plan, snapshots=with_snapshots.snapshots)


def test_what_was_written_out_stays_as_it_is(project: Path) -> None:
    command = AgentCommand(("npx", "-y", "agent@1.2.3"), {"A": "1"})
    assert start_of(command, str(project)) == Start(command.argv, {"A": "1"}, str(project))
    assert not cache_folder().exists()


def test_a_program_is_started_by_its_path_without_relative_entries_of_PATH(project: Path) -> None:  # noqa: N802
    start = started(project, "/opt/bin/agent", "agent", "--acp", A="1")
    assert start.argv == ("/opt/bin/agent", "--acp")
    assert start.env == {"A": "1", "PATH": f"{project}/.venv/bin:{BIN}"}
    assert start.cwd == str(project)
    assert started(project, "/opt/bin/agent", "agent", PATH="/x:/y").env == {"PATH": "/x:/y"}


@pytest.mark.parametrize(
    "words", [("-y", "agent@1.2.3", "--acp"), ("--yes", "--package", "agent", "cmd"), ("-p=agent", "-y", "cmd")]
)
def test_npx_is_started_apart_and_the_agent_goes_on_to_the_project(project: Path, words: tuple[str, ...]) -> None:
    start = started(project, NPX, "npx", *words)
    assert start.argv == (NPX, *words)
    assert start.cwd == str(cache_folder() / "launcher")
    assert start.env["PATH"] == start.env["ACP_TUI_SEARCHED"] == BIN
    assert (start.env["ACP_TUI_FOLDER"], start.env["ACP_TUI_PATH"]) == (str(project), f"{project}/.venv/bin:{BIN}")
    shell = Path(start.env["npm_config_script_shell"])
    assert os.access(shell, os.X_OK)
    assert shell.stat().st_mode & 0o077 == 0
    folder = Path(start.cwd)
    assert folder.stat().st_mode & 0o077 == 0
    assert json.loads((folder / "package.json").read_text()) == {}
    assert (folder / "uv.toml").read_text() == ""


@pytest.mark.parametrize(
    ("words", "source", "rest"),
    [
        (("agent@1.2.3", "--acp"), "agent@1.2.3", ("agent", "--acp")),
        (("my.agent_x[acp]>=1",), "my.agent_x[acp]>=1", ("my.agent_x",)),
        (("--from", "git+https://x/y", "cmd", "a b"), "git+https://x/y", ("cmd", "a b")),
    ],
)
def test_uvx_is_too(project: Path, words: tuple[str, ...], source: str, rest: tuple[str, ...]) -> None:
    start = started(project, UVX, "uvx", *words)
    assert start.argv[:4] == (UVX, "--from", source, "/bin/sh")
    assert start.argv[-len(rest) :] == rest
    assert start.cwd == str(cache_folder() / "launcher")
    assert start.env["PATH"] == BIN
    assert "npm_config_script_shell" not in start.env


@pytest.mark.parametrize(
    "argv",
    [
        ("npx", "tool-of-the-project"),
        ("npx", "tool", "-y"),
        ("npx", "-y", "./tools/agent"),
        ("npx", "-y", "-p", "file:../agent", "agent"),
        ("npx", "-y", "--prefix", "tools", "agent"),
        ("npx", "-y", "-w", "tools", "agent"),
        ("npx",),
        ("uvx", "--python", "3.12", "agent"),
        ("uvx", "./agent"),
        ("uvx", "--from", ".", "agent"),
        ("uvx", "python", "-m", "x"),
        ("uvx",),
        ("/opt/bin/npx", "-y", "agent"),
        ("agent", "npx", "-y"),
    ],
)
def test_what_may_mean_the_project_is_started_in_it(project: Path, argv: tuple[str, ...]) -> None:
    start = started(project, "/opt/bin/x", *argv)
    assert (start.argv, start.cwd) == (("/opt/bin/x", *argv[1:]), str(project))


def test_what_was_changed_in_our_folder_is_put_right(project: Path) -> None:
    start = started(project, NPX, "npx", "-y", "agent")
    shell = Path(start.env["npm_config_script_shell"])
    before = shell.read_text()
    shell.write_text("#!/bin/sh\nevil")
    shell.chmod(0o600)
    started(project, NPX, "npx", "-y", "agent")
    assert shell.read_text() == before
    assert os.access(shell, os.X_OK)


def test_where_it_cannot_be_kept_apart_it_is_not_started(project: Path) -> None:
    cache_folder().parent.mkdir(parents=True)
    cache_folder().write_text("in the way")
    with pytest.raises(UserFault, match="could not be isolated"):
        started(project, NPX, "npx", "-y", "agent")


def test_a_folder_that_is_not_there_is_left_to_the_start(tmp_path: Path) -> None:
    assert started(tmp_path / "none", NPX, "npx", "-y", "agent").cwd == str(tmp_path / "none")


def test_node_is_not_the_project_s(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside, outside = project / ".venv" / "bin", tmp_path / "bin"
    for folder in (inside, outside):
        folder.mkdir(parents=True)
        (folder / "node").write_text("#!/bin/sh\n")
        (folder / "node").chmod(0o755)
    monkeypatch.setenv("PATH", f"{inside}:{outside}")
    path = started(project, "/opt/bin/agent", "agent").env["PATH"]
    assert path.endswith(f":{inside}:{outside}")
    assert Path(path.partition(":")[0], "node").resolve() == outside / "node"
    start = started(project, NPX, "npx", "-y", "agent")
    assert (start.env["PATH"], start.env["ACP_TUI_PATH"]) == (str(outside), path)
    (outside / "node").unlink()
    assert "PATH" not in started(project, "/opt/bin/agent", "agent").env


def logins_of(command: AgentCommand, folder: Path, *methods: AuthMethod) -> tuple[Logins, Connection]:
    client = Client(LaunchPlan(command, folder))
    client._lifecycle.introduced(Initialized(None, AgentCapabilities(), methods, {}), "ACP 1")
    return client.logins, client.connection


def test_a_log_in_in_the_terminal_is_started_in_the_same_way(project: Path) -> None:
    methods = (
        AuthMethod(type="terminal", method_id="own", name="Log in", args=["login"]),
        AuthMethod(type="terminal", method_id="other", name="Log in", command="vendor"),
    )
    command = AgentCommand(("npx", "-y", "agent"), {"A": "1"}, program=NPX)
    logins, connection = logins_of(command, project, *methods)
    own, other = logins.command("own"), logins.command("other")
    assert own is not None
    assert other is not None
    assert (own.argv, own.cwd) == ((NPX, "-y", "agent", "login"), str(cache_folder() / "launcher"))
    assert (own.env["PATH"], own.env["ACP_TUI_FOLDER"]) == (BIN, str(project))
    assert (other.argv, other.cwd, other.env["A"]) == (("vendor",), str(project), "1")
    assert "ACP_TUI_FOLDER" not in other.env
    cache_folder().joinpath("launcher", "package.json").unlink()
    cache_folder().joinpath("launcher", "package.json").mkdir()
    assert logins.command("own") is None
    assert connection.login is not None
    assert "could not be isolated" in connection.login.failed


def test_nor_is_a_log_in_started_that_has_changed_since_it_was_agreed_to(project: Path) -> None:
    def check() -> None:
        raise UserFault("It has changed")

    method = AuthMethod(type="terminal", method_id="own", name="Log in")
    command = AgentCommand(("./run.sh",), check=check)
    logins, connection = logins_of(command, project, method)
    assert logins.command("own") is None
    assert connection.login is not None
    assert connection.login.failed == "It has changed"


def test_a_command_that_starts_a_known_agent_has_its_name_before_it_answers(project: Path) -> None:
    assert by_command(("/usr/bin/opencode", "acp"), project).title == "OpenCode"
    assert by_command(("agent",), project).title == ""
