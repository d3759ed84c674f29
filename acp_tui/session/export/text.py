"""Pieces of Markdown: fences that hold any text, quotes, single lines, JSON, diffs, and content blocks.

Of a block that is no text type and size are named.
"""

import json
import re
from collections.abc import Iterable
from typing import Any

from acp_tui.protocol.vocabulary import content
from acp_tui.session.entries import Part, TextPart
from acp_tui.session.export.open_blocks import ends_of
from acp_tui.session.text.escapes import strip_escapes
from acp_tui.session.text.line_diff import line_diff, lines_of_text, unified
from acp_tui.session.text.words import counted


def fence(text: str, language: str = "") -> str:
    """A fenced block that `text` cannot end, without escapes."""
    text = strip_escapes(text)
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * max(3, longest + 1)
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{ticks}{language}\n{text}{end}{ticks}"


def fenced_json(value: Any) -> str:
    return fence(json.dumps(value, indent=2, ensure_ascii=False, default=str), "json")


def closed(text: str) -> str:
    """A text in Markdown that changes nothing of what follows."""
    ends = ends_of(text)
    return fence(text) if ends is None else text + ends


def quote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in strip_escapes(text).split("\n"))


def one_line(text: str) -> str:
    return " ".join(strip_escapes(text).split())


def unified_diff(path: str, old: str, new: str) -> str:
    """What changed from `old` to `new` as a unified diff with three lines of context."""
    before, after = lines_of_text(old), lines_of_text(new)
    name = path if old else "/dev/null"
    return "".join((f"--- {name}\n+++ {path}\n", *unified(before, after, line_diff(before, after).spans)))


def parts_markdown(parts: Iterable[Part]) -> str:
    """Parts of a message or summary, one after another."""
    texts = (strip_escapes(part.text) if isinstance(part, TextPart) else block_markdown(part) for part in parts)
    return "\n\n".join(closed(text.strip("\n")) for text in texts)


def block_markdown(block: content.ContentBlock) -> str:
    match block:
        case content.TextContent():
            text = strip_escapes(block.text)
            return f"(For the agent only)\n\n{fence(text)}" if content.for_agent_only(block) else text
        case content.ResourceLink():
            return f"[{one_line(block.title or block.name)}](<{one_line(block.uri)}>)"
        case content.ImageContent() | content.AudioContent():
            return f"({block.type} {one_line(block.mime_type)}, {_size(block.data)})"
        case content.EmbeddedResource():
            return _resource(block.resource)
        case content.UnknownContent():
            return fenced_json(block.raw)


def _resource(resource: content.TextResource | content.BlobResource) -> str:
    if isinstance(resource, content.TextResource):
        return f"{one_line(resource.uri)}:\n\n{fence(resource.text)}"
    return f"({one_line(resource.uri)}, {_size(resource.blob)})"


def _size(base64: str) -> str:
    return counted(len(base64) * 3 // 4, "byte")
