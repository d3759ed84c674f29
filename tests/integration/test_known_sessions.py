"""Renaming, the archive and the status of sessions (unstable), in both versions."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from tests.agents.scripted import Script, write_script
from tests.integration.driver import Driver, driven, start_of

pytestmark = pytest.mark.anyio

OFFER: dict[str, Any] = {"list": {}, "title": {}, "archive": {}, "status": {}}
GREETINGS: dict[int, dict[str, Any]] = {
    1: {"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": OFFER}},
    2: {"protocolVersion": 2, "info": {"name": "a", "version": "1"}, "capabilities": {"session": OFFER}},
}
LIST = """
request = agent.expect("session/list")
told = [{"sessionId": "session-1", "cwd": "/p", "title": "One"}, {"sessionId": "x", "cwd": "/p", "title": "Two"}]
agent.answer(request, {"sessions": told})
"""


def script(folder: Path, body: str, greeting: dict[str, Any]) -> Script:
    return write_script(folder, f"agent.initialize({greeting!r})\nagent.new_session()\n{body}\nagent.serve()\n")


def connected(agent: Script, folder: Path) -> AbstractAsyncContextManager[Driver]:
    command = AgentCommand(tuple(agent.argv), protocol="auto")
    return driven(Driver(Client(LaunchPlan(command, folder), start=start_of(agent))))


async def listed(driver: Driver, *, archived: bool = False) -> None:
    await driver.ready()
    known = driver.client.known_sessions
    known.list.subscribe(driver._on_connection)
    known.ask(archived=archived)
    await driver.until(lambda: known.list.entries and not known.list.loading)


def titles(driver: Driver) -> list[str | None]:
    return [info.title for info in driver.client.known_sessions.list.entries]


@pytest.mark.parametrize("version", [1, 2])
async def test_the_title_is_the_one_that_the_agent_kept(tmp_path: Path, version: int) -> None:
    body = LIST + 'agent.answer(agent.expect("session/set_title"), {"title": "Trimmed"})'
    agent = script(tmp_path, body, GREETINGS[version])
    async with connected(agent, tmp_path) as driver:
        await listed(driver)
        driver.client.known_sessions.title("session-1", "  Trimmed  ")
        assert driver.client.known_sessions.list.busy == {"session-1"}
        await driver.until(lambda: driver.session.title == "Trimmed")
        assert titles(driver) == ["Trimmed", "Two"]
        assert driver.client.known_sessions.list.busy == set()
    assert agent.received("session/set_title")[0]["params"] == {"sessionId": "session-1", "title": "  Trimmed  "}


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("agent.fail(request, -32602, 'too long')", "too long"),
        ("agent.answer(request, {'title': 5})", "SessionTitle"),
        ("agent.answer(request, None)", "SessionTitle"),
    ],
)
async def test_a_title_that_was_not_taken_is_said_and_changes_nothing(tmp_path: Path, reply: str, words: str) -> None:
    agent = script(tmp_path, LIST + f'request = agent.expect("session/set_title")\n{reply}', GREETINGS[1])
    async with connected(agent, tmp_path) as driver:
        await listed(driver)
        driver.client.known_sessions.title("session-1", "X")
        await driver.until(lambda: "not renamed" in driver.noticed())
        assert words in driver.noticed()
        assert words in driver.client.known_sessions.list.problem
        assert (titles(driver), driver.session.title) == (["One", "Two"], None)


@pytest.mark.parametrize("version", [1, 2])
async def test_a_session_goes_into_the_archive_and_comes_out(tmp_path: Path, version: int) -> None:
    body = f"""
{LIST}
agent.answer(agent.expect("session/archive"), {{}})
{LIST}
agent.fail(agent.expect("session/unarchive"), -32603, "stuck")
agent.answer(agent.expect("session/unarchive"), None)
"""
    agent = script(tmp_path, body, GREETINGS[version])
    async with connected(agent, tmp_path) as driver:
        known = driver.client.known_sessions
        await listed(driver)
        known.archive("x", archived=True)
        await driver.until(lambda: titles(driver) == ["One"])
        await listed(driver, archived=True)
        assert known.list.archived
        known.archive("x", archived=False)
        await driver.until(lambda: known.list.problem)
        assert "stuck" in known.list.problem
        known.archive("x", archived=False)
        await driver.until(lambda: titles(driver) == ["One"])
        assert known.list.problem == ""
    assert [one["params"].get("archived") for one in agent.received("session/list")] == [None, "only"]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ({"status": "open", "state": {"state": "running"}}, "working"),
        ({"status": "open", "state": {"state": "requires_action"}}, "needs an answer"),
        ({"status": "open", "state": 5}, "open"),
        ({"status": "open"}, "open"),
        ({"status": "saved"}, ""),
        ({"status": "_new"}, ""),
        ({}, ""),
    ],
)
async def test_what_a_session_is_doing_is_asked_once(tmp_path: Path, reply: dict[str, Any], words: str) -> None:
    agent = script(tmp_path, f'agent.answer(agent.expect("session/status"), {reply!r})\n{LIST}', GREETINGS[2])
    async with connected(agent, tmp_path) as driver:
        await driver.ready()
        known = driver.client.known_sessions
        known.look("x")
        known.look("x")
        await listed(driver)
        assert known.list.doing.get("x", "") == words
    assert len(agent.received("session/status")) == 1


async def test_nothing_is_sent_that_was_not_advertised(tmp_path: Path) -> None:
    agent = script(tmp_path, LIST, {"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"list": {}}}})
    async with connected(agent.as_process, tmp_path) as driver:
        known = driver.client.known_sessions
        known.title("session-1", "X")
        assert known.list.problem == "The agent is not connected."
        await listed(driver, archived=True)
        known.look("session-1")
        known.title("session-1", "X")
        assert known.list.problem == "The agent cannot rename sessions."
        known.archive("session-1", archived=True)
        assert known.list.problem == "The agent cannot archive sessions."
    methods = [message.get("method") for message in agent.received()]
    assert not {"session/set_title", "session/archive", "session/status"} & set(methods)
    assert [one["params"] for one in agent.received("session/list")] == [{}]


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("cwd", [None, "/p"])
async def test_a_session_without_a_folder_is_listed(tmp_path: Path, version: int, cwd: str | None) -> None:
    told = [{"sessionId": "a", "title": "One"}, {"sessionId": "b", "cwd": 5}]
    body = f'agent.answer(agent.expect("session/list"), {{"sessions": {told!r}}})'
    async with connected(script(tmp_path, body, GREETINGS[version]), tmp_path) as driver:
        await driver.ready()
        known = driver.client.known_sessions
        known.list.subscribe(driver._on_connection)
        known.ask(cwd)
        await driver.until(lambda: known.list.entries and not known.list.loading)
        assert [(info.session_id, info.cwd) for info in known.list.entries] == [("a", cwd or ""), ("b", cwd or "")]
        assert driver.client.load_session(known.list.entries[0]).cwd == str(tmp_path)
