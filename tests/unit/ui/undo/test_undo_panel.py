"""The rows of a preview on the screen."""

from dataclasses import replace

from acp_tui.host.revert.steps import Preview
from acp_tui.host.snapshots.path_state import Who
from acp_tui.ui.undo.undo_panel import fitted, rows_of
from tests.rows import each_of
from tests.unit.views.test_undo import CHANGE, STEP


@each_of("width", [20, 40, 52, 74, 95])
@each_of("path", ["a.py", "ordner/日本語/" * 12 + "x.py", "bad\n\x1b[31mname"])
def test_rows_keep_to_their_cells_and_lines(width: int, path: str) -> None:
    refused = replace(STEP, change=replace(CHANGE, path=path), refusal="It was changed again " * 5, forcible=True)
    preview = Preview("Turn 1", [replace(refused, refusal=""), refused])
    for row in rows_of(preview, [0, 1], [True, False], width):
        drawn = row.draw(width).split("\n")
        assert len(drawn) == row.lines
        assert all(line.cell_length <= width for line in drawn)
        assert "\x1b" not in row.draw(width).plain


def test_a_reason_that_many_share_stands_below_none_of_them() -> None:
    unknown = replace(STEP, change=replace(CHANGE, who="unknown"), chosen=False)
    for count, lines in ((3, 2), (4, 1)):
        rows = rows_of(Preview("Turn 1", [unknown] * count), range(count), [False] * count, 80)
        assert [row.lines for row in rows] == [lines] * count


@each_of(("other", "stands"), [("agent", False), ("command", True)])
def test_who_made_a_change_stands_beside_it_where_that_is_not_always_the_agent(other: Who, *, stands: bool) -> None:
    steps = [replace(STEP, change=replace(CHANGE, who=who)) for who in ("agent", other)]
    rows = rows_of(Preview("Turn 1", steps), range(2), [True, True], 80)
    assert ("agent" in rows[0].draw(80).plain) == stands


def test_notes_are_whole_sentences() -> None:
    lines, _ = fitted(["What commands made can't be undone", "The rest is. Press x."], 60, 5)
    assert [line.plain for line in lines] == ["What commands made can't be undone.", "The rest is. Press x."]
