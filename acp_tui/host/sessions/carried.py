"""A conversation as the first prompt of another session carries it: Markdown for an agent that knows nothing of it.

It has what was said and done, not what was thought nor what this program noticed.
"""

from collections.abc import Iterator
from dataclasses import replace

from acp_tui.frozen import Frozen
from acp_tui.protocol.vocabulary.content import (
    Annotations,
    ContentBlock,
    EmbeddedResource,
    TextContent,
    TextResource,
    for_agent_only,
)
from acp_tui.session.entries import (
    Entry,
    FilesEntry,
    HandOverEntry,
    MessageEntry,
    NoticeEntry,
    Part,
    TextPart,
    ToolCallEntry,
    UnknownEntry,
)
from acp_tui.session.export.markdown import entry_markdown
from acp_tui.session.folds.messages import NEAR
from acp_tui.session.state import Session
from acp_tui.session.text.told import has_note, without_note
from acp_tui.session.text.words import CARRIED, CARRIED_URI

CAP = 200_000
"""Characters that are carried: some 50,000 tokens, a quarter of what most models take."""
LEAST = 10
"""Characters that anything takes at least beside the text of a message."""
_OURS = (NoticeEntry, HandOverEntry, UnknownEntry, FilesEntry)
CUT = "[The beginning is left out.]"


class Carried(Frozen):
    """The block for the agent, and what it lacks, in words; empty if nothing."""

    block: ContentBlock
    lacks: str


def carried(session: Session, *, embedded: bool, cap: int = CAP) -> Carried:
    """What was said in a session, for the agent only: as a resource where it takes one (`embedded`), else as text.

    Of more than `cap` characters the details of tool calls are left out first, the oldest before the newer ones, then
    the beginning. No more of it is put into words than that takes.
    """
    said, whole = _said(session, cap)
    calls = [at for at, entry in enumerate(said) if isinstance(entry, ToolCallEntry)]
    pieces = [entry_markdown(each, session, head_only=isinstance(each, ToolCallEntry)) for each in said]
    room = cap - sum(len(piece) + 2 for piece in pieces)
    while calls and room >= 0:
        at = calls[-1]
        detailed = entry_markdown(said[at], session)
        room -= len(detailed) - len(pieces[at])
        if room >= 0:
            pieces[at] = detailed
            calls.pop()
    text = "\n\n".join(pieces)
    lacks = ["the details of one tool call" if len(calls) == 1 else f"the details of {len(calls):,} tool calls"]
    if not whole or len(text) > cap:
        text = f"{CUT}\n\n{text[-cap:]}"
        lacks.append("the beginning")
    return Carried(_block(f"{CARRIED}\n\n{text}\n", embedded=embedded), " and ".join(lacks if calls else lacks[1:]))


def _block(text: str, *, embedded: bool) -> ContentBlock:
    for_agent = Annotations(audience=["assistant"])
    if not embedded:
        return TextContent(text=text, annotations=for_agent)
    resource = TextResource(uri=CARRIED_URI, text=text, mime_type="text/markdown")
    return EmbeddedResource(resource=resource, annotations=for_agent)


def is_carried(block: ContentBlock) -> bool:
    """Whether a block of a prompt is what this program put there."""
    if isinstance(block, EmbeddedResource):
        return block.resource.uri == CARRIED_URI
    return isinstance(block, TextContent) and for_agent_only(block) and CARRIED in block.text[:NEAR]


def own_blocks(message: MessageEntry) -> list[ContentBlock]:
    """What the user sent with a message, without what this program put in front of it."""
    own = [TextContent(text=part.text) if isinstance(part, TextPart) else part for part in _own_parts(message)]
    first = next(
        (at for at, block in enumerate(own) if isinstance(block, TextContent) and not for_agent_only(block)), None
    )
    if first is not None and has_note(told := getattr(own[first], "text", "")):
        own[first : first + 1] = [TextContent(text=rest)] if (rest := without_note(told)) else []
    return own


def _own_parts(message: MessageEntry) -> Iterator[Part]:
    """A long text for the agent is several blocks in a message, of which only the first tells what they are."""
    carrying = False
    for part in message.parts:
        of_agent = isinstance(part, TextContent) and for_agent_only(part)
        carrying = not isinstance(part, TextPart) and (is_carried(part) or (carrying and of_agent))
        if not carrying:
            yield part


def _said(session: Session, cap: int) -> tuple[list[Entry], bool]:
    """What may find room in so many characters, and whether that is all.

    It is without what an earlier prompt carried, which stands before that one here.
    """
    said: list[Entry] = []
    for entry in reversed(session.entries):
        if cap < 0:
            return said[::-1], False
        if isinstance(entry, MessageEntry) and entry.role == "user":
            said.append(replace(entry, parts=list(_own_parts(entry))))
        elif not isinstance(entry, _OURS) and not (isinstance(entry, MessageEntry) and entry.role == "thought"):
            said.append(entry)
        else:
            continue
        parts = entry.parts if isinstance(entry, MessageEntry) else ()
        cap -= LEAST + sum(part.length for part in parts if isinstance(part, TextPart))
    return said[::-1], True
