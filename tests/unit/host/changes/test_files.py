"""What became of files since HEAD: by their bytes, whatever the index says of them."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Event

import anyio
import pytest

from acp_tui.errors import UserFault
from acp_tui.host.changes import uncommitted_files as uncommitted
from acp_tui.host.changes.uncommitted_files import HEAD, Uncommitted
from acp_tui.host.snapshots.file_reader import Contents
from acp_tui.host.snapshots.path_state import ABSENT, PathState
from acp_tui.host.system.threads import Withdrawn, in_thread
from tests.unit.host.changes.checkouts import FILES, Compared, commit, git, make


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make(tmp_path / "root")


def test_nothing_is_told_where_all_is_committed(root: Path) -> None:
    (root / "a").touch()  # another time is no change
    (root / "sub/b").chmod(0o600)  # nor is what Git does not keep of a mode
    (root / "empty").mkdir()
    assert Compared(root).told == {}


def test_each_change_with_its_lines_and_texts(root: Path) -> None:
    (root / "a").write_bytes(b"one\r\nTWO\nthree")
    (root / "sub/b").unlink()
    (root / "tool").chmod(0o644)
    (root / "link").unlink()
    (root / "link").symlink_to("tool")
    (root / "big").rename(root / "sub/bigger")
    (root / "new\nname").write_bytes(b"x\ny\n")
    (root / os.fsdecode(b"\xff")).write_bytes(b"\0\0")
    it = Compared(root)
    assert {path: (file.status, file.added, file.removed) for path in it.told for file in [it.file(path)]} == {
        "a": ("changed", 3, 2),
        "link": ("changed", None, None),
        "new\nname": ("new", 2, 0),
        "sub/b": ("deleted", 0, 1),
        "sub/bigger": ("renamed", 0, 0),
        "tool": ("mode", 0, 0),
        "\udcff": ("new", None, None),
    }
    assert it.texts("a") == (b"one\ntwo\n", b"one\r\nTWO\nthree")
    assert it.texts("link") == (b"a", b"tool")
    assert it.texts("sub/b") == (b"b\n", None)
    assert it.texts("new\nname") == (None, b"x\ny\n")
    assert it.texts("tool") == (FILES["tool"], FILES["tool"])
    assert it.texts("sub/bigger") == (FILES["big"], FILES["big"])
    assert (it.file("sub/bigger").old_path, it.file("tool").before.mode, it.file("tool").after.mode) == (
        "big",
        0o755,
        0o644,
    )
    assert it.notes == []


def test_a_digest_is_the_id_that_git_gives(root: Path) -> None:
    (root / "a").write_bytes(b"other\n")
    file = Compared(root).file("a")
    assert (file.before.digest, file.after.digest) == (git(root, "rev-parse", "HEAD:a"), git(root, "hash-object", "a"))


def test_what_the_index_says_hides_nothing(root: Path) -> None:
    before = (root / "a").stat()
    git(root, "update-index", "--assume-unchanged", "a")
    git(root, "update-index", "--skip-worktree", "tool")
    git(root, "rm", "-q", "--cached", "sub/b")
    (root / "staged").write_bytes(b"new\n")
    git(root, "add", "staged")
    (root / "a").write_bytes(b"ONE\nTWO\n")
    os.utime(root / "a", ns=(before.st_atime_ns, before.st_mtime_ns))
    (root / "tool").write_bytes(b"other\n")
    assert Compared(root).told == {"a": "changed", "staged": "new", "tool": "changed"}


def test_ignored_files_count_only_if_they_are_committed(root: Path) -> None:
    (root / ".gitignore").write_text("*.log\nsub/\n")
    (root / "kept.log").touch()
    commit(root)
    git(root, "rm", "-q", "--cached", "kept.log", "sub/b")  # now nothing but HEAD has them
    for path in ("kept.log", "other.log", "sub/b", "sub/other", "new"):
        (root / path).write_bytes(b"written\n")
    assert Compared(root).told == {"kept.log": "changed", "new": "new", "sub/b": "changed"}


def test_another_kind_of_thing_in_the_place_of_a_file(root: Path) -> None:
    (root / "a").unlink()
    (root / "a").mkdir()
    (root / "a/inside").write_bytes(b"x\n")
    (root / "tool").unlink()
    (root / "tool").symlink_to("big")
    (root / "big").unlink()
    os.mkfifo(root / "big")
    (root / "sub").rename(root / "elsewhere")
    (root / "sub").symlink_to("elsewhere")  # what is behind it is not what was committed
    os.mkfifo(root / "pipe")
    it = Compared(root)
    assert it.told == {
        "a": "deleted",
        "a/inside": "new",
        "big": "changed",
        "elsewhere/b": "renamed",
        "sub": "new",
        "tool": "kind",
    }
    assert it.file("elsewhere/b").old_path == "sub/b"
    assert it.file("big").after.reason == "special file"
    assert it.texts("big") == (FILES["big"], None)
    assert it.notes == ["Skipped, special file: pipe"]


def test_checkouts_inside_are_left_alone_and_named(root: Path, tmp_path: Path) -> None:
    make(tmp_path / "other")
    git(root, "submodule", "--quiet", "add", str(tmp_path / "other"), "module")
    commit(root)
    make(root / "nested")
    (root / "module/a").write_bytes(b"changed\n")
    git(root, "init", "-q", "sub")
    (root / "sub/b").write_bytes(b"hidden\n")
    it = Compared(root)
    assert it.told == {}
    assert it.notes == ["Skipped, nested repository: module, nested, sub"]
    git(root, "submodule", "--quiet", "deinit", "-f", "module")
    (root / "module/new").touch()
    it.look()
    assert it.told == {}
    assert it.notes == ["Skipped, nested repository: module, nested, sub"]


def test_what_a_sparse_checkout_leaves_out_is_not_taken_for_deleted(root: Path) -> None:
    for options in (("--no-cone", "/*", "!sub/", "!tool"), ("--cone", "--sparse-index", "none")):
        git(root, "sparse-checkout", "set", *options)
        gone = [path for path in ("sub/b", "tool") if not (root / path).exists()]
        assert gone
        (root / "a").unlink()
        it = Compared(root)
        assert it.told == {"a": "deleted"}
        assert len(it.notes) == 1
        assert it.notes[0].endswith(f"left out by Git's sparse index: {', '.join(gone)}")
        (root / "sub").mkdir(exist_ok=True)
        (root / "sub/b").write_bytes(b"here\n")  # the index still says that it is not
        it.look()
        assert it.told == {"a": "deleted", "sub/b": "changed"}
        shutil.rmtree(root / "sub")
        git(root, "checkout", "-q", "a")


def test_what_only_a_filter_need_have_changed_is_said(root: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 4\n"
    whole = "88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589"  # of "abcd"
    (root / "same.bin").write_text(pointer.format(whole))
    (root / "other.bin").write_text(pointer.format("0" * 64))
    commit(root)
    (root / "same.bin").write_bytes(b"abcd")
    (root / "other.bin").write_bytes(b"abcd")
    (root / "a").write_bytes(b"one\r\ntwo\r\n")
    it = Compared(root)
    assert it.told == dict.fromkeys(("a", "other.bin", "same.bin"), "changed")
    assert it.notes == [f"{uncommitted.ENDINGS}: a", f"{uncommitted.POINTERS}: same.bin"]


def test_what_takes_too_long_is_left_out_and_said(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "a").write_bytes(b"x\n")
    (root / "new").write_bytes(b"x\n")
    monkeypatch.setattr(uncommitted, "WALK_WITHIN", -1.0)
    it = Compared(root)
    assert it.told == {"a": "changed"}
    assert it.notes == ["Not all new files are listed, because the search timed out"]
    monkeypatch.setattr(uncommitted, "READ_WITHIN", -1.0)
    assert it.look().files == []
    assert it.notes[1:] == ["5 files not compared (timed out)"]


def test_large_files_are_compared_but_not_shown(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uncommitted, "TEXT_AT_MOST", 1 << 20)
    (root / "a").write_bytes(b"x\n" * (1 << 20))
    it = Compared(root)
    assert (it.file("a").status, it.file("a").added) == ("changed", None)
    with pytest.raises(UserFault, match="larger than 1 MB"):
        it.texts("a")


def test_what_changes_after_it_was_compared_is_not_shown_for_it(root: Path) -> None:
    (root / "a").write_bytes(b"x\n")
    it = Compared(root)
    (root / "a").write_bytes(b"y\n")
    with pytest.raises(UserFault, match=uncommitted.CHANGED):
        it.texts("a")


def test_a_second_look_reads_only_what_may_have_changed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    contents = Contents.read

    def noted(self: Contents, path: str, seen: tuple[int, int, int, int, int] | None = None) -> object:
        read.append(path)
        return contents(self, path, seen)

    for path in root.rglob("*"):
        os.utime(path, (1, 1), follow_symlinks=False)
    monkeypatch.setattr("acp_tui.host.changes.git_head.provable", lambda data, _looked: data)  # as if long ago
    it = Compared(root)
    before = (root / "a").stat()
    (root / "a").write_bytes(b"ONE\nTWO\n")
    os.utime(root / "a", ns=(before.st_atime_ns, before.st_mtime_ns))
    monkeypatch.setattr(Contents, "read", noted)
    it.look()
    assert it.told == {"a": "changed"}
    assert set(read) == {"a"}


def test_what_may_have_changed_after_a_look_began_is_read_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.utime(root / "a", (1 << 31, 1 << 31))
    it = Compared(root)
    monkeypatch.setattr("acp_tui.host.changes.git_head._as_git_has_it", lambda _row: ABSENT)  # all that is read is gone
    it.look()
    assert it.told["a"] == "deleted"


def test_files_that_cannot_be_read_are_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "new").touch()
    hidden = PathState("unknown", reason="not readable")
    monkeypatch.setattr("acp_tui.host.changes.git_head._as_git_has_it", lambda _row: hidden)
    it = Compared(root)
    assert it.told == dict.fromkeys((*FILES, "link"), "changed")
    assert it.texts("a") == (FILES["a"], None)
    assert it.notes == ["Skipped, not readable: new"]


def test_a_folder_that_cannot_be_read_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "a").write_bytes(b"x\n")
    it = Compared(root)
    root.rename(root.parent / "elsewhere")
    with pytest.raises(UserFault, match=r"It cannot be read\nNo such file or directory"):
        it.texts("a")

    def unreadable() -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("acp_tui.host.snapshots.tree_walk.Walk.run", lambda *_: unreadable())
    with pytest.raises(UserFault, match=r"The folder cannot be compared\nPermission denied"):
        Compared(root.parent / "elsewhere")


def test_what_has_the_same_content_twice_or_none_is_not_taken_for_moved(root: Path) -> None:
    for name in ("empty", "twin"):
        (root / name).write_bytes(b"" if name == "empty" else b"b\n")
    commit(root)
    for path in ("empty", "twin", "sub/b", "link"):
        (root / path).unlink()
    (root / "a2").write_bytes(b"a")  # the content of the link
    (root / "b2").write_bytes(b"b\n")
    (root / "empty2").touch()
    assert Compared(root).told == {
        **dict.fromkeys(("a2", "b2", "empty2"), "new"),
        **dict.fromkeys(("empty", "link", "sub/b", "twin"), "deleted"),
    }


def test_a_commit_meanwhile_is_seen(root: Path) -> None:
    (root / "a").write_bytes(b"x\n")
    it = Compared(root)
    assert it.told == {"a": "changed"}
    commit(root)
    it.look()
    assert it.told == {}
    (root / "tool").write_bytes(b"y\n")
    it.look()
    assert it.texts("tool") == (FILES["tool"], b"y\n")


@pytest.mark.anyio
async def test_a_look_that_nobody_waits_for_ends(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = Event(), Event()

    def run(_self: object, check: Callable[[], None]) -> None:
        begun.set()
        try:
            while True:
                check()
        except Withdrawn:
            ended.set()
            raise

    monkeypatch.setattr(uncommitted.UncommittedComparison, "run", run)
    source = Uncommitted([str(root)])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(source.between, HEAD, await source.look())
        await in_thread(begun.wait)
        tasks.cancel_scope.cancel()
    assert await in_thread(ended.wait, 10)
