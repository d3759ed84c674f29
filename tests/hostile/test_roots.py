"""Agents that list sessions in folders of their own choice: no file outside of what the user gave is read."""

import json
from pathlib import Path

import pytest

from acp_tui.protocol.vocabulary.initialization import SessionInfo
from tests.agents.scripted import write_script
from tests.integration.driver import Driver, connected
from tests.pilot.test_real_agent import before

pytestmark = pytest.mark.anyio

SCRIPT = """
can = {{"loadSession": True, "sessionCapabilities": {{"list": {{}}, "fork": {{}}, "additionalDirectories": {{}}}}}}
agent.initialize({{"protocolVersion": 1, "agentCapabilities": can, "authMethods": []}})
listed = {{"sessionId": "old", "title": "Fix the login", **{folders!r}}}
while True:
    message = agent.receive()
    if message.get("method") == "session/list":
        agent.answer(message, {{"sessions": [listed]}})
    elif message.get("method", "").startswith("session/"):
        agent.answer(message, {{"sessionId": "old"}})
        asked = agent.ask("fs/read_text_file", {{"sessionId": "old", "path": {path!r}}})
"""


def secret_beside(folder: Path) -> tuple[Path, Path]:
    project, outside = folder / "project", folder / "outside"
    project.mkdir()
    outside.mkdir()
    secret = outside / "secret.txt"
    secret.write_text("the secret")
    return project, secret


@pytest.mark.parametrize("act", ["load", "fork"])
@pytest.mark.parametrize("named", ["cwd", "additionalDirectories"])
async def test_a_listed_session_has_no_folders_that_only_the_agent_named(tmp_path: Path, act: str, named: str) -> None:
    project, secret = secret_beside(tmp_path)
    more = {named: str(secret.parent)} if named == "cwd" else {"cwd": str(project), named: [str(secret.parent)]}
    script = write_script(tmp_path, SCRIPT.format(folders=more, path=str(secret)))
    async with connected(script, project) as driver:
        await driver.ready()
        info = SessionInfo.model_validate({"sessionId": "old", **more})
        driver.client.close_session(driver.session)
        client = driver.client
        opened = Driver(client, client.load_session(info) if act == "load" else client.fork_known(info))
        await opened.until(lambda: any("error" in answer for answer in script.received(None)))
    answers = [message for message in script.received() if "method" not in message]
    assert "the secret" not in json.dumps(answers)
    assert [message["params"]["cwd"] for message in script.received(f"session/{act}")] == [str(project)]


@pytest.mark.parametrize("keys", [["enter", "enter"], ["enter", "enter", "enter", "enter"], ["enter", "escape"]])
async def test_who_presses_enter_on_what_the_agent_lists_gives_it_nothing(tmp_path: Path, keys: list[str]) -> None:
    project, secret = secret_beside(tmp_path)
    script = write_script(tmp_path, SCRIPT.format(folders={"cwd": str(secret.parent)}, path=str(secret)))
    async with before(script, project) as someone:
        await someone.wait_until(lambda: someone.client.connection.phase == "ready", "the agent")
        await someone.press("ctrl+s")
        await someone.wait_for("outside this project")
        await someone.press(*keys)
        await someone.press("escape")
        assert script.received("session/load") == []
    answers = [message for message in script.received() if "method" not in message]
    assert "the secret" not in json.dumps(answers)
