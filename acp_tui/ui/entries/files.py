"""The end of a turn with what it changed in the work tree, and what was taken back of it: a line each."""

from collections.abc import Iterator, Sequence

from rich.style import Style

from acp_tui.session.folds.turn_rows import TakenBackEntry, TurnEntry
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.entries.notice import EntryUnit
from acp_tui.ui.entries.shared_units import Appearance, Draws, OneUnit
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.render.unit import CHANGES, Row
from acp_tui.ui.render.wrap import LEFT, Line, Run, blank_row, block_edge, cells_of, page_line, rows_of

GAP_CELLS = 400  # of a line that says what is not kept
REVIEW = (("show_changes", "review"),)
REVIEW_OR_UNDO = (*REVIEW, ("take_back_turn", "undo"))
REDO = (("redo_taken_back", "redo"), *REVIEW)
GAPS = 5  # such lines that are shown; the rest is counted


class TurnUnit(EntryUnit[TurnEntry]):
    """The end of a turn: how it ended where not by itself, what it changed, how long it took, by which model and mode.

    `± 4 files changed  +12 −3  src/a.py, b.py +2 more  12 s · Opus · Plan`, with the keys that show and undo them, and
    below it what is not kept. Where not all fits, model and mode have a line of their own.
    """

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        entry = self._entry
        ended, facts, changed = entry.ended, " · ".join(entry.facts), entry.changed
        alone = [(ended, palette.warning), (" · " if ended and facts else "", palette.faint), (facts, palette.faint)]
        how = page_line([run for run in alone if run[0]], "⊘" if ended else "", palette.warning)
        if not changed:
            return [*rows_of([how], block_edge(width)), blank_row()]
        said = [*changed, facts] if facts and not ended else changed
        head = _head(said, "  ", REVIEW_OR_UNDO, width, palette, turn=entry.turn)
        told = ended or facts not in head[0][0]
        lines = [*([how] if ended else []), page_line(head, "±", palette.muted), *([how] if told and not ended else [])]
        return [*rows_of([*lines, *self._gaps(palette)], block_edge(width)), blank_row()]

    def _gaps(self, palette: Palette) -> Iterator[Line]:
        gaps = [sanitise_line(gap, GAP_CELLS) for gap in self._entry.gaps]
        if len(gaps) > GAPS:
            gaps[GAPS:] = [f"… {len(gaps) - GAPS:,} more"]
        for gap in gaps:
            yield page_line([(gap, palette.faint)])


class TakenBackUnit(EntryUnit[TakenBackEntry]):
    """`↶ Undone: "fix the parser" · 3 files · 1 left alone`."""

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        sign = "↷" if self._entry.undone else "↶"
        keys = REVIEW if self._entry.undone else REDO
        head = _head(self._entry.pieces, " · ", keys, width, palette, least=2 + bool(self._entry.left))
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


DRAWS: Draws = {
    TurnEntry: Appearance(lambda entry, _session: OneUnit(TurnUnit(entry))),
    TakenBackEntry: Appearance(lambda entry, _session: OneUnit(TakenBackUnit(entry))),
}
