"""Content blocks as Markdown; what is not text is named with its type and size."""

import json
from collections.abc import Iterable

from acp_tui.protocol.content import (
    AudioContent,
    BlobResource,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResource,
    UnknownContent,
    for_agent_only,
)
from acp_tui.session.entries import Part, TextPart
from acp_tui.session.escapes import strip_escapes
from acp_tui.session.export.text import fence, one_line


def parts_markdown(parts: Iterable[Part]) -> str:
    """Parts of a message or summary, one after another."""
    texts = (strip_escapes(part.text) if isinstance(part, TextPart) else block_markdown(part) for part in parts)
    return "\n\n".join(text.strip("\n") for text in texts)


def block_markdown(block: ContentBlock) -> str:
    """One block."""
    match block:
        case TextContent():
            text = strip_escapes(block.text)
            return f"(For the agent only.)\n\n{fence(text)}" if for_agent_only(block) else text
        case ResourceLink():
            return f"[{one_line(block.title or block.name)}](<{one_line(block.uri)}>)"
        case ImageContent() | AudioContent():
            return f"({block.type} {one_line(block.mime_type)}, {_size(block.data)})"
        case EmbeddedResource():
            return _resource(block.resource)
        case UnknownContent():
            return fence(json.dumps(block.raw, indent=2, ensure_ascii=False, default=str), "json")


def _resource(resource: TextResource | BlobResource) -> str:
    if isinstance(resource, TextResource):
        return f"{one_line(resource.uri)}:\n\n{fence(resource.text)}"
    return f"({one_line(resource.uri)}, {_size(resource.blob)})"


def _size(base64: str) -> str:
    return f"{len(base64) * 3 // 4} bytes"
