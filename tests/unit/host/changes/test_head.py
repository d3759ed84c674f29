"""What is committed, however a repository keeps it; and where that cannot be known, it is said."""

import hashlib
import os
import shutil
from collections.abc import Callable
from hashlib import sha1
from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.changes import git_head
from acp_tui.host.changes.git_head import NO_FILES, NO_HEAD, NOT_HERE, openssl_digest
from acp_tui.host.changes.uncommitted_files import DAMAGED, NO_CHECKOUT
from tests.unit.host.changes.checkouts import FILES, Compared, commit, git, make


def packed(root: Path) -> Path:
    git(root, "gc", "-q")
    assert not (root / ".git/refs/heads/main").exists()
    return root


def detached(root: Path) -> Path:
    git(root, "checkout", "-q", "--detach")
    return root


def work_tree(root: Path) -> Path:
    git(root, "worktree", "add", "-q", str(root.parent / "tree"), "-b", "other")
    return root.parent / "tree"


def borrowing(root: Path) -> Path:
    """Its objects are in another repository, whose path is one that has to be quoted."""
    odd = root.rename(root.parent / '"odd": #\\')
    git(root.parent, "clone", "-q", "-s", str(odd), "borrowing")
    return root.parent / "borrowing"


def borrowing_relatively(root: Path) -> Path:
    clone = borrowing(root)
    (clone / ".git/objects/info/alternates").write_text('"../../../\\"odd\\": #\\\\/.git/objects"\n')
    return clone


def odd_place(root: Path) -> Path:
    return root.rename(root.parent / '"a\n:b\\')


def replaced(root: Path) -> Path:
    """Other objects are to be taken for those of HEAD, which is no change of any file."""
    (root / "a").write_bytes(b"replaced\n")
    commit(root)
    git(root, "replace", "HEAD~1", "HEAD")
    git(root, "reset", "-q", "--hard", "HEAD~1")
    (root / "a").write_bytes(FILES["a"])
    return root


@pytest.mark.parametrize(
    "change", [packed, detached, work_tree, borrowing, borrowing_relatively, odd_place, replaced, lambda root: root]
)
def test_repositories_of_all_forms(tmp_path: Path, change: Callable[[Path], Path]) -> None:
    root = change(make(tmp_path / "root"))
    assert Compared(root).told == {}
    (root / "a").write_bytes(b"changed\n")
    it = Compared(root)
    assert it.told == {"a": "changed"}
    assert it.texts("a") == (FILES["a"], b"changed\n")


def test_ids_of_sha256(tmp_path: Path) -> None:
    root = make(tmp_path / "root", "--object-format=sha256")
    (root / "sub/b").write_bytes(b"changed\n")
    it = Compared(root)
    assert it.told == {"sub/b": "changed"}
    assert it.texts("sub/b") == (b"b\n", b"changed\n")


def test_ids_of_another_kind_after_the_first_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256")
    (tmp_path / "a").write_bytes(b"x\n")
    os.utime(tmp_path / "a", (1, 1))
    it = Compared(tmp_path)
    commit(tmp_path)
    it.look()
    assert it.told == {}


def test_before_the_first_commit_all_is_new(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a").write_bytes(b"x\n")
    git(tmp_path, "add", "a")
    assert Compared(tmp_path).told == {"a": "new"}


def broken_head(git_folder: Path) -> None:
    (git_folder / "HEAD").write_text("nonsense\n")


def empty_reference(git_folder: Path) -> None:
    (git_folder / "refs/heads/main").write_text("")


def hidden_references(git_folder: Path) -> None:
    (git_folder / "refs/heads/main").unlink()
    os.mkfifo(git_folder / "packed-refs")


def reftable(git_folder: Path) -> None:
    (git_folder / "HEAD").write_text("ref: refs/heads/.invalid\n")


def lost_commit(git_folder: Path) -> None:
    (git_folder / "refs/heads/main").write_text("1" * 40)


def lost_tree(git_folder: Path) -> None:
    tree = git(git_folder, "rev-parse", "HEAD:sub")
    Path(git_folder, "objects", tree[:2], tree[2:]).unlink()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (broken_head, NO_HEAD),
        (empty_reference, NO_HEAD),
        (hidden_references, NO_HEAD),
        (reftable, "Its references are in a reftable"),
        (lost_commit, NO_FILES),
        (lost_tree, NO_FILES),
    ],
)
def test_a_head_that_cannot_be_read_is_not_taken_for_none(
    tmp_path: Path, change: Callable[[Path], None], words: str
) -> None:
    root = make(tmp_path / "root")
    change(root / ".git")
    with pytest.raises(UserFault, match=words):
        Compared(root)


def test_a_damaged_object_costs_one_file(tmp_path: Path) -> None:
    root = make(tmp_path / "root")
    objects = root / ".git/objects"
    places = [objects / each[:2] / each[2:] for each in (git(root, "rev-parse", f"HEAD:{path}") for path in FILES)]
    for path in ("a", "big", "sub/b", "tool"):
        (root / path).write_bytes(b"changed\n")
    for place in places:
        place.chmod(0o644)
    places[0].write_bytes(b"no object")
    shutil.copy(places[3], places[2])  # another's bytes under this name
    it = Compared(root)
    assert it.told == dict.fromkeys(("a", "big", "sub/b", "tool"), "changed")
    for path in ("a", "tool"):
        with pytest.raises(UserFault, match=f"{DAMAGED}|{NOT_HERE}"):
            it.texts(path)
    assert it.texts("sub/b") == (b"b\n", b"changed\n")
    assert it.texts("big") == (FILES["big"], b"changed\n")


def test_a_clone_that_has_not_all_objects_fetches_none(tmp_path: Path) -> None:
    origin, mark, upload = make(tmp_path / "origin"), tmp_path / "mark", tmp_path / "upload"
    git(origin, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{origin}", str(clone))
    upload.write_text(f"#!/bin/sh\ntouch {mark}\nexit 1\n")
    upload.chmod(0o755)
    git(clone, "config", "remote.origin.uploadpack", str(upload))
    for path, data in FILES.items():
        (clone / path).parent.mkdir(exist_ok=True)
        (clone / path).write_bytes(data)
    (clone / "a").write_bytes(b"changed\n")
    it = Compared(clone)
    assert {path: it.told[path] for path in FILES if path in it.told} == {"a": "changed", "tool": "mode"}
    with pytest.raises(UserFault, match=NOT_HERE):
        it.texts("a")
    assert not mark.exists()


def test_paths_to_which_git_never_writes_are_left_out(tmp_path: Path) -> None:
    root = make(tmp_path / "root")
    blob, names = sha1(b"blob 0\0", usedforsecurity=False).digest(), (b"..", b".GIT", b"kept")
    tree = b"".join(b"100644 %s\0%s" % (name, blob) for name in names)
    made = git(root, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", data=tree)
    (root / ".git/refs/heads/main").write_text(git(root, "commit-tree", "-m", "odd", made))
    it = Compared(root)
    assert it.told["kept"] == "deleted"
    assert not {"..", ".GIT"} & it.told.keys()
    assert it.notes == ["2 files in HEAD skipped: Git does not allow such a path"]


def test_a_folder_below_the_top_is_compared_alone(tmp_path: Path) -> None:
    root = make(tmp_path / "root")
    for name in (":(top)sub", "*", "-x"):
        (root / name).mkdir()
        (root / name / "b").write_bytes(b"b\n")
    commit(root)
    for path in ("a", "sub/b", ":(top)sub/b", "*/b", "-x/b"):
        (root / path).write_bytes(b"changed\n")
    for name in ("sub", ":(top)sub", "*", "-x"):
        it = Compared(root / name)
        assert it.told == {"b": "changed"}
        assert it.file("b").root == str(root / name)
    (root / "fresh").mkdir()
    (root / "fresh/x").touch()
    assert Compared(root / "fresh").told == {"x": "new"}


def test_several_folders_of_which_one_is_no_checkout(tmp_path: Path) -> None:
    root, other, plain = make(tmp_path / "root"), make(tmp_path / "other"), tmp_path / "plain"
    nested = make(root / "nested")
    plain.mkdir()
    for folder in (root, other, nested):
        (folder / "sub/b").write_bytes(b"changed\n")
    it = Compared(root, root / "sub", plain, other, nested, tmp_path / "gone")
    assert [(Path(file.root), file.path) for file in it.changes.files] == [
        (root, "sub/b"),
        (other, "sub/b"),
        (nested, "sub/b"),
    ]
    assert [*it.notes[1:]] == [f"{NO_CHECKOUT}: {plain}", f"No such folder: {tmp_path / 'gone'}"]


def test_without_a_checkout_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    for folder, words in ((tmp_path, NO_CHECKOUT), (tmp_path / "bare.git", NO_CHECKOUT), (tmp_path / "x", "No such")):
        with pytest.raises(UserFault, match=words):
            Compared(folder)
    root = make(tmp_path / "root")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserFault, match="Git cannot be run"):
        Compared(root)


@pytest.mark.parametrize("name", ["sha1", "sha256"])
def test_files_are_hashed_by_openssl_where_there_is_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = openssl_digest(name, b"blob 0\0")
    assert type(digest).__module__ == "_hashlib"
    assert digest.digest() == getattr(hashlib, name)(b"blob 0\0").digest()
    monkeypatch.setattr(git_head, "late", lambda _module: object())
    assert openssl_digest(name, b"blob 0\0").digest() == digest.digest()
