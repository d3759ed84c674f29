"""Folders of a preview: they follow the files in them."""

import pytest

from acp_tui.host.snapshots.states import ABSENT, PathChange, PathState, Status
from acp_tui.host.take_back.steps import Act, Step
from acp_tui.ui.take_back.folders import implied_folders, with_folders, with_its_folders

FILE, FOLDER = PathState("file"), PathState("folder", 0o755)


def step(path: str, act: Act, now: PathState, refusal: str = "") -> Step:
    status: Status = "new" if act == "delete" else "deleted"
    before, after = (ABSENT, now) if act == "delete" else (FOLDER if act == "folder" else FILE, ABSENT)
    return Step(PathChange("/p", path, status, before, after), act, now, before, refusal)


NEW = [
    step("a", "delete", FOLDER),
    step("a/b", "delete", FOLDER),
    step("a/b/x", "delete", FILE),
    step("a/y", "delete", FILE),
]
GONE = [step("a", "folder", ABSENT), step("a/x", "write", ABSENT), step("a/y", "write", ABSENT)]


@pytest.mark.parametrize(
    ("steps", "files", "folders"),
    [
        (NEW, {2: True, 3: True}, [True, True]),
        (NEW, {2: True, 3: False}, [False, True]),
        (NEW, {2: False, 3: True}, [False, False]),
        (GONE, {1: True, 2: False}, [True]),
        (GONE, {1: False, 2: False}, [False]),
    ],
)
def test_a_folder_goes_with_all_in_it_and_comes_back_with_any(
    steps: list[Step], files: dict[int, bool], folders: list[bool]
) -> None:
    below = implied_folders(steps)
    chosen = with_folders([files.get(at, False) for at in range(len(steps))], steps, below)
    assert [chosen[at] for at in below] == folders


def test_a_file_that_is_gone_already_holds_no_folder_back() -> None:
    steps = [step("a", "delete", FOLDER), step("a/x", "delete", FILE), step("a/y", "nothing", ABSENT)]
    assert with_folders([False, True, False], steps, implied_folders(steps)) == [True, True, False]


def test_a_folder_with_nothing_below_and_one_that_is_refused_are_rows_of_their_own() -> None:
    assert implied_folders([step("a", "delete", FOLDER), step("ab", "delete", FILE)]) == {}
    assert implied_folders([step("a", "delete", FOLDER, "Holds more"), step("a/x", "delete", FILE)]) == {}


def test_a_file_takes_the_folders_with_it_that_came_for_it_alone() -> None:
    changes = [each.change for each in (*NEW, step("c", "delete", FOLDER))]
    named = {change.path: change for change in changes}
    assert [each.path for each in with_its_folders(named["a/b/x"], changes)] == ["a/b/x", "a/b"]
    assert [each.path for each in with_its_folders(named["a/y"], changes)] == ["a/y"]
    alone = [change for change in changes if change.path != "a/y"]
    assert [each.path for each in with_its_folders(named["a/b/x"], alone)] == ["a/b/x", "a", "a/b"]


def test_a_file_brings_the_folders_back_that_went() -> None:
    changes = [each.change for each in GONE]
    assert [each.path for each in with_its_folders(changes[1], changes)] == ["a/x", "a"]
