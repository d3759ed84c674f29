"""Ends for what a Markdown text leaves open, so that nothing of it changes what follows: fences, comments and HTML."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

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
