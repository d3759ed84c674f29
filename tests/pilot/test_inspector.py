"""The inspector by keys: what passes is there, can be filtered, read and copied."""

import json
from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.catalog.launch_plan import by_command
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate
from acp_tui.session.entries import MessageEntry, NoticeEntry, ToolCallEntry
from acp_tui.session.folds.timeline import UnknownEntry
from acp_tui.ui.inspector_screen import InspectorScreen, TrafficList
from acp_tui.ui.kit.list_panel import UnitsView
from tests.pilot.driver import User, user

pytestmark = pytest.mark.anyio


def passes(someone: User, way: Any, *messages: Any) -> None:
    for message in messages:
        someone.client.traffic.passes(way, json.dumps(message).encode() + b"\n")


def call(number: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def update(kind: str, **members: Any) -> dict[str, Any]:
    params = {"sessionId": "s1", "update": {"sessionUpdate": kind, **members}}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def introduced(someone: User) -> None:
    someone.client.traffic.begins()
    passes(someone, "->", call(0, "initialize", protocolVersion=1))
    passes(someone, "<-", {"id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}}})


def chosen(someone: User) -> str:
    """The method of the message under the cursor."""
    message = someone.app.screen.query_one(TrafficList).current
    return message.method if message is not None else ""


async def test_what_passed_and_what_passes_is_there() -> None:
    async with user() as someone:
        introduced(someone)
        someone.client.connection.spoken = "ACP 2"
        await someone.press("f12")
        await someone.wait_for("✓ initialize")
        passes(someone, "->", call(1, "session/prompt"))
        await someone.wait_for("? session/prompt")
        assert chosen(someone) == "session/prompt"
        await someone.wait_for("→ agent · request session/prompt")
        await someone.wait_for('"method": "session/prompt"')
        await someone.press("up")
        assert chosen(someone) == "initialize"
        passes(someone, "<-", update("plan", entries=[]))
        await someone.wait_for("ACP 2 · 5 messages")
        assert chosen(someone) == "initialize"
        await someone.press("end")
        assert chosen(someone) == "session/update plan"
        await someone.press("escape")
        assert someone.app.screen is someone.conversation


async def test_problems_are_marked_and_found() -> None:
    async with user() as someone:
        introduced(someone)
        passes(someone, "<-", update("agent_message_chunk"), update("plan", entries=[]), "noise")
        await someone.press("f12")
        await someone.wait_for("2 with problems")
        await someone.wait_for("▲ agent_message_chunk")
        await someone.press("p")
        await someone.wait_for("2 of 6 messages")
        await someone.press("home")
        await someone.wait_for("rejected: content")
        await someone.press("p")
        await someone.wait_for("   6 messages")


async def test_the_filter_works_as_one_types() -> None:
    async with user() as someone:
        introduced(someone)
        passes(someone, "<-", update("tool_call", toolCallId="t-1", title="Edit login"), update("plan", entries=[]))
        await someone.press("f12", "slash")
        await someone.type("login")
        await someone.wait_for("1 of 5 messages")
        assert chosen(someone) == "session/update tool_call"
        await someone.press("escape")
        await someone.press("a")
        await someone.wait_for("   5 messages")
        await someone.press("slash")
        await someone.type("nothing like it")
        await someone.wait_for("0 of 5 messages")
        assert chosen(someone) == ""


async def test_a_message_is_copied_whole() -> None:
    async with user() as someone:
        introduced(someone)
        await someone.press("f12")
        await someone.wait_for("✓ initialize")
        await someone.press("y")
        assert json.loads(someone.app.clipboard)["id"] == 0
        assert any("Copied the message" in toast for toast in someone.toasts())


async def test_agent_text_is_only_text() -> None:
    async with user() as someone:
        introduced(someone)
        passes(someone, "<-", {"method": "[@click=app.quit]x[/]\x1b]52;c;AAAA\x07", "params": {"a": "[/] \u202e"}})
        someone.client.traffic.passes("err", b"\x1b[2J[/red] log \xff\n")
        await someone.press("f12")
        await someone.wait_for("5 messages")
        assert someone.sees("[@click=app.quit]x[/]")
        assert not any("\x1b" in row or "\u202e" in row for row in someone.rows())


async def test_a_giant_message_is_cut_and_that_is_said() -> None:
    async with user() as someone:
        introduced(someone)
        passes(someone, "<-", update("agent_message_chunk", content={"type": "text", "text": "x " * 400_000}))
        await someone.press("f12")
        await someone.wait_for("4 messages")
        await someone.press("tab", "end", "end", "end")
        await someone.wait_for("more not shown")


async def test_from_a_block_to_the_messages_that_made_it() -> None:
    async with user() as someone:
        introduced(someone)
        passes(someone, "<-", update("tool_call", toolCallId="t-1"), update("tool_call", toolCallId="t-2"))
        someone.session.apply(ToolCallUpdate(tool_call_id="t-2", title="Edit login.py"))
        await someone.wait_for("Edit login.py")
        await someone.press("ctrl+x", "up", "i")
        await someone.wait_for("1 of 5 messages")
        assert someone.sees("of Edit login.py (a: show all)")
        assert isinstance(someone.app.screen, InspectorScreen)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_it_fits(size: tuple[int, int]) -> None:
    async with user(size) as someone:
        introduced(someone)
        await someone.press("f12")
        await someone.wait_for("✓ initialize")
        for words in ("Inspector", "← agent", "esc close"):
            assert someone.sees(words)


async def test_nothing_of_a_long_message_is_under_the_scrollbar() -> None:
    async with user((120, 24)) as someone:
        introduced(someone)
        passes(someone, "<-", update("plan", entries=[{"content": "word " * 40, "priority": "low"}] * 20))
        await someone.press("f12")
        await someone.wait_for("←   plan")
        await someone.press("end")
        details = someone.app.screen.query_one("#inspector-details", UnitsView)
        await someone.wait_until(lambda: details.show_vertical_scrollbar, "a scrollbar")
        assert details.virtual_size.width == details.scrollable_content_region.width


def test_every_entry_has_an_origin() -> None:
    assert ToolCallEntry("t-1", title="T").origin().name == "t-1"
    assert MessageEntry("m-1", "agent").origin().name == "m-1"
    unnamed = MessageEntry("unnamed-1", "thought", started_at=5.0, finished_at=6.0).origin()
    assert (unnamed.name, unnamed.kind, unnamed.since, unnamed.until) == ("", "agent_thought", 5.0, 6.0)
    assert UnknownEntry("u", "newer", {}).origin().kind == "newer"
    assert NoticeEntry("n", "info", "N", started_at=9.0).origin().since == 8.0


async def test_what_was_set_for_a_known_agent_is_said() -> None:
    async with user() as someone:
        await someone.press("f12")
        await someone.wait_for("esc close")
        assert not someone.app.screen.query("#inspector-defaults")
        await someone.press("escape")
        someone.client.command = by_command(["gemini", "--acp"], Path("/")).command
        await someone.press("f12")
        await someone.wait_for('Gemini CLI has fs = "write": any fs/read_text_file error ends its edit')
