"""Marks on what was read."""

from acp_tui.ui.changes.review_pane import ReadMarks, file_keys, hunk_key
from acp_tui.ui.render.diff import FileDiff, compare

OLD = "".join(f"{number}\n" for number in range(40))


def changed(*numbers: int) -> FileDiff:
    lines = OLD.splitlines(keepends=True)
    for number in numbers:
        lines[number] = "other\n"
    return compare("a", OLD, "".join(lines))


def test_all_hunks_of_a_file_that_are_read_make_it_read() -> None:
    marks, file = ReadMarks(), changed(5, 30)
    first, second = file.hunks
    assert marks.toggle([hunk_key("a", first)])
    assert not marks.are_read(file_keys("a", file))
    assert marks.toggle([hunk_key("a", second)])
    assert marks.are_read(file_keys("a", file))
    assert not marks.toggle(file_keys("a", file))
    assert not marks.are_read([hunk_key("a", first)])


def test_a_hunk_that_moved_keeps_its_mark_and_one_that_changed_loses_it() -> None:
    marks, file = ReadMarks(), changed(30)
    marks.toggle(file_keys("a", file))
    lower = compare("a", f"new\nlines\n{OLD}", "new\nlines\n" + OLD.replace("30\n", "other\n", 1))
    assert marks.are_read(file_keys("a", lower))
    assert not marks.are_read(file_keys("a", changed(30, 31)))
    assert not marks.are_read(file_keys("b", file))


def test_nothing_is_not_read() -> None:
    assert not ReadMarks().are_read([])


def test_a_file_without_hunks_can_be_read() -> None:
    marks, file = ReadMarks(), FileDiff("a", notes=("binary: 1 → 2 characters",))
    marks.toggle(file_keys("a", file))
    assert marks.are_read(file_keys("a", file))
    assert not marks.are_read(file_keys("a", FileDiff("a", notes=("binary: 1 → 3 characters",))))
