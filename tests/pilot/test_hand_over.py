"""Handing a conversation over to another agent by keys, with two agents over real pipes."""

import json
import re
import textwrap
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_tui.demo.project import COMMAND
from acp_tui.host.catalog.agent_list import AgentList
from acp_tui.host.catalog.launch_plan import LaunchPlan, by_command
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.config.choices import PromptHistory
from acp_tui.host.records.records import Records
from acp_tui.protocol.vocabulary.content import ImageContent
from acp_tui.protocol.vocabulary.session_updates import MessageUpdate
from acp_tui.session.facts import HandedOver
from acp_tui.session.folds.history import HandOverEntry
from acp_tui.ui.agents.agents_screen import AgentsScreen
from acp_tui.ui.app import AcpTuiApp
from acp_tui.ui.sessions.past_session_actions import HistoryScreen
from acp_tui.ui.sessions.tabs import HandOver, Opened
from tests.agents.scripted import Gate, Script, write_script
from tests.pilot.choosing import configure
from tests.pilot.driver import Viewer

pytestmark = pytest.mark.anyio

PICTURE = ImageContent(data="aGk=", mime_type="image/png")
LABEL = re.compile(r"\[Transcript of First, (?P<size>\d+) B #\d+\]")

OUTPUT = {"type": "content", "content": {"type": "text", "text": "API_KEY=hunter2 hunter2\nis set"}}
CALL = {"toolCallId": "t", "title": "pytest -q", "kind": "execute", "status": "completed", "content": [OUTPUT]}


def first(folder: Path) -> Script:
    info = {"protocolVersion": 1, "agentInfo": {"name": "First", "version": "1"}}
    return write_script(
        folder,
        f"""
        agent.initialize({info!r})
        agent.new_session("one")
        prompt = agent.expect("session/prompt")
        agent.update({{"sessionUpdate": "tool_call", **{CALL!r}}})
        agent.say("It was a missing await, see @conf.py.")
        agent.end_turn(prompt)
        agent.turn("still here")
        agent.serve()
        """,
        "first",
    )


def second(folder: Path, *, capabilities: dict[str, Any] | None = None, body: str = "") -> Script:
    can = {"promptCapabilities": capabilities or {}}
    info = {"protocolVersion": 1, "agentInfo": {"name": "Second", "version": "1"}, "agentCapabilities": can}
    rest = body or 'agent.new_session("two")\nagent.turn("I go on")\nagent.serve()\n'
    return write_script(folder, f"agent.initialize({info!r})\n{rest}", "second")


class Owner(Viewer):
    """Someone with several agents and records."""

    records: Records

    async def hand_over(self, *keys: str) -> None:
        """Choose the other agent by keys, and wait for the digest in its prompt."""
        await self.press(*(keys or ("ctrl+x", "j")))
        await self.opened(AgentsScreen)
        assert self.sees("Continue with another agent")
        await self.type("second")
        await self.press("enter")
        await self.digest()

    async def digest(self) -> None:
        await self.wait_until(lambda: self.draft.startswith("Continue: "), "the digest")

    async def talk(self) -> None:
        """Have something to hand over."""
        await self.send("why does it fail?")
        await self.wait_for("a missing await")
        await self.wait_until(lambda: not self.session.turn.active, "the end of the turn")

    @property
    def links(self) -> list[tuple[str, str, str]]:
        entries = self.conversation.session.entries
        return [(link.way, link.agent, link.session_id) for link in entries if isinstance(link, HandOverEntry)]


@asynccontextmanager
async def before(
    argv: list[str], folder: Path, *, handed: HandOver | None = None, resume: str = ""
) -> AsyncIterator[Owner]:
    """The app with this agent, and those of the config file to choose from."""
    client = Client(LaunchPlan(AgentCommand(tuple(argv)), folder), attended=True)
    session = client.begin_session(resume)

    def opened(launch: LaunchPlan) -> Opened:
        other = Client(LaunchPlan(launch.command, launch.cwd), attended=True)
        return Opened(other, other.open_session(), PromptHistory(None))

    def agents(begin: Callable[[Opened], object], where: str) -> AgentsScreen:
        agent_list = AgentList(Path(where or folder), cwd_given=True)
        return AgentsScreen(agent_list, lambda launch: begin(opened(launch)), demo=lambda: by_command(COMMAND, folder))

    records = Records()
    first_one = Opened(client, session, PromptHistory(None), handed=handed)
    app = AcpTuiApp(first_one, agents=agents, records=lambda: records)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        someone = Owner(app, pilot, session)
        someone.records = records
        await someone.wait_until(lambda: someone.conversation.complete, "all parts of the screen")
        yield someone
        app.leave()
        await someone.wait_until(lambda: not app.is_running, "the end")


def offer(**agents: list[str]) -> None:
    """Have the config file name these agents."""
    rows = (f"[agents.{name}]\ncommand = {argv[0]!r}\nargs = {json.dumps(argv[1:])}\n" for name, argv in agents.items())
    configure("\n".join(rows))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "conf.py").write_text("found")
    return folder


def prompt_of(script: Script) -> list[dict[str, Any]]:
    [sent] = script.received("session/prompt")
    blocks: list[dict[str, Any]] = sent["params"]["prompt"]
    return blocks


async def test_the_digest_stands_in_the_prompt_of_the_other_agent_until_enter(tmp_path: Path, project: Path) -> None:
    other = second(tmp_path, capabilities={"embeddedContext": True})
    offer(second=other.argv)
    async with before(first(tmp_path).argv, project) as someone:
        await someone.talk()
        await someone.hand_over()
        await someone.wait_until(lambda: someone.conversation.session.id == "two", "the second session")
        assert "## Message\n\nwhy does it fail?\n\n## Last answer\n\nIt was a missing await" in someone.draft
        assert "hunter2" not in someone.draft
        assert someone.conversation.session.cwd == str(project)
        assert someone.sees("Hand-over from First: ")
        assert other.received("session/prompt") == []
        await someone.type("Now fix it.")
        await someone.press("enter")
        await someone.wait_for("I go on")
        assert someone.links == [("from", "First", "one")]
        assert someone.sees("← Continued from First")
        assert not someone.sees("Hand-over from First: ")
        text, resource = prompt_of(other)
        assert text["text"].endswith("Now fix it.")
        assert "## User\n\nwhy does it fail?" in resource["resource"]["text"]
        assert "- Run: pytest -q (done)" in resource["resource"]["text"]
        assert "hunter2" not in resource["resource"]["text"]
        await someone.press("ctrl+x", "1")
        await someone.wait_for("→ Handed over to Second")
        assert someone.links == [("to", "Second", "two")]


async def test_an_agent_without_attachments_gets_the_transcript_as_text_with_output_if_wanted(
    tmp_path: Path, project: Path
) -> None:
    other = second(tmp_path)
    offer(second=other.argv)
    async with before(first(tmp_path).argv, project) as someone:
        await someone.talk()
        await someone.command("Tool output in the handoff: on or off")
        assert "No handoff in the prompt" in someone.toasts()
        someone.session.apply(MessageUpdate(session_update="user_message", message_id="p", content=[PICTURE]))
        await someone.hand_over("slash", *"handoff", "enter")
        assert "[Image " in someone.draft
        assert someone.sees("no tool output")
        label = LABEL.search(someone.draft)
        await someone.press("ctrl+x", "j")
        assert someone.sees("with tool output")
        await someone.command("Tool output in the handoff: on or off")
        assert someone.sees("no tool output")
        await someone.press("ctrl+x", "j")
        assert someone.sees("with tool output")
        again = LABEL.search(someone.draft)
        assert label is not None
        assert again is not None
        assert int(again["size"]) > int(label["size"])
        await someone.press("enter")
        await someone.wait_for("I go on")
        text, transcript = prompt_of(other)
        assert again[0] in text["text"]
        assert transcript["annotations"] == {"audience": ["assistant"]}
        assert "API_KEY=•••\nis set" in transcript["text"]
        said = " ".join(someone.toasts())
        assert "The transcript was sent as text" in said
        assert "1 image left out" in said


async def test_pictures_go_to_an_agent_that_takes_them(tmp_path: Path, project: Path) -> None:
    other = second(tmp_path, capabilities={"image": True, "embeddedContext": True})
    offer(second=other.argv)
    async with before(first(tmp_path).argv, project) as someone:
        someone.session.apply(MessageUpdate(session_update="user_message", message_id="p", content=[PICTURE]))
        await someone.hand_over()
        await someone.press("enter")
        await someone.wait_for("I go on")
        assert [block["type"] for block in prompt_of(other)] == ["text", "image", "resource"]


async def test_without_a_message_there_is_nothing_to_hand_over(tmp_path: Path, project: Path) -> None:
    async with before(first(tmp_path).argv, project) as someone:
        await someone.command("Continue with another agent")
        assert "Nothing to hand over: no messages yet" in someone.toasts()
        assert len(someone.app.tabs.entries) == 1


async def test_an_agent_that_does_not_start_loses_nothing(tmp_path: Path, project: Path) -> None:
    other = write_script(tmp_path, "agent.exit(3)", "second")
    offer(second=other.argv)
    async with before(first(tmp_path).argv, project) as someone:
        await someone.talk()
        await someone.hand_over()
        await someone.wait_for("enter restart")
        draft, client = someone.draft, someone.conversation.client
        await someone.press("enter")
        await someone.wait_until(lambda: client.connection.starts == 2, "another start")
        await someone.wait_until(lambda: someone.draft == draft, "the draft again")
        assert someone.sees("Hand-over from First: ")
        assert any("The prompt was not sent" in toast for toast in someone.toasts())
        assert someone.links == []
        await someone.press("ctrl+x", "1")
        assert someone.links == []
        await someone.send("go on")
        await someone.wait_for("still here")


async def test_the_hand_over_waits_for_an_agent_that_says_nothing_yet(tmp_path: Path, project: Path) -> None:
    gate = Gate(tmp_path / "gate")
    body = f"""
    agent.wait_for({str(gate.path)!r})
    agent.initialize({{"protocolVersion": 1, "agentInfo": {{"name": "Second", "version": "1"}},
        "agentCapabilities": {{"promptCapabilities": {{"embeddedContext": True}}}}}})
    agent.new_session("two")
    agent.turn("I go on")
    agent.serve()
    """
    other = write_script(tmp_path, body, "second")
    offer(second=other.argv)
    async with before(first(tmp_path).argv, project) as someone:
        await someone.talk()
        await someone.hand_over()
        await someone.press("enter")
        await someone.wait_until(lambda: someone.conversation.parts.pipeline.on_their_way == 1, "the draft on its way")
        gate.open()
        await someone.wait_for("I go on")
        assert [block["type"] for block in prompt_of(other)] == ["text", "resource"]
        assert someone.links == [("from", "First", "one")]
    gate.close()


async def test_a_log_in_comes_before_the_hand_over(tmp_path: Path, project: Path) -> None:
    body = """
    agent.initialize({"protocolVersion": 1, "agentInfo": {"name": "Second", "version": "1"},
        "authMethods": [{"id": "browser", "name": "Browser"}]})
    agent.fail(agent.expect("session/new"), -32000, "Who are you?")
    agent.answer(agent.expect("authenticate"), {})
    agent.new_session("two")
    agent.turn("I go on")
    agent.serve()
    """
    other = write_script(tmp_path, body, "second")
    offer(second=other.argv)
    async with before(first(tmp_path).argv, project) as someone:
        await someone.talk()
        await someone.hand_over()
        await someone.wait_for("Who are you?")
        screen = someone.conversation
        await someone.press("alt+a")
        await someone.wait_until(lambda: screen.parts.questions.has_focus, "the panel")
        await someone.press("enter")
        await someone.wait_until(lambda: screen.session.id == "two", "the session")
        await someone.wait_until(lambda: someone.focused == "editor", "the prompt")
        await someone.digest()
        await someone.press("enter")
        await someone.wait_for("I go on")
        assert someone.links == [("from", "First", "one")]


async def test_a_prompt_of_ones_own_instead_is_no_hand_over(tmp_path: Path, project: Path) -> None:
    other = second(tmp_path)
    offer(second=other.argv)
    async with before(first(tmp_path).argv, project) as someone:
        await someone.talk()
        await someone.hand_over()
        await someone.press("ctrl+c")
        assert not someone.sees("Hand-over from")
        await someone.send("something else")
        await someone.wait_for("I go on")
        assert [block["text"] for block in prompt_of(other)] == ["something else"]
        assert someone.links == []


async def test_a_turn_cancelled_at_once_gives_the_whole_hand_over_back(tmp_path: Path, project: Path) -> None:
    body = """
    agent.new_session("two")
    prompt = agent.expect("session/prompt")
    agent.expect("session/cancel")
    agent.end_turn(prompt, "cancelled")
    agent.turn("I go on")
    agent.serve()
    """
    other = second(tmp_path, body=textwrap.dedent(body))
    offer(second=other.argv)
    async with before(first(tmp_path).argv, project) as someone:
        await someone.talk()
        await someone.hand_over()
        draft = someone.draft
        await someone.press("enter")
        await someone.wait_until(lambda: len(other.received("session/prompt")) == 1, "the prompt")
        await someone.press("escape")
        await someone.wait_until(lambda: someone.draft == draft, "the draft again")
        assert someone.sees("Hand-over from First: ")
        await someone.press("enter")
        await someone.wait_for("I go on")
        assert [len(sent["params"]["prompt"]) for sent in other.received("session/prompt")] == [2, 2]
        assert someone.links == [("from", "First", "one")]


class TestLinks:
    """Enter on a link."""

    async def there_and_back(self, someone: Owner) -> None:
        await someone.talk()
        await someone.hand_over()
        await someone.press("enter")
        await someone.wait_for("I go on")
        await someone.wait_until(lambda: not someone.conversation.session.turn.active, "the end of the turn")

    async def enter(self, someone: Viewer) -> None:
        """Go up to the link and press Enter on it."""
        await someone.press("ctrl+x", "up")
        while not isinstance(someone.conversation.transcript.current_entry, HandOverEntry):
            await someone.press("up")
        await someone.press("enter")

    async def test_it_goes_to_the_open_session_and_back(self, tmp_path: Path, project: Path) -> None:
        offer(second=second(tmp_path).argv)
        async with before(first(tmp_path).argv, project) as someone:
            await self.there_and_back(someone)
            await self.enter(someone)
            await someone.wait_until(lambda: someone.conversation.session.id == "one", "the first session")
            await self.enter(someone)
            await someone.wait_until(lambda: someone.conversation.session.id == "two", "the second session")

    async def test_it_goes_to_what_was_recorded_of_a_closed_one_and_that_leads_back(
        self, tmp_path: Path, project: Path
    ) -> None:
        offer(second=second(tmp_path).argv)
        async with before(first(tmp_path).argv, project) as someone:
            await self.there_and_back(someone)
            await someone.press("ctrl+x", "X")
            await someone.wait_until(lambda: someone.conversation.session.id == "one", "the first session")
            await self.enter(someone)
            history = await someone.opened(HistoryScreen)
            await someone.wait_for("I go on")
            await someone.press("up")
            while not isinstance(history.transcript.current_entry, HandOverEntry):
                await someone.press("up")
            await someone.press("enter")
            await someone.wait_until(lambda: someone.app.screen is someone.conversation, "the open session")
            assert someone.conversation.session.id == "one"

    async def test_it_survives_a_restart_and_says_what_was_deleted(self, tmp_path: Path, project: Path) -> None:
        offer(second=second(tmp_path).argv)
        async with before(first(tmp_path).argv, project) as someone:
            await self.there_and_back(someone)
        infos = {info.session_id: info for info in Records().list()}
        records = Records()
        links = [e for e in records.load(infos["one"].path).entries if isinstance(e, HandOverEntry)]
        assert [(link.way, link.agent, link.session_id) for link in links] == [("to", "Second", "two")]
        found = records.linked("Second", "two", links[0].mark)
        assert found is not None
        assert found.path == infos["two"].path
        records.delete(infos["two"].path)
        async with before(second(tmp_path).argv, project, handed=HandOver(record=infos["one"])) as someone:
            await someone.digest()
            someone.session.apply(HandedOver("gone", "Second", "two"))
            await self.enter(someone)
            await someone.wait_until(
                lambda: "No record of the session with Second on this machine" in someone.toasts(), "what is said"
            )


async def test_a_session_that_its_agent_tells_again_has_its_links_from_the_records(
    tmp_path: Path, project: Path
) -> None:
    offer(second=second(tmp_path).argv)
    async with before(first(tmp_path).argv, project) as someone:
        await someone.talk()
        await someone.hand_over()
        await someone.press("enter")
        await someone.wait_for("I go on")
    able = {
        "protocolVersion": 1,
        "agentInfo": {"name": "First", "version": "1"},
        "agentCapabilities": {"loadSession": True},
    }
    again = write_script(
        tmp_path,
        f"""
        agent.initialize({able!r})
        agent.session_id = "one"
        load = agent.expect("session/load")
        agent.say("told again")
        agent.answer(load, {{}})
        agent.serve()
        """,
        "again",
    )
    async with before(again.argv, project, resume="one") as someone:
        await someone.wait_for("told again")
        await someone.wait_until(lambda: someone.links == [("to", "Second", "two")], "the link")


async def test_a_recorded_session_is_handed_over_and_its_record_says_so(tmp_path: Path, project: Path) -> None:
    async with before(first(tmp_path).argv, project) as someone:
        await someone.talk()
    [info] = Records().list()
    other = second(tmp_path)
    async with before(other.argv, project, handed=HandOver(record=info)) as someone:
        await someone.digest()
        await someone.press("enter")
        await someone.wait_for("I go on")
        assert someone.links == [("from", "First", "one")]

        def links() -> list[tuple[str, str]]:
            entries = Records().load(info.path).entries
            return [(link.agent, link.session_id) for link in entries if isinstance(link, HandOverEntry)]

        await someone.wait_until(lambda: links() == [("Second", "two")], "the link in the record")


@pytest.mark.parametrize("damage", ["empty", "gone"])
async def test_a_record_that_gives_nothing_is_said(tmp_path: Path, project: Path, damage: str) -> None:
    folder = Records().folder
    folder.mkdir(parents=True)
    path = folder / "20261123-120000-0000.jsonl"
    path.write_text(json.dumps({"kind": "record", "session_id": "one", "agent": "First", "cwd": str(project)}) + "\n")
    [info] = Records().list()
    if damage == "gone":
        path.unlink()
    async with before(second(tmp_path).argv, project, handed=HandOver(record=info)) as someone:
        said = "Nothing to hand over" if damage == "empty" else "The record cannot be read"
        await someone.wait_until(lambda: any(said in toast for toast in someone.toasts()), said)
        assert someone.draft == ""
