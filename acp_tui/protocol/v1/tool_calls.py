"""Tool calls of protocol 1: `tool_call` and `tool_call_update` are one upsert, in which `null` changes nothing."""

from typing import Any

from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.reading import read
from acp_tui.protocol.v1.memory import SessionMemory
from acp_tui.protocol.v1.terminals import MEMBERS, read_terminal_output
from acp_tui.protocol.vocabulary.content import CONTENT_TYPES
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate
from acp_tui.protocol.vocabulary.updates import Update


def read_tool_call(memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
    """Read `tool_call` (which needs a title when it is new), `tool_call_update` or a permission's `toolCall`."""
    call = read(ToolCallUpdate, _given(update))
    identity = call.tool_call_id
    if identity not in memory.titles:
        if update.get("sessionUpdate") == "tool_call" and call.title is None:
            raise ProtocolFault("The agent sent a bad tool call", "title", "a string is required")
        memory.close_message()
        memory.titles[identity] = ""
    if call.status is not None and memory.statuses.get(identity) != call.status:
        # Agents do not stream text while a call begins or ends: what comes next is something new. Mere output of a
        # call that runs may come in the middle of a word.
        memory.close_message()
        memory.statuses[identity] = call.status
    if call.title is not None:
        memory.titles[identity] = call.title
    shown = read_terminal_output(call)
    if shown and call.meta:
        call = call.model_copy(update={"meta": {key: each for key, each in call.meta.items() if key not in MEMBERS}})
    return [call, *shown]


def _given(update: dict[str, Any]) -> dict[str, Any]:
    """The members that say something, in the vocabulary's shape."""
    given = {key: value for key, value in update.items() if value is not None}
    given["sessionUpdate"] = "tool_call_update"
    if isinstance(given.get("content"), list):
        given["content"] = [_wrapped(item) for item in given["content"]]
    return given


def _wrapped(item: Any) -> Any:
    """A bare content block, as the spec's own example has it, in its wrapping."""
    if isinstance(item, dict) and isinstance(item.get("type"), str) and item["type"] in CONTENT_TYPES:
        return {"type": "content", "content": item}
    return item
