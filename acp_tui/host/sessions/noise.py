"""Reports noise on the wire without being noisy: the first of each kind in full, the rest counted."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from acp_tui.session.facts import Noticed

SHOWN = 3
"""How many of each kind are shown in full between two summaries."""

_TITLES = {
    "malformed": "The agent wrote a line on standard output that is no message",
    "oversized": "The agent sent a message that is too large",
    "duplicate": "The agent answered twice",
    "unasked": "The agent answered what was not asked",
    "rejected": "The agent sent an update that cannot be read",
    "unknown session": "The agent sent an update for a session that does not exist",
    "too early": "The agent sent an update before it had introduced itself",
    "bad request": "The agent asked for something in a way that cannot be read",
    "stumbled": "A message of the agent could not be taken in",
}

_HINTS = {
    "malformed": "It is passed over and all goes on. If it is a log, have the agent write it to standard error.",
    "oversized": "It is passed over, so that something may be missing here. The agent's author should know.",
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
