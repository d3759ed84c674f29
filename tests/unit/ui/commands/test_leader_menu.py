"""The grid of the leader's menu: groups side by side, whatever the width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.ui.commands.key_table import LeaderRow, leader_table, rebind
from acp_tui.ui.commands.leader_menu import Grid


def cells(grid: Grid) -> list[LeaderRow | str | None]:
    return [cell for row in grid.rows for cell in row if cell]


@given(st.integers(8, 300))
def test_every_command_stands_once_below_its_heading(width: int) -> None:
    table = leader_table()
    grid = Grid(table, width)
    assert sorted(map(str, cells(grid))) == sorted(
        map(str, [*table, *(row for rows in table.values() for row in rows)])
    )
    for column in zip(*grid.rows, strict=True):
        below = ""
        for cell in column:
            below = cell if isinstance(cell, str) else below
            assert not isinstance(cell, LeaderRow) or cell in table[below]


@given(st.integers(8, 300))
def test_no_row_is_wider_than_there_is_room_for(width: int) -> None:
    assert all(line.cell_length - 2 <= width for line in Grid(leader_table(), width).draw().split("\n"))


@given(st.integers(8, 300))
def test_a_click_finds_what_is_drawn_there(width: int) -> None:
    grid = Grid(leader_table(), width)
    for y, line in enumerate(grid.draw().plain.split("\n")):
        for x in range(len(line) + 3):
            cell = grid.at(x, y)
            if isinstance(cell, LeaderRow):
                start = x // (grid.column + 2) * (grid.column + 2)
                assert line[start:].startswith(cell.key)
    assert grid.at(0, len(grid.rows)) is grid.at(-1, 0) is grid.at(10_000, 1) is None


@pytest.mark.parametrize(("width", "columns", "rows"), [(112, 4, 16), (72, 3, 20), (52, 2, 28), (32, 1, 56)])
def test_it_fits_in_few_rows(width: int, columns: int, rows: int) -> None:
    grid = Grid(leader_table(), width)
    assert {len(row) for row in grid.rows} == {columns}
    assert len(grid.rows) <= rows


def test_arrows_of_one_kind_are_one_row_as_long_as_both_have_a_key() -> None:
    rows = {row.key: row.words for rows in leader_table().values() for row in rows}
    assert (rows["← →"], rows["↑ ↓"]) == ("previous, next", "blocks, subagents")
    assert not {"→", "←", "↑", "↓"} & set(rows)
    rebind({"previous_session": []})
    try:
        rows = {row.key: row.words for rows in leader_table().values() for row in rows}
        assert rows["→"] == "next session"
    finally:
        rebind({})


def test_keys_of_the_user_s_own_fit_as_well() -> None:
    table = {"Group": [LeaderRow("^pagedown", "a long label of a command", "id"), LeaderRow("a", "b", "id")]}
    assert Grid(table, 60).draw().plain.split("\n")[2].startswith("a         b")
    assert Grid(table, 14).draw().plain.split("\n")[1].startswith("^pagedown a l…")
    assert Grid({}, 60).rows == []
