"""What is new in a message or a terminal since one looked last."""

from dataclasses import dataclass

from acp_tui.protocol.vocabulary.content import ContentBlock, TextContent
from acp_tui.session.entries import MessageEntry, Part, TextPart
from acp_tui.session.terminal import Terminal


@dataclass(slots=True)
class MessageGrowth:
    """Follows one message."""

    parts: list[Part] | None = None  # the message's own: another list replaces all
    count: int = 0
    seen: int = 0  # chunks of the last part, or characters where it is text for the agent only

    def look(self, entry: MessageEntry) -> tuple[bool, list[str | ContentBlock]]:
        """Whether the message was replaced as a whole, and what is new: text and other blocks, in order."""
        replaced = self.count > 0 and self.parts is not entry.parts
        if replaced:
            self.count = 0
        new: list[str | ContentBlock] = []
        for at in range(max(0, self.count - 1), len(entry.parts)):
            part, seen = entry.parts[at], self.seen if at < self.count else 0
            if isinstance(part, TextPart):
                new.append("".join(part.chunks[seen:]))
                self.seen = len(part.chunks)
            elif isinstance(part, TextContent):  # another block each time that it grows
                if not seen or len(part.text) > seen:
                    new.append(part.model_copy(update={"text": part.text[seen:]}))
                self.seen = len(part.text)
            elif at >= self.count:
                new.append(part)
        self.parts, self.count = entry.parts, len(entry.parts)
        return replaced, [item for item in new if item != ""]


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
