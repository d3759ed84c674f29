"""What a turn changed in the work tree, and what was taken back of it: a line each, and what has to be said of it."""

from collections.abc import Sequence

from rich.style import Style

from acp_tui.session.entries import FilesEntry, TakenBackEntry
from acp_tui.session.text.words import changed_words, taken_back_words
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.entries.notice import EntryUnit
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.render.unit import CHANGES, Row
from acp_tui.ui.render.wrap import LEFT, Run, blank_row, block_edge, cells_of, page_line, rows_of

GAP_CELLS = 400  # of a line that says what is not kept
REVIEW = (("show_changes", "review"),)
REVIEW_OR_UNDO = (*REVIEW, ("take_back_turn", "undo"))
REDO = (("redo_taken_back", "redo"), *REVIEW)
GAPS = 5  # such lines that are shown; the rest is counted


class FilesUnit(EntryUnit[FilesEntry]):
    """`± 4 files changed  +12 −3  src/a.py, b.py +2 more`, the keys that show and undo them, and what is not kept."""

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        gaps = [sanitise_line(gap, GAP_CELLS) for gap in self._entry.gaps]
        if len(gaps) > GAPS:
            gaps[GAPS:] = [f"… {len(gaps) - GAPS:,} more"]
        head = _head(changed_words(self._entry), "  ", REVIEW_OR_UNDO, width, palette, turn=self._entry.turn)
        lines = [page_line(head, "±", palette.muted), *(page_line([(gap, palette.faint)]) for gap in gaps)]
        return [*rows_of(lines, block_edge(width)), blank_row()]


class TakenBackUnit(EntryUnit[TakenBackEntry]):
    """`↶ Undone: "fix the parser" · 3 files · 1 left alone`."""

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        sign = "↷" if self._entry.undone else "↶"
        keys = REVIEW if self._entry.undone else REDO
        head = _head(taken_back_words(self._entry), " · ", keys, width, palette, least=2 + bool(self._entry.left))
        return [*rows_of([page_line(head, sign, palette.muted)], block_edge(width)), blank_row()]


def _head(
    pieces: Sequence[str],
    between: str,
    keys: Sequence[tuple[str, str]],
    width: int,
    palette: Palette,
    *,
    turn: int = 0,
    least: int = 1,
) -> list[Run]:
    """The pieces with the keys; where not all fit, the last pieces go before a key does; `least` of them stay."""
    shorter = [between.join(pieces[:count]) for count in range(len(pieces), min(least, len(pieces)) - 1, -1)]
    return max((_with_keys(words, keys, width, palette, turn) for words in shorter), key=len)


def _with_keys(words: str, keys: Sequence[tuple[str, str]], width: int, palette: Palette, turn: int) -> list[Run]:
    """The words, which open the changes of the turn, and as many keys with what they do as fit beside them."""
    opens = Style.from_meta({CHANGES: turn})
    said = [(words, palette.muted + opens)]
    for command, does in keys:
        more = [*said, (f"   {first_way(command)} ", palette.text + opens), (does, palette.faint + opens)]
        if LEFT + cells_of(more) > block_edge(width):
            break
        said = more
    return said
