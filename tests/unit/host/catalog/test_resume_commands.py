"""Starting the agent of the last session again, and what a project may not do to that."""

import os
from pathlib import Path
from typing import Any

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.catalog.agent_list import AgentList
from acp_tui.host.catalog.launch_plan import RECORDED_AT_MOST, AgentCommand, LaunchPlan, by_command
from acp_tui.host.catalog.resume_commands import last_start, plan_again, read_start
from acp_tui.host.config.config import PROJECT_FILE
from acp_tui.host.records.records import Records
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageUpdate
from acp_tui.session.state import Session
from tests.rows import each_of


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / ".git").mkdir()
    return folder


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the user's own programs, which is all of PATH."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in ("opencode", "my-agent", "python3", "npx", "node", "timeout"):
        install(folder, name)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def install(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


def again(project: Path, *argv: str) -> LaunchPlan:
    """The start that comes of a command that was written out, and recorded."""
    start = read_start(by_command(argv, project).command.recorded())
    assert start is not None
    return plan_again(start, project)


@pytest.mark.parametrize("argv", [("opencode", "acp"), ("my-agent", "--acp"), ("npx", "-y", "some-agent@1.0.0")])
def test_what_the_user_wrote_is_their_own(project: Path, tools: Path, argv: tuple[str, ...]) -> None:
    launch = again(project, *argv)
    assert launch.command.argv == argv
    assert launch.command.program == str(tools / argv[0])
    assert launch.consent is None


def test_a_script_elsewhere_is_their_own(project: Path, tools: Path, tmp_path: Path) -> None:
    script = install(tmp_path / "mine", "agent.py")
    assert again(project, "python3", "-E", str(script)).consent is None
    assert again(project, str(script)).consent is None
    assert again(project, "timeout", "9", "python3", str(script)).consent is None


@pytest.mark.parametrize(
    "argv",
    [
        ("./agent",),
        ("python3", "agent"),
        ("my-agent", "--plugin=agent"),
        ("my-agent", "-c", "./agent --x"),
        ("python3", "-m", "some.module"),
        ("python3", "-Ec", "/import agent"),
        ("python3",),
        ("node", "index.js"),
        ("npx", "some-agent"),
        ("timeout", "9", "npx", "some-agent"),
        ("timeout", "9", "/usr/bin/node", "-e", "0"),
    ],
)
def test_where_the_project_has_a_say_the_user_is_asked(
    project: Path, tools: Path, argv: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    install(project, "agent")
    monkeypatch.chdir(project)
    launch = again(project, *argv)
    assert launch.consent is not None
    assert launch.consent.file is None
    agent_list = AgentList(project)
    assert not agent_list.is_trusted(launch)
    with pytest.raises(UserFault, match="may run files of this project"):
        agent_list.check_trusted(launch)
    agent_list.trust(launch)
    assert agent_list.is_trusted(again(project, *argv))


def test_a_consent_is_for_the_files_as_they_are(project: Path, tools: Path) -> None:
    program = install(project, "agent")
    agent_list = AgentList(project)
    launch = again(project, str(program))
    agent_list.trust(launch)
    assert launch.command.check is not None
    launch.command.check()
    program.write_text("#!/bin/sh\ntouch pwned\n")
    assert not agent_list.is_trusted(again(project, str(program)))
    with pytest.raises(UserFault, match="have changed since you agreed"):
        launch.command.check()


@pytest.mark.parametrize("entry", [".", "node_modules/.bin", "{project}", "{project}/node_modules/.bin"])
def test_a_program_of_the_project_stands_in_for_nothing(
    project: Path, tools: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    """The user's was started; now the project has one of that name, to which PATH leads first."""
    recorded = by_command(("opencode", "acp"), project).command.recorded()
    for folder in (project, project / "node_modules/.bin"):
        install(folder, "opencode")
    monkeypatch.chdir(project)
    monkeypatch.setenv("PATH", f"{entry.format(project=project)}{os.pathsep}{tools}")
    start = read_start(recorded)
    assert start is not None
    launch = plan_again(start, project)
    assert (launch.command.program, launch.consent) == (str(tools / "opencode"), None)
    monkeypatch.setenv("PATH", entry.format(project=project))
    with pytest.raises(UserFault, match="opencode: command not found"):
        plan_again(start, project)


def test_a_path_is_that_of_the_folder_in_which_it_was_written(
    project: Path, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`acp-tui --cwd PROJECT -- ./agent` in a folder of the user's own, then `acp-tui -c` in the project."""
    mine = install(tmp_path / "mine", "agent")
    monkeypatch.chdir(mine.parent)
    recorded = by_command(("./agent",), project).command.recorded()
    install(project, "agent")
    monkeypatch.chdir(project)
    start = read_start(recorded)
    assert start is not None
    launch = plan_again(start, project)
    assert (launch.command.program, launch.consent) == (str(mine), None)


def test_a_link_into_the_project_is_of_the_project(project: Path, tools: Path) -> None:
    (tools / "linked").symlink_to(install(project, "agent"))
    assert again(project, str(tools / "linked")).consent is not None


def test_a_name_is_looked_up_with_all_that_holds_for_it(project: Path, tools: Path) -> None:
    """A project that takes the name of the agent of the last session does not get in its place."""
    command = AgentList(project).plan(AgentList(project).find("opencode")).command
    assert command.recorded() == {"agent": "opencode"}
    (project / PROJECT_FILE).write_text("[agents.opencode]\ncommand = './evil'\n")
    install(project, "evil")
    agent_list = AgentList(project)
    assert agent_list.plan(agent_list.find("opencode")).command == command


def test_an_offered_protocol_is_offered_again(project: Path, tools: Path) -> None:
    start = read_start(by_command(("opencode", "acp"), project, "auto").command.recorded())
    assert start is not None
    assert plan_again(start, project).command.protocol == "auto"
    assert plan_again(start, project, "1").command.protocol == "1"


@pytest.mark.parametrize(
    "argv",
    [
        ("agent", "--api-key", "sk-1"),
        ("agent", "--token=x"),
        ("env", "API_KEY=sk-1", "agent"),
        ("agent", "https://me:secret@example.com"),
        ("agent", "x" * RECORDED_AT_MOST),
        (),
    ],
)
def test_what_is_secret_or_long_is_not_written_down(argv: tuple[str, ...]) -> None:
    assert AgentCommand(argv).recorded() == {}


@each_of(
    "told",
    [
        {},
        {"agent": 1},
        {"agent": ""},
        {"argv": "opencode acp"},
        {"argv": []},
        {"argv": [""]},
        {"argv": ["a", 1]},
        {"argv": ["a\0b"]},
        {"argv": ["a"], "program": 1},
    ],
)
def test_what_makes_no_sense_is_nothing(told: dict[str, Any]) -> None:
    assert read_start(told) is None


def record(cwd: Path, agent: str, start: dict[str, Any], session_id: str = "s") -> None:
    records = Records()
    session = Session(id=session_id, cwd=str(cwd), agent_name=agent)
    records.record(session, start=lambda: start)
    session.apply(
        MessageUpdate(session_update="user_message", message_id="m", content=[TextContent(text=f"to {agent}")])
    )
    records.close()


def test_the_last_session_of_the_folder_counts(tmp_path: Path) -> None:
    record(tmp_path, "One", {"agent": "one"})
    os.utime(next(Records().folder.iterdir()), (0, 0))
    record(tmp_path, "Two", {"argv": ["two", "acp"], "program": "/bin/two"})
    record(tmp_path.parent, "Elsewhere", {"agent": "elsewhere"})
    record(tmp_path, "Never opened", {"agent": "never"}, session_id="")
    assert last_start(tmp_path) == AgentCommand(("two", "acp"), program="/bin/two")


def test_without_one_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserFault, match="No recorded session in this folder") as raised:
        last_start(tmp_path)
    assert "acp-tui -c -- AGENT" in raised.value.hint


def test_one_that_does_not_say_how_its_agent_was_started_is_told(tmp_path: Path) -> None:
    record(tmp_path, "Old One", {})
    with pytest.raises(UserFault, match="last session is not recorded") as raised:
        last_start(tmp_path)
    assert raised.value.message == "Old One"


def test_nothing_is_recorded_of_a_command_that_is_relative_to_a_folder_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert by_command(("./agent",), tmp_path).command.recorded() == {}
    assert by_command(("/bin/sh",), tmp_path).command.recorded() == {"argv": ["/bin/sh"], "program": "/bin/sh"}
