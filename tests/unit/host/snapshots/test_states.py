"""Of which changes a user is told."""

import pytest

from acp_tui.host.snapshots.path_state import ABSENT, PathChange, PathState, Status, told_changes

FILE, FOLDER, WIDER = PathState("file"), PathState("folder", 0o755), PathState("folder", 0o777)


def change(path: str, status: Status, before: PathState, after: PathState, old_path: str = "") -> PathChange:
    return PathChange("/p", path, status, before, after, old_path)


Ends = tuple[Status, PathState, PathState]
NEW: Ends = ("new", ABSENT, FOLDER)
GONE: Ends = ("deleted", FOLDER, ABSENT)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ([change("a", *NEW), change("a/b", *NEW), change("a/b/x", "new", ABSENT, FILE)], ["a/b/x"]),
        ([change("a", *GONE), change("a/x", "deleted", FILE, ABSENT)], ["a/x"]),
        ([change("a", *GONE), change("b/x", "renamed", FILE, FILE, "a/x")], ["b/x"]),
        ([change("a", *NEW), change("a/empty", *NEW)], ["a/empty"]),
        ([change("a", *NEW), change("ab", "new", ABSENT, FILE)], ["a", "ab"]),
        ([change("a", "mode", FOLDER, WIDER), change("a/x", "new", ABSENT, FILE)], ["a", "a/x"]),
        ([change("a", "kind", FILE, FOLDER), change("a/x", "new", ABSENT, FILE)], ["a", "a/x"]),
    ],
)
def test_a_folder_that_came_or_went_with_what_is_in_it_is_not_told(changes: list[PathChange], told: list[str]) -> None:
    assert [each.path for each in told_changes(changes)] == told


def test_the_same_path_in_another_root_is_another_folder() -> None:
    other = PathChange("/q", "a/x", "new", ABSENT, FILE)
    assert len(told_changes([change("a", *NEW), other])) == 2
