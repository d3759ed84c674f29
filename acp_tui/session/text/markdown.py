"""Pieces of Markdown: fences that hold any text, quotes, single lines, JSON, diffs, and content blocks.

Of a block that is no text type and size are named. What a text leaves open (fences, comments, HTML) is ended, so that
nothing of it changes what follows.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from acp_tui.protocol.vocabulary import content
from acp_tui.session.text.escapes import strip_escapes
from acp_tui.session.text.line_diff import line_diff, lines_of_text, unified
from acp_tui.session.text.phrases import counted
from acp_tui.startup import late

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MOST_ENDS = 8  # of elements; a text that leaves more open is most likely a page, and no Markdown
_MAY_OPEN = re.compile(r"`{3}|~{3}|<[!?/a-zA-Z]")
_BEHIND = "Behind it."
_CODE = re.compile(r"(?<!`)(`+)(?!`).{0,2000}?(?<!`)\1(?!`)", re.DOTALL)  # bounded: else it reads to the end for each
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)(?:\s[^<>]*)?>")
_ENDS = (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"), ("<!", ">"))
_NAMES = (
    "a article aside audio b big blockquote button caption center code del details dialog div dl em "
    "fieldset figure font footer form h1 h2 h3 h4 h5 h6 header i iframe ins kbd main mark math nav "
    "noscript object ol pre s script section select small span strike strong style sub summary sup svg "
    "table tbody template textarea tfoot thead title tt u ul video xmp"
)
_TAGS = frozenset(_NAMES.split())
"""Elements that change how what is inside them looks; what is called otherwise is most likely no HTML."""


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


def link_to(session_id: str | None, links: Mapping[str, str]) -> str:
    """A session by its link, where it has a part of the document, else by its id."""
    return links.get(session_id or "") or one_line(session_id or "?")


def times(count: int) -> str:
    return f" ({count} times)" if count > 1 else ""


def ends_of(text: str) -> str | None:
    """What ends the blocks that a text has begun and not ended; empty where it has none, None for too many."""
    if _MAY_OPEN.search(text) is None:
        return ""
    ends = ""
    for _ in range(3):  # behind a fence there may be a comment
        tokens = _parser().parse(f"{text}{ends}\n\n{_BEHIND}")
        if tokens[-1].type not in ("fence", "html_block"):
            break
        ends += f"\n{_end_of(tokens[-1])}"
    html = list(_html_ends(tokens))
    if len(html) > MOST_ENDS:
        return None
    return f"{ends}\n\n{''.join(html)}" if html else ends


@cache
def _parser() -> MarkdownIt:
    parser: MarkdownIt = late("markdown_it").MarkdownIt("commonmark")
    return parser.disable("inline")


def _end_of(token: Token) -> str:
    if token.type == "fence":
        return token.markup
    begins = token.content.lstrip()
    tag = _TAG.match(begins)
    return next((end for start, end in _ENDS if begins.startswith(start)), f"</{tag[2] if tag else 'pre'}>")


def _html_ends(tokens: list[Token]) -> Iterator[str]:
    """What ends the comment and the elements that are open after all tokens, whatever is around them."""
    stack: list[str] = []
    opened = Counter[str]()
    comment = False
    for token in tokens:
        if token.type not in ("html_block", "inline"):
            continue
        html = _COMMENT.sub("", token.content if token.type == "html_block" else _CODE.sub("", token.content))
        comment = comment or (token.type == "html_block" and token.content.rfind("<!--") > token.content.rfind("-->"))
        for closes, name in _TAG.findall(html):
            tag = name.lower()
            if closes and opened[tag]:
                ended = ""
                while ended != tag:
                    ended = stack.pop()
                    opened[ended] -= 1
            elif not closes and tag in _TAGS:
                stack.append(tag)
                opened[tag] += 1
    yield from ["<!-- -->"] * comment
    yield from (f"</{tag}>" for tag in reversed(stack))
