"""The rows of changed files on the screen: what gives way where there is little room."""

from dataclasses import replace

import pytest

from acp_tui.host.snapshots.path_state import PathChange, PathState, Status, Who
from acp_tui.session.state import Session
from acp_tui.ui.changes.extensions import ChangesExtension, Extras
from acp_tui.ui.changes.file_list import FileRows
from tests.rows import each_of

FILE = PathState("file")


def change(path: str, status: Status = "changed", who: Who = "agent", after: PathState = FILE) -> PathChange:
    return PathChange("/root", path, status, FILE, after, added=12, removed=3, who=who)


def drawn(files: list[PathChange], width: int, extras: Extras | None = None) -> list[str]:
    session = Session("s1", "/root")
    return [str(row.draw(width)) for row in FileRows(session, extras or Extras()).of(files)]


def test_rows_stand_below_whose_they_are() -> None:
    files = [change("mine", who="outside"), change("a", who="unknown"), change("b"), change("c", who="outside")]
    rows = [row.split()[:2] for row in drawn(files, 60)]
    assert rows == [
        ["Agent"], ["~", "b"], [],
        ["Unattributed,", "probably"], ["~", "a"], [],
        ["Outside", "this"], ["~", "mine"], ["~", "c"],
    ]  # fmt: skip


def test_the_agents_own_state_is_one_row() -> None:
    files = [change(".agent/a", who="own"), change("b"), change(".agent/c", who="own")]
    rows = [row.split() for row in drawn(files, 60)]
    assert rows[2:] == [[], ["Agent's", "own", "state"], ["2", "files", "in", ".agent"]]
    assert len(FileRows(Session("s1", "/root"), Extras()).of(files, folded=False)) == 6


@pytest.mark.parametrize("width", [20, 30, 45, 65, 66, 100])
def test_rows_fill_their_width_and_the_counts_are_at_its_end(width: int) -> None:
    _, *rows = drawn([change("a/folder/that/is/long/" * 4 + "name.py"), change("b.py", "new")], width)
    assert [len(row) for row in rows] == [width, width]
    assert all(row.endswith("+12 −3") for row in rows)
    assert "…" in rows[0]


def test_what_is_not_usual_is_said_where_there_is_room() -> None:
    assert "deleted" in drawn([change("b.py", "deleted")], 40)[1]
    assert "changed" not in drawn([change("b.py")], 40)[1]
    assert "changed" in drawn([change("b.py")], 80)[1]
    assert "deleted" not in drawn([change("b" * 30, "deleted")], 45)[1]


def test_counts_stand_at_the_right_of_their_columns() -> None:
    files = [change("a.py"), replace(change("b.py"), added=1_000, removed=None), replace(change("c.py"), added=0)]
    for width in (50, 80):
        _, *rows = drawn(files, width)
        assert [row[-9:] for row in rows] == ["   +12 −3", "+1,000   ", "       −3"]


def test_other_rooms_have_a_mark_and_comments() -> None:
    class Read(ChangesExtension):
        def mark(self, file: PathChange) -> str:
            return "✓" if file.path == "b.py" else ""

        def comments(self, _file: PathChange) -> int:
            return 2

    _, first, second = drawn([change("a.py"), change("b.py")], 60, Extras(Read()))
    assert first.startswith("  ~ a.py")
    assert second.startswith("✓ ~ b.py")
    assert "2 ✎" in first


def test_paths_are_harmless() -> None:
    assert "\x1b" not in "".join(drawn([change("a\x1b[2J\nb")], 60))


@each_of(
    "files, width",
    [
        ([], 0),
        ([change("a.py")], 4 + 4 + 2 + 3 + 2 + 2),  # mark and sign, the path, and what was added and removed
        ([change("a.py"), change("src/login.py")], 4 + 12 + 2 + 3 + 2 + 2),
        ([change("b.py", "new")], 4 + 4 + 2 + 3 + 2 + 3 + 2 + 2),
        ([change("a", who="unknown")], len("Unattributed, probably yours")),
    ],
)
def test_the_list_needs_the_width_of_its_names(files: list[PathChange], width: int) -> None:
    assert FileRows(Session("s1", "/root"), Extras()).width_of(files) == width


def test_paths_are_whole_in_that_width() -> None:
    files = [change("a.py"), change("src/a/longer/path/login.py", "new"), change("b.py", "deleted")]
    width = FileRows(Session("s1", "/root"), Extras()).width_of(files)
    assert "…" not in "".join(drawn(files, width))
    assert "…" in "".join(drawn(files, width - 8))
