"""From which point to which, of which folder, and what a patch lacks."""

from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest

from acp_tui.errors import UserFault
from acp_tui.headless.snapshot_commands import (
    bounds,
    elsewhere,
    empty_folders,
    prefix_of,
    print_patch,
    root_of,
    stat_lines,
)
from acp_tui.host.changes.snapshot_history import Changes, Point, PointKind
from acp_tui.host.snapshots.path_state import ABSENT, PathChange, PathState, Status, Who

FILE = PathState("file", 0o644, 1, "d")
FOLDER = PathState("folder", 0o755)


def points(*kinds: tuple[PointKind, int], lost: Sequence[int] = ()) -> list[Point]:
    return [
        Point(number, kind, turn, float(number), trees={} if number in lost else {"/p": "m"}, gaps=["no space left"])
        for number, (kind, turn) in enumerate(kinds)
    ]


ALL = points(("opened", 0), ("prompt", 1), ("ended", 1), ("taken_back", 1), ("prompt", 2), ("opened", 2), ("prompt", 3))


@pytest.mark.parametrize(("turn", "numbers"), [(None, (0, 6)), (1, (1, 2)), (2, (4, 5))])
def test_a_turn_is_from_its_prompt_to_its_end_or_to_the_next_look_where_it_was_cut_off(
    turn: int | None, numbers: tuple[int, int]
) -> None:
    since, until = bounds(ALL, turn)
    assert (since.number, until.number) == numbers


@pytest.mark.parametrize(
    ("given", "turn", "title", "more"),
    [
        (ALL, 4, "The session has no turn 4", "It has 3 turns"),
        (ALL[:2], 9, "The session has no turn 9", "It has 1 turn"),
        (ALL[:1], 1, "The session has no turn 1", "It has no turns"),
        ([], 1, "This session has no snapshots", "List snapshots with: acp-tui snapshots"),
        (ALL, 3, "No snapshot from the end of turn 3", "The turn is still running, or was interrupted"),
        (points(("prompt", 1), ("ended", 1), lost=[0]), 1, "No snapshot from the start of turn 1", "no space left"),
        (
            points(("prompt", 1), ("ended", 1), lost=[0]),
            None,
            "No turn of this session has a snapshot",
            "no space left",
        ),
    ],
)
def test_what_is_not_kept_is_said(given: list[Point], turn: int | None, title: str, more: str) -> None:
    with pytest.raises(UserFault) as raised:
        bounds(given, turn)
    assert raised.value.title.startswith(title)
    assert more in (raised.value.message, raised.value.hint)


def test_a_folder_inside_one_with_snapshots_is_of_it_and_another_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "link").symlink_to("a")
    point = Point(0, "opened", 0, 0.0, trees={str(tmp_path / "a"): "m"})
    assert root_of(str(tmp_path / "a/b"), point) == str(tmp_path / "a")
    assert root_of(str(tmp_path / "link"), point) == str(tmp_path / "a")
    with pytest.raises(UserFault, match="no snapshots of"):
        root_of(str(tmp_path), point)


def test_paths_are_told_from_the_top_of_a_checkout(tmp_path: Path) -> None:
    (tmp_path / "top/sub/deep").mkdir(parents=True)
    (tmp_path / "top/.git").write_text("gitdir: /elsewhere")  # a worktree has a file
    assert prefix_of(str(tmp_path / "top/sub/deep")) == "sub/deep/"
    assert prefix_of(str(tmp_path / "top")) == ""


def one(
    path: str, status: Status, before: PathState = ABSENT, after: PathState = ABSENT, root: str = "/p"
) -> PathChange:
    return PathChange(root, path, status, before, after)


def test_folders_without_files_are_said_since_a_patch_has_none() -> None:
    files = [
        one("full", "new", after=FOLDER),
        one("full/a", "new", after=FILE),
        one("empty", "new", after=FOLDER),
        one("gone", "deleted", before=FOLDER),
    ]
    assert list(empty_folders(files)) == [
        "Not in the patch: empty: new folder without files",
        "Not in the patch: gone: deleted folder without files",
    ]


def test_other_folders_of_the_session_are_counted() -> None:
    changes = Changes(ALL[0], ALL[1], [one("a", "new"), one("b", "new", root="/q"), one("c", "new", root="/q")])
    assert list(elsewhere(changes, "/p")) == ["2 files in /q not shown. To see them, use -C /q"]


def test_the_list_has_signs_names_counts_and_who() -> None:
    def told(path: str, status: Status, counts: tuple[int | None, int | None], who: Who, old: str = "") -> PathChange:
        return PathChange("/p", path, status, FILE, FILE, old, *counts, who)

    assert stat_lines(
        [
            told("src/a.py", "changed", (12, 3), "agent"),
            told("b\x1b[31m", "new", (1_000, 0), "unknown"),
            told("to", "renamed", (0, 0), "outside", "from"),
            told("x.png", "changed", (None, None), "agent"),
        ]
    ) == [
        "M  src/a.py   +12 −3  agent",
        "A  b\N{SYMBOL FOR ESCAPE}[31m     +1,000  unknown",
        "R  from → to          outside",
        "M  x.png      binary  agent",
        "4 files changed, +1,012 −3",
    ]


def test_a_patch_is_exact_on_a_pipe(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    async def texts(_change: PathChange) -> tuple[bytes | None, bytes | None]:
        return None, b"\x1b[31m\xff\r\n"

    missing = one("b", "changed", FILE, FILE)
    left_out = anyio.run(print_patch, [one("a", "new", after=FILE), missing], texts, "sub/")
    out = capfdbinary.readouterr().out
    assert out.startswith(b"diff --git a/sub/a b/sub/a\nnew file mode 100644\n")
    assert out.endswith(b"@@ -0,0 +1 @@\n+\x1b[31m\xff\r\n")
    assert left_out == ["Not in the patch: b: no saved copy"]
