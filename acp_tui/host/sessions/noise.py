"""Reports noise on the wire without being noisy: the first of each kind in full, the rest counted."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from acp_tui.session.facts import Noticed

SHOWN = 3
"""How many of each kind are shown in full between two summaries."""

_TITLES = {
    "malformed": "Non-protocol line on the agent's stdout",
    "oversized": "Message from the agent too large",
    "duplicate": "Duplicate answer from the agent",
    "unasked": "Unexpected answer from the agent",
    "rejected": "Invalid update from the agent",
    "unknown session": "Update from the agent for an unknown session",
    "subagent": "Subagent refused",
    "folders": "Too many folders for a subagent",
    "too early": "Update from the agent before it was ready",
    "bad request": "Invalid request from the agent",
    "stumbled": "A message from the agent could not be processed",
}

_HINTS = {
    "malformed": "Ignored. If it is a log, have the agent write it to stderr.",
    "oversized": "Ignored, so something may be missing here. Please tell the agent's author.",
}
"""What to make of it; said once with the first of its kind."""


@dataclass(slots=True)
class NoiseMeter:
    """Decides what of the noise is told now; `tell` gets the notices."""

    tell: Callable[[Noticed], None]
    _heard: Counter[str] = field(default_factory=Counter)

    def allows(self, kind: str) -> bool:
        """Count one more of its kind; whether it is to be shown in full."""
        self._heard[kind] += 1
        count = self._heard[kind]
        if count > SHOWN and str(count).strip("0") == "1":
            # Powers of ten, so that a flood shows while it lasts.
            self.tell(Noticed("warning", _TITLES[kind], f"{count:,} times so far"))
        return count <= SHOWN

    def hear(self, kind: str, message: str) -> None:
        if self.allows(kind):
            hint = _HINTS.get(kind, "") if self._heard[kind] == 1 else ""
            self.tell(Noticed("warning", _TITLES[kind], message, hint))

    def settle(self) -> None:
        """A turn or the connection has ended: tell what was only counted, and begin anew."""
        heard, self._heard = self._heard, Counter()
        for kind, count in heard.items():
            if count > SHOWN:
                self.tell(Noticed("warning", _TITLES[kind], f"{count - SHOWN:,} more"))
