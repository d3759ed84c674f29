"""Version 2: the offer and its refusals, turns by state, the prompt that comes back, work beside it."""

from pathlib import Path

import pytest

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.protocol.capabilities import Offer
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from acp_tui.protocol.vocabulary.tool_calls import TerminalReference
from acp_tui.session.changes import PromptReturned
from acp_tui.session.export import to_markdown
from acp_tui.session.tools.running_work import background_work, separate_work
from tests.agents.scripted import Script, write_script
from tests.integration.driver import Driver, driven, start_of

pytestmark = pytest.mark.anyio

PROLOGUE = """
INFO = {"name": "scripted", "title": "Scripted", "version": "2"}
SESSION = {"prompt": {}, "mcp": {}}

def begin(**members):
    agent.initialize({"protocolVersion": 2, "info": INFO, "capabilities": {"session": SESSION}, "authMethods": []})
    agent.new_session(**members)

def state(name, **members):
    agent.update({"sessionUpdate": "state_update", "state": name, **members})

def take(message_id):
    prompt = agent.expect("session/prompt")
    agent.answer(prompt, {"messageId": message_id})
    agent.update({"sessionUpdate": "user_message", "messageId": message_id, "content": prompt["params"]["prompt"]})
    state("running")

def say(text, message_id):
    content = {"type": "text", "text": text}
    agent.update({"sessionUpdate": "agent_message_chunk", "messageId": message_id, "content": content})
"""


def script_of(folder: Path, body: str) -> Script:
    lines = [line.removeprefix(" " * 8) for line in body.splitlines()]
    return write_script(folder, PROLOGUE + "\n".join(lines))


def driver_of(script: Script, folder: Path, offer: Offer = "2", *, attended: bool = False) -> Driver:
    command = AgentCommand(tuple(script.argv), protocol=offer)
    return Driver(Client(LaunchPlan(command, folder), attended=attended, start=start_of(script)))


async def test_a_turn_ends_by_its_state_and_the_prompt_is_shown_once(tmp_path: Path) -> None:
    script = script_of(
        tmp_path,
        """
        begin(availableCommands=[{"type": "command", "name": "go", "description": "Goes"}])
        for number in (1, 2):
            take(f"u{number}")
            say("Hello, ", f"m{number}")
            say("world", f"m{number}")
            state("idle", stopReason="end_turn")
            state("idle", stopReason="end_turn")
        agent.serve()
        """,
    )
    async with driven(driver_of(script.as_process, tmp_path)) as driver:
        await driver.ready()
        assert driver.client.connection.spoken == "ACP 2"
        assert [command.name for command in driver.session.commands] == ["go"]
        driver.submit("one")
        driver.submit("two")
        await driver.idle(turns=2)
        await driver.until(lambda: len(driver.said()) == 2 and not driver.session.turn.active)
        assert (driver.said("user"), driver.said()) == (["one", "two"], ["Hello, world"] * 2)
        assert driver.notices() == []
    (sent,) = script.received("initialize")
    assert {"info", "capabilities", "clientInfo", "clientCapabilities"} <= sent["params"].keys()


async def test_an_answer_of_version_1_is_spoken(tmp_path: Path) -> None:
    script = script_of(tmp_path, 'agent.initialize()\nagent.new_session()\nagent.turn("one")\nagent.serve()')
    async with driven(driver_of(script, tmp_path)) as driver:
        driver.submit("hi")
        await driver.idle()
        assert (driver.client.connection.spoken, driver.said()) == ("ACP 1", ["one"])


REFUSING = """
        request = agent.expect("initialize")
        if request["params"]["protocolVersion"] == 2:
            agent.fail(request, CODE, "only 1", {"requested": 2, "supported": [1]})
            agent.serve()
        agent.answer(request, {"protocolVersion": 1, "agentInfo": INFO})
        agent.new_session()
        agent.turn("older")
        agent.serve()
"""


@pytest.mark.parametrize("code", [-32022, -32600, -32602])
@pytest.mark.parametrize("attended", [True, False])
async def test_an_agent_that_minds_the_offer_is_started_again_with_the_older_one(
    tmp_path: Path, code: int, *, attended: bool
) -> None:
    script = script_of(tmp_path, REFUSING.replace("CODE", str(code)))
    async with driven(driver_of(script, tmp_path, "auto", attended=attended)) as driver:
        driver.submit("hi")
        await driver.idle()
        assert driver.said() == ["older"]
        assert (driver.client.connection.spoken, driver.client.connection.starts) == ("ACP 1", 2)
        assert driver.notices() == []
    assert [each["params"]["protocolVersion"] for each in script.received("initialize")] == [2, 1]


async def test_where_only_the_newer_version_is_wanted_its_refusal_is_told(tmp_path: Path) -> None:
    script = script_of(tmp_path, REFUSING.replace("CODE", "-32022"))
    async with driven(driver_of(script, tmp_path)) as driver:
        await driver.closed()
        assert "only 1 (code -32022)" in driver.fault()
        assert "--protocol auto" in driver.fault()


async def test_an_agent_that_speaks_only_the_newer_version_is_told_of(tmp_path: Path) -> None:
    script = script_of(tmp_path, 'agent.fail(agent.expect("initialize"), -32022, "only 2")\nagent.serve()')
    async with driven(driver_of(script, tmp_path, "1")) as driver:
        await driver.closed()
        assert "--protocol auto" in driver.fault()


async def test_other_errors_are_no_reason_to_try_again(tmp_path: Path) -> None:
    script = script_of(tmp_path, REFUSING.replace("CODE", "-32603"))
    async with driven(driver_of(script, tmp_path, "auto")) as driver:
        await driver.closed()
        assert "only 1" in driver.fault()
        assert len(script.received("initialize")) == 1


async def test_a_prompt_that_was_never_inserted_comes_back(tmp_path: Path) -> None:
    script = script_of(
        tmp_path,
        """
        begin()
        prompt = agent.expect("session/prompt")
        agent.expect("session/cancel")
        agent.fail(prompt, -32800, "cancelled")
        agent.serve()
        """,
    )
    async with driven(driver_of(script, tmp_path)) as driver:
        await driver.ready()
        driver.submit("never mind")
        driver.client.of(driver.session).cancel()
        await driver.until(lambda: not driver.session.turn.active)
        assert [each.text for each in driver.changes if isinstance(each, PromptReturned)] == ["never mind"]
        assert driver.said("user") == []


async def test_background_work_is_listed_while_idle_and_cancelled_by_itself(tmp_path: Path) -> None:
    script = script_of(
        tmp_path,
        """
        begin()
        take("u")
        cancel = {"cancel": {}}
        call = {"sessionUpdate": "tool_call_update", "toolCallId": "c"}
        agent.update({**call, "title": "Index", "status": "in_progress", "capabilities": cancel})
        agent.update({"sessionUpdate": "terminal_update", "terminalId": "t", "command": "make", "capabilities": cancel})
        both = [{"type": "tool_call", "toolCallId": "c"}, {"type": "terminal", "terminalId": "t"}]
        state("idle", stopReason="end_turn", background=both)
        agent.answer(agent.expect("tool_call/cancel"), {})
        agent.update({**call, "status": "cancelled", "capabilities": None})
        state("idle", background=both[1:])
        agent.fail(agent.expect("terminal/cancel"), -32602, "too late")
        agent.update({"sessionUpdate": "terminal_update", "terminalId": "t", "exitStatus": {"exitCode": 0}})
        state("idle", background=[])
        agent.serve()
        """,
    )
    async with driven(driver_of(script, tmp_path)) as driver:
        driver.submit("go")
        await driver.until(lambda: len(background_work(driver.session)) == 2 and not driver.session.turn.active)
        (call,) = driver.tool_calls()
        assert not call.sealed
        driver.client.of(driver.session).cancel_work(separate_work(driver.session)[0])
        await driver.until(lambda: call.status == "cancelled" and len(background_work(driver.session)) == 1)
        assert call.sealed
        driver.client.of(driver.session).cancel_work(separate_work(driver.session)[0])
        await driver.until(lambda: not background_work(driver.session))
        assert "Could not cancel: make|too late" in driver.noticed()
    assert [each["params"]["toolCallId"] for each in script.received("tool_call/cancel")] == ["c"]


async def test_a_state_that_is_told_before_the_session_is_opened_stays(tmp_path: Path) -> None:
    script = script_of(
        tmp_path,
        """
        agent.initialize({"protocolVersion": 2, "info": INFO, "capabilities": {"session": SESSION}})
        if agent.life == 1:
            agent.new_session()
            agent.exit(3)
        request = agent.expect("session/resume")
        state("running")
        agent.answer(request, {})
        agent.expect("session/cancel")
        state("idle", stopReason="cancelled")
        agent.serve()
        """,
    )
    async with driven(driver_of(script, tmp_path, attended=True)) as driver:
        await driver.gone()
        driver.client.restart()
        await driver.ready()
        assert driver.session.turn.active
        driver.client.of(driver.session).cancel()
        await driver.until(lambda: not driver.session.turn.active)


async def test_logging_in_by_the_name_that_the_agent_knows(tmp_path: Path) -> None:
    script = script_of(
        tmp_path,
        """
        methods = [{"type": "agent", "methodId": "web", "name": "Web"}]
        agent.initialize({"protocolVersion": 2, "info": INFO, "capabilities": {}, "authMethods": methods})
        agent.fail(agent.expect("session/new"), -32000, "log in first")
        agent.fail(agent.expect("auth/login"), -32601, "no such method")
        agent.answer(agent.expect("authenticate"), {})
        agent.new_session()
        agent.serve()
        """,
    )
    async with driven(driver_of(script, tmp_path, attended=True)) as driver:
        await driver.until(lambda: driver.client.connection.login)
        driver.client.logins.log_in("web")
        await driver.ready()
        assert driver.client.connection.login is None
    assert script.received("authenticate")[0]["params"] == {"methodId": "web"}


async def test_a_draft_s_sessions_are_told_again_by_load(tmp_path: Path) -> None:
    script = script_of(
        tmp_path,
        """
        drafts = {"load": {}, "list": {}}
        agent.initialize({"protocolVersion": 2, "agentInfo": INFO, "capabilities": {"session": drafts}})
        request = agent.expect("session/load")
        for kind, message_id, text in (("user_message", "u", "hi"), ("agent_message", "a", "ho")):
            content = [{"type": "text", "text": text}]
            agent.update({"sessionUpdate": kind, "messageId": message_id, "content": content}, "old")
        agent.answer(request, None)
        prompt = agent.expect("session/prompt")
        content = {"type": "text", "text": "again"}
        agent.update({"sessionUpdate": "agent_message_chunk", "messageId": "b", "content": content}, "old")
        agent.answer(prompt, {"stopReason": "end_turn"})
        agent.serve()
        """,
    )
    client = Client(LaunchPlan(AgentCommand(tuple(script.argv), protocol="2"), tmp_path), start=start_of(script))
    driver = Driver(client, client.load_session(SessionInfo(session_id="old", cwd=str(tmp_path))))
    async with driven(driver):
        await driver.ready()
        assert (driver.said("user"), driver.said(), driver.session.turn.active) == (["hi"], ["ho"], False)
        driver.submit("more")
        await driver.idle(turns=2)
        assert driver.said() == ["ho", "again"]


async def test_a_draft_that_only_resumes_is_asked_for_no_history_and_that_is_said(tmp_path: Path) -> None:
    script = script_of(
        tmp_path,
        """
        drafts = {"resume": {}}
        agent.initialize({"protocolVersion": 2, "agentInfo": INFO, "capabilities": {"session": drafts}})
        agent.answer(agent.expect("session/resume"), {})
        agent.serve()
        """,
    )
    client = Client(LaunchPlan(AgentCommand(tuple(script.argv), protocol="2"), tmp_path), start=start_of(script))
    driver = Driver(client, client.load_session(SessionInfo(session_id="old", cwd=str(tmp_path))))
    async with driven(driver):
        await driver.ready()
        assert "Earlier messages are not shown" in driver.noticed()
    (request,) = script.received("session/resume")
    assert "replayFrom" not in request["params"]


@pytest.mark.parametrize("tells", [False, True])
async def test_an_agent_that_died_comes_back_with_its_session_and_shows_nothing_twice(
    tmp_path: Path, *, tells: bool
) -> None:
    script = script_of(
        tmp_path,
        f"""
        agent.initialize({{"protocolVersion": 2, "info": INFO, "capabilities": {{"session": SESSION}}}})
        content = lambda text: [{{"type": "text", "text": text}}]
        call = {{"sessionUpdate": "tool_call_update", "toolCallId": "c", "title": "T"}}
        if agent.life == 1:
            agent.new_session()
            take("u")
            say("half a sen", "a")
            agent.update({{**call, "status": "in_progress"}})
            agent.stderr("about to go\\n")
            agent.kill_self()
        request = agent.expect("session/resume")
        assert "replayFrom" not in request["params"], request
        if {tells}:
            agent.fail(request, -32603, "not without telling it again")
            request = agent.expect("session/resume")
            assert request["params"]["replayFrom"] == {{"type": "start"}}, request
            agent.update({{"sessionUpdate": "user_message", "messageId": "u", "content": content("go")}})
            agent.update({{"sessionUpdate": "agent_message", "messageId": "a", "content": content("half a sentence")}})
            agent.update({{**call, "status": "completed"}})
        state("idle")
        agent.answer(request, {{"availableCommands": [{{"type": "command", "name": "go", "description": "Goes"}}]}})
        take("u2")
        say("whole again", "a2")
        state("idle", stopReason="end_turn")
        agent.serve()
        """,
    )
    async with driven(driver_of(script, tmp_path, attended=True)) as driver:
        driver.submit("go")
        await driver.gone()
        assert not driver.session.turn.active
        assert "about to go" in driver.noticed()
        assert [call.sealed for call in driver.tool_calls()] == [True]
        driver.submit("queued")
        driver.client.restart()
        await driver.until(lambda: "whole again" in driver.said() and not driver.session.turn.active)
        assert (driver.said("user"), driver.said()) == (["go", "queued"], ["half a sen", "whole again"])
        assert len(driver.tool_calls()) == 1
        assert [command.name for command in driver.session.commands] == ["go"]
        assert "Agent restarted" not in driver.noticed()
        assert (driver.client.connection.spoken, driver.client.connection.starts) == ("ACP 2", 2)
    assert len(script.received("session/new")) == 1


async def test_a_terminal_of_a_forgotten_session_is_not_that_of_the_same_id_after_it(tmp_path: Path) -> None:
    script = script_of(
        tmp_path,
        """
        import base64

        if agent.life == 1:
            begin()
        else:
            agent.initialize({"protocolVersion": 2, "info": INFO, "capabilities": {"session": SESSION}})
            agent.fail(agent.expect("session/resume"), -32002, "never heard of it")
            agent.fail(agent.expect("session/resume"), -32002, "never heard of it")
            agent.new_session("session-2")
        take(f"u{agent.life}")
        shown = [{"type": "terminal", "terminalId": "term-1"}]
        call = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "title": "T", "kind": "execute"}
        agent.update({**call, "status": "in_progress", "content": shown})
        data = base64.b64encode(f"from life {agent.life}".encode()).decode()
        agent.update({"sessionUpdate": "terminal_output_chunk", "terminalId": "term-1", "data": data})
        if agent.life == 1:
            agent.kill_self()
        state("idle", stopReason="end_turn")
        agent.serve()
        """,
    )
    async with driven(driver_of(script, tmp_path, attended=True)) as driver:
        driver.submit("go")
        await driver.gone()
        driver.submit("again")
        driver.client.restart()
        await driver.until(lambda: len(driver.tool_calls()) == 2 and not driver.session.turn.active)
        items = [item for call in driver.tool_calls() for item in call.content]
        shown = [driver.session.terminals[item.terminal_id] for item in items if isinstance(item, TerminalReference)]
        assert [b"".join(terminal.chunks) for terminal in shown] == [b"from life 1", b"from life 2"]
        assert shown[1].id == "term-1"
        assert to_markdown(driver.session).count("from life 1") == 1


async def test_after_a_log_out_the_next_question_is_no_failure_of_the_log_in_before(tmp_path: Path) -> None:
    script = script_of(
        tmp_path,
        """
        methods = [{"type": "agent", "methodId": "web", "name": "Web"}]
        agent.initialize({"protocolVersion": 2, "info": INFO, "capabilities": {}, "authMethods": methods})
        agent.fail(agent.expect("session/new"), -32000, "log in first")
        agent.answer(agent.expect("auth/login"), {})
        agent.new_session()
        agent.fail(agent.expect("auth/logout"), -32601, "no such method")
        agent.answer(agent.expect("logout"), {})
        agent.fail(agent.expect("session/prompt"), -32000, "log in again")
        agent.serve()
        """,
    )
    async with driven(driver_of(script, tmp_path, attended=True)) as driver:
        connection = driver.client.connection
        await driver.until(lambda: connection.login)
        driver.client.logins.log_in("web")
        await driver.ready()
        driver.client.logins.log_out()
        await driver.until(lambda: "Logged out" in driver.noticed())
        driver.submit("hello")
        await driver.until(lambda: connection.login)
        assert connection.login is not None
        assert (connection.login.reason, connection.login.failed) == ("log in again", "")
