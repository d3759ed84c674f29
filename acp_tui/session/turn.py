"""The prompt turn: is the agent working, since when, and how did the last turn end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.background import BackgroundWork
    from acp_tui.protocol.vocabulary.content import ContentBlock


@dataclass(slots=True)
class Turn:
    """`state` is idle, running, requires_action or newer; times are seconds of the session's clock."""

    state: str = "idle"
    started_at: float = 0.0
    last_heard_at: float = 0.0
    cancel_requested_at: float | None = None
    stop_reason: str | None = None
    error: dict[str, Any] | None = None
    ended_at: float | None = None
    background: list[BackgroundWork] = field(default_factory=list)

    @property
    def active(self) -> bool:
        """Whether the agent works (or waits for an answer)."""
        return self.state != "idle"


@dataclass(slots=True)
class QueuedPrompt:
    """A prompt written while the agent worked; it goes out when the turn ends."""

    id: int
    blocks: list[ContentBlock] = field(default_factory=list)
