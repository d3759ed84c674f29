"""An update of a kind that this program does not know: its name, and all of it as JSON when unfolded."""

import json
from collections.abc import Sequence

from rich.style import Style

from acp_tui.session.entries import UnknownEntry
from acp_tui.ui.render.markdown_split import Piece
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut, sanitise, sanitise_line
from acp_tui.ui.render.wrap import LEFT, MEASURE, edge, one_line
from acp_tui.ui.transcript.fence import Fence
from acp_tui.ui.transcript.prose import BlankUnit
from acp_tui.ui.transcript.unit import FOLD, FoldRow, Row, Unit


class UnknownHeading(FoldRow[UnknownEntry]):
    """One row: the kind, and the beginning of what it holds."""

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        fold = palette.muted + Style.from_meta({FOLD: True})
        said = f"Update of unknown kind: {sanitise_line(self._entry.kind, 60)}"
        room = max(1, min(edge(width), LEFT + MEASURE) - LEFT)
        return [one_line([(f" {'▸' if self.folded else '▾'} ", fold), (cut(said, room), fold)])]


class UnknownDrawing:
    """Folded at first; the JSON is made when somebody asks for it."""

    def __init__(self, entry: UnknownEntry) -> None:
        self._entry = entry
        self._heading = UnknownHeading(entry)
        self._blank = BlankUnit()
        self._json: Sequence[Unit] = ()

    @property
    def folded(self) -> bool | None:
        return self._heading.folded

    @property
    def units(self) -> Sequence[Unit]:
        if self._heading.folded:
            return [self._heading, self._blank]
        return [self._heading, *self._json, self._blank]

    def update(self) -> int:
        if not self._heading.folded:
            text = sanitise(json.dumps(self._entry.raw, indent=2, ensure_ascii=False, default=str))
            piece = Piece(code=True, info="json", lines=text.split("\n"), closed=True)
            self._json = Fence(piece).show(piece, goes_on=False)
        return 0

    def toggle(self) -> int | None:
        self._heading.folded = not self._heading.folded
        return self.update()
