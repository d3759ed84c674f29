"""Who looks at the files of a session around its turns, as its conversation knows it."""

from collections.abc import Callable, Sequence
from typing import Protocol

from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.session.entries import ToolCallEntry


class TurnWatch(Protocol):
    """Hears of each turn of a session, in the loop; nothing here waits."""

    def prompted(self, blocks: Sequence[ContentBlock], go: Callable[[], None]) -> None:
        """A prompt is in the transcript: `go` has its bytes go out, once the files are kept or it waited enough."""

    def went_out(self) -> None:
        """Its bytes are on their way: what is looked at from now on may be the agent's work."""

    def put_back(self) -> None:
        """The agent never took it: that turn was none."""

    def called(self, call: ToolCallEntry) -> None:
        """A tool call came, or there is more of it."""

    def ended(self) -> None:
        """The turn has ended, however that came."""


class NoWatch:
    """Nobody looks: prompts go out at once."""

    def prompted(self, _blocks: Sequence[ContentBlock], go: Callable[[], None]) -> None:
        go()

    def went_out(self) -> None:
        """Nobody looks."""

    def put_back(self) -> None:
        """Nobody looks."""

    def called(self, _call: ToolCallEntry) -> None:
        """Nobody looks."""

    def ended(self) -> None:
        """Nobody looks."""
