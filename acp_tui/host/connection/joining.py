"""Joins the text that an agent writes faster than it is read: what came in one read is one chunk.

A chunk of a word costs as much to read and fold as one of a page, and most chunks are a word. Only what would
become the same text of the same message is joined: text and nothing beside it, by the agent, without another event
in between. Each event keeps its place.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from acp_tui.wire.jsonrpc import Notification
from acp_tui.wire.peer import Event

MOST = 500
"""Chunks that are joined: 2 ms of decoding, after which others may want their turn."""
LONGEST = 16 * 1024
"""Characters of what is joined; what is longer costs little for its size, and joining it would only copy it."""
JOINED = frozenset({"agent_message_chunk", "agent_thought_chunk"})
"""Not the user's: a prompt that is sent back is compared chunk by chunk, and in a history each is a prompt."""

Joins = Callable[[str], bool]
"""Whether chunks of a session (by its id) mean the same together."""


def joined(events: Iterable[Event], joins: Joins) -> Iterator[Event]:
    """The events in their order, runs of chunks as one; `joins` is asked at the beginning of each run."""
    first: Event | None = None
    key: tuple[str, str, object] | None = None
    texts: list[str] = []
    room = 0
    for event in events:
        found = _plain_text(event)
        if found is not None and found[0] == key and len(found[1]) <= room and len(texts) < MOST:
            texts.append(found[1])
            room -= len(found[1])
            continue
        if first is not None:
            yield _together(first, texts)
        first, key, texts, room = event, None, [], 0
        if found is not None:
            key, texts = found[0], [found[1]]
            room = LONGEST - len(found[1]) if joins(key[0]) else -1  # no empty one either
    if first is not None:
        yield _together(first, texts)


def _plain_text(event: Event) -> tuple[tuple[str, str, object], str] | None:
    """The session, kind and message id of a chunk, and its text; None if it is anything else, or says more."""
    if type(event) is not Notification or event.method != "session/update":
        return None
    params: Any = event.params
    if type(params) is not dict or len(params) != 2:
        return None
    update, session_id = params.get("update"), params.get("sessionId")
    if type(update) is not dict or type(session_id) is not str:
        return None
    content, message_id = update.get("content"), update.get("messageId")
    if type(content) is not dict or len(content) != 2 or content.get("type") != "text":
        return None
    kind, text = update.get("sessionUpdate"), content.get("text")
    if type(kind) is not str or kind not in JOINED or type(text) is not str:
        return None
    if len(update) != (2 if message_id is None else 3) or (message_id is not None and type(message_id) is not str):
        return None
    return (session_id, kind, message_id), text


def _together(first: Event, texts: list[str]) -> Event:
    if len(texts) < 2 or not isinstance(first, Notification):
        return first
    update = {**first.params["update"], "content": {"type": "text", "text": "".join(texts)}}
    return Notification(first.method, {**first.params, "update": update})
