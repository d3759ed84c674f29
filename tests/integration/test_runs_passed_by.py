"""`-c` on the screen passes runs by unless they are the only ones, and says so; `run -c` and `changes` count them."""

import os
from functools import partial
from pathlib import Path

import pytest

from acp_tui import cli
from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.catalog.resume_commands import last_start
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.records.records import Records
from acp_tui.session.state import Session
from tests.agents.scripted import Script, write_script
from tests.driven_screen import DrivenScreen
from tests.integration.driver import Driver, driven, start_of
from tests.integration.runs import run, run_script
from tests.unit.session.speech import say

NEWER = "A newer `acp-tui run` session exists. To choose it: acp-tui -r"
GREETING = """
able = {"loadSession": True, "sessionCapabilities": {"list": {}} if LISTED else {}}
agent.initialize({"protocolVersion": 1, "agentInfo": {"name": "A", "version": "1"}, "agentCapabilities": able})
"""
CONTINUES = """
if LISTED:
    agent.answer(agent.expect("session/list"), {"sessions": LISTED})
request = agent.expect("session/load")
agent.session_id = request["params"]["sessionId"]
agent.say("of " + agent.session_id)
agent.answer(request, {})
agent.turn("and now")
agent.serve()
"""
TALKS = 'agent.new_session("a-run")\nagent.turn("here")\nagent.serve()\n'


def agent(folder: Path, body: str, *listed: str) -> Script:
    """One that lists these sessions, the oldest first, if it lists any."""
    told = [{"sessionId": id_, "cwd": "/", "updatedAt": f"2026-01-0{at}"} for at, id_ in enumerate(listed, 1)]
    return write_script(folder, f"LISTED = {told!r}\n{GREETING}{body}")


def recorded(*told: tuple[str, str, bool], cwd: Path) -> None:
    """Records of sessions, the oldest first: by agent, by id, and whether it was a run."""
    for at, (name, id_, is_run) in enumerate(told):
        records, session = Records(), Session(id_, str(cwd), name)
        records.record(session, start=partial(dict, agent=name.lower()), run=is_run)
        session.apply(say(f"in {id_}"))
        records.close()
        path = records.path_of(session)
        assert path is not None
        os.utime(path, (at, at))


CASES = {
    "passed by": ([("A", "talk", False), ("A", "a-run", True)], "talk", True),
    "the only ones": ([("A", "old-run", True), ("A", "a-run", True)], "a-run", False),
    "gone on with on the screen": ([("A", "a-run", True), ("A", "a-run", False)], "a-run", False),
    "went on with a conversation": ([("A", "talk", False), ("A", "talk", True)], "talk", False),
    "of another agent": ([("A", "talk", False), ("B", "a-run", True)], "talk", True),
    "older": ([("A", "a-run", True), ("A", "talk", False)], "talk", False),
}


@pytest.mark.anyio
@pytest.mark.parametrize("lists", [True, False], ids=["listed", "recorded"])
@pytest.mark.parametrize("case", CASES)
async def test_the_conversation_of_a_folder_is_gone_on_with(tmp_path: Path, case: str, lists: bool) -> None:
    told, expected, said = CASES[case]
    recorded(*told, cwd=tmp_path)
    listed = dict.fromkeys(id_ for name, id_, _ in told if name == "A") if lists else ()
    script = agent(tmp_path, CONTINUES, *listed)
    records = Records()
    client = Client(LaunchPlan(AgentCommand(tuple(script.argv)), tmp_path), start=start_of(script))
    client.record_with(records)
    async with driven(Driver(client, client.begin_session("latest"))) as driver:
        driver.submit("go on")
        await driver.idle()
        assert driver.session.id == expected
        assert driver.noticed().count(NEWER) == said


def test_the_agent_is_that_of_the_conversation_but_a_run_counts_to_choose_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(("Talks", "talk", False), ("Ran", "a-run", True), cwd=tmp_path)
    asked: list[tuple[str, bool]] = []

    def look(_: Path, *, runs: bool = False) -> object:
        start = last_start(tmp_path, runs=runs)
        asked.append((start.name, runs))
        raise SystemExit

    monkeypatch.setattr("acp_tui.host.catalog.resume_commands.last_start", look)
    monkeypatch.setattr(cli, "_is_terminal", lambda *streams: True)
    for words in (["-c"], ["-r"], ["run", "-c", "on"]):
        with pytest.raises(SystemExit):
            cli.main([*words, "-C", str(tmp_path)])
    assert asked == [("talks", False), ("ran", True), ("ran", True)]


@pytest.mark.parametrize("listed", [("talk", "a-run"), ()], ids=["listed", "recorded"])
def test_a_run_is_recorded_as_one_and_run_goes_on_with_it(tmp_path: Path, listed: tuple[str, ...]) -> None:
    recorded(("A", "talk", False), cwd=tmp_path)
    assert run_script(agent(tmp_path, TALKS)).code == 0
    assert [(info.session_id, info.run) for info in Records().list()] == [("a-run", True), ("talk", False)]
    script = agent(tmp_path, CONTINUES, *listed)
    ended = run("run", "-c", "on", "--", *script.argv, cwd=tmp_path)
    assert (ended.code, ended.out) == (0, "and now\n")
    assert NEWER not in ended.err
    assert script.received("session/load")[-1]["params"]["sessionId"] == "a-run"
    assert Records().meant("latest", str(tmp_path)).session_id == "a-run"


def test_on_the_screen_it_is_said(tmp_path: Path) -> None:
    recorded(("A", "talk", False), ("A", "a-run", True), cwd=tmp_path)
    script = agent(tmp_path, CONTINUES, "talk", "a-run")
    with DrivenScreen("-c", "--", *script.argv, cwd=tmp_path) as screen:
        screen.wait_for(NEWER)
        screen.wait_for("of talk")
