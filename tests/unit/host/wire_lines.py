"""Lines of wire records, as they are read."""

import json
from typing import Any

from acp_tui.host.records.traffic import Direction
from acp_tui.host.records.wire_record import FORMAT, WireLine


def line(at: float, direction: Direction, **message: Any) -> WireLine:
    """A message that passed."""
    return WireLine(at, direction, json.dumps({"jsonrpc": "2.0", **message}).encode())


def update(at: float, what: str, session_id: str = "s", **members: Any) -> WireLine:
    """A `session/update` of the agent."""
    params = {"sessionId": session_id, "update": {"sessionUpdate": what, **members}}
    return line(at, "<-", method="session/update", params=params)


def chunk(at: float, text: str, session_id: str = "s") -> WireLine:
    """Text of the agent."""
    return update(at, "agent_message_chunk", session_id, content={"type": "text", "text": text})


def prompt(at: float, number: int, text: str, session_id: str = "s") -> WireLine:
    """A prompt of the user."""
    params = {"sessionId": session_id, "prompt": [{"type": "text", "text": text}]}
    return line(at, "->", id=number, method="session/prompt", params=params)


def opened(at: float, number: int, way: str = "new", session_id: str = "s", **members: Any) -> list[WireLine]:
    """A session that the client asked for, and the answer."""
    named = {} if way == "new" else {"sessionId": session_id}
    params = {"cwd": "/somewhere/else", **named}
    answer = line(at, "<-", id=number, result={"sessionId": session_id, **members})
    return [line(at, "->", id=number, method=f"session/{way}", params=params), answer]


def ended(at: float, number: int, reason: str = "end_turn") -> WireLine:
    """The answer to a prompt."""
    return line(at, "<-", id=number, result={"stopReason": reason})


INTRODUCED = [
    WireLine(0, "start", b""),
    line(0, "->", id=0, method="initialize", params={"protocolVersion": 1}),
    line(0, "<-", id=0, result={"protocolVersion": 1, "agentInfo": {"name": "Recorded", "version": "1"}}),
]
LINES = [
    *INTRODUCED,
    *opened(0, 1),
    prompt(1, 2, "hi"),
    chunk(2, "one "),
    chunk(3, "two "),
    chunk(4000, "three"),
    ended(4001, 2),
]


def file_of(lines: list[WireLine]) -> str:
    """The text of a file with these lines."""
    told: list[dict[str, Any]] = [{"t": 0, "dir": "start", "line": FORMAT, "version": 1}]
    told += [{"t": one.at, "dir": one.direction, "line": one.line.decode()} for one in lines]
    return "".join(json.dumps(one) + "\n" for one in told)
