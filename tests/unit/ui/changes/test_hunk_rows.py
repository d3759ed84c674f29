"""Which line of a diff stands in which row, in both layouts and at any width."""

import pytest

from acp_tui.ui.changes.diff_pane import units_of
from acp_tui.ui.changes.seam import Extras
from acp_tui.ui.changes.texts import ShownFile, shown_file
from acp_tui.ui.entries.tool_calls.diff import HunkUnit, Layout
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render.unit import text_of
from tests.unit.ui.changes.test_texts import change

WORDS = "word" * 12 + " some more words that are wrapped "
OLD = "".join(f"{n} {WORDS if n % 3 else ''}\n" for n in range(60)).encode()
NEW = OLD.replace(b"\n4 ", b"\nfour ").replace(b"\n5 ", b"\nfive more than that ").replace(b"\n40 ", b"\nforty ")
PALETTE = palette_for(DARK)


def shown() -> ShownFile:
    return shown_file(change(OLD, NEW), OLD, NEW)


@pytest.mark.parametrize("layout", ["unified", "split"])
@pytest.mark.parametrize("width", [30, 80, 121])
def test_each_row_tells_the_lines_that_stand_in_it(layout: Layout, width: int) -> None:
    file = shown()
    units = [unit for unit in units_of(file, layout, Extras()) if isinstance(unit, HunkUnit)]
    told: set[int] = set()
    for unit in units:
        for number, lines in enumerate(unit.sides(width)):
            row = next(row for row in unit.rows(width, PALETTE) if row.line == number)
            if lines == (None, None):
                assert "unchanged lines" in text_of(row)
            for line in filter(None, lines):
                assert f" {line.old if line.sign == '-' else line.new} " in text_of(row)
                told.add(id(line))
    assert len(file.diff.hunks) == 2
    assert told == {id(line) for hunk in file.diff.hunks for line in hunk.lines}


def test_a_hunk_may_have_a_note() -> None:
    units = units_of(shown(), "unified", Extras(hunk_note=lambda _file, hunk: f"read {hunk.new[0]}"))
    notes = [text_of(row).strip() for unit in units if not isinstance(unit, HunkUnit) for row in unit.rows(80, PALETTE)]
    assert notes == ["read 4", "read 40"]
