"""How the prompt looks: the styles of its parts, and what stands in an empty one: a suggestion or an invitation."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from rich.cells import cell_len
from rich.style import Style
from textual.content import Content

from acp_tui.session.text.mentions import mentions_in, written
from acp_tui.startup import late
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut, sanitise_line

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.content import ContentBlock
    from acp_tui.protocol.vocabulary.session_updates import PromptSuggestion

INVITATIONS = ("Ask anything, / for commands, @ for files, ! for shell", "Ask anything, / for commands", "Ask anything")
LONGEST = 500  # characters; who would take more than can be seen?

_CHIP = re.compile(r"\[(?:Pasted|Image|Audio|Output|Transcript) [^\]\n]* #\d+\]")
_FENCE = "```"
_COMMAND = re.compile(r"/\S+|!")
_MARKDOWN = re.compile(r"(?P<code>(`+)[^`\n]+\2)|(?P<heading>^#{1,6} .*)|(?P<strong>\*\*[^*\n]+\*\*)")


def parts_of(lines: Sequence[str], mentioned: Callable[[str], bool]) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of each part of the last of these lines, which are a prompt from its beginning."""
    line = lines[-1]
    if len(lines) == 1 and (command := _COMMAND.match(line)):
        yield command.start(), command.end(), "command"
    if _fenced(lines):
        yield 0, len(line), "code"
    else:
        for found in _MARKDOWN.finditer(line):
            yield found.start(), found.end(), found.lastgroup or ""
    if "@" in line:
        for mention in mentions_in(line):
            if mentioned(mention.path):
                yield mention.start, mention.end, "mention"
    for chip in _CHIP.finditer(line):
        yield chip.start(), chip.end(), "chip"


def _fenced(lines: Sequence[str]) -> bool:
    fences = [line.lstrip().startswith(_FENCE) for line in lines]
    return fences[-1] or sum(fences) % 2 == 1


def style_of(part: str, palette: Palette) -> Style:
    if part == "chip":
        return palette.accent + Style(reverse=False, italic=True)
    if part == "code":
        return palette.code
    bold = Style(bold=True)
    return palette.accent + bold if part in ("mention", "command") else bold


def invitation(width: int, suggestion: str = "") -> Content:
    """The words for an empty prompt of so many cells."""
    if suggestion:
        hint = f"  {first_way('take_suggestion')} accept"
        words = cut(suggestion, max(8, width - len(hint)))
        return Content(words + " " * (width - cell_len(words) - len(hint)) + hint)
    return Content(next((words for words in INVITATIONS if len(words) <= width), INVITATIONS[-1]))


def likeliest(suggestions: Sequence["PromptSuggestion"]) -> str:
    """The first suggestion that can be offered, as one line that can be sent as it stands; empty if there is none."""
    return next(filter(None, (_line(suggestion.prompt) for suggestion in suggestions)), "")


def _line(blocks: Sequence["ContentBlock"]) -> str:
    """A prompt in one line; empty if it is too long for that, or has more than texts and links.

    A link that cannot be read is none.
    """
    parts = [_words(block) for block in blocks]
    if None in parts or sum(len(part or "") for part in parts) > LONGEST:
        return ""
    return sanitise_line(" ".join(" ".join(filter(None, parts)).split()), LONGEST)


def _words(block: "ContentBlock") -> str | None:
    content = late("acp_tui.protocol.vocabulary.content")
    if isinstance(block, content.TextContent):
        text: str = block.text
        return text
    if isinstance(block, content.ResourceLink):
        try:
            address = urlsplit(block.uri)
        except ValueError:  # `http://[`
            return None
        return written(unquote(address.path)) if address.scheme == "file" else block.uri
    return None
