"""The same scenes in version 2, every line checked against its schema."""

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import pytest

from acp_tui.demo import project
from tests.agents.demo_version2 import Version2Agent
from tests.unit.demo.client import RefusedError, play
from tests.unit.protocol.official import V2

REQUESTS = {"session/request_permission": "RequestPermissionRequest", "elicitation/create": "CreateElicitationRequest"}
RESULTS = {
    "initialize": "InitializeResponse",
    "session/new": "NewSessionResponse",
    "session/resume": "ResumeSessionResponse",
    "session/list": "ListSessionsResponse",
    "session/close": "CloseSessionResponse",
    "session/delete": "DeleteSessionResponse",
    "session/prompt": "PromptResponse",
    "session/set_config_option": "SetSessionConfigOptionResponse",
    "tool_call/cancel": "CancelToolCallResponse",
}
Data = dict[str, Any]


class Client:
    """Answers permission requests with `option_id`; declines forms."""

    def __init__(self, folder: Path, option_id: str = "allow") -> None:
        self.folder, self.option_id = folder, option_id
        self.agent = Version2Agent()
        self.agent.connection.pace = 0
        self.agent.connection.write = self._heard
        self.updates: list[Data] = []
        self.requests: list[tuple[str, Data]] = []
        self._answers: list[asyncio.Future[Any]] = []
        self._methods: list[str] = []
        self._news = asyncio.Event()

    async def call(self, method: str, **params: Any) -> Any:
        number = len(self._methods)
        self._methods.append(method)
        self._answers.append(asyncio.get_running_loop().create_future())
        self.agent.connection.take({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return await self._answers[number]

    async def start(self) -> Data:
        info = {"name": "test", "version": "1"}
        forms: Data = {"elicitation": {"form": {}, "url": {}}}
        answer = await self.call("initialize", protocolVersion=2, info=info, capabilities=forms)
        assert answer["protocolVersion"] == 2
        setup: Data = await self.call("session/new", cwd=str(self.folder))
        return setup

    async def prompt(self, text: str) -> str | None:
        answer = await self.call("session/prompt", sessionId="demo-1", prompt=[{"type": "text", "text": text}])
        before = sum(each["sessionUpdate"] == "user_message" for each in self.updates)
        assert answer["messageId"] == f"prompt-{before}"
        await self.until(lambda: self.states()[-1:] == ["idle"] and len(self.stops()) == before)
        return self.stops()[-1]

    def cancel(self) -> None:
        self.agent.connection.take({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "demo-1"}})

    async def until(self, fact: Any) -> None:
        while not fact():
            self._news.clear()
            await self._news.wait()

    def of(self, kind: str) -> list[Data]:
        return [update for update in self.updates if update["sessionUpdate"] == kind]

    def states(self) -> list[str]:
        return [update["state"] for update in self.of("state_update")]

    def stops(self) -> list[str]:
        """The ends of turns, without the states that are only said again."""
        stops, running = [], False
        for update in self.of("state_update"):
            if running and update["state"] == "idle":
                stops.append(update["stopReason"])
            running = update["state"] != "idle"
        return stops

    def text(self) -> str:
        return "".join(update["content"].get("text", "") for update in self.of("agent_message_chunk"))

    def _heard(self, line: bytes) -> None:
        message = json.loads(line)
        if message.get("method") == "session/update":
            V2.validator("UpdateSessionNotification").validate(message["params"])
            if message["params"]["sessionId"] == "demo-1":
                self.updates.append(message["params"]["update"])
        elif message.get("method") == "elicitation/complete":
            V2.validator("CompleteElicitationNotification").validate(message["params"])
        elif "method" in message:
            V2.validator(REQUESTS[message["method"]]).validate(message["params"])
            self.requests.append((message["method"], message["params"]))
            selected = {"outcome": {"outcome": "selected", "optionId": self.option_id}}
            result = selected if message["method"] == "session/request_permission" else {"action": "decline"}
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
            asyncio.get_running_loop().call_soon(self.agent.connection.take, answer)
        elif "error" in message:
            V2.validator("Error").validate(message["error"])
            self._answers[message["id"]].set_exception(RefusedError(message["error"]["message"]))
        else:
            if message["result"].get("protocolVersion") != 1:
                V2.validator(RESULTS[self._methods[message["id"]]]).validate(message["result"])
            self._answers[message["id"]].set_result(message["result"])
        self._news.set()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project.create(tmp_path)
    return tmp_path


def test_the_story_is_told_in_the_newer_words(folder: Path) -> None:
    client = Client(folder)

    async def scene() -> None:
        setup = await client.start()
        assert [option["configId"] for option in setup["configOptions"]][:2] == ["mode", "model"]
        assert {command["type"] for command in setup["availableCommands"]} == {"command"}
        assert await client.prompt("find out why the login test fails and fix it") == "end_turn"

    play(scene())
    assert project.BUG not in (folder / "src" / "login.py").read_text(encoding="utf-8")
    kinds = {update["sessionUpdate"] for update in client.updates}
    assert {"user_message", "plan_update", "tool_call_update", "terminal_update", "terminal_output_chunk"} <= kinds
    assert not kinds & {"plan", "tool_call"}
    assert "requires_action" in client.states()
    output = b"".join(base64.b64decode(each["data"]) for each in client.of("terminal_output_chunk"))
    assert b"login" in output
    diffs = [
        item for each in client.of("tool_call_update") for item in each.get("content") or [] if item["type"] == "diff"
    ]
    assert all(diff["patch"]["text"].startswith("diff --git a/") for diff in diffs)
    assert {change["operation"] for diff in diffs for change in diff["changes"]} == {"add", "modify"}
    assert all("subject" in params for method, params in client.requests if method == "session/request_permission")


@pytest.mark.parametrize(
    "name", [command.name for command in Version2Agent.commands if command.name not in ("fix", "long", "fail", "run")]
)
def test_every_scene_is_valid(folder: Path, name: str) -> None:
    client = Client(folder)

    async def scene() -> None:
        await client.start()
        assert await client.prompt(f"/{name}") == "end_turn"

    play(scene())
    assert client.text()


def test_permission_for_a_command_tells_the_command(folder: Path) -> None:
    client = Client(folder, "reject")

    async def scene() -> None:
        await client.start()
        await client.prompt("/requests")

    play(scene())
    subjects = [params["subject"] for _, params in client.requests]
    assert [subject["type"] for subject in subjects] == ["command", "tool_call", "tool_call"]
    assert client.states() == ["running", "requires_action", "running", "idle"]


@pytest.mark.parametrize("reason", ["refusal", "max_tokens", "error"])
def test_bad_ends(folder: Path, reason: str) -> None:
    client = Client(folder)

    async def scene() -> None:
        await client.start()
        assert await client.prompt(f"/fail {reason}") == reason

    play(scene())
    (idle,) = [each for each in client.of("state_update") if each["state"] == "idle"]
    assert ("error" in idle) is (reason == "error")


def test_a_cancel_ends_the_turn_and_kills_the_command(folder: Path) -> None:
    client = Client(folder)

    async def scene() -> None:
        await client.start()
        turn = asyncio.create_task(client.prompt("/run sleep 100"))
        await client.until(lambda: any(each.get("status") == "in_progress" for each in client.updates))
        client.cancel()
        assert await turn == "cancelled"

    play(scene())
    assert client.of("terminal_update")[-1]["exitStatus"] == {"signal": "SIGKILL"}


def test_work_goes_on_beside_the_turn_until_it_is_cancelled(folder: Path) -> None:
    client = Client(folder)
    client.agent.connection.pace = 0.01

    async def scene() -> None:
        await client.start()
        await client.prompt("/background 1000")
        assert client.of("state_update")[-1]["background"] == [{"type": "tool_call", "toolCallId": "call-1"}]
        await client.call("tool_call/cancel", sessionId="demo-1", toolCallId="call-1")
        await client.until(lambda: client.of("state_update")[-1]["background"] == [])
        with pytest.raises(RefusedError):
            await client.call("tool_call/cancel", sessionId="demo-1", toolCallId="call-1")

    play(scene())
    assert client.of("tool_call_update")[-1]["status"] == "cancelled"
    assert client.stops() == ["end_turn"]


def test_sessions_are_listed_told_again_closed_and_forgotten(folder: Path) -> None:
    client = Client(folder)

    async def scene() -> None:
        await client.start()
        await client.prompt("hello")
        assert [each["sessionId"] for each in (await client.call("session/list"))["sessions"]] == ["demo-1"]
        told = list(client.updates)
        client.updates.clear()
        await client.call("session/resume", sessionId="demo-1", cwd=str(folder), replayFrom={"type": "start"})
        assert client.updates[:-1] == [each for each in told if each["sessionUpdate"] != "state_update"]
        assert client.states() == ["idle"]
        client.updates.clear()
        await client.call("session/resume", sessionId="demo-1", cwd=str(folder))
        assert [each["sessionUpdate"] for each in client.updates] == ["state_update"]
        await client.call("session/close", sessionId="demo-1")
        await client.call("session/delete", sessionId="demo-1")
        with pytest.raises(RefusedError):
            await client.call("session/resume", sessionId="demo-1", cwd=str(folder))

    play(scene())


def test_options_are_chosen_by_their_newer_name(folder: Path) -> None:
    client = Client(folder)

    async def scene() -> None:
        await client.start()
        params = {"configId": "mode", "type": "id", "value": "plan"}
        chosen = await client.call("session/set_config_option", sessionId="demo-1", **params)
        assert chosen["configOptions"][0]["currentValue"] == "plan"
        with pytest.raises(RefusedError):
            await client.call("session/set_config_option", sessionId="demo-1", **{**params, "value": "?"})

    play(scene())


def test_a_client_of_version_1_is_spoken_to_in_version_1(folder: Path) -> None:
    client = Client(folder)
    answer: Data = {}

    async def scene() -> None:
        answer.update(await client.call("initialize", protocolVersion=2, clientCapabilities={}))

    play(scene())
    assert answer["protocolVersion"] == 1
