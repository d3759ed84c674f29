"""A conversation as the first prompt of another session carries it: Markdown for an agent that knows nothing of it.

It has what was said and done, not what was thought nor what this program noticed.
"""

from dataclasses import dataclass, replace

from acp_tui.frozen import Frozen
from acp_tui.protocol.vocabulary.content import (
    Annotations,
    ContentBlock,
    EmbeddedResource,
    TextContent,
    TextResource,
    for_agent_only,
)
from acp_tui.session.entries import Entry, MessageEntry, NoticeEntry, TextPart, ToolCallEntry, UnknownEntry
from acp_tui.session.export.markdown import entry_markdown
from acp_tui.session.state import Session

CAP = 200_000
"""Characters that are carried: some 50,000 tokens, a quarter of what most models take."""
URI = "conversation:///so-far.md"
HEAD = "This is our conversation so far. Go on from it with the message that follows."
CUT = "[The beginning is left out.]"


class Carried(Frozen):
    """The block for the agent, and what it lacks, in words; empty if nothing."""

    block: ContentBlock
    lacks: str


@dataclass(slots=True)
class _Piece:
    text: str
    detailed: bool

    def shorten(self) -> int:
        """Leave only what a tool call was about; how many characters that saves."""
        before = len(self.text)
        self.text, self.detailed = self.text.partition("\n\n")[0], False
        return before - len(self.text)


def carried(session: Session, *, embedded: bool, cap: int = CAP) -> Carried:
    """What was said in a session, for the agent only: as a resource where it takes one (`embedded`), else as text.

    Of more than `cap` characters the details of tool calls are left out first, the oldest before the newer ones, then
    the beginning.
    """
    pieces = [_Piece(entry_markdown(each, session), isinstance(each, ToolCallEntry)) for each in _said(session)]
    excess = sum(len(piece.text) + 2 for piece in pieces) - cap
    shortened = 0
    for piece in pieces:
        if excess > 0 and piece.detailed:
            excess -= piece.shorten()
            shortened += 1
    text = "\n\n".join(piece.text for piece in pieces)
    calls = "one tool call" if shortened == 1 else f"{shortened:,} tool calls"
    lacks = [f"the output of {calls}"] if shortened else []
    if len(text) > cap:
        text = f"{CUT}\n\n{text[-cap:]}"
        lacks.append("the beginning")
    text = f"{HEAD}\n\n{text}\n"
    for_agent = Annotations(audience=["assistant"])
    if not embedded:
        return Carried(TextContent(text=text, annotations=for_agent), " and ".join(lacks))
    resource = TextResource(uri=URI, text=text, mime_type="text/markdown")
    return Carried(EmbeddedResource(resource=resource, annotations=for_agent), " and ".join(lacks))


def is_carried(block: ContentBlock) -> bool:
    """Whether a block of a prompt is what this program put there."""
    if isinstance(block, EmbeddedResource):
        return block.resource.uri == URI
    return isinstance(block, TextContent) and for_agent_only(block) and block.text.startswith(HEAD)


def own_blocks(message: MessageEntry) -> list[ContentBlock]:
    """What the user sent with a message, without what this program put in front of it."""
    blocks = (TextContent(text=part.text) if isinstance(part, TextPart) else part for part in message.parts)
    return [block for block in blocks if not is_carried(block)]


def _said(session: Session) -> list[Entry]:
    """Without what an earlier prompt carried, which stands before that one here."""
    said: list[Entry] = []
    for entry in session.entries:
        if isinstance(entry, NoticeEntry | UnknownEntry) or (
            isinstance(entry, MessageEntry) and entry.role == "thought"
        ):
            continue
        if isinstance(entry, MessageEntry) and entry.role == "user":
            parts = [part for part in entry.parts if isinstance(part, TextPart) or not is_carried(part)]
            said.append(replace(entry, parts=parts))
        else:
            said.append(entry)
    return said
