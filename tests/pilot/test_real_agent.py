"""The app by keys over real pipes: an agent that dies and comes back, a log-in, sessions that it lists."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.config.choices import PromptHistory
from acp_tui.host.records.records import Records
from acp_tui.protocol.capabilities import Offer, SystemPrompt
from acp_tui.session.export import to_markdown
from acp_tui.session.state import Session
from acp_tui.ui.app import AcpTuiApp
from acp_tui.ui.sessions.tabs import Opened
from tests.agents.scripted import Script, write_script
from tests.integration.driver import nothing_is_left, start_of
from tests.pilot.driver import Viewer

pytestmark = pytest.mark.anyio

ABLE = {
    "protocolVersion": 1,
    "authMethods": [{"id": "browser", "name": "Browser"}],
    "agentCapabilities": {"loadSession": True, "sessionCapabilities": {"list": {}, "close": {}}},
}


class Attended(Viewer):
    """Someone in front of the app with a real agent."""

    def __init__(self, app: AcpTuiApp, pilot: Pilot[int], client: Client, session: Session) -> None:
        super().__init__(app, pilot, session)
        self.client = client


@asynccontextmanager
async def before(
    script: Script,
    folder: Path,
    records: Records | None = None,
    resume: str = "",
    prompt: SystemPrompt | None = None,
    protocol: Offer = "1",
) -> AsyncIterator[Attended]:
    """The app on a screen with this agent; at the end it is left, and nothing of the agent stays."""
    command, start = AgentCommand(tuple(script.argv), protocol=protocol), start_of(script)
    client = Client(LaunchPlan(command, folder, system_prompt=prompt or SystemPrompt()), attended=True, start=start)
    session = client.begin_session(resume)
    app = AcpTuiApp(Opened(client, session, PromptHistory(None)), records=lambda: records)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        someone = Attended(app, pilot, client, session)
        await someone.wait_until(lambda: someone.conversation.complete, "all parts of the screen")
        yield someone
        app.leave()
        await someone.wait_until(lambda: not app.is_running, "the end")
    nothing_is_left(client._supervisor.process)


async def test_an_agent_that_dies_comes_back_by_enter_with_draft_and_queue(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        f"""
        agent.initialize({ABLE!r})
        if agent.life == 1:
            agent.new_session()
            agent.expect("session/prompt")
            agent.say("half of an ans")
            agent.exit(3)
        agent.answer(agent.expect("session/load"), {{}})
        agent.turn("the rest")
        agent.serve()
        """,
    )
    async with before(script.as_process, tmp_path) as someone:
        await someone.send("first")
        await someone.wait_for("enter restart")
        await someone.wait_for("half of an ans")
        await someone.send("go on")
        await someone.type("a draft")
        await someone.wait_for("the rest")
        assert someone.sees("a draft")
        assert someone.sees("half of an ans")
        assert someone.client.connection.starts == 2
        await someone.wait_until(lambda: not someone.session.turn.active, "the end of the turn")


async def test_a_log_in_by_keys_opens_what_waited(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        f"""
        agent.initialize({ABLE!r})
        agent.fail(agent.expect("session/new"), -32000, "Who are you?")
        agent.fail(agent.expect("authenticate"), -32603, "wrong password")
        agent.answer(agent.expect("authenticate"), {{}})
        agent.new_session()
        agent.turn("welcome")
        agent.serve()
        """,
    )
    async with before(script.as_process, tmp_path) as someone:
        await someone.wait_for("Who are you?")
        await someone.wait_until(lambda: someone.conversation.parts.questions.has_focus, "the panel")
        await someone.press("enter")
        await someone.wait_for("✗ wrong password")
        await someone.press("enter")
        await someone.wait_until(lambda: someone.focused == "editor", "the prompt")
        await someone.send("hello")
        await someone.wait_for("welcome")


async def test_two_sessions_of_one_process_and_one_that_it_knew(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        f"""
        agent.initialize({ABLE!r})
        agent.new_session()
        agent.turn("from one")
        agent.new_session("two")
        known = [{{"sessionId": "old", "cwd": {str(tmp_path)!r}, "title": "Of yesterday"}}]
        agent.answer(agent.expect("session/list"), {{"sessions": known}})
        load = agent.expect("session/load")
        said = {{"sessionUpdate": "agent_message_chunk", "content": {{"type": "text", "text": "told again"}}}}
        agent.update(said, "old")
        agent.answer(load, {{}})
        assert agent.expect("session/close")["params"]["sessionId"] == "two"
        agent.serve()
        """,
    )
    async with before(script.as_process, tmp_path) as someone:
        await someone.send("hello")
        await someone.wait_for("from one")
        await someone.press("ctrl+n")
        await someone.wait_until(lambda: someone.conversation.session.id == "two", "the second session")
        assert not someone.sees("from one")
        await someone.press("ctrl+s")
        await someone.wait_for("Of yesterday")
        await someone.press("enter")
        await someone.wait_for("told again")
        assert [tab.session.id for tab in someone.app.tabs.entries] == ["session-1", "old"]
        await someone.press("ctrl+x", "1")
        await someone.wait_for("from one")
    assert script.received("session/close")[0]["params"] == {"sessionId": "two"}


async def test_ctrl_c_twice_leaves_an_agent_that_ignores_everything(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.ignore_signals()
        agent.initialize()
        agent.new_session()
        agent.expect("session/prompt")
        agent.hang()
        """,
    )
    async with before(script.as_process, tmp_path) as someone:
        await someone.wait_until(lambda: someone.client.connection.phase == "ready", "the session")
        await someone.send("hello")
        await someone.press("ctrl+c", "ctrl+c")
        await someone.wait_until(lambda: not someone.app.is_running, "the end")
        assert someone.client.connection.exit_code == -9


async def test_a_fork_and_how_an_agent_ended_are_recorded_whole(tmp_path: Path) -> None:
    able = {"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"fork": {}}}}
    script = write_script(
        tmp_path,
        f"""
        agent.initialize({able!r})
        agent.new_session("root")
        agent.turn("I am the root")
        agent.answer(agent.expect("session/fork"), {{"sessionId": "branch"}})
        agent.session_id = "branch"
        agent.expect("session/prompt")
        agent.say("half of an ans")
        agent.stderr("out of memory")
        agent.exit(3)
        """,
    )
    folder = tmp_path / "records"
    async with before(script.as_process, tmp_path, Records(folder)) as someone:
        await someone.send("who are you?")
        await someone.wait_for("I am the root")
        await someone.wait_until(lambda: not someone.session.turn.active, "the end of the turn")
        await someone.command("fork session")
        await someone.wait_for("Branched from here")
        await someone.send("and you?")
        await someone.wait_for("enter restart")
    records = Records(folder)
    [path] = [info.path for info in records.list() if info.session_id == "branch"]
    told = to_markdown(records.load(path)).partition("\n")[2]  # without the title
    words = [
        "who are you?",
        "I am the root",
        "Branched from here",
        "and you?",
        "half of an ans",
        "code 3",
        "out of memory",
    ]
    assert [word for word in words if word not in told] == []
    assert [told.index(word) for word in words] == sorted(told.index(word) for word in words)


async def test_the_last_session_comes_back_as_history_of_a_new_one(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        """
        agent.initialize()
        agent.new_session()
        agent.turn("The hinge was loose.")
        agent.serve()
        """,
    )
    async with before(script.as_process, tmp_path, Records(tmp_path / "records")) as someone:
        await someone.send("Why does it squeak?")
        await someone.wait_for("The hinge was loose.")
        await someone.wait_until(lambda: not someone.session.turn.active, "the end of the turn")
    async with before(script.as_process, tmp_path, Records(tmp_path / "records"), "latest") as someone:
        await someone.wait_for("Restored from a local record")
        assert someone.sees("Why does it squeak?")
        assert someone.sees("The hinge was loose.")


@pytest.mark.parametrize("way", ["enter", "palette"])
async def test_a_session_that_is_refused_with_a_system_prompt_is_opened_without(tmp_path: Path, way: str) -> None:
    able = {"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"systemPrompt": {}}}}
    script = write_script(
        tmp_path,
        f"""
        agent.initialize({able!r})
        agent.fail(agent.expect("session/new"), -32603, "no room for that")
        agent.new_session()
        agent.turn("here I am")
        agent.serve()
        """,
    )
    prompt = SystemPrompt("", ("Be kind.",), ("--append-system-prompt",))
    async with before(script.as_process, tmp_path, prompt=prompt) as someone:
        await someone.wait_for("The agent did not open the session with your system prompt")
        assert someone.sees("no room for that")
        assert someone.sees("Press Enter to open the session without the system prompt.")
        if way == "enter":
            await someone.press("enter")
        else:
            await someone.press("ctrl+p", *"without the system", "enter")
        await someone.send("hello")
        await someone.wait_for("here I am")
    assert ["systemPrompt" in message["params"] for message in script.received("session/new")] == [True, False]
