"""Agents that send the person's own message back: what was sent is shown already and must not be shown twice."""

from dataclasses import dataclass, field

from acp_tui.protocol.content import ContentBlock, TextContent


@dataclass(slots=True)
class Echo:
    """A prompt that was sent, compared with the user's message as the agent tells it during the turn.

    Text is compared without white space, because agents join and trim blocks; other blocks by their type,
    because agents rewrite them.
    """

    sent: list[ContentBlock]
    _text: str | None = None
    _position: int = 0
    _types: list[str] = field(default_factory=list)

    def takes(self, block: ContentBlock) -> bool:
        """Whether `block` only repeats the next part of what was sent."""
        if self._text is None:
            self._text = "".join(_squeezed(each.text) for each in self.sent if isinstance(each, TextContent))
            self._types = [each.type for each in self.sent if not isinstance(each, TextContent)]
        if isinstance(block, TextContent):
            return self._takes_text(self._text, _squeezed(block.text))
        if block.type in self._types:
            self._types.remove(block.type)
            return True
        return False

    def _takes_text(self, expected: str, text: str) -> bool:
        if not expected.startswith(text, self._position):
            return False
        self._position += len(text)
        return True


def _squeezed(text: str) -> str:
    return "".join(text.split())
