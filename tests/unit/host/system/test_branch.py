"""The branch of a folder, as the files of a checkout have it."""

import os
from pathlib import Path

import pytest

from acp_tui.host.system.git import branch_of

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def checkout(folder: Path, head: str | bytes) -> Path:
    """A folder whose `.git` holds no more than a HEAD."""
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_bytes(head if isinstance(head, bytes) else head.encode())
    return folder


@pytest.mark.parametrize(
    ("head", "branch"),
    [
        ("ref: refs/heads/main\n", "main"),
        ("ref: refs/heads/feature/a b\n", "feature/a b"),
        ("ref:refs/heads/main", "main"),
        ("ref: refs/remotes/origin/x\n", "refs/remotes/origin/x"),
        (COMMIT + "\n", COMMIT[:7]),
        (COMMIT + COMMIT[:24] + "\n", COMMIT[:7]),
        ("ref: refs/heads/.invalid\n", ""),
        ("", ""),
        ("nonsense\n", ""),
        (b"\xff\xfe\0", ""),
        ("x" * 10_000, ""),
        ("ref: refs/heads/\x1b[2Jowned\n", "\x1b[2Jowned"),  # cleaned where it is shown
    ],
)
def test_what_head_says(tmp_path: Path, head: str | bytes, branch: str) -> None:
    assert branch_of(str(checkout(tmp_path, head))) == branch


def test_a_folder_inside_belongs_to_the_checkout(tmp_path: Path) -> None:
    inside = checkout(tmp_path, "ref: refs/heads/main\n") / "src" / "deep"
    inside.mkdir(parents=True)
    assert branch_of(str(inside)) == "main"


def test_outside_of_git_there_is_none(tmp_path: Path) -> None:
    assert branch_of(str(tmp_path)) == ""
    assert branch_of(str(tmp_path / "gone")) == ""


@pytest.mark.parametrize("relative", [True, False])
def test_a_work_tree_has_a_branch_of_its_own(tmp_path: Path, relative: bool) -> None:
    own = checkout(tmp_path / "main", "ref: refs/heads/main\n") / ".git" / "worktrees" / "other"
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/other\n")
    tree = tmp_path / "other"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {os.path.relpath(own, tree) if relative else own}\n")
    assert branch_of(str(tree)) == "other"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_head_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "HEAD")
    assert branch_of(str(tmp_path)) == ""
