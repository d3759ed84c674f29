"""Listing the files of a session's roots."""

import subprocess
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import anyio
import pytest

from acp_tui.host.prompts import file_index
from acp_tui.host.prompts.file_index import FileIndex
from acp_tui.host.system.git import GitView

pytestmark = pytest.mark.anyio


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path)


def git(root: Path, *words: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@y.z", *words], cwd=root, check=True, capture_output=True
    )


def unheard() -> None:
    """Nobody waits for more."""


async def listed(*roots: Path) -> list[str]:
    index = FileIndex([str(root) for root in roots], unheard)
    await index.read()
    return list(index.files.paths)


async def test_a_checkout_without_what_is_ignored_and_what_is_gone(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "sub/b.py", "gone.py", "new file.py", "log/x.log")
    (tmp_path / ".gitignore").write_text("*.log\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "a.py", "sub/b.py", "gone.py", ".gitignore")
    (tmp_path / "gone.py").unlink()
    assert await listed(tmp_path) == [".gitignore", "a.py", "new file.py", "sub/", "sub/b.py"]


async def test_a_folder_inside_a_checkout(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "sub/b.py")
    git(tmp_path, "init", "-q")
    assert await listed(tmp_path / "sub") == ["b.py"]


async def test_no_checkout_is_walked_without_what_tools_fill(tmp_path: Path) -> None:
    write(tmp_path, "a.py", ".github/ci.yml", "node_modules/x/y.js", "sub/deep/b.py")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert await listed(tmp_path) == [
        ".github/",
        "a.py",
        "loop",
        "sub/",
        ".github/ci.yml",
        "sub/deep/",
        "sub/deep/b.py",
    ]


async def test_ignores_count_without_a_checkout_too(tmp_path: Path) -> None:
    write(tmp_path, "one/a.py", "one/x.log", "one/sub/b.log", "one/sub/keep.log", "two/x.log", "one/node_modules/c.js")
    (tmp_path / "one/.gitignore").write_text("*.log\n")
    (tmp_path / "one/sub/.gitignore").write_text("!keep.log\n")
    found = [path for path in await listed(tmp_path) if not path.endswith("/")]
    assert found == ["one/.gitignore", "one/a.py", "two/x.log", "one/sub/.gitignore", "one/sub/keep.log"]
    assert not (tmp_path / "one/.git").exists()
    found = [path for path in await listed(tmp_path / "one") if not path.endswith("/")]
    assert found == [".gitignore", "a.py", "sub/.gitignore", "sub/keep.log"]


async def test_without_git_nothing_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a.py", "x.log")
    (tmp_path / ".gitignore").write_text("*.log\n")
    monkeypatch.setenv("PATH", "")
    assert await listed(tmp_path) == [".gitignore", "a.py", "x.log"]


@pytest.mark.parametrize("outer", ["a checkout", "a folder with ignores", "a folder"])
async def test_a_checkout_inside_is_listed(tmp_path: Path, outer: str) -> None:
    write(tmp_path, "inner/b.py", "inner/x.log")
    (tmp_path / "inner/.gitignore").write_text("*.log\n")
    git(tmp_path / "inner", "init", "-q")
    git(tmp_path / "inner", "add", "b.py")
    if outer == "a checkout":
        git(tmp_path, "init", "-q")
    elif outer == "a folder with ignores":
        (tmp_path / ".gitignore").write_text("*.txt\n")
    found = await listed(tmp_path)
    assert [path for path in found if path.startswith("inner")] == ["inner/", "inner/.gitignore", "inner/b.py"]


async def test_other_roots_are_told_by_whole_paths(tmp_path: Path) -> None:
    write(tmp_path, "one/a.py", "two/b.py")
    assert await listed(tmp_path / "one", tmp_path / "two") == ["a.py", f"{tmp_path}/two/b.py"]


async def test_unprintable_names_and_missing_roots(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "bad\x1b[2J.py")
    assert await listed(tmp_path, tmp_path / "missing") == ["a.py"]


@pytest.mark.parametrize("name", ["資料\u3000一.txt", "a\u00a0b.txt", "a\u200db.txt", "\U0001faea.txt"])
async def test_names_of_text_are_listed_whatever_python_can_print(tmp_path: Path, name: str) -> None:
    write(tmp_path, name)
    assert await listed(tmp_path) == [name]


async def test_the_first_are_shown_before_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_index, "FIRST", 2)
    write(tmp_path, *(f"{number}.py" for number in range(5)))
    told: list[int] = []
    index = FileIndex([str(tmp_path)], lambda: told.append(len(index.files)))
    await index.read()
    assert told == [2, 5]
    assert not index.reading


async def test_what_git_cannot_list_is_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GitView, "listed", lambda *_, **_more: None)
    monkeypatch.setattr(file_index, "AT_ONCE", 1)
    write(tmp_path, "a.log", "sub/b.log")
    (tmp_path / ".gitignore").write_text("")
    assert await listed(tmp_path) == [".gitignore", "a.log", "sub/", "sub/b.log"]


async def test_a_root_that_does_not_answer_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers, listing = threading.Event(), file_index.listing
    write(tmp_path, "one/a.py", "two/b.py")

    def list_slowly(root: str, prefix: str, roots: Sequence[str]) -> Iterator[str]:
        if root.endswith("two"):
            answers.wait(60)
        yield from listing(root, prefix, roots)

    monkeypatch.setattr(file_index, "listing", list_slowly)
    changed = anyio.Event()
    index = FileIndex([str(tmp_path / "one"), str(tmp_path / "two")], changed.set)
    with anyio.fail_after(60):
        index.refresh()
        await changed.wait()
        assert list(index.files.paths) == ["a.py"]
        assert index.reading
        answers.set()
        await index.read()
    assert list(index.files.paths) == ["a.py", f"{tmp_path}/two/b.py"]


async def test_what_is_too_much_is_cut_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_index, "FIRST", 1)
    monkeypatch.setattr(file_index, "MOST", 3)
    write(tmp_path, *(f"{number}.py" for number in range(5)))
    index = FileIndex([str(tmp_path)], unheard)
    await index.read()
    assert (len(index.files), index.cut) == (3, True)


async def test_a_fresh_list_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = FileIndex([str(tmp_path)], unheard)
    await index.read()
    write(tmp_path, "new.py")
    await index.read()
    assert "new.py" not in index.files
    monkeypatch.setattr(file_index, "FRESH", -1.0)
    before = index.files
    await index.read()
    assert "new.py" in index.files
    assert index.files is not before
    before = index.files
    await index.read()
    assert index.files is before, "nothing is new"
