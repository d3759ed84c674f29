"""Text that grows chunk by chunk on its way from the event loop to the thread that writes; must not know files.

A chunk costs the loop an append, whatever happens in the thread. Either side may go on while the other works:
`taken` is set before the text is taken, and looked at after text was added, so that nothing is left behind.
"""

from collections import deque

from acp_tui.protocol.content import TextContent
from acp_tui.protocol.updates import MessageChunk

JOINED = 32 * 1024
"""Characters that one line of a record holds, more or less."""
_CHUNK = frozenset({"session_update", "message_id", "content"})
_TEXT = frozenset({"type", "text"})


def is_plain(chunk: MessageChunk) -> bool:
    """Whether a chunk is text and nothing else, so that it may share a line with others."""
    content = chunk.content
    return type(content) is TextContent and content.model_fields_set <= _TEXT and chunk.model_fields_set <= _CHUNK


class GrowingText:
    """One message that grows by plain chunks."""

    __slots__ = ("_first", "_kind", "_name", "_size", "_texts", "taken")

    def __init__(self, first: MessageChunk) -> None:
        self._first, self._kind, self._name = first, first.session_update, first.message_id
        self._texts: deque[str] = deque()
        self._size = 0
        self.taken = False
        self.grow(first)

    def grow(self, chunk: MessageChunk) -> bool:
        """Add a chunk, if it is of this message, plain, and there is room."""
        content = chunk.content
        if (
            chunk.message_id != self._name
            or chunk.session_update != self._kind
            or self._size > JOINED
            or not is_plain(chunk)
            or not isinstance(content, TextContent)
        ):
            return False
        self._texts.append(content.text)
        self._size += len(content.text)
        return True

    def take(self) -> MessageChunk | None:
        """What has grown since the last time, as one chunk; for the thread that writes."""
        self.taken = True
        texts: list[str] = []
        while self._texts:
            texts.append(self._texts.popleft())
        if not texts:
            return None
        content = TextContent.model_construct(_fields_set={"type", "text"}, type="text", text="".join(texts))
        return self._first.model_copy(update={"content": content})
