"""A system prompt, in both versions: sent, sent again, refused, left out, and what is said of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_tui import cli
from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.config.config import PROJECT_FILE
from acp_tui.host.records.records import Records
from acp_tui.protocol.capabilities import Offer, SystemPrompt
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from tests.agents.scripted import Script, write_script
from tests.integration.driver import Driver, driven, start_of
from tests.integration.runs import run_script
from tests.own_config import write_own_config
from tests.unit.protocol.official import Official

pytestmark = pytest.mark.anyio

OFFERS: tuple[Offer, ...] = ("1", "2")
ADDED = SystemPrompt("", ("Say arr.",), ("--append-system-prompt",))
OWN = SystemPrompt("You are a pirate.", ("Say arr.",), ("--system-prompt", "--append-system-prompt"))
BOTH: dict[str, Any] = {"mode": {"override": {}}}
AGENT = """
version, takes, refuses, accepts = {version}, {takes!r}, {refuses!r}, {accepts!r}
session = {{"resume": {{}}, "fork": {{}}, "list": {{}}, **({{}} if takes is None else {{"systemPrompt": takes}})}}
info = {{"name": "scripted", "title": "Scripted", "version": "1"}}
one = {{"protocolVersion": 1, "agentInfo": info,
        "agentCapabilities": {{"loadSession": {loads}, "sessionCapabilities": session}}}}
two = {{"protocolVersion": 2, "info": info, "capabilities": {{"session": {{"prompt": {{}}, **session}}}}}}
agent.initialize(one if version == 1 else two)
opened = agent.life * 10
while True:
    message = agent.receive()
    method, params = message["method"], message["params"]
    if refuses in params and method != accepts:
        agent.fail(message, -32602, "no such thing here")
    elif method in ("session/new", "session/fork"):
        opened += 1
        agent.session_id = f"session-{{opened}}"
        agent.answer(message, {{"sessionId": agent.session_id}})
    elif method in ("session/load", "session/resume"):
        agent.session_id = params["sessionId"]
        agent.answer(message, {{}})
    elif method == "session/prompt" and version == 1:
        agent.say("aye")
        agent.end_turn(message)
    elif method == "session/prompt":
        agent.answer(message, {{"messageId": "u"}})
        agent.update({{"sessionUpdate": "user_message", "messageId": "u", "content": params["prompt"]}})
        agent.update({{"sessionUpdate": "state_update", "state": "running"}})
        said = [{{"type": "text", "text": "aye"}}]
        agent.update({{"sessionUpdate": "agent_message", "messageId": "m", "content": said}})
        agent.update({{"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}})
    elif "id" in message:
        agent.answer(message, {{"sessions": [{{"sessionId": "session-11", "cwd": params.get("cwd", "/")}}]}})
"""
OFFICIAL = {"1": Official(1, "schema.unstable.json"), "2": Official(2, "schema.unstable.json")}


def script(
    folder: Path, offer: Offer, takes: Any = BOTH, refuses: str = "", *, loads: bool = False, accepts: str = ""
) -> Script:
    """`refuses` is a member of the requests that it answers with an error, but not those of the method `accepts`."""
    said = AGENT.format(version=offer, takes=takes, refuses=refuses, loads=loads, accepts=accepts)
    return write_script(folder, said)


@asynccontextmanager
async def running(
    agent: Script, offer: Offer, prompt: SystemPrompt = ADDED, *, resume: str = "", user: bool = True
) -> AsyncIterator[Driver]:
    """A client as the screen and the run have one: what happens is recorded, in a folder beside the agent."""
    folder = agent.path.parent
    command = AgentCommand(tuple(agent.argv), protocol=offer)
    client = Client(LaunchPlan(command, folder, system_prompt=prompt), attended=user, start=start_of(agent))
    records = Records(folder / "records")
    client.record_with(records)
    async with driven(Driver(client, client.begin_session(resume))) as driver:
        yield driver
    records.close()


def sent(agent: Script, offer: Offer) -> list[tuple[str, Any]]:
    """The system prompts of all requests that opened a session, which are valid by the schema."""
    official, found = OFFICIAL[offer], []
    named = {method: name for name, method in official.methods("agent") if not name.endswith("Response")}
    for message in agent.received():
        method = message.get("method", "")
        if method.rpartition("/")[2] in ("new", "load", "resume", "fork"):
            official.validator(named[method]).validate(message["params"])
            told = message["params"].get("systemPrompt")
            texts = told and (told["mode"], *(block["text"] for block in told["content"]))
            found.append((method.rpartition("/")[2], texts))
    return found


async def talked(driver: Driver) -> None:
    driver.submit("ahoy")
    await driver.until(lambda: driver.said() == ["aye"] and not driver.session.turn.active)


@pytest.mark.parametrize("offer", OFFERS)
@pytest.mark.parametrize(
    ("takes", "prompt", "told", "said"),
    [
        (BOTH, OWN, ("override", "You are a pirate.", "Say arr."), ""),
        ({}, ADDED, ("append", "Say arr."), ""),
        ({}, OWN, ("append", "Say arr."), "does not support replacing its system prompt|Not sent: --system-prompt|"),
        (None, ADDED, None, "does not support a system prompt|Not sent: --append-system-prompt|"),
        ({"mode": 7}, SystemPrompt("Own.", (), ("--system-prompt",)), None, "does not support replacing"),
        (BOTH, SystemPrompt(), None, ""),
    ],
)
async def test_a_session_is_opened_with_what_the_agent_takes(
    tmp_path: Path, offer: Offer, takes: Any, prompt: SystemPrompt, told: Any, said: str
) -> None:
    agent = script(tmp_path, offer, takes)
    async with running(agent, offer, prompt) as driver:
        await driver.ready()
        assert said in driver.noticed()
        assert bool(said) is bool(driver.notices())
    assert sent(agent, offer) == [("new", told)]


@pytest.mark.parametrize("offer", OFFERS)
@pytest.mark.parametrize("loads", [False, True])
async def test_it_goes_again_after_a_restart_and_with_a_fork(tmp_path: Path, offer: Offer, *, loads: bool) -> None:
    agent = script(tmp_path, offer, loads=loads)
    async with running(agent, offer) as driver:
        await talked(driver)
        driver.client.restart()
        await driver.until(lambda: len(sent(agent, offer)) == 2 and driver.client.connection.phase == "ready")
        fork = driver.client.fork_session(driver.session)
        await driver.until(lambda: fork.id)
        await driver.until(lambda: driver.client.system_prompt(fork).texts == ("Say arr.",))
    told = ("append", "Say arr.")
    assert sent(agent, offer) == [("new", told), ("resume", told), ("fork", told)]


@pytest.mark.parametrize("offer", OFFERS)
@pytest.mark.parametrize("way", ["load", "resume", "fork"])
async def test_another_run_sends_what_the_session_had_and_not_what_is_configured_now(
    tmp_path: Path, offer: Offer, way: str
) -> None:
    agent = script(tmp_path, offer, loads=way == "load" and offer == "1")
    async with running(agent, offer) as driver:
        await talked(driver)
        known = SessionInfo(session_id=driver.session.id, cwd=str(tmp_path))
    now = SystemPrompt("", ("Configured since.",), ("append_system_prompt",))
    async with running(agent, offer, now) as driver:
        await driver.ready()
        second = driver.client
        session = second.fork_known(known) if way == "fork" else second.load_session(known)
        await driver.until(lambda: session.config_options is not None and len(sent(agent, offer)) == 3)
        assert second.system_prompt(session).texts == ("Say arr.",)
    assert [texts for _, texts in sent(agent, offer)] == [
        ("append", "Say arr."),
        ("append", "Configured since."),
        ("append", "Say arr."),
    ]
    assert sent(agent, offer)[2][0] == (way if offer == "1" or way == "fork" else "resume")


async def test_a_session_that_is_continued_keeps_it_through_runs_unless_another_one_is_given(tmp_path: Path) -> None:
    agent = script(tmp_path, "1", loads=True)
    for given, expected in (
        (ADDED, "Say arr."),
        (SystemPrompt(), "Say arr."),
        (SystemPrompt("", ("Say yarr.",), ("--append-system-prompt",), given=True), "Say yarr."),
        (SystemPrompt("", ("From the config.",), ("append_system_prompt",)), "Say yarr."),
        (SystemPrompt(given=True), None),
        (ADDED, None),
    ):
        async with running(agent, "1", given, resume="session-11" if sent(agent, "1") else "") as driver:
            await talked(driver)
        _, texts = sent(agent, "1")[-1]
        assert texts == (expected and ("append", expected)), given


async def test_a_session_without_a_record_gets_what_is_configured(tmp_path: Path) -> None:
    agent = script(tmp_path, "1", loads=True)
    async with running(agent, "1", resume="unheard of") as driver:
        await driver.ready()
    assert sent(agent, "1") == [("load", ("append", "Say arr."))]


@pytest.mark.parametrize("offer", OFFERS)
async def test_a_session_that_is_not_opened_with_it_is_opened_without(tmp_path: Path, offer: Offer) -> None:
    agent = script(tmp_path, offer, refuses="systemPrompt")
    async with running(agent, offer) as driver:
        client = driver.client
        driver.submit("ahoy")
        await driver.until(lambda: driver.session.closed)
        assert client.connection.phase == "ready"
        assert "The agent did not open the session with your system prompt|no such thing here" in driver.noticed()
        assert "Press Enter to open the session without the system prompt." in driver.noticed()
        assert client.open_without_prompt(driver.session)
        assert not client.open_without_prompt(driver.session)
        await driver.until(lambda: driver.said() == ["aye"] and not driver.session.turn.active)
        assert not driver.session.closed
        client.restart()
        await driver.until(lambda: len(sent(agent, offer)) == 3)
        await driver.until(lambda: client.connection.phase == "ready")
    assert [texts for _, texts in sent(agent, offer)] == [("append", "Say arr."), None, None]
    async with running(agent, offer, resume="session-11") as driver:
        await driver.ready()
    assert sent(agent, offer)[-1][1] is None  # it has been without since


@pytest.mark.parametrize("offer", OFFERS)
async def test_a_session_that_is_not_brought_back_with_it_is_not_lost_for_a_new_one(
    tmp_path: Path, offer: Offer
) -> None:
    agent = script(tmp_path, offer, refuses="systemPrompt", loads=True, accepts="session/new")
    async with running(agent, offer) as driver:
        client, session = driver.client, driver.session
        await talked(driver)
        client.restart()
        await driver.until(lambda: session.closed and "Press Enter" in driver.noticed())
        assert client.open_without_prompt(session)
        await driver.until(lambda: not session.closed)
        assert session.id == "session-11"
        assert "Agent restarted" not in driver.noticed()
    ways = [way for way, _ in sent(agent, offer)]
    assert ways == ["new", *(["resume", "load"] if offer == "1" else ["resume"]), "resume"]
    assert sent(agent, offer)[-1] == ("resume", None)


async def test_one_of_several_sessions_can_be_refused(tmp_path: Path) -> None:
    agent = script(tmp_path, "1", refuses="systemPrompt")
    async with running(agent.as_process, "1", replace(ADDED, given=True)) as driver:
        client = driver.client
        await driver.until(lambda: driver.session.closed)
        assert client.open_without_prompt(driver.session)
        await driver.until(lambda: not driver.session.closed)
        other = Driver(client)
        await other.until(lambda: other.session.closed)
        assert not driver.session.closed
        assert "Press Enter" in other.noticed()


async def test_where_nobody_is_asked_the_option_to_leave_out_is_named(tmp_path: Path) -> None:
    agent = script(tmp_path, "1", refuses="systemPrompt")
    async with running(agent, "1", OWN, user=False) as driver:
        await driver.closed()
        assert "The agent did not open the session with your system prompt" in driver.fault()
        assert "Leave out --system-prompt, --append-system-prompt, or add --no-system-prompt." in driver.fault()


async def test_another_refusal_is_told_as_it_is(tmp_path: Path) -> None:
    agent = script(tmp_path, "1", refuses="cwd")
    async with running(agent, "1", SystemPrompt(), user=False) as driver:
        await driver.closed()
        assert "system prompt" not in driver.fault()
        assert "no such thing here" in driver.fault()


def test_the_run_has_it_from_the_command_line_and_keeps_it(tmp_path: Path) -> None:
    agent = script(tmp_path, "1", loads=True)
    (tmp_path / "rules.md").write_text("Be kind.")
    ended = run_script(agent, "--append-system-prompt-file", "rules.md", "--system-prompt", "Own.")
    assert (ended.code, ended.out) == (0, "aye\n"), ended.err
    ended = run_script(agent, "--continue")
    assert (ended.code, ended.out) == (0, "aye\n"), ended.err
    told = ("override", "Own.", "Be kind.")
    assert sent(agent, "1") == [("new", told), ("load", told)]


def test_the_run_says_what_to_leave_out(tmp_path: Path) -> None:
    agent = script(tmp_path, "1", refuses="systemPrompt")
    ended = run_script(agent, "--append-system-prompt", "X")
    assert (ended.code, ended.out) == (1, "")
    assert "Leave out --append-system-prompt, or add --no-system-prompt." in ended.err


def test_what_cannot_be_used_is_told_before_anything_starts(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "--append-system-prompt-file", "missing", "hi", "--", "no-such-agent"]) == cli.USAGE
    assert "--append-system-prompt-file: missing: No such file" in capsys.readouterr().err
    assert cli.main(["run", "--append-system-prompt", "x", "--no-system-prompt", "hi", "--", "none"]) == cli.USAGE
    assert "--no-system-prompt cannot be combined with --append-system-prompt" in capsys.readouterr().err


def test_the_run_takes_the_users_text_for_the_folder_and_none_of_the_project_s(tmp_path: Path) -> None:
    agent = script(tmp_path, "1")
    (tmp_path / PROJECT_FILE).write_text("append_system_prompt = 'The project says.'")
    ended = run_script(agent, "--trust-project")
    assert (ended.code, ended.out) == (0, "aye\n"), ended.err
    assert "no longer used in a project's file: append_system_prompt" in ended.err
    write_own_config(f"[folders.'{tmp_path}']\nappend_system_prompt = 'The user says.'")
    ended = run_script(agent)
    assert (ended.code, ended.out) == (0, "aye\n"), ended.err
    assert sent(agent, "1") == [("new", None), ("new", ("append", "The user says."))]
