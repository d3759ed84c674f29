"""A conversation as the first prompt of another session carries it: Markdown for an agent that knows nothing of it."""

from dataclasses import replace

from acp_tui.protocol.vocabulary.content import (
    Annotations,
    ContentBlock,
    EmbeddedResource,
    TextContent,
    TextResource,
    for_agent_only,
)
from acp_tui.session.entries import Entry, NoticeEntry
from acp_tui.session.export.markdown import to_markdown
from acp_tui.session.state import Session

URI = "conversation:///so-far.md"
HEAD = "The conversation so far, for you to go on from. Do not answer it; answer the message after it."


def carried(session: Session, *, embedded: bool) -> ContentBlock:
    """What was said in a session, for the agent only: as a resource where it takes one (`embedded`), else as text."""
    said: list[Entry] = [entry for entry in session.entries if not isinstance(entry, NoticeEntry)]
    text = f"{HEAD}\n\n{to_markdown(replace(session, entries=said, terminals={}, queue=[]))}"
    for_agent = Annotations(audience=["assistant"])
    if not embedded:
        return TextContent(text=text, annotations=for_agent)
    resource = TextResource(uri=URI, text=text, mime_type="text/markdown")
    return EmbeddedResource(resource=resource, annotations=for_agent)


def is_carried(block: ContentBlock) -> bool:
    """Whether a block of a prompt is what this program put there."""
    if isinstance(block, EmbeddedResource):
        return block.resource.uri == URI
    return isinstance(block, TextContent) and for_agent_only(block)
