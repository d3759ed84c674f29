"""What stands in an empty prompt: a prompt that the agent suggests, else what one can write there."""

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from rich.cells import cell_len
from textual.content import Content

from acp_tui.session.text.mentions import written
from acp_tui.startup import late
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.render.text import cut, sanitise_line

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.content import ContentBlock
    from acp_tui.protocol.vocabulary.updates import PromptSuggestion

INVITATIONS = ("Ask anything, / for commands, @ for files, ! for shell", "Ask anything, / for commands", "Ask anything")
LONGEST = 500  # characters; who would take more than can be seen?


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
