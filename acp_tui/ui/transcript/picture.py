"""What is drawn of a content block below the words that stand for it: a picture, where it is one."""

from collections.abc import Sequence
from functools import cached_property

from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style

from acp_tui.protocol.content import BlobResource, ContentBlock, EmbeddedResource, ImageContent, for_agent_only
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.thumbnail import Rgb, Thumbnail, thumbnail_of
from acp_tui.ui.render.wrap import Run
from acp_tui.ui.transcript.unit import Row

FIRST_LINE = 1_000  # of a unit; the words come before


class Picture:
    """The picture of one block; no rows where it is none, is for the agent alone, or without colours."""

    def __init__(self, block: ContentBlock) -> None:
        self._block = block

    @cached_property
    def _thumbnail(self) -> Thumbnail | None:
        data = _data_of(self._block)
        return None if data is None or for_agent_only(self._block) else thumbnail_of(data)

    @property
    def version(self) -> int:
        return self._thumbnail.version if self._thumbnail is not None else 0

    def height(self, room: int) -> int:
        return self._thumbnail.cells(room)[1] if self._thumbnail is not None else 0

    def rows(self, before: Sequence[Run], room: int, palette: Palette, wash: Style | None = None) -> list[Row]:
        """The rows behind `before`; with a `wash` they reach to the end of the room."""
        if self._thumbnail is None or palette.text_only or not palette.colour or room <= 0:
            return []
        lead = [Segment(text, style) for text, style in before]
        drawn = self._thumbnail.rows(room, _ground(palette, wash))
        return [
            _row([*lead, *cells, *([Segment(" " * (room - len(cells)), wash)] if wash else [])], FIRST_LINE + number)
            for number, cells in enumerate(drawn)
        ]


def _row(segments: list[Segment], line: int) -> Row:
    """All of it is decoration: nothing to copy."""
    return Row(segments, line, gutter=sum(len(segment.text) for segment in segments))


def _data_of(block: ContentBlock) -> str | None:
    match block:
        case ImageContent():
            return block.data
        case EmbeddedResource(resource=BlobResource(mime_type=str() as kind, blob=blob)) if kind.startswith("image/"):
            return blob
        case _:
            return None


def _ground(palette: Palette, wash: Style | None) -> Rgb:
    below = (wash or palette.ground).bgcolor or palette.ground.bgcolor
    fallback = ColorTriplet(0, 0, 0) if palette.dark else ColorTriplet(255, 255, 255)
    return below.get_truecolor() if below is not None and not below.is_default else fallback
