"""Which lines a row of a diff or a plan shows."""

import pytest

from acp_tui.protocol.vocabulary.tool_calls import Diff
from acp_tui.ui.changes.comments import Comment, Side
from acp_tui.ui.changes.line_rows import LineSpot, plan_units, spots_of
from acp_tui.ui.changes.review_pane import CommentUnit, indent_of
from acp_tui.ui.entries.diff_units import HunkUnit, Layout, LazyDiffs, diff_units
from acp_tui.ui.entries.tool_output import document_units
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render.wrap import text_of

OLD = "".join(f"line {number}\n" for number in range(1, 100))
NEW = OLD.replace("line 5\n", "line five, which is long enough to be wrapped in a column\n").replace("line 80\n", "")
PLAN = "# Do it\n\nFirst some words\nthat go on.\n\n- one **thing**\n- `two`\n\n```sh\nmake all\n```\n"


def spots(layout: Layout, width: int) -> list[tuple[str, LineSpot]]:
    """The text of each commented row with what it is said to show."""
    found = []
    for unit in diff_units(LazyDiffs([Diff(path="/a", old_text=OLD, new_text=NEW)]), 1, layout):
        if isinstance(unit, HunkUnit):
            rows = unit.rows(width, palette_for(DARK))
            for number, spot in spots_of(unit, rows, width):
                found.append((" ".join(text_of(row) for row in rows if row.line == number), spot))
    return found


@pytest.mark.parametrize("width", [30, 70, 120])
@pytest.mark.parametrize("layout", ["unified", "split"])
def test_every_row_shows_the_lines_that_it_is_said_to(layout: Layout, width: int) -> None:
    found = spots(layout, width)
    told = {line.old for _, spot in found for line in spot.old} | {None}
    assert {2, 3, 4, 5, 6, 7, 8, 77, 80, 83} <= told
    for text, spot in found:
        for line in (*spot.old, *spot.new):
            numbers = {str(line.old if line in spot.old else line.new), str(line.new or line.old)}
            assert any(number in text for number in numbers)
            assert line.text.split()[1][:3] in text


@pytest.mark.parametrize("side", ["old", "new"])
def test_side_by_side_a_comment_stands_below_its_side(side: Side) -> None:
    _, spot = next(each for each in spots("split", 100) if each[1].old and each[1].new)
    assert spot.starts == (1, 50)
    comment = Comment("/a", side, 5, 5, (), "why?")
    [row] = CommentUnit(comment, indent_of(comment, spot)).rows(100, palette_for(DARK))
    assert text_of(row).index("✎ why?") == spot.starts[side == "new"] + 4


def test_a_selection_may_reach_the_lines_of_its_hunk() -> None:
    groups = {id(spot.group) for _, spot in spots("unified", 80)}
    assert len(groups) == 2


def test_lines_of_a_plan_are_found_in_its_source() -> None:
    units = plan_units(document_units(PLAN, 1), PLAN)
    found = []
    for unit in units:
        rows = unit.rows(80, palette_for(DARK))
        found += [(line.new, line.text) for _, spot in spots_of(unit, rows, 80) for line in spot.new]
    assert found == [
        (1, "# Do it"),
        (3, "First some words"),
        (4, "that go on."),
        (6, "- one **thing**"),
        (7, "- `two`"),
        (10, "make all"),
    ]
