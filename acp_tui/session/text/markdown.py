"""Pieces of Markdown (fences that hold any text, quotes, single lines, JSON, diffs, content blocks), and a terminal's
output as plain text: what it would show, without escape sequences.

Of a block that is no text type and size are named. What a text leaves open (fences, comments, HTML) is ended, so that
nothing of it changes what follows.

Escape sequences and control characters go, newlines and tabs stay. Within a line carriage return, backspace,
erase-in-line and cursor-to-column do what they do on a terminal, counted in characters, so that a progress bar leaves
its last state only. Time is linear in the text; memory is that of the open line, which becomes final at MAX_LINE
characters.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from acp_tui.protocol.vocabulary import content
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


MAX_LINE = 256 * 1024  # characters of an open line; beyond that nothing of it is overwritten
_LONGEST_SEQUENCE = 256  # characters of an unfinished one; more than any that is obeyed may be long

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LINE_CONTROL = re.compile(r"(?:\x1b\[|\x9b)([0-9]*)([GK])")
# What may follow a control: ESC and a letter, or the one C1 control that stands for both.
_CSI = r"(?:(?<=\x1b)\[|(?<=\x9b))[ -?]*"
_COMMAND = r"(?:(?<=\x1b)[\]X^_]|(?<=[\x98\x9d-\x9f]))[^\x07\n\x18\x1a\x1b\x9c]*"  # OSC, SOS, PM, APC
_ESCAPE = r"(?<=\x1b)[ -/]*"


class SequenceSplitter:
    """Splits output that comes in pieces, wherever they were cut, into text and control sequences.

    Sequences may be cut short by what cannot be a part of them. A newline ends strings that nobody ended, but those
    for a device (DCS) only if `device_lines` is not set: they may hold lines.
    """

    def __init__(self, *, device_lines: bool) -> None:
        ends = r"\x18\x1a\x1b\x9c" if device_lines else r"\x07\n\x18\x1a\x1b\x9c"
        device = rf"(?:(?<=\x1b)P|(?<=\x90))[^{ends}]*"
        ended = rf"{_CSI}[@-~]?|(?:{_COMMAND}|{device})[\x07\x18\x1a\x9c]?|{_ESCAPE}[0-~]?"
        self._sequence = re.compile(rf"({_CONTROL.pattern}(?:{ended})?)")  # begins with one set: found fast
        begun = rf"{_CSI}|(?P<command>{_COMMAND})|(?P<device>{device})|{_ESCAPE}"
        self._unfinished = re.compile(rf"{_CONTROL.pattern}(?:{begun})")
        self._string_ends = {"command": re.compile(r"[\x07\n\x18\x1a\x1b\x9c]"), "device": re.compile(f"[{ends}]")}
        self._in_string: str | None = None
        self._pending = ""

    def split(self, text: str) -> list[str]:
        """Text, a sequence, text, a sequence … and text; what the next piece may finish is kept back."""
        text = self._pending + text
        self._pending = ""
        if self._in_string is not None:
            end = self._string_ends[self._in_string].search(text)
            if end is None:
                return [""]
            self._in_string = None
            text = text[end.start() if end.group() in "\x1b\n" else end.end() :]
        parts = self._sequence.split(text)
        if len(parts) > 1 and not parts[-1] and (found := self._unfinished.fullmatch(parts[-2])):
            del parts[-2:]
            self._in_string = found.lastgroup
            self._pending = "" if found.lastgroup else _shortened(found.group())
        return parts


def _shortened(sequence: str) -> str:
    """An unfinished sequence; one that is too long to be meant is kept as a short one that does nothing."""
    if len(sequence) <= _LONGEST_SEQUENCE:
        return sequence
    return "\x1b[" if sequence.startswith(("\x1b[", "\x9b")) else "\x1b("


class EscapeStripper:
    """Strips output that comes in pieces.

    `feed` gives what is final: whole lines. What stands on the last line, which may yet be overwritten, is
    `tail`. All the text so far is everything that `feed` gave, and `tail`.
    """

    def __init__(self) -> None:
        self._splitter = SequenceSplitter(device_lines=True)
        self._line = _Line()
        self._final: list[str] = []

    def feed(self, text: str) -> str:
        for number, part in enumerate(self._splitter.split(text)):
            if number % 2:
                self._control(part)
            elif part:
                self._plain(part)
        final = "".join(self._final)
        self._final.clear()
        return final

    @property
    def tail(self) -> str:
        return self._line.text

    def _control(self, sequence: str) -> None:
        line = self._line
        if sequence == "\r":
            line.column = 0
        elif sequence == "\b":
            line.column = max(0, line.column - 1)
        elif found := _LINE_CONTROL.fullmatch(sequence):
            parameter, final = found.groups()
            if final == "G":
                line.move(int(parameter or 1))
            elif parameter in ("", "0", "2"):
                line.erase(whole=parameter == "2")

    def _plain(self, text: str) -> None:
        """Put text without controls; of its lines, all but the last are final as they stand, however many."""
        first = text.find("\n")
        if first >= 0:
            last = text.rfind("\n") + 1
            self._line.put(text[:first])
            self._final += (self._line.text, text[first:last])
            self._line = _Line()
            text = text[last:]
        self._line.put(text)
        if len(self._line.characters) > MAX_LINE:
            self._final.append(self._line.text)
            self._line = _Line()


def strip_escapes(text: str) -> str:
    """The text as a terminal would leave it, without escape sequences and control characters."""
    if not _CONTROL.search(text):
        return text
    stripper = EscapeStripper()
    return stripper.feed(text) + stripper.tail


class _Line:
    """The characters of one line, and the column where the next one goes."""

    def __init__(self) -> None:
        self.characters: list[str] = []
        self.column = 0

    @property
    def text(self) -> str:
        return "".join(self.characters)

    def put(self, text: str) -> None:
        end = self.column + len(text)
        self.characters[self.column : end] = text
        self.column = end

    def erase(self, *, whole: bool) -> None:
        self.column = 0 if whole else self.column
        del self.characters[self.column :]

    def move(self, column: int) -> None:
        """Go to a column, counted from 1, but never beyond the text: nothing is padded."""
        self.column = min(max(column, 1) - 1, len(self.characters))
