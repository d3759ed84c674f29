"""Subagents of the demo in both versions, every line checked against the schema."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_tui.demo import project
from tests.unit.demo.client import CAPABILITIES, DemoClient, play
from tests.unit.demo.test_version2 import Client
from tests.unit.protocol.official import Official

Data = dict[str, Any]
Heard = list[tuple[str, Data]]
SUBAGENTS = {**CAPABILITIES, "subagents": {}}
INDEX = "demo-1-4"
SCHEMAS = {
    1: Official(1, "schema.unstable.json").validator("SessionNotification"),
    2: Official(2, "schema.unstable.json").validator("UpdateSessionNotification"),
}


def older(folder: Path) -> DemoClient:
    client = DemoClient(folder)
    client.schema = None  # subagents are in the unstable one only
    return client


class Either:
    """A client of either version that remembers on which session each update came."""

    def __init__(self, folder: Path, version: int) -> None:
        self.version = version
        self.client: Any = older(folder) if version == 1 else Client(folder)
        self.heard: Heard = []
        self.announced_before_answer = 0  # before the last answer
        self._write = self.client.agent.connection.write
        self.client.agent.connection.write = self._listen

    async def start(self) -> None:
        await (self.client.start(SUBAGENTS) if self.version == 1 else self.client.start())

    async def prompt(self, text: str) -> None:
        assert await self.client.prompt(text) == "end_turn"

    def cancel(self, session_id: str) -> None:
        message = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session_id}}
        self.client.agent.connection.take(message)

    async def until(self, fact: Callable[[], bool]) -> None:
        await self.client.until(fact)

    def of(self, session_id: str, kind: str) -> list[Data]:
        return [update for each, update in self.heard if each == session_id and update["sessionUpdate"] == kind]

    @property
    def announced(self) -> list[Data]:
        return [update for _, update in self.heard if update["sessionUpdate"] == "subagent_update"]

    def words(self, session_id: str) -> str:
        return "".join(update["content"]["text"] for update in self.of(session_id, "agent_message_chunk"))

    def child(self, session_id: str) -> Data:
        """What was told of a subagent, patch upon patch."""
        told: Data = {}
        for _, update in self.heard:
            if update["sessionUpdate"] == "subagent_update" and update["sessionId"] == session_id:
                told |= update
        return told

    def _listen(self, line: bytes) -> None:
        """The schema here does not know sessions as content of tool calls, which are newer than it."""
        message = json.loads(line)
        if "method" not in message:
            self.announced_before_answer = len(self.announced)
        if message.get("method") == "session/update":
            update = message["params"]["update"]
            self.heard.append((message["params"]["sessionId"], dict(update)))
            content = update.get("content")
            if isinstance(content, list) and [item["type"] for item in content] == ["session"]:
                del update["content"]
            SCHEMAS[self.version].validate(message["params"])
        self._write(json.dumps(message).encode() + b"\n")


@pytest.fixture(params=[1, 2])
def either(tmp_path: Path, request: pytest.FixtureRequest) -> Either:
    project.create(tmp_path)
    return Either(tmp_path, request.param)


@pytest.fixture(scope="module", params=[1, 2])
def played(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Either:
    """The whole scene, until the last subagent is done."""
    folder = tmp_path_factory.mktemp("project")
    project.create(folder)
    either = Either(folder, request.param)

    async def scene() -> None:
        await either.start()
        await either.prompt("/subagents")
        await either.until(lambda: either.child(INDEX)["state"]["state"] == "idle")

    play(scene())
    return either


def test_subagents_work_side_by_side_and_one_has_one_of_its_own(played: Either) -> None:
    parents = {update["sessionId"]: parent for parent, update in played.heard if "subagent_update" in update.values()}
    own = {"demo-1-1": "demo-1", "demo-1-2": "demo-1", "demo-1-3": "demo-1", INDEX: "demo-1"}
    assert parents == {**own, "demo-1-1-1": "demo-1-1"}
    for child in [*own, "demo-1-1-1"]:
        first = next(at for at, (_, update) in enumerate(played.heard) if update.get("sessionId") == child)
        assert child not in [session for session, _ in played.heard[:first]], "nothing comes before the announcement"
        assert played.child(child)["state"] == {"state": "idle", "stopReason": "end_turn"}
        assert played.child(child)["title"]
    assert "seconds with minutes" in played.words("demo-1-1")
    assert "You allowed the change" in played.words("demo-1-3")
    assert "a fourth continues" in played.words("demo-1")
    asked = [params["sessionId"] for method, params in played.client.requests if "permission" in method]
    assert asked == ["demo-1-3"]
    shown = [each["content"][0]["sessionId"] for each in played.of("demo-1", "tool_call") if "content" in each]
    shown += [each["content"][0]["sessionId"] for each in played.of("demo-1", "tool_call_update") if "content" in each]
    assert shown == ["demo-1-1", "demo-1-2"]


def test_they_talk_with_their_parent_and_each_side_has_it(played: Either) -> None:
    for session in ("demo-1", "demo-1-1"):
        asked, answered = played.of(session, "session_message")
        assert (asked["senderSessionId"], asked["recipientSessionId"]) == ("demo-1", "demo-1-1")
        assert (answered["senderSessionId"], answered["recipientSessionId"]) == ("demo-1-1", "demo-1")
        chunks = played.of(session, "session_message_chunk")
        said = "".join(each["content"]["text"] for each in chunks if each["messageId"] == answered["messageId"])
        assert said.startswith("`is_expired` compares seconds")


def test_the_one_in_the_background_goes_on_after_the_turn_until_it_is_done_or_cancelled(either: Either) -> None:
    listed: list[list[Data]] = []

    async def scene() -> None:
        either.client.agent.connection.pace = 0.0005
        await either.start()
        await either.prompt("/subagents")
        assert either.child(INDEX)["state"] == {"state": "running"}
        assert either.child(INDEX)["capabilities"] == {"cancel": {}}
        if either.version == 2:
            listed.append(either.of("demo-1", "state_update")[-1]["background"])
        either.cancel(INDEX)
        await either.until(lambda: either.child(INDEX)["state"]["state"] == "idle")
        if either.version == 2:
            await either.until(lambda: either.of("demo-1", "state_update")[-1]["background"] == [])

    play(scene())
    assert either.child(INDEX)["state"] == {"state": "idle", "stopReason": "cancelled"}
    assert either.child(INDEX)["capabilities"] is None
    if either.version == 2:
        assert listed == [[{"type": "subagent", "sessionId": INDEX}]]


def test_what_is_in_the_background_gets_done(played: Either) -> None:
    assert played.words(INDEX) == "The index is complete."


def test_a_turn_that_is_cancelled_takes_its_subagents_with_it_and_one_alone_does_not(either: Either) -> None:
    async def scene() -> None:
        either.client.agent.connection.pace = 0.0005
        await either.start()
        turn = either.client.call("session/prompt", sessionId="demo-1", prompt=[{"type": "text", "text": "/subagents"}])
        task = asyncio.ensure_future(turn)
        await either.until(lambda: "demo-1-1-1" in [session for session, _ in either.heard])
        either.cancel("demo-1-1")
        await either.until(lambda: either.child("demo-1-1-1")["state"]["state"] == "idle")
        assert either.child("demo-1-2")["state"].get("stopReason", "end_turn") == "end_turn"
        either.cancel("demo-1")
        await task
        names = ("demo-1-1", "demo-1-2", "demo-1-3")
        await either.until(lambda: all(either.child(name)["state"]["state"] == "idle" for name in names))

    play(scene())
    assert either.child("demo-1-1-1")["state"]["stopReason"] == "cancelled"
    assert either.child("demo-1-1")["state"]["stopReason"] == "cancelled"


def test_a_client_that_knows_none_gets_none(tmp_path: Path) -> None:
    client = DemoClient(tmp_path)

    async def scene() -> None:
        await client.start()
        assert await client.prompt("/subagents") == "end_turn"

    play(scene())
    assert client.text() == "This client does not support subagents."


def test_a_conversation_told_again_has_its_subagents(tmp_path: Path) -> None:
    either = Either(tmp_path, 2)

    async def scene() -> None:
        await either.start()
        await either.prompt("/subagents")
        await either.until(lambda: either.child(INDEX)["state"]["state"] == "idle")
        before = [each for each in either.heard if each[1]["sessionUpdate"] != "state_update"]
        either.heard.clear()
        start = {"type": "start"}
        await either.client.call("session/resume", sessionId="demo-1", cwd=str(tmp_path), replayFrom=start)
        assert [each for each in either.heard if each[1]["sessionUpdate"] != "state_update"] == before

    play(scene())


def test_one_that_still_works_is_announced_again_behind_the_answer(tmp_path: Path) -> None:
    either = Either(tmp_path, 2)

    async def scene() -> None:
        either.client.agent.connection.pace = 0.0005
        await either.start()
        await either.prompt("/subagents")
        either.client.agent.connection.pace = 600  # it is at work until it has been announced
        before = len(either.announced)
        await either.client.call("session/resume", sessionId="demo-1", cwd=str(tmp_path))
        assert either.announced_before_answer == before
        await either.until(lambda: len(either.announced) > before)
        again = either.announced[before]
        assert (again["sessionId"], again["state"]) == (INDEX, {"state": "running"})

    play(scene())
