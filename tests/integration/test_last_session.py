"""`--continue` with an agent that cannot list sessions: what was recorded here last comes back."""

import os
from pathlib import Path

import pytest

from acp_tui import cli
from acp_tui.host.catalog.agent_list import AgentList
from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.config.config import PROJECT_FILE
from acp_tui.host.records.records import READ_AHEAD, Records
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageUpdate, StateUpdate
from acp_tui.session.state import Session
from tests.agents.scripted import Script, write_script
from tests.integration.driver import Driver, driven, start_of
from tests.integration.runs import HEAD, run, run_script
from tests.integration.test_cli import exit_code
from tests.own_config import write_own_config

pytestmark = pytest.mark.anyio

LOAD = '{"protocolVersion": 1, "agentInfo": {"name": "scripted", "title": "Scripted", "version": "1"}, '
LOAD += '"agentCapabilities": {"loadSession": True}}'
RESUME = LOAD.replace('"loadSession": True', '"sessionCapabilities": {"resume": {}}')


def say(session: Session, role: str, text: str) -> None:
    update = MessageUpdate(session_update=role, message_id=f"{role}{text}", content=[TextContent(text=text)])
    session.apply(update)


def record(folder: Path, id_: str, text: str, *, cwd: Path, agent: str = "Scripted") -> None:
    """Record a session in which this was said."""
    records = Records(folder)
    session = Session(id=id_, cwd=str(cwd), agent_name=agent)
    records.record(session)
    say(session, "user_message", f"ask for {text}")
    session.apply(StateUpdate(state="running"))
    say(session, "agent_message", text)
    session.apply(StateUpdate(state="idle"))
    records.close()


def several(folder: Path, cwd: Path) -> Records:
    """Records of which `newer` is the one to go on with."""
    record(folder, "older", "old words", cwd=cwd)
    for path in folder.iterdir():
        os.utime(path, (0, 0))
    record(folder, "newer", "new words", cwd=cwd)
    record(folder, "other", "of another agent", cwd=cwd, agent="Another")
    record(folder, "elsewhere", "of another folder", cwd=cwd.parent)
    record(folder, "", "never opened", cwd=cwd)
    return Records(folder)


def continued(script: Script, tmp_path: Path) -> tuple[Driver, Records]:
    records = several(tmp_path / "records", tmp_path)
    client = Client(LaunchPlan(AgentCommand(tuple(script.argv)), tmp_path), start=start_of(script))
    client.record_with(records)
    return Driver(client, client.begin_session("latest")), records


async def test_it_is_loaded_by_its_id(tmp_path: Path) -> None:
    body = f"""
    agent.initialize({LOAD})
    request = agent.expect("session/load")
    agent.session_id = request["params"]["sessionId"]
    agent.say("told again")
    agent.answer(request, {{}})
    agent.turn("and now")
    agent.serve()
    """
    script = write_script(tmp_path, body)
    driver, _ = continued(script, tmp_path)
    async with driven(driver):
        driver.submit("go on")
        await driver.idle()
        assert (driver.session.id, driver.session.title) == ("newer", "ask for new words")
        assert driver.said() == ["told again", "and now"]
        assert driver.noticed() == ""
    assert script.received("session/load")[0]["params"]["cwd"] == str(tmp_path)


async def test_one_that_is_resumed_shows_what_was_recorded(tmp_path: Path) -> None:
    body = f"""
    agent.initialize({RESUME})
    request = agent.expect("session/resume")
    agent.session_id = request["params"]["sessionId"]
    agent.answer(request, {{}})
    agent.turn("and now")
    agent.serve()
    """
    driver, _ = continued(write_script(tmp_path, body), tmp_path)
    async with driven(driver):
        driver.submit("go on")
        await driver.idle(2)
        assert driver.session.id == "newer"
        assert driver.said() == ["new words", "and now"]
        assert "The agent remembers this conversation" in driver.noticed()


NEW = """
    agent.new_session("fresh")
    agent.turn("and now")
    agent.serve()
"""


@pytest.mark.parametrize(
    "opening",
    ["agent.initialize()", f"agent.initialize({LOAD})\n    agent.fail(agent.expect('session/load'), -32002, 'gone')"],
    ids=["cannot", "has forgotten"],
)
async def test_where_the_agent_cannot_bring_it_back_it_is_the_history_of_a_new_one(
    tmp_path: Path, opening: str
) -> None:
    driver, records = continued(write_script(tmp_path, f"\n    {opening}{NEW}"), tmp_path)
    records.record(driver.session)
    async with driven(driver):
        driver.submit("go on")
        await driver.idle(2)
        assert (driver.session.id, driver.session.title) == ("fresh", "ask for new words")
        assert driver.said() == ["new words", "and now"]
        assert driver.said("user") == ["ask for new words", "go on"]
        assert "Restored from a local record" in driver.noticed()
    records.close()
    last = Records(tmp_path / "records").last("Scripted", str(tmp_path))
    assert last is not None
    assert last.session_id == "fresh"  # the next --continue goes on from here


async def test_without_a_record_that_is_said(tmp_path: Path) -> None:
    script = write_script(tmp_path, f"\n    agent.initialize(){NEW}")
    client = Client(LaunchPlan(AgentCommand(tuple(script.argv)), tmp_path), start=start_of(script))
    client.record_with(Records(tmp_path / "records"))
    async with driven(Driver(client, client.begin_session("latest"))) as driver:
        await driver.ready()
        assert "none is recorded in this folder" in driver.noticed()


async def test_one_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driver, records = continued(write_script(tmp_path, f"\n    agent.initialize(){NEW}"), tmp_path)
    last = records.last

    def gone_meanwhile(agent: str, cwd: str) -> object:
        info = last(agent, cwd)
        assert info is not None
        info.path.unlink()
        return info

    monkeypatch.setattr(records, "last", gone_meanwhile)
    async with driven(driver):
        await driver.ready()
        assert "so a new one was started|The record cannot be read" in driver.noticed()


def test_a_long_one_that_the_agent_tells_again_is_not_read(tmp_path: Path) -> None:
    records = several(tmp_path / "records", tmp_path)
    info = records.last("Scripted", str(tmp_path))
    assert info is not None
    with info.path.open("ab") as file:
        file.write(b"\n" * READ_AHEAD)
    assert records.look_up("Scripted", str(tmp_path), retold=True) == (records.last("Scripted", str(tmp_path)), None)


class TestWithoutAScreen:
    def test_it_goes_on_by_its_id(self, tmp_path: Path) -> None:
        first = f"""
    agent.initialize({LOAD})
    agent.new_session("kept")
    agent.turn("yes")
    agent.serve()
"""
        assert run_script(write_script(tmp_path, first)).code == 0
        then = f"""
    agent.initialize({LOAD})
    request = agent.expect("session/load")
    agent.session_id = request["params"]["sessionId"]
    agent.say("told again")
    agent.answer(request, {{}})
    agent.turn("and now")
    agent.serve()
"""
        script = write_script(tmp_path, then)
        ended = run_script(script, "--continue")
        assert (ended.code, ended.out) == (0, "and now\n")
        assert script.received("session/load")[0]["params"]["sessionId"] == "kept"

    def test_an_agent_that_cannot_begins_a_new_one_and_that_is_told(self, tmp_path: Path) -> None:
        script = write_script(tmp_path, HEAD + "    agent.say('here'); agent.end_turn(prompt); agent.serve()\n")
        assert run_script(script).code == 0
        ended = run_script(script, "--continue")
        assert (ended.code, ended.out) == (0, "here\n")
        assert "The agent could not restore the last one" in ended.err


class TestWithoutNamingTheAgent:
    @pytest.fixture
    def project(self, tmp_path: Path) -> Path:
        folder = tmp_path / "project"
        folder.mkdir()
        return folder

    @pytest.fixture
    def script(self, tmp_path: Path) -> Script:
        """One of the user's own, outside of the project."""
        return write_script(tmp_path, HEAD + "    agent.say('here'); agent.end_turn(prompt); agent.serve()\n")

    @pytest.mark.parametrize("again", [("run", "-c", "on"), ("-c", "-p", "on"), ("run", "--continue", "on")])
    def test_the_command_of_the_last_one_is_started_again(
        self, project: Path, script: Script, again: tuple[str, ...]
    ) -> None:
        assert run("run", "hi", "--", *script.argv, cwd=project).out == "here\n"
        ended = run(*again, cwd=project)
        assert (ended.code, ended.out) == (0, "here\n"), ended.err

    def test_an_agent_is_found_again_by_its_name(self, project: Path, script: Script) -> None:
        write_own_config(f"[agents.mine]\ncommand = '{script.path}'\n")
        assert run("run", "--agent", "mine", "hi", cwd=project).out == "here\n"
        assert run("run", "-c", "on", cwd=project).out == "here\n"
        (project / PROJECT_FILE).write_text("[agents.mine]\ncommand = './evil'\n")
        evil = project / "evil"
        evil.write_text("#!/bin/sh\ntouch pwned\n")
        evil.chmod(0o755)
        assert run("run", "-c", "on", cwd=project).out == "here\n"
        assert not (project / "pwned").exists()

    def test_a_file_of_the_project_needs_consent(self, project: Path) -> None:
        script = write_script(project, HEAD + "    agent.say('here'); agent.end_turn(prompt); agent.serve()\n")
        assert run("run", "hi", "--", *script.argv, cwd=project).code == 0
        refused = run("run", "-c", "on", cwd=project)
        assert (refused.code, refused.out) == (2, "")
        assert f"-- {script.argv[0]}" in refused.err
        assert run("run", "-c", "on", "--trust-project", cwd=project).out == "here\n"

    def test_to_choose_one_the_agent_of_the_last_one_is_started(
        self, project: Path, script: Script, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        started: list[object] = []
        monkeypatch.setattr(cli, "_is_terminal", lambda *streams: True)

        def on_screen(_: str, __: AgentList, chosen: LaunchPlan | str | None, *___: object) -> int:
            started.append(chosen)
            return 0

        monkeypatch.setattr(cli, "_on_screen", on_screen)
        monkeypatch.chdir(project)
        assert cli.main(["-r"]) == 0
        assert started == [None]  # nothing is recorded here: the list of agents
        assert run("run", "hi", "--", *script.argv, cwd=project).code == 0
        assert cli.main(["-r"]) == 0
        assert isinstance(started[1], LaunchPlan)
        assert started[1].command.argv == tuple(script.argv)

    def test_without_a_record_the_sentence_says_what_to_do(self, project: Path) -> None:
        ended = run("run", "-c", "on", cwd=project)
        assert (ended.code, ended.out) == (2, "")
        assert "No recorded session in this folder" in ended.err
        assert "acp-tui -c -- AGENT" in ended.err

    def test_without_a_record_the_default_agent_has_to_do(self, project: Path, script: Script) -> None:
        write_own_config(f"default_agent = 'mine'\n[agents.mine]\ncommand = '{script.path}'\n")
        ended = run("run", "-c", "on", cwd=project)
        assert (ended.code, ended.out) == (0, "here\n")
        assert "so a new one was started" in ended.err

    def test_the_record_counts_more_than_the_default_agent(self, project: Path, script: Script) -> None:
        assert run("run", "hi", "--", *script.argv, cwd=project).code == 0
        write_own_config("default_agent = 'mine'\n[agents.mine]\ncommand = '/no/such/agent'\n")
        assert run("run", "-c", "on", cwd=project).out == "here\n"

    def test_what_is_not_recorded_is_not_gone_on_with(self, project: Path, script: Script) -> None:
        assert run("run", "hi", "--no-record", "--", *script.argv, cwd=project).code == 0
        assert "No recorded session" in run("run", "-c", "on", cwd=project).err

    def test_the_screen_gets_what_is_to_be_started(
        self, project: Path, script: Script, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert run("run", "hi", "--", *script.argv, cwd=project).code == 0
        shown: list[tuple[AgentList, str | LaunchPlan | None]] = []

        def show(_what: str, agent_list: AgentList, chosen: str | LaunchPlan | None, *_: object) -> int:
            shown.append((agent_list, chosen))
            return 0

        monkeypatch.setattr(cli, "_is_terminal", lambda *streams: True)
        monkeypatch.setattr(cli, "_on_screen", show)
        monkeypatch.chdir(project)
        assert exit_code("-c") == 0
        [(_, launch)] = shown
        assert isinstance(launch, LaunchPlan)
        assert launch.command.argv == tuple(script.argv)
