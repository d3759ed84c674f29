"""What stands for more than its letters in a line of the prompt, and how it is drawn; must not know the editor."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from rich.style import Style

from acp_tui.session.mentions import mentions_in
from acp_tui.ui.render.palette import Palette

Part = Literal["chip", "mention", "command", "code", "heading", "strong"]

_CHIP = re.compile(r"\[(?:Pasted|Image|Audio|Output) [^\]\n]* #\d+\]")
_FENCE = "```"
_KINDS: tuple[Part, ...] = ("code", "heading", "strong")
_COMMAND = re.compile(r"/\S+|!")
_MARKDOWN = re.compile(r"(?P<code>(`+)[^`\n]+\2)|(?P<heading>^#{1,6} .*)|(?P<strong>\*\*[^*\n]+\*\*)")


def parts_of(lines: Sequence[str], mentioned: Callable[[str], bool]) -> Iterator[tuple[int, int, Part]]:
    """Start, end and kind of each part of the last of these lines, which are a prompt from its beginning."""
    line = lines[-1]
    if len(lines) == 1 and (command := _COMMAND.match(line)):
        yield command.start(), command.end(), "command"
    if _fenced(lines):
        yield 0, len(line), "code"
    else:
        yield from _marked(line)
    if "@" in line:
        for mention in mentions_in(line):
            if mentioned(mention.path):
                yield mention.start, mention.end, "mention"
    for chip in _CHIP.finditer(line):
        yield chip.start(), chip.end(), "chip"


def _fenced(lines: Sequence[str]) -> bool:
    """Whether the last line is in a block of code, or is one of its fences."""
    fences = [line.lstrip().startswith(_FENCE) for line in lines]
    return fences[-1] or sum(fences) % 2 == 1


def _marked(line: str) -> Iterator[tuple[int, int, Part]]:
    for found in _MARKDOWN.finditer(line):
        for kind in _KINDS:
            if found[kind]:
                yield found.start(), found.end(), kind


def style_of(part: Part, palette: Palette) -> Style:
    """How a part is drawn."""
    bold = Style(bold=True)
    styles: dict[Part, Style] = {
        "chip": palette.accent + Style(reverse=False, italic=True),
        "mention": palette.accent + bold,
        "command": palette.accent + bold,
        "code": palette.code,
        "heading": bold,
        "strong": bold,
    }
    return styles[part]
