"""Which entries changed, told together."""

import asyncio

import pytest

from acp_tui.protocol.vocabulary.tool_calls import TerminalOutputChunk, TerminalReference, ToolCallUpdate
from acp_tui.session.entries import Entry
from acp_tui.session.state import Session
from acp_tui.ui.bridge import EntryWatch

pytestmark = pytest.mark.anyio


async def test_a_tool_call_looks_different_with_the_terminal_that_it_shows() -> None:
    session, changed = Session("s", "/"), asyncio.get_running_loop().create_future()
    session.apply(ToolCallUpdate(tool_call_id="1", content=[TerminalReference(terminal_id="t")]))
    session.apply(ToolCallUpdate(tool_call_id="2"))

    def tell(entries: list[Entry]) -> None:
        changed.set_result(entries)

    watch = EntryWatch(session, tell)
    watch.start()
    session.apply(TerminalOutputChunk(terminal_id="t", data=b"x"))
    assert await asyncio.wait_for(changed, 20) == session.entries[:1]
    watch.stop()
