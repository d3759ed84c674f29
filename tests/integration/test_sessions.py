"""Sessions that the agent knows: listed, loaded, resumed, forked, put away, deleted."""

import json
from pathlib import Path

import pytest

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.protocol.capabilities import McpServer
from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from acp_tui.protocol.vocabulary.session_updates import MessageUpdate
from acp_tui.session.changes import EntryAdded
from acp_tui.session.entries import NoticeEntry
from acp_tui.session.state import Session
from tests.agents.scripted import write_script
from tests.integration.driver import Begun, Driver, connected, driven, start_of

pytestmark = pytest.mark.anyio

ALL = """
session_capabilities = {"list": {}, "resume": {}, "close": {}, "delete": {}, "fork": {}, "additionalDirectories": {}}
able = {"protocolVersion": 1, "agentCapabilities": {
    "loadSession": True, "mcpCapabilities": {"http": True}, "sessionCapabilities": session_capabilities}}
"""
TELL = """
def tell(session):
    said = {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "before"}}
    agent.update(said, session)
    agent.update({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T", "status": "pending"}, session)
    agent.update({"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"}, session)
    agent.update({**said, "sessionUpdate": "agent_message_chunk"}, session)
"""


def told(session: Session) -> str:
    return "\n".join(f"{one.title}|{one.message}" for one in session.entries if isinstance(one, NoticeEntry))


async def test_a_session_is_loaded_with_all_that_was_said(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        ALL
        + TELL
        + """
agent.initialize(able)
agent.new_session()
request = agent.expect("session/load")
agent.session_id = request["params"]["sessionId"]
tell(agent.session_id)
agent.answer(request, None)
agent.turn("and now")
agent.serve()
        """,
    )
    async with connected(script.as_process, tmp_path) as driver:
        await driver.ready()
        info = SessionInfo(session_id="old", cwd=str(tmp_path), title="Old one")
        begun = Begun()
        driver.client.record_with(begun)
        loaded = Driver(driver.client, driver.client.load_session(info))
        assert (loaded.session.id, loaded.session.title, begun.titles) == ("old", "Old one", ["Old one"])
        assert driver.client.load_session(info) is loaded.session
        loaded.submit("go on")
        await loaded.idle(2)
        assert loaded.said("user") == ["before", "go on"]
        assert loaded.said() == ["before", "and now"]
        assert [(call.id, call.status) for call in loaded.tool_calls()] == [("t", "completed")]
        assert loaded.notices() == []
    assert script.received("session/load")[0]["params"] == {"sessionId": "old", "cwd": str(tmp_path), "mcpServers": []}


async def test_an_agent_that_only_resumes_says_that_the_past_is_not_shown(tmp_path: Path) -> None:
    able = {"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"resume": {}}}}
    script = write_script(
        tmp_path,
        f"""
        agent.initialize({able!r})
        agent.new_session()
        agent.answer(agent.expect("session/resume"), None)
        agent.session_id = "old"
        agent.turn("I remember")
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        resumed = Driver(driver.client, driver.client.load_session(SessionInfo(session_id="old", cwd=str(tmp_path))))
        resumed.submit("still there?")
        await resumed.idle()
        assert resumed.said() == ["I remember"]
        assert "not shown" in resumed.noticed()


@pytest.mark.parametrize(
    ("capabilities", "reply", "expected"),
    [
        ({}, "", "cannot open this session"),
        ({"loadSession": True}, "agent.fail(agent.expect('session/load'), -32603, 'who?')", "who? (code -32603)"),
        ({"loadSession": True}, "agent.fail(agent.expect('session/load'), -32002)", "know this session|refused"),
        ({"loadSession": True}, "agent.answer(agent.expect('session/load'), 5)", "SessionSetupResponse"),
    ],
)
async def test_a_session_that_cannot_be_loaded_is_told_and_the_others_live(
    tmp_path: Path, capabilities: dict[str, object], reply: str, expected: str
) -> None:
    script = write_script(
        tmp_path,
        f"""
        agent.initialize({{"protocolVersion": 1, "agentCapabilities": {capabilities!r}}})
        agent.new_session()
        {reply}
        agent.turn("fine")
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        lost = driver.client.load_session(SessionInfo(session_id="lost", cwd=str(tmp_path)))
        await driver.until(lambda: lost.closed) if lost.closed else None
        driver.submit("and you?")
        await driver.idle()
        assert lost.closed
        assert expected in told(lost)
        assert driver.said() == ["fine"]


async def test_a_load_that_fails_is_tried_as_a_resume(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        ALL
        + """
agent.initialize(able)
agent.new_session()
agent.fail(agent.expect("session/load"), -32603, "broken")
agent.answer(agent.expect("session/resume"), {})
agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        loaded = Driver(driver.client, driver.client.load_session(SessionInfo(session_id="old", cwd=str(tmp_path))))
        await loaded.until(lambda: "not shown" in loaded.noticed())
        assert not loaded.session.closed


async def test_sessions_are_listed_page_by_page_and_deleted(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        ALL
        + """
agent.initialize(able)
agent.new_session()
entry = lambda name: {"sessionId": name, "cwd": "/", "updatedAt": "2026-01-01T00:00:00Z"}
agent.answer(agent.expect("session/list"), {"sessions": [entry("a"), {"bad": 1}, entry("b")], "nextCursor": "2"})
agent.answer(agent.expect("session/list"), {"sessions": [entry("b"), entry("c")], "nextCursor": "2"})
agent.answer(agent.expect("session/delete"), None)
agent.fail(agent.expect("session/delete"), -32002)
agent.fail(agent.expect("session/delete"), -32603, "no")
agent.serve()
        """,
    )
    async with connected(script.as_process, tmp_path) as driver:
        await driver.ready()
        sessions = driver.client.known_sessions.list
        sessions.subscribe(driver._on_connection)
        driver.client.known_sessions.ask(str(tmp_path))
        assert sessions.loading
        await driver.until(lambda: not sessions.loading)
        assert [info.session_id for info in sessions.entries] == ["a", "b", "c"]
        assert sessions.problem == ""
        for name in ("a", "b", "c"):
            driver.client.known_sessions.delete(name)
        await driver.until(lambda: not sessions.busy)
        assert [info.session_id for info in sessions.entries] == ["c"]
        assert "no (code -32603)" in sessions.problem
    asked = [one["params"] for one in script.received("session/list")]
    assert asked == [{"cwd": str(tmp_path)}, {"cwd": str(tmp_path), "cursor": "2"}]


@pytest.mark.parametrize(
    ("capabilities", "reply", "problem"),
    [
        ({}, "", "The agent cannot list sessions."),
        ({"list": {}}, "agent.answer(agent.expect('session/list'), None)", ""),
        ({"list": {}}, "agent.fail(agent.expect('session/list'), -32601)", "The agent cannot list sessions."),
        ({"list": {}}, "agent.fail(agent.expect('session/list'), -32000, 'log in')", "log in (code -32000)"),
        ({"list": {}}, "agent.answer(agent.expect('session/list'), 'x')", "SessionPage"),
    ],
)
async def test_a_list_that_does_not_come_says_why(
    tmp_path: Path, capabilities: dict[str, object], reply: str, problem: str
) -> None:
    able = {"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": capabilities}}
    script = write_script(
        tmp_path, f"agent.initialize({able!r}); agent.new_session(); {reply or 'pass'}; agent.serve()"
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        driver.client.known_sessions.list.subscribe(driver._on_connection)
        driver.client.known_sessions.ask()
        await driver.until(lambda: not driver.client.known_sessions.list.loading)
        assert problem in driver.client.known_sessions.list.problem
        assert bool(problem) == bool(driver.client.known_sessions.list.problem)
        driver.client.known_sessions.delete("x")
        assert "cannot delete" in driver.client.known_sessions.list.problem
    assert script.received("session/delete") == []


async def test_a_fork_is_a_session_of_its_own(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        ALL
        + TELL
        + """
agent.initialize(able)
agent.new_session("root")
request = agent.expect("session/fork")
tell("branch")
agent.answer(request, {"sessionId": "branch"})
agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        fork = Driver(driver.client, driver.client.fork_session(driver.session))
        await fork.until(fork.said)
        assert fork.session.id == "branch"
        assert fork.said("user") == ["before"]
        assert driver.said() == []
    assert script.received("session/fork")[0]["params"]["sessionId"] == "root"


def recorded(cwd: Path) -> Session:
    """What a record has of the session "old"."""
    past = Session("old", str(cwd))
    past.apply(MessageUpdate(session_update="agent_message", message_id="m", content=[TextContent(text="long ago")]))
    return past


def recorded_and_loaded(driver: Driver, cwd: Path) -> Driver:
    """The user goes on with it."""
    info = SessionInfo(session_id="old", cwd=str(cwd))
    return Driver(driver.client, driver.client.load_session(info, recorded(cwd)))


async def test_what_was_recorded_is_shown_where_the_agent_only_remembers(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        ALL
        + """
agent.initialize(able)
agent.new_session()
agent.fail(agent.expect("session/load"), -32603, "broken")
agent.answer(agent.expect("session/resume"), {})
agent.session_id = "old"
agent.turn("I remember")
agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        resumed = recorded_and_loaded(driver, tmp_path)
        await resumed.until(resumed.said)
        assert any(isinstance(change, EntryAdded) for change in resumed.changes)
        resumed.submit("do you?")
        await resumed.idle()
        assert resumed.said() == ["long ago", "I remember"]
        assert [notice.title for notice in resumed.notices()] == ["Restored from a local record"]


async def test_what_was_recorded_is_not_shown_twice_where_the_agent_tells_it(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        ALL
        + TELL
        + """
agent.initialize(able)
agent.new_session()
request = agent.expect("session/load")
tell("old")
agent.answer(request, None)
agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        loaded = recorded_and_loaded(driver, tmp_path)
        await loaded.until(lambda: loaded.said() and all(entry.sealed for entry in loaded.session.entries))
        assert loaded.said() == ["before"]


@pytest.mark.parametrize("told_again", ["never", "before", "after", "before and after"])
async def test_a_fork_begins_with_what_was_said_once(tmp_path: Path, told_again: str) -> None:
    script = write_script(
        tmp_path,
        ALL
        + TELL
        + f"""
agent.initialize(able)
agent.new_session("root")
agent.session_id = "root"
agent.turn("I am the root")
def again(role, text, id):
    said = {{"sessionUpdate": role + "_message_chunk", "content": {{"type": "text", "text": text}}, "messageId": id}}
    agent.update(said, "branch")
request = agent.expect("session/fork")
if "before" in {told_again!r}:
    again("user", "who are you?", "x")
    again("agent", "I am ", "y")
agent.answer(request, {{"sessionId": "branch"}})
if {told_again!r} == "after":
    again("user", "who are you?", "x")
    again("agent", "I am ", "y")
if "after" in {told_again!r}:
    again("agent", "the root", "y")
agent.session_id = "branch"
agent.turn("I branch off")
agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        driver.submit("who are you?")
        await driver.idle()
        fork = Driver(driver.client, driver.client.fork_session(driver.session))
        assert fork.said() == ["I am the root"]  # at once
        fork.submit("and you?")
        await fork.idle(2)
        assert fork.said("user") == ["who are you?", "and you?"]
        assert fork.said() == ["I am the root", "I branch off"]
        assert [notice.title for notice in fork.notices()] == ["Restored from a local record"]
        assert driver.said() == ["I am the root"]


@pytest.mark.parametrize("known_here", [True, False])
async def test_a_session_that_is_not_open_is_forked_with_its_transcript_where_there_is_one(
    tmp_path: Path, *, known_here: bool
) -> None:
    script = write_script(
        tmp_path,
        ALL
        + """
agent.initialize(able)
agent.new_session()
agent.answer(agent.expect("session/fork"), {"sessionId": "branch"})
agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        info = SessionInfo(session_id="old", cwd=str(tmp_path))
        fork = Driver(driver.client, driver.client.fork_known(info, recorded(tmp_path) if known_here else None))
        await fork.until(lambda: fork.session.id == "branch" and fork.notices())
        assert fork.said() == (["long ago"] if known_here else [])
        assert ("not shown" in fork.noticed()) is not known_here
    assert script.received("session/fork")[0]["params"]["sessionId"] == "old"


async def test_a_session_that_is_put_away_is_closed_at_the_agent_and_stays_quiet(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        ALL
        + """
agent.initialize(able)
agent.new_session("first")
agent.new_session("second")
agent.answer(agent.expect("session/close"), {})
agent.update({"sessionUpdate": "session_info_update", "title": "Late"}, "second")
agent.session_id = "first"
agent.turn("here")
agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        second = driver.client.open_session()
        await driver.until(lambda: second.id == "second")
        agent = driver.client._supervisor.agent
        assert agent is not None
        assert agent._link is not None
        dialect = agent._link.dialect
        assert isinstance(dialect, Version1Dialect)
        memories = len(dialect._memories)
        driver.client.close_session(second)
        assert driver.client.sessions == [driver.session]
        assert len(dialect._memories) == memories - 1
        driver.submit("still?")
        await driver.idle()
        assert driver.said() == ["here"]
        assert driver.notices() == []


async def test_a_session_left_before_it_is_open_is_taken_back(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        ALL
        + """
agent.initialize(able)
agent.new_session("first")
request = agent.expect("session/new")
withdrawn = agent.expect("$/cancel_request")
assert withdrawn["params"]["requestId"] == request["id"]
agent.answer(request, {"sessionId": "second"})
closed = agent.expect("session/close")
agent.session_id = "first"
agent.say(closed["params"]["sessionId"])
agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        driver.client.close_session(driver.client.open_session())
        await driver.until(driver.said)
        assert driver.said() == ["second"]


async def test_what_the_agent_does_not_take_is_left_out_and_said(tmp_path: Path) -> None:
    servers = [
        McpServer("files", command="/bin/sh", args=("-v",), env={"A": "1"}),
        McpServer("web", "http", url="https://example.org", headers={"X": "y"}),
        McpServer("old", "sse", url="https://example.org/sse"),
        McpServer("lost", command="nowhere"),
        McpServer("gone", command="/no/such/server", not_sent=("cwd",)),
    ]
    script = write_script(
        tmp_path,
        """
        agent.initialize({"protocolVersion": 1, "agentCapabilities": {"mcpCapabilities": {"http": True}}})
        agent.new_session()
        agent.serve()
        """,
    )
    client = Client(
        LaunchPlan(AgentCommand(tuple(script.argv)), tmp_path, roots=("/else",), mcp_servers=tuple(servers)),
        start=start_of(script),
    )
    async with driven(Driver(client)) as driver:
        await driver.ready()
        assert "old (sse)" in driver.noticed()
        assert "does not support additional folders|/else" in driver.noticed()
        assert "not sent to the agent|gone: cwd|" in driver.noticed()
        assert "MCP server command not found|lost: nowhere, gone: /no/such/server. The agent gets" in driver.noticed()
    params = script.received("session/new")[0]["params"]
    assert "additionalDirectories" not in params
    assert params["mcpServers"] == [
        {"name": "files", "command": "/bin/sh", "args": ["-v"], "env": [{"name": "A", "value": "1"}]},
        {"type": "http", "name": "web", "url": "https://example.org", "headers": [{"name": "X", "value": "y"}]},
        {"name": "lost", "command": "nowhere", "args": [], "env": []},
        {"name": "gone", "command": "/no/such/server", "args": [], "env": []},
    ]


def two_folders(tmp_path: Path) -> Path:
    """Make `here`, to work in, and the result beside it, with a file `x`."""
    (tmp_path / "here").mkdir()
    there = tmp_path / "there"
    there.mkdir()
    (there / "x").write_text("found")
    return there


async def test_further_folders_are_told_and_can_be_read(tmp_path: Path) -> None:
    there = two_folders(tmp_path)
    script = write_script(
        tmp_path,
        ALL
        + f"""
agent.initialize(able)
session = agent.new_session()
wanted = {{"sessionId": session, "path": {str(there / "x")!r}}}
agent.say(agent.request("fs/read_text_file", wanted)["content"])
agent.serve()
        """,
    )
    command, folders = AgentCommand(tuple(script.argv)), [str(there)]
    client = Client(LaunchPlan(command, tmp_path / "here", roots=tuple(folders)), start=start_of(script))
    async with driven(Driver(client)) as driver:
        await driver.until(driver.said)
        assert driver.said() == ["found"]
    assert script.received("session/new")[0]["params"]["additionalDirectories"] == [str(there)]


async def test_a_folder_that_is_added_can_be_read_at_once_and_is_told_with_the_next_session(tmp_path: Path) -> None:
    there = two_folders(tmp_path)
    script = write_script(
        tmp_path,
        ALL
        + f"""
agent.initialize(able)
session = agent.new_session()
request = agent.expect("session/prompt")
wanted = {{"sessionId": session, "path": {str(there / "x")!r}}}
agent.say(agent.request("fs/read_text_file", wanted)["content"])
agent.answer(request, {{"stopReason": "end_turn"}})
agent.new_session()
agent.serve()
        """,
    )
    async with connected(script, tmp_path / "here") as driver:
        await driver.ready()
        driver.client.add_folder(driver.session, str(there))
        driver.client.add_folder(driver.session, str(there))
        assert driver.client.roots(driver.session) == (str(tmp_path / "here"), str(there))
        driver.submit("read it")
        await driver.idle()
        assert driver.said() == ["found"]
        other = driver.client.open_session()
        await driver.until(lambda: other.id)
    news = [call["params"].get("additionalDirectories") for call in script.received("session/new")]
    assert news == [None, [str(there)]]


async def test_the_latest_session_of_the_folder_is_gone_on_with(tmp_path: Path) -> None:
    entries = [
        {"sessionId": "older", "cwd": "/", "updatedAt": "2026-01-01T00:00:00Z"},
        {"sessionId": "newer", "cwd": "/", "updatedAt": "2026-01-01T02:00:00+01:00", "title": "Doors"},
        {"sessionId": "undated", "cwd": "/"},
    ]
    script = write_script(
        tmp_path,
        ALL
        + TELL
        + f"""
agent.initialize(able)
agent.answer(agent.expect("session/list"), {{"sessions": json.loads({json.dumps(json.dumps(entries))})}})
request = agent.expect("session/load")
agent.session_id = request["params"]["sessionId"]
tell(agent.session_id)
agent.answer(request, {{}})
agent.turn("on it")
agent.serve()
        """,
    )
    client = Client(LaunchPlan(AgentCommand(tuple(script.argv)), tmp_path), start=start_of(script))
    async with driven(Driver(client, client.begin_session("latest"))) as driver:
        driver.submit("go on")
        await driver.idle(2)
        assert (driver.session.id, driver.session.title) == ("newer", "Doors")
        assert driver.said() == ["before", "on it"]
    assert script.received("session/list")[0]["params"] == {"cwd": str(tmp_path)}


@pytest.mark.parametrize("can", [True, False])
async def test_without_a_session_to_go_on_with_a_new_one_begins_and_that_is_said(tmp_path: Path, can: bool) -> None:
    capabilities: dict[str, object] = {"sessionCapabilities": {"list": {}}} if can else {}
    listing = "agent.answer(agent.expect('session/list'), {'sessions': []})" if can else "pass"
    script = write_script(
        tmp_path,
        f"""
        agent.initialize({{"protocolVersion": 1, "agentCapabilities": {capabilities!r}}})
        {listing}
        agent.new_session()
        agent.serve()
        """,
    )
    client = Client(LaunchPlan(AgentCommand(tuple(script.argv)), tmp_path), start=start_of(script))
    async with driven(Driver(client, client.begin_session("latest"))) as driver:
        await driver.ready()
        assert "so a new one was started" in driver.noticed()


async def test_a_prompt_for_a_session_that_the_agent_lost_says_what_to_do(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize()
        agent.new_session()
        agent.fail(agent.expect("session/prompt"), -32002, "gone")
        agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        driver.submit("hello")
        await driver.idle()
        assert "may have lost this session" in driver.noticed()


async def test_what_comes_for_a_session_that_was_left_is_no_news_while_another_is_opened(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        ALL
        + """
agent.initialize(able)
first, second = agent.expect("session/new"), agent.expect("session/new")
agent.expect("$/cancel_request")
agent.answer(first, {"sessionId": "first"})
agent.update({"sessionUpdate": "session_info_update", "title": "Late"}, "first")
agent.answer(agent.expect("session/close"), {})
agent.answer(second, {"sessionId": "second"})
agent.session_id = "second"
agent.turn("here")
agent.serve()
        """,
    )
    async with connected(script, tmp_path) as driver:
        second = Driver(driver.client, driver.client.open_session())
        second.submit("hello")
        await driver.until(lambda: driver.client.connection.spoken)
        driver.client.close_session(driver.session)
        await second.idle()
        assert second.said() == ["here"]
        assert second.noticed() == ""


async def test_a_session_in_a_folder_that_is_gone_is_not_asked_for(tmp_path: Path) -> None:
    script = write_script(tmp_path, "agent.initialize()\nagent.new_session()\nagent.serve()")
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        (second := Driver(driver.client, driver.client.open_session(str(tmp_path / "gone")))).client.of(second.session)
        await second.until(lambda: second.session.closed)
        assert f"Cannot open a session|{tmp_path}/gone no longer exists" in second.noticed()
    assert len(script.received("session/new")) == 1
