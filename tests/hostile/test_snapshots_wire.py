"""Whatever becomes of a snapshot, each prompt reaches the agent once, in order, and its turn ends."""

from pathlib import Path

import pytest

from acp_tui.host.agent.agent_services import ClientChanges
from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.config.preferences import SnapshotSettings
from acp_tui.host.snapshots import snapshot_client
from acp_tui.host.snapshots.folder_store import place_of
from tests.agents.scripted import write_script
from tests.integration.driver import Driver, driven, start_of
from tests.turns import SERVE

pytestmark = pytest.mark.anyio

AGENT = """
agent.initialize()
agent.new_session()
for number in range(4):
    prompt = agent.expect("session/prompt")
    with open(f"{agent.folder}/made {number}", "w") as file:
        file.write("x")
    agent.end_turn(prompt)
agent.serve()
"""
TROUBLES = {
    "none": None,
    "dies": "raise SystemExit(1)",
    "nonsense": "print('[1, 2'); print('{}')",
    "lies": 'import sys; sys.stdin.readline(); print(\'{"done": {"id": 3}}\')',
    "hangs": "import sys; sys.stdin.read()",
    "floods": "while True: print('x' * 100000)",
}


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_each_prompt_goes_out_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    if TROUBLES[trouble]:
        monkeypatch.setattr(snapshot_client, "_PROGRAM", TROUBLES[trouble])
        monkeypatch.setattr(ClientChanges, "serve", SERVE)
    script = write_script(tmp_path, AGENT)
    command, start = AgentCommand(tuple(script.argv)), start_of(script if TROUBLES[trouble] else script.as_process)
    client = Client(LaunchPlan(command, project, snapshots=SnapshotSettings()), attended=True, start=start)
    async with driven(Driver(client, client.begin_session(""))) as driver:
        await driver.ready()
        for number in range(4):  # all but the first one are queued
            driver.submit(f"prompt {number}")
        await driver.until((project / "made 3").exists)
        await driver.idle(4)
    texts = [
        message["params"]["prompt"][0]["text"]
        for message in script.received()
        if message.get("method") == "session/prompt"
    ]
    assert texts == [f"prompt {number}" for number in range(4)]
    assert not [path for path in place_of(str(project)).rglob(".*") if path.is_file()]
