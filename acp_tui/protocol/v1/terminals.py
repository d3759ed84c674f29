"""Output of commands that the agent runs itself, sent in `_meta` of tool calls, as terminals on display.

A convention outside of the spec: `terminal_info` (`terminal_id`, `cwd`), `terminal_output` and
`terminal_output_delta` (`terminal_id`, `data`; both append), `terminal_exit` (`terminal_id`, `exit_code`, `signal`).
"""

from typing import Any

from acp_tui.protocol.base import Integer, Lenient, Model
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.reading import read
from acp_tui.protocol.vocabulary.terminals import TerminalExitStatus, TerminalOutputChunk, TerminalUpdate
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate
from acp_tui.protocol.vocabulary.updates import Update

MEMBERS = ("terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit")


class TerminalMember(Model):
    """Any of the four members; a terminal without an id is named after its tool call."""

    terminal_id: Lenient[str | None] = None
    cwd: Lenient[str | None] = None
    data: Lenient[str | None] = None
    exit_code: Lenient[Integer | None] = None
    signal: Lenient[str | None] = None


def read_terminal_output(call: ToolCallUpdate) -> list[Update]:
    """What the `_meta` of a tool call says about a terminal, in order; what cannot be read says nothing."""
    if not call.meta:
        return []
    updates: list[Update] = []
    for name in MEMBERS:
        if name in call.meta:
            updates += _read_member(name, call.meta[name], call.tool_call_id)
    return updates


def _read_member(name: str, value: Any, fallback: str) -> list[Update]:
    try:
        member = read(TerminalMember, value)
    except ProtocolFault:
        return []  # `_meta` is nobody's contract
    terminal_id = member.terminal_id or fallback
    if name == "terminal_info":
        cwd = {"cwd": member.cwd} if member.cwd else {}
        return [TerminalUpdate(terminal_id=terminal_id, **cwd)]
    if name == "terminal_exit":
        status = TerminalExitStatus(exit_code=member.exit_code, signal=member.signal)
        return [TerminalUpdate(terminal_id=terminal_id, exit_status=status)]
    if not member.data:
        return []
    return [TerminalOutputChunk(terminal_id=terminal_id, data=member.data.encode(errors="replace"))]
