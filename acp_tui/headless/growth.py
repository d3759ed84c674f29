"""What is new in a message or a terminal since one looked last."""

from dataclasses import dataclass

from acp_tui.protocol.vocabulary.content import ContentBlock, TextContent
from acp_tui.session.entries import MessageEntry, Part, TextPart
from acp_tui.session.terminal import Terminal


@dataclass(slots=True)
class MessageGrowth:
    """Follows one message."""

    parts: int = 0
    chunks: int = 0
    before: Part | None = None  # the last but one
    last: Part | None = None

    def look(self, entry: MessageEntry) -> tuple[bool, list[str | ContentBlock]]:
        """Whether the message was replaced as a whole, and what is new: text and other blocks, in order."""
        grown = self._grown(entry.parts)
        replaced = self.parts > len(entry.parts) or (
            self.parts > 0 and grown is None and entry.parts[self.parts - 1] is not self.last
        )
        if replaced:
            self.parts, self.chunks = 0, 0
        new: list[str | ContentBlock] = []
        for at in range(max(0, self.parts - 1), len(entry.parts)):
            part, seen = entry.parts[at], at < self.parts
            if isinstance(part, TextPart):
                new.append("".join(part.chunks[self.chunks if seen else 0 :]))
                self.chunks = len(part.chunks)
            elif not seen:
                new.append(part)
            elif grown is not None:
                new.append(grown)
        self.parts = len(entry.parts)
        self.before, self.last = [None, None, *entry.parts][-2:]
        return replaced, [item for item in new if item != ""]

    def _grown(self, parts: list[Part]) -> TextContent | None:
        """What was added to the last part, if that is text for the agent only: its block is another one each time."""
        part = parts[self.parts - 1] if 0 < self.parts <= len(parts) else None
        if not isinstance(part, TextContent) or not isinstance(self.last, TextContent) or part is self.last:
            return None
        if len(part.text) <= len(self.last.text) or part.annotations != self.last.annotations:
            return None
        if self.parts > 1 and parts[self.parts - 2] is not self.before:
            return None
        if not part.text.startswith(self.last.text):
            return None
        return part.model_copy(update={"text": part.text[len(self.last.text) :]})


@dataclass(slots=True)
class TerminalGrowth:
    """Follows the output of one terminal."""

    seen: int = 0

    def look(self, terminal: Terminal) -> tuple[bool, bytes]:
        """Whether the output was replaced as a whole, and the bytes that are new."""
        total = terminal.dropped + terminal.size
        replaced, missing = total < self.seen, total - self.seen
        if replaced:
            missing = total
        self.seen = total
        pieces: list[bytes] = []
        for chunk in reversed(terminal.chunks):
            if missing <= 0:
                break
            pieces.append(chunk[-missing:])
            missing -= len(chunk)
        return replaced, b"".join(reversed(pieces))
