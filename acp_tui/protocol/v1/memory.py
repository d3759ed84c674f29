"""What one session of protocol 1 needs to remember, because its updates mean different things in different places."""

from dataclasses import dataclass, field

from acp_tui.protocol.v1.config_options import Choices
from acp_tui.protocol.v1.echo import Echo


@dataclass(slots=True)
class SessionMemory:
    """The memory of one session.

    `open_kind` and `open_id` name the message that a chunk without an id continues. `titles` has the title of
    every tool call seen so far. `echo` is there while a turn runs.
    """

    open_kind: str = ""
    open_id: str = ""
    unnamed: int = 0
    titles: dict[str, str] = field(default_factory=dict)
    echo: Echo | None = None
    choices: Choices = field(default_factory=Choices)

    def fresh_id(self) -> str:
        """An id for a message that the agent did not name."""
        self.unnamed += 1
        return f"unnamed-{self.unnamed}"

    def message_id(self, kind: str, given: object) -> str:
        """The id of the message that a chunk of `kind` with the id `given` (if it is one) belongs to."""
        if isinstance(given, str) and given:
            return given
        return self.open_id if kind == self.open_kind else self.fresh_id()

    def open_message(self, kind: str, message_id: str) -> None:
        """A chunk came: chunks of the same kind without an id continue its message."""
        self.open_kind, self.open_id = kind, message_id

    def close_message(self) -> None:
        """Something stands between: the next chunk without an id begins a new message."""
        self.open_kind = self.open_id = ""

    def end_turn(self) -> None:
        """The turn is over."""
        self.close_message()
        self.echo = None
