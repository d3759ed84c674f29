"""Terminals of protocol 2, which the agent runs itself: their output comes in base64, each piece by itself."""

import base64
import binascii
from typing import Any

from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.reading import read
from acp_tui.protocol.vocabulary.terminals import TerminalOutputChunk, TerminalUpdate
from acp_tui.protocol.vocabulary.updates import Update


def read_terminal(_memory: object, update: dict[str, Any]) -> list[Update]:
    """Read `terminal_update`; output that cannot be decoded reads as if it had been omitted."""
    given = dict(update)
    if given.get("output") is not None:
        output = given.pop("output")
        data = decoded(output.get("data")) if isinstance(output, dict) else None
        given |= {} if data is None else {"output": data}
    return [read(TerminalUpdate, given)]


def read_output_chunk(_memory: object, update: dict[str, Any]) -> list[Update]:
    """Read `terminal_output_chunk`."""
    data = decoded(update.get("data"))
    if data is None:
        raise ProtocolFault("The agent sent bad terminal output", "data", "base64 is required")
    return [read(TerminalOutputChunk, {**update, "data": data})]


def decoded(data: Any) -> bytes | None:
    """The bytes that base64 text stands for; None if it is none."""
    try:
        return base64.b64decode(data, validate=True) if isinstance(data, str) else None
    except (binascii.Error, ValueError):
        return None
