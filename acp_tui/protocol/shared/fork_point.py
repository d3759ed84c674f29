"""Where a session is forked: after an answer, by an extension that some agents take and others ignore.

It is an object in `_meta` of `session/fork`, of which no capability tells. An agent that takes it refuses the id of a
message that it does not know (-32602).
"""

from typing import Any

from acp_tui.protocol.calls import Call

_PATH = ("jetbrains", "air", "fork")


def forked_after(call: Call, message_id: str) -> Call:
    """The fork is to know what was said up to that answer and no more."""
    place: dict[str, Any] = {"version": 1, "messageId": message_id}
    for name in reversed(_PATH):
        place = {name: place}
    return Call(call.method, {**call.params, "_meta": place})


def fork_point(params: Any) -> str:
    """The id of the answer that a request to fork names; empty for a fork of all."""
    for name in ("_meta", *_PATH, "messageId"):
        params = params.get(name) if isinstance(params, dict) else None
    return params if isinstance(params, str) else ""
