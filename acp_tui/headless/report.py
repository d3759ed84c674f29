"""What every way of telling about a run does; must not know any of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from acp_tui.errors import Fault
from acp_tui.host.client import Connection
from acp_tui.session.changes import Change


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended; `fault` is what went wrong and has not been told yet."""

    exit_code: int
    fault: Fault | None = None


class Report(Protocol):
    """Tells what happens in a session; nothing here waits."""

    def began(self, connection: Connection) -> None:
        """The agent has opened the session."""

    def waits(self, step: str, last_words: Sequence[str]) -> None:
        """The agent has answered nothing for a while: what is waited for, and the end of its standard error."""

    def changed(self, change: Change) -> None:
        """Something changed."""

    def ended(self, outcome: Outcome) -> None:
        """Nothing more will come."""
