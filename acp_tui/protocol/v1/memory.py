"""What one session of protocol 1 needs to remember, because its updates mean different things in different places."""

from dataclasses import dataclass, field

from acp_tui.protocol.v1.config_options import OptionsAndModes
from acp_tui.protocol.vocabulary.content import ContentBlock, TextContent, for_agent_only


@dataclass(slots=True)
class Echo:
    """A prompt that was sent, compared with the user's message as the agent sends it back during the turn.

    What was sent is shown already.
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


@dataclass(slots=True)
class SessionMemory:
    """The memory of one session.

    `open_kind` and `open_id` name the message that a chunk without an id continues; `ends_in_text` is whether the last
    block of it that is for the user is text. `titles` and `statuses` have the
    title and the status of every tool call seen so far. `echo` is there while a turn runs.
    """

    open_kind: str = ""
    open_id: str = ""
    ends_in_text: bool = False
    unnamed: int = 0
    titles: dict[str, str] = field(default_factory=dict)
    statuses: dict[str, str | None] = field(default_factory=dict)
    echo: Echo | None = None
    options: OptionsAndModes = field(default_factory=OptionsAndModes)

    def fresh_id(self) -> str:
        """An id for a message that the agent did not name."""
        self.unnamed += 1
        return f"unnamed-{self.unnamed}"

    def message_id(self, kind: str, given: object) -> str:
        """The id of the message that a chunk of `kind` with the id `given` (if it is one) belongs to."""
        if isinstance(given, str) and given:
            return given
        return self.open_id if kind == self.open_kind else self.fresh_id()

    def open_message(self, kind: str, message_id: str, block: ContentBlock) -> None:
        """A chunk came: chunks of the same kind without an id continue its message."""
        self.open_kind, self.open_id = kind, message_id
        if not for_agent_only(block):
            self.ends_in_text = isinstance(block, TextContent)

    def is_next_text(self, kind: str, block: ContentBlock) -> bool:
        """Whether the block is text for the user right after such text of the same kind."""
        is_text = isinstance(block, TextContent) and not for_agent_only(block)
        return is_text and kind == self.open_kind and self.ends_in_text

    def close_message(self) -> None:
        """Something stands between: the next chunk without an id begins a new message."""
        self.open_kind = self.open_id = ""
        self.ends_in_text = False

    def end_turn(self) -> None:
        """The turn is over."""
        self.close_message()
        self.echo = None


def _squeezed(text: str) -> str:
    return "".join(text.split())
