"""What stands for more than its letters in a line of the prompt, and how it is drawn; must not know the editor."""

import re
from collections.abc import Callable, Iterator
from typing import Literal

from rich.style import Style

from acp_tui.session.mentions import mentions_in
from acp_tui.ui.render.palette import Palette

Part = Literal["chip", "mention", "command", "code", "heading", "strong"]

_CHIP = re.compile(r"\[(?:Pasted|Image|Audio|Output) [^\]\n]* #\d+\]")
_COMMAND = re.compile(r"/\S+|!")
_MARKDOWN = re.compile(r"(?P<code>(`+)[^`\n]+\2)|(?P<heading>^#{1,6} .*)|(?P<strong>\*\*[^*\n]+\*\*)")


def parts_of(line: str, mentioned: Callable[[str], bool], *, first: bool) -> Iterator[tuple[int, int, Part]]:
    """Start, end and kind of each part; only the `first` line of a prompt begins with a command."""
    if first and (command := _COMMAND.match(line)):
        yield command.start(), command.end(), "command"
    for found in _MARKDOWN.finditer(line):
        for kind in ("code", "heading", "strong"):
            if found[kind]:
                yield found.start(), found.end(), kind
    if "@" in line:
        for mention in mentions_in(line):
            if mentioned(mention.path):
                yield mention.start, mention.end, "mention"
    for chip in _CHIP.finditer(line):
        yield chip.start(), chip.end(), "chip"


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
