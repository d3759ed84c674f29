"""Who looks at the files of a session around its turns, as its conversation knows it."""

from collections.abc import Sequence
from typing import Protocol

from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.session.entries import ToolCallEntry


class TurnWatch(Protocol):
    """Hears of each turn of a session, in the loop."""

    def opened(self, agent: str, session_id: str) -> None:
        """The agent has opened the session, which has these names from now on."""

    def prompted(self, blocks: Sequence[ContentBlock]) -> None:
        """A prompt is in the transcript."""

    def went_out(self) -> None:
        """Its bytes are written next: what is looked at from now on may be the agent's work."""

    def called(self, folder: str, call: ToolCallEntry) -> None:
        """A tool call came, or there is more of it; relative paths in it are relative to the folder."""

    async def before_write(self, path: str) -> None:
        """A file, by its absolute path, is about to be written for the agent, which waits."""

    def ended(self, *, void: bool = False) -> None:
        """The turn has ended, however that came. `void`: it was none, for the agent never took the prompt."""


class NoWatch:
    """Nobody looks."""

    def opened(self, _agent: str, _session_id: str) -> None:
        """Nobody looks."""

    def prompted(self, _blocks: Sequence[ContentBlock]) -> None:
        """Nobody looks."""

    def went_out(self) -> None:
        """Nobody looks."""

    def called(self, _folder: str, _call: ToolCallEntry) -> None:
        """Nobody looks."""

    async def before_write(self, _path: str) -> None:
        """Nobody looks."""

    def ended(self, *, void: bool = False) -> None:
        """Nobody looks."""
