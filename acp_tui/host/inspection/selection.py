"""Which messages a person wants to see; must not know how they are shown."""

from dataclasses import dataclass

from acp_tui.host.inspection.message import Message

SLACK = 0.25
"""Seconds before an entry began in which its first message may have passed."""
_WAYS = {"->": "sent to the agent", "<-": "received from the agent", "err": "stderr", "start": "start"}


@dataclass(frozen=True, slots=True)
class Origin:
    """What made one entry of a transcript: messages that name it, or by time and kind where it has no name.

    `title` is how the entry is called; times are monotonic seconds.
    """

    title: str
    name: str = ""
    kind: str = ""
    since: float = 0.0
    until: float = float("inf")

    def has(self, message: Message) -> bool:
        """Whether a message had a part in it."""
        if self.name:
            return self.name in message.names
        return self.kind in message.method and self.since - SLACK <= message.at <= self.until


@dataclass(frozen=True, slots=True)
class Selection:
    """A filter: all `words` (any case) stand in the message or in what is said of it."""

    words: str = ""
    problems: bool = False
    origin: Origin | None = None

    @property
    def all(self) -> bool:
        """Whether nothing is left out."""
        return not (self.words.strip() or self.problems or self.origin)

    def has(self, message: Message) -> bool:
        """Whether a message is to be shown."""
        if self.problems and not message.problem and message.kind != "error":
            return False
        if self.origin is not None and not self.origin.has(message):
            return False
        words = self.words.lower().split()
        if not words:
            return True
        about = f"{message.direction} {_WAYS[message.direction]} {message.kind} {message.method} {message.problem}"
        about = about.lower()
        missing = [word for word in words if word not in about]
        if not missing:
            return True
        line = message.line.lower()
        return all(word.encode("utf-8", "surrogatepass") in line for word in missing)
