"""The blocks of a prompt in which it carries an earlier conversation, known again by their words and their address."""

from collections.abc import Iterable, Iterator

from acp_tui.protocol.vocabulary.content import ContentBlock, EmbeddedResource, TextContent, for_agent_only
from acp_tui.session.entries import Part, TextPart
from acp_tui.session.text.words import CARRIED, CARRIED_URI

NEAR = 200  # characters at the beginning of a text in which its first words stand, behind what an agent put there


def is_carried(block: ContentBlock) -> bool:
    """Whether a block of a prompt is what this program put there."""
    if isinstance(block, EmbeddedResource):
        return block.resource.uri == CARRIED_URI
    return isinstance(block, TextContent) and for_agent_only(block) and CARRIED in block.text[:NEAR]


def own_parts(parts: Iterable[Part]) -> Iterator[Part]:
    """What the user sent. A long text for the agent is several blocks, of which only the first tells what they are."""
    carrying = False
    for part in parts:
        of_agent = isinstance(part, TextContent) and for_agent_only(part)
        carrying = not isinstance(part, TextPart) and (is_carried(part) or (carrying and of_agent))
        if not carrying:
            yield part
