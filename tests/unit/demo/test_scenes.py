"""The scenes, played to a client that checks every line against the schema."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from acp_tui.demo import project
from acp_tui.ui.render.thumbnail import size_of_base64
from tests.agents.demo_scenes import FullAgent
from tests.agents.older_demo import OlderAgent
from tests.unit.demo.client import CAPABILITIES, DemoClient, RefusedError, play
from tests.unit.protocol.official import Official

STORY = "find out why the login test fails and fix it"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project.create(tmp_path)
    return tmp_path


def played(client: DemoClient, *prompts: str, capabilities: dict[str, Any] = CAPABILITIES) -> list[str]:
    reasons: list[str] = []

    async def scene() -> None:
        await client.start(capabilities)
        reasons.extend([await client.prompt(prompt) for prompt in prompts])

    play(scene())
    return reasons


def statuses(client: DemoClient) -> set[str]:
    return {call["status"] for call in client.tool_calls().values()}


def test_the_story_shows_everything_and_fixes_the_bug(folder: Path) -> None:
    client = DemoClient(folder)
    assert played(client, STORY) == ["end_turn"]
    assert not client.has_bug
    assert (folder / "NOTES.md").exists()
    assert {
        "available_commands_update",
        "session_info_update",
        "agent_thought_chunk",
        "agent_message_chunk",
        "plan",
        "tool_call",
        "tool_call_update",
        "usage_update",
    } <= set(client.kinds())
    assert [call["kind"] for call in client.tool_calls().values()] == [
        "search", "read", "read", "execute", "edit", "edit", "execute",
    ]  # fmt: skip
    assert [method for method, _ in client.requests].count("session/request_permission") == 2
    plans = [[entry["status"] for entry in update["entries"]] for update in client.of("plan")]
    assert plans[0] == ["in_progress", "pending", "pending", "pending"]
    assert plans[-1] == ["completed"] * 4


def test_the_terminal_is_embedded_and_released(folder: Path) -> None:
    client = DemoClient(folder)
    played(client, STORY)
    runs = [call for call in client.tool_calls().values() if call["kind"] == "execute"]
    assert [call["status"] for call in runs] == ["failed", "completed"]
    assert runs[0]["content"] == [{"type": "terminal", "terminalId": "t"}]
    methods = [method for method, _ in client.requests]
    assert methods.count("terminal/create") == methods.count("terminal/release") == 2


def test_a_rejection_is_honoured(folder: Path) -> None:
    client = DemoClient(folder, "reject")
    assert played(client, STORY) == ["end_turn"]
    assert client.has_bug
    assert "`login.py` is unchanged" in client.text()
    assert not (folder / "NOTES.md").exists()


def test_always_is_asked_once(folder: Path) -> None:
    client = DemoClient(folder, "allow-always")
    played(client, STORY)
    assert [method for method, _ in client.requests].count("session/request_permission") == 1


def test_the_story_told_again_finds_nothing_to_fix(folder: Path) -> None:
    client = DemoClient(folder)
    assert played(client, STORY, STORY) == ["end_turn", "end_turn"]
    assert "Type `/reset` to put the bug back" in client.text()


def test_the_bug_can_be_put_back(folder: Path) -> None:
    client = DemoClient(folder)
    played(client, STORY, "/reset")
    assert client.has_bug


@pytest.mark.parametrize(("mode", "has_bug"), [("code", False), ("plan", True)])
def test_the_mode_decides_about_edits(folder: Path, mode: str, has_bug: bool) -> None:
    client = DemoClient(folder, None)

    async def scene() -> None:
        await client.start()
        await client.choose("mode", mode)
        await client.prompt(STORY)

    play(scene())
    assert client.has_bug is has_bug
    assert "session/request_permission" not in [method for method, _ in client.requests]


@pytest.mark.parametrize("capabilities", [{}, {"fs": {"readTextFile": True}}, {"terminal": True}])
def test_a_client_that_offers_little_is_asked_for_little(folder: Path, capabilities: dict[str, Any]) -> None:
    client = DemoClient(folder)
    assert played(client, STORY, "/notice", "/run ls", capabilities=capabilities) == ["end_turn"] * 3
    asked = {method.partition("/")[0] for method, _ in client.requests}
    assert asked <= {"session", *capabilities}
    assert client.has_bug
    assert not {"notice", "compaction_update"} & set(client.kinds())


@pytest.mark.parametrize("name", [command.name for command in FullAgent.commands if command.name != "fail"])
def test_every_command_plays_to_its_end(folder: Path, name: str) -> None:
    client = DemoClient(folder)
    if name == "odd":  # not what the schema allows, and real
        client.schema = None
    assert played(client, f"/{name}") == ["end_turn"]
    assert client.text()
    assert statuses(client) <= {"completed", "failed"}


def test_three_permissions_are_asked_at_once(folder: Path) -> None:
    client = DemoClient(folder, None)

    async def scene() -> None:
        await client.start()
        turn = asyncio.create_task(client.prompt("/requests"))
        await client.until(lambda: len(client.requests) == 3)
        client.cancel()
        assert await turn == "cancelled"

    play(scene())


def test_notices_and_a_compaction_are_sent(folder: Path) -> None:
    client = DemoClient(folder)
    played(client, "/notice")
    assert [update["severity"] for update in client.of("notice")] == ["info", "warning", "error"]
    assert [update["status"] for update in client.of("compaction_update")] == ["in_progress", "completed"]


def test_every_kind_of_content_is_sent(folder: Path) -> None:
    client = DemoClient(folder)
    played(client, "/content")
    blocks = [update["content"] for update in client.of("agent_message_chunk")]
    assert {block["type"] for block in blocks} == {"text", "image", "audio", "resource", "resource_link"}
    assert [block for block in blocks if block.get("annotations") == {"audience": ["assistant"]}]
    (call,) = client.tool_calls().values()
    assert [item["content"]["type"] for item in call["content"]] == ["text", "image", "text"]
    images = [block["data"] for block in blocks if block["type"] == "image"]
    assert [size_of_base64(data) for data in images] == [(320, 200)]


def test_plans_of_every_kind_are_told_to_who_takes_them(folder: Path) -> None:
    client = DemoClient(folder)
    client.schema = Official(1, "schema.unstable.json")
    played(client, "/plans", capabilities={**CAPABILITIES, "plan": {}})
    assert [update["plan"]["type"] for update in client.of("plan_update")] == ["items", "markdown", "file"]
    assert [update["planId"] for update in client.of("plan_removed")] == ["design"]


def test_odd_options_come_and_go(folder: Path) -> None:
    client = DemoClient(folder)
    client.schema = None
    played(client, "/odd", "/odd")
    there, gone = ([option["id"] for option in update["configOptions"]] for update in client.of("config_option_update"))
    assert set(there) - set(gone) == {"rights", "region", "volume", "catalogue"}


def test_the_system_prompt_that_was_given_is_told(folder: Path) -> None:
    client = DemoClient(folder)

    async def scene() -> None:
        await client.start(CAPABILITIES)
        await client.prompt("/system")
        (session,) = client.agent.sessions.values()
        for mode in ("append", "override"):
            session.system_prompt = {"mode": mode, "content": [{"type": "text", "text": f"Be {mode}."}]}
            await client.prompt("/system")

    play(scene())
    assert "no system prompt of yours" in client.text()
    assert "Added to my system prompt:\n\nBe append." in client.text()
    assert "In place of my own system prompt:\n\nBe override." in client.text()


def test_titles_are_given_and_taken(folder: Path) -> None:
    client = DemoClient(folder)
    played(client, "/title Spring cleaning", "/title")
    assert [update["title"] for update in client.of("session_info_update")] == ["Spring cleaning", None]


def test_modes_and_models_the_older_way(folder: Path) -> None:
    client = DemoClient(folder, agent=OlderAgent())

    async def scene() -> None:
        setup = await client.start()
        assert (setup["modes"]["currentModeId"], setup["models"]["currentModelId"]) == ("ask", "sage-4")
        assert "configOptions" not in setup
        assert await client.call("session/set_mode", sessionId="demo-1", modeId="plan") == {}
        assert await client.call("session/set_model", sessionId="demo-1", modelId="swift-2") == {}

    play(scene())
    assert [update["currentModeId"] for update in client.of("current_mode_update")] == ["plan"]


def test_a_long_answer_is_as_long_as_asked(folder: Path) -> None:
    client = DemoClient(folder)
    played(client, "/long 12")
    assert client.text().count("The quick brown fox") == 12


@pytest.mark.parametrize("reason", ["refusal", "max_tokens", "max_turn_requests"])
def test_a_turn_may_end_for_any_reason(folder: Path, reason: str) -> None:
    assert played(DemoClient(folder), f"/fail {reason}") == [reason]


def test_a_turn_may_fail(folder: Path) -> None:
    with pytest.raises(RefusedError, match="Internal error"):
        played(DemoClient(folder), "/fail")


def _begins(client: DemoClient, kind: str) -> Callable[[], bool]:
    return lambda: kind in client.kinds()


@pytest.mark.parametrize(
    "prompt", [STORY, "/long", "/plan", "/plans", "/tools", "/markdown", "/requests", "/ask", "/link", "/run sleep"]
)
def test_a_turn_can_be_cancelled_and_another_begun(folder: Path, prompt: str) -> None:
    client = DemoClient(folder, None, forever=True)

    async def scene() -> None:
        await client.start()
        turn = asyncio.create_task(client.prompt(prompt))
        await client.until(lambda: len(client.updates) > 1)
        client.cancel()
        assert await turn == "cancelled"
        assert await client.prompt("hello") == "end_turn"

    play(scene())


def test_cancelling_kills_the_command(folder: Path) -> None:
    client = DemoClient(folder, forever=True)

    async def scene() -> None:
        await client.start()
        turn = asyncio.create_task(client.prompt("/run sleep 100"))
        await client.until(lambda: client.requests[-1:] != [] and client.requests[-1][0] == "terminal/wait_for_exit")
        client.cancel()
        assert await turn == "cancelled"

    play(scene())
    assert [method for method, _ in client.requests][-2:] == ["terminal/kill", "terminal/release"]


def _refused(client: DemoClient, act: Callable[[], Awaitable[Any]], words: str) -> None:
    async def scene() -> None:
        await client.start()
        with pytest.raises(RefusedError, match=words):
            await act()

    play(scene())


def test_a_refused_choice_says_why(folder: Path) -> None:
    client = DemoClient(folder)
    _refused(client, lambda: client.choose("model", "unreleased"), "not released")


def test_an_unknown_method_is_refused(folder: Path) -> None:
    client = DemoClient(folder)
    _refused(client, lambda: client.call("session/fly"), "Method not found")


def test_an_unknown_session_is_refused(folder: Path) -> None:
    client = DemoClient(folder)
    _refused(client, lambda: client.call("session/prompt", sessionId="x", prompt=[]), "Resource not found")


def test_params_that_make_no_sense_are_refused(folder: Path) -> None:
    client = DemoClient(folder)
    _refused(client, lambda: client.call("session/prompt"), "Invalid params")


def test_the_choice_is_answered_with_all_options(folder: Path) -> None:
    client = DemoClient(folder)

    async def scene() -> None:
        await client.start()
        options = await client.choose("model", "swift-nano")
        assert "thinking" not in [option["id"] for option in options]
        await client.choose("model", "sage-5")
        options = await client.choose("context_1m", True)
        assert [option["currentValue"] for option in options if option["id"] == "context_1m"] == [True]

    play(scene())
