"""What a person has written, as it leaves the editor; must not know what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from acp_tui.session.mentions import Mention

if TYPE_CHECKING:
    from acp_tui.protocol.content import ContentBlock


@dataclass(frozen=True, slots=True)
class Draft:
    """A text with all pastes in it, what its own words mention, what is attached.

    `place` is the one that it had in the queue, if it was taken from there.
    """

    text: str
    mentions: tuple[Mention, ...] = ()
    attachments: tuple[ContentBlock, ...] = ()
    place: int | None = None
