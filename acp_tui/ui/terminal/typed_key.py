"""Keys whose characters are text unless they are controls."""

from textual import events

from acp_tui.safe_text import is_text


class Key(events.Key):
    """A key as Textual has it, whose widgets leave out what Python calls unprintable. (The name is its handlers'.)"""

    __slots__ = ()

    @property
    def is_printable(self) -> bool:
        return self.character is not None and all(map(is_text, self.character))


def as_typed(event: events.Key) -> None:
    """Let all that hear of this key ask what is text."""
    event.__class__ = Key
