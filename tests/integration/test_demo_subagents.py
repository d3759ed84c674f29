"""The demo's subagents through real pipes, in both versions: played, answered, cancelled, recorded, read again."""

from pathlib import Path
from typing import Literal

import pytest

from acp_tui.demo import project
from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.records.records import Records
from acp_tui.session.export import to_json, to_markdown
from acp_tui.session.folds.subagents import SessionMessageEntry
from acp_tui.session.state import Session
from acp_tui.session.tools.running_work import shown_in, works
from tests.agents import demo_version2
from tests.integration.driver import Driver, driven

pytestmark = pytest.mark.anyio

CHILDREN = ["demo-1-1", "demo-1-2", "demo-1-3", "demo-1-1-1", "demo-1-4"]
INDEX = "demo-1-4"
AGENTS = {"1": project.COMMAND, "2": demo_version2.ARGV}


def states(session: Session) -> dict[str, str | None]:
    return {name: child.entry.stop_reason for name, child in session.family.items()}


@pytest.mark.parametrize("version", ["1", "2"])
async def test_the_demo_shows_all_that_subagents_can_do(tmp_path: Path, version: Literal["1", "2"]) -> None:
    project.create(tmp_path)
    records = Records(tmp_path / "records")
    command = AgentCommand(("env", "ACP_TUI_DEMO_PACE=0.003", *AGENTS[version]), protocol=version)
    driver = Driver(Client(LaunchPlan(command, tmp_path)))
    session, client = driver.session, driver.client
    records.record(session)
    async with driven(driver):
        driver.submit("/subagents")
        await driver.asked()
        [asked] = session.permissions
        assert asked.request.session_id == "demo-1-3"
        client.of(session).questions.answer_permission(asked.key, "allow")
        await driver.idle()
        assert sorted(session.family) == sorted(CHILDREN)
        assert works(session.family[INDEX].entry), "it goes on when the turn has ended"
        client.of(session).cancel_child(INDEX)
        await driver.until(lambda: not works(session.family[INDEX].entry))
        assert states(session) == {name: "cancelled" if name == INDEX else "end_turn" for name in session.family}
    shown = [shown_in(call, session) for call in session.index.tool_calls.values()]
    assert shown == [["demo-1-1"], ["demo-1-2"]]
    told = [entry for entry in session.entries if isinstance(entry, SessionMessageEntry)]
    assert [(entry.sender, entry.recipient) for entry in told] == [("demo-1", "demo-1-1"), ("demo-1-1", "demo-1")]
    assert session.subagents["demo-1-2"].terminals, "the command of a subagent ran in its session"
    records.close()
    [info] = records.list()
    again = records.load(info.path)
    assert again.family.keys() == session.family.keys()
    assert [hit.subagent for hit in records.search(["looks at the moment"]).hits] == ["Review the tests"]
    before, after = to_json(session)["subagents"], to_json(again)["subagents"]
    for name in CHILDREN:
        assert [entry.get("parts") for entry in after[name]["entries"]] == [
            entry.get("parts") for entry in before[name]["entries"]
        ]
    assert to_markdown(again).count("# Subagent ") == to_markdown(session).count("# Subagent ") >= len(CHILDREN)
