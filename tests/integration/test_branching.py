"""A conversation that goes on from an earlier message: by a fork at the message, or by what there is instead."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.session.entries import MessageEntry
from acp_tui.session.facts import Branched
from tests.agents.scripted import Script, write_script
from tests.integration.driver import Begun, Driver, attended, driven, start_of

pytestmark = pytest.mark.anyio

# A parent in which three things were asked, each answered under an id of the agent's.
PARENT = {
    1: """
LOAD = "session/load"
def able(name="@agentclientprotocol/claude-agent-acp", version="0.100.0", embedded=True, **session):
    prompt = {"embeddedContext": embedded}
    can = {"loadSession": True, "promptCapabilities": prompt, "sessionCapabilities": session}
    return {"protocolVersion": 1, "agentInfo": {"name": name, "version": version}, "agentCapabilities": can}
def tell(role, text, session, id=None):
    chunk = {"sessionUpdate": role + "_message_chunk", "content": {"type": "text", "text": text}}
    agent.update(chunk | ({"messageId": id} if id else {}), session)
def turn(session, text, id):
    request = agent.expect("session/prompt")
    tell("agent", text, session, id)
    agent.answer(request, {"stopReason": "end_turn"})
""",
    2: """
LOAD = "session/resume"
def able(name="@agentclientprotocol/claude-agent-acp", version="0.100.0", embedded=True, **session):
    session.pop("close", None)  # which is the baseline
    can = {"session": {"prompt": {"embeddedContext": {} if embedded else None}, **session}}
    return {"protocolVersion": 2, "info": {"name": name, "version": version}, "capabilities": can}
def tell(role, text, session, id=None):
    chunk = {"sessionUpdate": role + "_message_chunk", "content": {"type": "text", "text": text}}
    agent.update(chunk | {"messageId": id or text}, session)
def turn(session, text, id):
    request = agent.expect("session/prompt")
    agent.update({"sessionUpdate": "state_update", "state": "running"}, session)
    agent.answer(request, {"messageId": "user-" + id})
    tell("agent", text, session, id)
    agent.update({"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}, session)
""",
}
TURNS = """
def retell(session, count=1):
    for number in range(1, count + 1):
        tell("user", ("first", "second", "third")[number - 1], session, f"u{number}")
        tell("agent", ("one", "two", "three")[number - 1], session, f"a{number}")
agent.new_session("root")
turn("root", "one", "a1")
turn("root", "two", "a2")
turn("root", "three", "a3")
"""


def parent(folder: Path, version: int, able: str, body: str) -> Script:
    return write_script(folder, f"{PARENT[version]}\nagent.initialize(able({able}))\n{TURNS}\n{body}\nagent.serve()\n")


@asynccontextmanager
async def connected(script: Script, version: int = 1) -> AsyncIterator[Driver]:
    command = AgentCommand(tuple(script.argv), protocol="2" if version == 2 else "1")
    async with driven(Driver(Client(LaunchPlan(command, script.path.parent), start=start_of(script)))) as driver:
        yield driver


async def asked(driver: Driver) -> list[MessageEntry]:
    """The user's messages once the three turns are over."""
    for number, text in enumerate(("first", "second", "third"), 1):
        driver.submit(text)
        await driver.idle(number)
    return [each for each in driver.session.entries if isinstance(each, MessageEntry) and each.role == "user"]


def branched(driver: Driver, message: MessageEntry | None, text: str = "instead") -> Driver:
    return Driver(driver.client, driver.client.branches.begin(driver.session, message, [TextContent(text=text)]))


def forked_at(script: Script) -> Any:
    [fork] = script.received("session/fork")
    return fork["params"]["sessionId"], fork["params"].get("_meta", {}).get("jetbrains", {}).get("air")


FORK = """
request = agent.expect("session/fork")
{before}
agent.answer(request, {answer})
{after}
"""
LOADED = """
request = agent.expect(LOAD)
retell("branch", {count})
agent.answer(request, {{}})
"""
OTHER = """
agent.new_session("second")
turn("second", "other", "b1")
"""


def fork(before: str = "", answer: str = '{"sessionId": "branch"}', after: str = "") -> str:
    return FORK.format(before=before, answer=answer, after=after)


@pytest.mark.parametrize("version", [1, 2])
async def test_an_agent_that_can_forks_after_the_answer_before_the_message(tmp_path: Path, version: int) -> None:
    forked = fork("retell('branch')") + "turn('branch', 'other', 'b1')\n"
    again = fork(after=LOADED.format(count=1)) + "turn('branch', 'other', 'b1')"
    script = parent(tmp_path, version, "fork={}", forked + again.replace("branch", "twig"))
    async with connected(script, version) as driver:
        messages = await asked(driver)
        plan = driver.client.branches.plan(driver.session, messages[1])
        assert (plan.way, plan.after) == ("at_message", "a1")
        for name in ("branch", "twig"):  # told again by the fork itself, and by a load
            branch = branched(driver, messages[1])
            assert (branch.said("user"), branch.said()) == (["first"], ["one"])  # at once
            await branch.idle(2)
            assert (branch.said("user"), branch.said()) == (["first", "instead"], ["one", "other"])
            assert driver.said() == ["one", "two", "three"]
            assert [notice.title for notice in branch.notices()] == ["Branched from here"]
            assert branch.session.id == name
            assert branch.session.branched == Branched("root", messages[1].id, 1, "second")
    forks = [each["params"] for each in script.received("session/fork")]
    at = {"jetbrains": {"air": {"fork": {"version": 1, "messageId": "a1"}}}}
    assert [(each["sessionId"], each["_meta"]) for each in forks] == [("root", at)] * 2
    assert script.received("session/prompt")[-1]["params"]["prompt"] == [{"type": "text", "text": "instead"}]


CHILD = "agent.update({'sessionUpdate': 'subagent_update', 'sessionId': 'child'}, 'root')"
NESTED = (("branch", 2), ("twig", 2), ("leaf", 3), ("bud", 1))  # each is one of that before it, from this prompt on
WRONG = (
    (fork("retell('branch', 3)"), "replayed 3 prompts instead of 1"),
    (fork(after=LOADED.format(count=3)), "replayed 3 prompts instead of 1"),
    (fork(answer="None"), "NewSessionResponse"),
    (fork(answer="{}"), "NewSessionResponse"),
    (fork(answer="{'sessionId': 5}"), "NewSessionResponse"),
    (fork(answer="{'sessionId': ''}"), "The ID of the fork is empty"),
    (fork(answer="{'sessionId': 'root'}"), "a session that is already open: 'root'"),
    (fork(CHILD, "{'sessionId': 'child'}"), "a session that is already open: 'child'"),
    ("agent.fail(agent.expect('session/fork'), -32602, 'unknown message')", "unknown message"),
)


@pytest.mark.parametrize("version", [1, 2])
async def test_what_was_said_goes_with_the_prompt_where_the_fork_is_wrong(tmp_path: Path, version: int) -> None:
    body = "".join(forked + OTHER.replace("second", f"new {number}") for number, (forked, _) in enumerate(WRONG))
    script = parent(tmp_path, version, "fork={}, close={}, delete={}", body)
    async with connected(script, version) as driver:
        message = (await asked(driver))[1]
        for number, (_, reason) in enumerate(WRONG):
            branch = branched(driver, message)
            await branch.idle(2)
            assert branch.session.id == f"new {number}"
            assert (branch.said("user"), branch.said()) == (["first", "instead"], ["one", "other"])
            [notice] = [notice for notice in branch.notices() if notice.title == "The agent could not fork here"]
            assert reason in notice.message
            assert (driver.said(), driver.noticed(), driver.session.id) == (["one", "two", "three"], "", "root")
            carried, _ = script.received("session/prompt")[-1]["params"]["prompt"]
            assert "one" in carried["resource"]["text"]
            assert "two" not in carried["resource"]["text"]
        await driver.until(lambda: len(script.received("session/close")) == 2)  # nobody needs the wrong forks


async def test_what_a_branch_began_with_is_forked_where_it_was_said(tmp_path: Path) -> None:
    body = ""
    for name, prompt in NESTED:
        body += fork(f"retell('{name}', {prompt})", f"{{'sessionId': '{name}'}}")
        body += f"turn('{name}', 'other', 'b-{name}')\nturn('{name}', 'more', 'c-{name}')\n"
    script = parent(tmp_path, 1, "fork={}", body)
    async with connected(script) as driver:
        await asked(driver)
        now = driver
        for _, prompt in NESTED:
            mine = [each for each in now.session.entries if isinstance(each, MessageEntry) and each.role == "user"]
            now = branched(now, mine[prompt])
            now.submit("more")
            await now.idle(prompt + 2)
        assert now.said() == ["one", "other", "more"]
    at = [each["params"] for each in script.received("session/fork")]
    points = [(each["sessionId"], each["_meta"]["jetbrains"]["air"]["fork"]["messageId"]) for each in at]
    assert points == [("root", "a2"), ("root", "a2"), ("twig", "b-twig"), ("root", "a1")]


async def test_a_load_that_fails_proves_nothing(tmp_path: Path) -> None:
    after = "agent.fail(agent.expect(LOAD), -32603, 'busy')\nturn('branch', 'other', 'b1')"
    script = parent(tmp_path, 1, "fork={}", fork(after=after))
    async with connected(script) as driver:
        branch = branched(driver, (await asked(driver))[1])
        await branch.idle(2)
        assert (branch.session.id, branch.said()) == ("branch", ["one", "other"])
        assert "Could not check what the agent remembers|busy" in branch.noticed()


async def test_a_branch_waits_for_an_agent_that_was_started_again(tmp_path: Path) -> None:
    able = "able(fork={}, resume={})"
    again = f"""
if agent.life == 2:
    agent.initialize({able})
    agent.answer(agent.expect("session/resume"), {{}})
    agent.answer(agent.expect("session/fork"), {{"sessionId": "branch"}})
    request = agent.expect(LOAD)
    retell("branch")
    agent.answer(request, None)
    turn("branch", "other", "b1")
    agent.serve()
"""
    body = PARENT[1] + TURNS.replace("agent.new_session", again + f"agent.initialize({able})\nagent.new_session", 1)
    script = write_script(tmp_path, body + "agent.expect('session/fork')\nagent.exit(3)")
    async with attended(script, tmp_path) as driver:
        branch = branched(driver, (await asked(driver))[1])
        await driver.gone()
        assert [prompt.blocks for prompt in branch.session.queue] == [[TextContent(text="instead")]]
        driver.client.restart()
        await branch.idle(2)
        assert branch.said() == ["one", "other"]


@pytest.mark.parametrize(("version", "embedded"), [(1, True), (1, False), (2, True)])
async def test_any_other_agent_is_told_what_was_said(tmp_path: Path, version: int, *, embedded: bool) -> None:
    body = """
agent.new_session("branch")
turn("branch", "other", "b1")
"""
    script = parent(tmp_path, version, f"'other', embedded={embedded}", body)
    async with connected(script, version) as driver:
        messages = await asked(driver)
        assert driver.client.branches.plan(driver.session, messages[2]).way == "retold"
        branch = branched(driver, messages[2])
        await branch.idle(3)
        assert branch.said() == ["one", "two", "other"]
        again = driver.client.branches.own_blocks(
            [each for each in branch.session.entries if isinstance(each, MessageEntry) and each.role == "user"][-1]
        )
        assert again == [TextContent(text="instead")]
    carried, own = script.received("session/prompt")[-1]["params"]["prompt"]
    assert own == {"type": "text", "text": "instead"}
    assert carried["type"] == ("resource" if embedded else "text")
    text = carried["resource"]["text"] if embedded else carried["text"]
    assert [word in text for word in ("first", "one", "second", "two", "third", "three")] == [True] * 4 + [False] * 2


OPTIONS = """
def option(id, category, value):
    values = [{"value": each, "name": each.title()} for each in ("low", "high", "highest")]
    return {"id": id, "name": id.title(), "category": category, "type": "select", "currentValue": value,
            "options": values}
def options(model, effort):
    return {"configOptions": [option("effort", "thought_level", effort), option("model", "model", model)]}
"""


@pytest.mark.parametrize("changed", [{}, {"effort": "highest"}])
async def test_a_branch_gets_the_options_of_its_parent(tmp_path: Path, changed: dict[str, str]) -> None:
    asked_for = ["model=high", "effort=highest"] if changed else ["model=high"]
    body = f"""
agent.answer(agent.expect("session/new"), {{"sessionId": "root", **options("high", "low")}})
turn("root", "one", "a1")
turn("root", "two", "a2")
turn("root", "three", "a3")
agent.answer(agent.expect("session/fork"), {{"sessionId": "branch", **options("low", "low")}})
for each in {asked_for}:
    agent.answer(agent.expect("session/set_config_option"), options("high", "highest" if "=highest" in each else "low"))
turn("branch", "other", "b1")
agent.serve()
"""
    able = "agent.initialize({**able(fork={}), 'agentCapabilities': {'sessionCapabilities': {'fork': {}}}})"
    script = write_script(tmp_path, PARENT[1] + OPTIONS + able + body)
    async with connected(script) as driver:
        message = (await asked(driver))[1]
        begun = driver.client.branches.begin(driver.session, message, [TextContent(text="instead")], changed)
        branch = Driver(driver.client, begun)
        await branch.idle(2)
        assert branch.said() == ["one", "other"]
        assert {option.id: option.current_value for option in begun.config_options} == {
            "model": "high",
            "effort": "low",
            **changed,
        }
    chosen = [each["params"] for each in script.received("session/set_config_option")]
    assert [f"{each['configId']}={each['value']}" for each in chosen] == asked_for
    assert {each["sessionId"] for each in chosen} == {"branch"}


@pytest.mark.parametrize("wrong", [False, True])
async def test_from_the_end_the_whole_conversation_is_forked(tmp_path: Path, *, wrong: bool) -> None:
    """And before a message that the agent has taken out of its context; whether it has is seen where it tells."""
    body = f"""
request = agent.expect("session/prompt")
agent.answer(request, {{"stopReason": "refusal"}})
request = agent.expect("session/fork")
retell("branch", 3)
if {wrong}:
    tell("user", "fourth", "branch", "u4")
agent.answer(request, {{"sessionId": "branch"}})
{OTHER if wrong else "turn('branch', 'other', 'b1')"}
"""
    script = parent(tmp_path, 1, "'other', fork={}", body)
    async with connected(script) as driver:
        await asked(driver)
        driver.submit("fourth")
        await driver.idle(4)
        [message] = [each for each in driver.session.entries if isinstance(each, MessageEntry)][-1:]
        branch = branched(driver, message)
        await branch.idle(4)
        assert branch.said("user") == ["first", "second", "third", "instead"]
        assert branch.said() == ["one", "two", "three", "other"]
        assert ("replayed 4 prompts instead of 3" in branch.noticed()) is wrong
        assert branch.session.id == ("second" if wrong else "branch")
    assert forked_at(script) == ("root", None)


async def test_a_fork_that_remembers_less_says_so(tmp_path: Path) -> None:
    body = fork("retell('branch', 1)") + "turn('branch', 'other', 'b1')"
    script = parent(tmp_path, 1, "fork={}", body)
    async with connected(script) as driver:
        branch = branched(driver, (await asked(driver))[2])
        await branch.idle(3)
        assert branch.said() == ["one", "two", "other"]
        assert "The agent may not remember all of this|It sent 1 of 2 prompts again." in branch.noticed()


async def test_before_the_first_message_is_a_new_session(tmp_path: Path) -> None:
    script = parent(tmp_path, 1, "fork={}", 'agent.new_session("branch")\nturn("branch", "other", "b1")')
    async with connected(script) as driver:
        messages = await asked(driver)
        assert driver.client.branches.plan(driver.session, messages[0]).way == "new"
        branch = branched(driver, messages[0])
        await branch.idle()
        assert (branch.said("user"), branch.said()) == (["instead"], ["other"])
    assert script.received("session/fork") == []


async def test_an_aside_leaves_the_conversation_as_it_was(tmp_path: Path) -> None:
    body = """
request = agent.expect("session/fork")
tell("user", "first", "aside")
agent.answer(request, {"sessionId": "aside"})
request = agent.expect("session/prompt")
allow = {"optionId": "yes", "name": "Allow", "kind": "allow_once"}
reject = {"optionId": "no", "name": "Reject", "kind": "reject_once"}
asked = {"sessionId": "aside", "toolCall": {"toolCallId": "t", "title": "rm"}, "options": [allow, reject]}
outcome = agent.request("session/request_permission", asked)["outcome"]["optionId"]
tell("agent", "blue; " + outcome, "aside")
agent.answer(request, {"stopReason": "end_turn"})
agent.answer(agent.expect("session/close"), {})
agent.answer(agent.expect("session/delete"), {})
"""
    script = parent(tmp_path, 1, "fork={}, close={}, delete={}", body)
    async with connected(script.as_process) as driver:
        await asked(driver)
        begun = Begun()
        driver.client.record_with(begun)
        session = driver.client.branches.aside(driver.session)
        assert session is not None
        aside = Driver(driver.client, session)
        aside.submit("which colour?")
        await aside.idle()
        assert (aside.said("user"), aside.said()) == (["which colour?"], ["blue; no"])
        assert driver.client.sessions == [driver.session]
        assert begun.titles == []
        driver.client.branches.end_aside(session)
        driver.client.branches.end_aside(session)
        await driver.until(lambda: script.received("session/delete"))
        assert driver.said() == ["one", "two", "three"]
    assert [each["params"]["sessionId"] for each in script.received("session/delete")] == ["aside"]


async def test_without_fork_there_is_no_aside(tmp_path: Path) -> None:
    script = parent(tmp_path, 1, "", "")
    async with connected(script) as driver:
        await asked(driver)
        assert driver.client.branches.aside(driver.session) is None


async def test_an_aside_ends_with_its_agent(tmp_path: Path) -> None:
    able = "able(fork={}, resume={})"
    again = f"""
if agent.life == 2:
    agent.initialize({able})
    agent.answer(agent.expect("session/resume"), {{}})
    turn("root", "four", "a4")
    agent.serve()
agent.initialize({able})
agent.new_session"""
    end = """
agent.answer(agent.expect("session/fork"), {"sessionId": "aside"})
agent.expect("session/prompt")
agent.exit(3)
"""
    script = write_script(tmp_path, PARENT[1] + TURNS.replace("agent.new_session", again, 1) + end)
    async with attended(script, tmp_path) as driver:
        await asked(driver)
        aside = driver.client.branches.aside(driver.session)
        assert aside is not None
        driver.client.of(aside).submit([TextContent(text="which colour?")])
        await driver.gone()
        assert aside.closed
        assert driver.client.branches.aside(driver.session) is None
        driver.client.restart()
        driver.submit("fourth")
        await driver.idle(4)
        assert driver.said() == ["one", "two", "three", "four"]
        driver.client.branches.end_aside(aside)
    assert (len(script.received("session/fork")), len(script.received("session/resume"))) == (1, 1)


@pytest.mark.parametrize("forked", ["branch", "root"])
async def test_what_is_branched_is_closed_after_the_fork(tmp_path: Path, forked: str) -> None:
    """A branch may take the place of its parent, and agents fork what is open: here they are asked something before."""
    body = f"""
agent.answer(agent.expect("session/new"), {{"sessionId": "root", **options("high", "low")}})
turn("root", "one", "a1")
turn("root", "two", "a2")
turn("root", "three", "a3")
agent.answer(agent.expect("session/options"), options("low", "low"))
agent.answer(agent.expect("session/fork"), {{"sessionId": {forked!r}, **options("high", "low")}})
if {forked!r} == "root":
    agent.answer(agent.expect("session/new"), {{"sessionId": "branch", **options("high", "low")}})
turn("branch", "other", "b1")
agent.answer(agent.expect("session/close"), {{}})
agent.serve()
"""
    able = "{'sessionCapabilities': {'fork': {}, 'close': {}, 'options': {}}}"
    able = f"agent.initialize({{**able(), 'agentCapabilities': {able}}})"
    script = write_script(tmp_path, PARENT[1] + OPTIONS + able + body)
    async with connected(script) as driver:
        branch = branched(driver, (await asked(driver))[1])
        driver.client.close_session(driver.session)
        await branch.idle(2)
        await branch.until(lambda: script.received("session/close"))
        assert branch.session.id == "branch"
        about = [each for each in script.received() if each.get("method") in ("session/fork", "session/close")]
    assert [(each["method"], each["params"]["sessionId"]) for each in about] == [
        ("session/fork", "root"),
        ("session/close", "root"),
    ]
