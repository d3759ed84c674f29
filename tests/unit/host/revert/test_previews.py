"""What a preview says of a real disk, hunks, and what does not come along."""

import os
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.revert import plan
from acp_tui.host.revert.disk_state import folds_case, found_at
from acp_tui.host.revert.plan import FRESH, FRESH_ROOT, losses, plan_redo
from acp_tui.host.revert.steps import DiskState, LineSpan, Step
from acp_tui.host.snapshots.path_state import ABSENT, PathChange, PathState
from acp_tui.host.system import atomic_replace, sandbox_paths
from acp_tui.host.system.sandbox_paths import BY_HANDLE, SandboxRoots
from acp_tui.session.text.line_diff import line_diff, lines_of
from tests.unit.host.revert.tree import Tree

TEXT = b"one\r\ntwo\nthree\nfour\nfive\nsix\nseven"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "root")


def changed(tree: Tree, files: Mapping[str, bytes | None]) -> list[PathChange]:
    """What a turn does that leaves files so; None: gone."""
    before = tree.look()
    for name, data in files.items():
        path = Path(tree.root, name)
        if data is None:
            path.unlink()
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
    return tree.changes(before, tree.look())


def spans(before: bytes, after: bytes) -> list[LineSpan]:
    return [LineSpan((a, b), (c, d)) for a, b, c, d in line_diff(lines_of(before), lines_of(after)).spans]


class TestHunks:
    def test_one_is_taken_back_and_undone(self, tree: Tree) -> None:
        path = Path(tree.root, "a")
        path.write_bytes(TEXT)
        path.chmod(0o640)
        after = TEXT.replace(b"one\r", b"ONE\r").replace(b"seven", b"7")
        (change,) = changed(tree, {"a": after})
        first, last = spans(TEXT, after)
        preview = plan.plan_hunk_revert(change, last, tree.roots, tree.store)
        assert [(step.act, step.chosen, step.refusal) for step in preview.steps] == [("write", True, "")]
        tree.take(preview)
        assert path.read_bytes() == TEXT.replace(b"one\r", b"ONE\r")
        tree.take(plan.plan_hunk_revert(change, first, tree.roots, tree.store))
        assert path.read_bytes() == TEXT
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        tree.undo()
        assert path.read_bytes() == TEXT.replace(b"one\r", b"ONE\r")
        tree.undo()
        assert path.read_bytes() == TEXT

    def test_it_leaves_what_was_written_since(self, tree: Tree) -> None:
        path = Path(tree.root, "a")
        path.write_bytes(TEXT)
        (change,) = changed(tree, {"a": TEXT.replace(b"two", b"2")})
        path.write_bytes(TEXT.replace(b"two", b"2") + b"\nmine\n")
        (span,) = spans(TEXT, TEXT.replace(b"two", b"2"))
        tree.take(plan.plan_hunk_revert(change, span, tree.roots, tree.store))
        assert path.read_bytes() == TEXT + b"\nmine\n"

    def test_the_only_one_of_a_new_file_and_of_a_deleted_one_is_the_file(self, tree: Tree) -> None:
        Path(tree.root, "gone").write_bytes(TEXT)
        gone, new = changed(tree, {"gone": None, "new": b"new\n"})
        tree.take(plan.plan_hunk_revert(new, LineSpan((0, 0), (0, 1)), tree.roots, tree.store))
        assert not Path(tree.root, "new").exists()
        tree.take(plan.plan_hunk_revert(gone, LineSpan((0, 7), (0, 0)), tree.roots, tree.store))
        assert Path(tree.root, "gone").read_bytes() == TEXT

    @pytest.mark.parametrize("now", [b"other\n", None, "link", "folder"])
    def test_where_it_is_not_there_any_more_it_is_said(self, tree: Tree, now: bytes | str | None) -> None:
        path = Path(tree.root, "a")
        path.write_bytes(TEXT)
        (change,) = changed(tree, {"a": TEXT.replace(b"two", b"2")})
        path.unlink()
        if isinstance(now, bytes):
            path.write_bytes(now)
        elif now == "link":
            path.symlink_to("a")
        elif now == "folder":
            path.mkdir()
        with pytest.raises(UserFault, match="cannot be undone"):
            plan.plan_hunk_revert(change, LineSpan((1, 2), (1, 2)), tree.roots, tree.store)

    def test_bytes_that_are_not_kept(self, tree: Tree) -> None:
        change = PathChange(tree.root, "a", "changed", PathState("unknown", reason="ignored"), ABSENT)
        with pytest.raises(UserFault, match="Not saved: ignored"):
            plan.plan_hunk_revert(change, LineSpan((0, 1), (0, 1)), tree.roots, tree.store)


class TestWhatDoesNotComeAlong:
    def test_hard_links_keep_what_they_hold_and_it_is_said(self, tree: Tree) -> None:
        path = Path(tree.root, "a")
        path.write_bytes(b"before")
        changes = changed(tree, {"a": b"after"})
        os.link(path, Path(tree.root, "other"))
        preview = tree.preview(changes)
        assert "Other hard links to a are not changed" in preview.notes
        tree.take(preview)
        assert (path.read_bytes(), Path(tree.root, "other").read_bytes()) == (b"before", b"after")

    def test_nor_do_the_hard_links_of_a_file_that_was_moved(self, tree: Tree) -> None:
        path = Path(tree.root, "a")
        path.write_bytes(b"bytes")
        before = tree.look()
        path = path.rename(Path(tree.root, "b"))
        changes = tree.changes(before, tree.look())
        os.link(path, Path(tree.root).with_name("other"))
        assert "Other hard links to b are not changed" in tree.preview(changes).notes

    def test_the_case_of_a_name_does_not_where_it_does_not_count(
        self, tree: Tree, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path, old = Path(tree.root, "read"), Path(tree.root, "Read")
        old.write_bytes(b"before")
        (was,) = tree.look().values()
        old.rename(path)
        path.write_bytes(b"after")
        (now,) = tree.look().values()
        os.link(path, old)  # as it looks where case does not count
        monkeypatch.setattr(plan, "folds_case", lambda _root: True)
        for changes in (
            [PathChange(tree.root, "read", "renamed", was, now, "Read", who="agent")],
            [PathChange(tree.root, "Read", "deleted", was, ABSENT), PathChange(tree.root, "read", "new", ABSENT, now)],
        ):
            preview = tree.preview(changes)
            assert "The old capitalization of read is not restored" in preview.notes
            assert [(step.act, step.change.path, step.refusal) for step in preview.steps] == [("write", "read", "")]
        tree.take(preview, preview.steps)
        assert path.read_bytes() == b"before"

    def test_setuid_does_not_come_back_and_it_is_said(self, tree: Tree) -> None:
        path = Path(tree.root, "a")
        path.write_bytes(b"before")
        path.chmod(0o4755)
        changes = changed(tree, {"a": None})
        preview = tree.preview(changes)
        assert "The setuid or setgid bit of a is not restored" in preview.notes
        (outcome,) = tree.take(preview)
        assert (outcome.done, outcome.said) == (True, "Restored without its setuid or setgid bit")
        assert stat.S_IMODE(path.stat().st_mode) == 0o755
        tree.undo()
        assert not path.exists()

    def test_attributes_of_the_user_come_along(self, tree: Tree) -> None:
        path = Path(tree.root, "a")
        path.write_bytes(b"before")
        changes = changed(tree, {"a": b"after"})
        if not hasattr(os, "setxattr"):
            pytest.skip("no attributes here")
        try:
            os.setxattr(path, "user.note", b"mine")
        except OSError:
            pytest.skip("this file system has no attributes")
        tree.take(tree.preview(changes))
        assert (path.read_bytes(), os.getxattr(path, "user.note")) == (b"before", b"mine")

    def test_a_file_that_is_gone_comes_back_without(self) -> None:
        file = PathState("file", 0o644, 1, "x")
        change = PathChange("/r", "a", "deleted", file, ABSENT)
        step = Step(change, "write", ABSENT, file)
        fresh = FRESH_ROOT if os.geteuid() == 0 else FRESH
        assert losses([step], {change.key: DiskState(ABSENT)}) == [fresh]

    @pytest.mark.parametrize("owner", [None, 12345])
    def test_a_redo_says_so_only_of_a_file_that_had_more_than_bytes_and_mode(
        self, tree: Tree, owner: int | None
    ) -> None:
        if owner is not None and os.geteuid() != 0:
            pytest.skip("only root can give files away")
        changes = changed(tree, {"a": b"new"})
        if owner is not None:
            os.chown(Path(tree.root, "a"), owner, owner)
        tree.take(tree.preview(changes))
        notes = plan_redo(tree.taken[-1], tree.roots, tree.store).notes
        assert [note for note in notes if note in (FRESH, FRESH_ROOT)] == ([] if owner is None else [FRESH_ROOT])

    def test_the_owner_of_a_file_stays(self, tree: Tree) -> None:
        path = Path(tree.root, "a")
        path.write_bytes(b"before")
        if os.geteuid() != 0:
            pytest.skip("only root can give files away")
        os.chown(path, 12345, 12346)
        tree.take(tree.preview(changed(tree, {"a": b"after"})))
        assert (path.stat().st_uid, path.stat().st_gid, path.read_bytes()) == (12345, 12346, b"before")


class TestFoldersThatWereNotChosen:
    def test_a_file_brings_its_folder_back_with_its_mode(self, tree: Tree) -> None:
        folder = Path(tree.root, "d")
        folder.mkdir(mode=0o750)
        (folder / "a").write_bytes(b"before")
        before = tree.look()
        shutil.rmtree(folder)
        preview = tree.preview(tree.changes(before, tree.look()))
        tree.take(preview, [step for step in preview.steps if step.change.path == "d/a"])
        assert tree.look(keep=False) == before
        tree.undo()
        assert not folder.exists()

    def test_a_folder_that_nobody_knows_is_made_and_goes_again(self, tree: Tree) -> None:
        folder = Path(tree.root, "d")
        (folder / "e").mkdir(parents=True)
        (folder / "e/a").write_bytes(b"before")
        before = tree.look()
        shutil.rmtree(folder)
        file = [change for change in tree.changes(before, tree.look()) if change.path == "d/e/a"]
        tree.take(tree.preview(file))
        assert (folder / "e/a").read_bytes() == b"before"
        tree.undo()
        assert not folder.exists()


def test_a_path_below_what_is_no_folder_is_absent_and_says_what_is_in_the_way(tree: Tree) -> None:
    Path(tree.root, "file").touch()
    Path(tree.root, "link").symlink_to("/")
    for name in ("file", "link"):
        assert found_at(tree.root, f"{name}/x", tree.roots) == DiskState(ABSENT, way=name)
        assert found_at(tree.root, f"{name}/x/y", tree.roots) == DiskState(ABSENT, way=name)
    assert found_at(tree.root, "none/x", tree.roots) == DiskState(ABSENT)
    assert found_at(tree.root, "../x", tree.roots).trouble


@pytest.mark.skipif(not BY_HANDLE, reason="it is so anyway")
def test_without_handles_of_folders(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_paths, "BY_HANDLE", False)
    monkeypatch.setattr(atomic_replace, "_renamed", lambda *_: False)
    for name in ("d/a", "d/gone", "d/old"):
        Path(tree.root, name).parent.mkdir(exist_ok=True)
        Path(tree.root, name).write_bytes(name.encode())
    before = tree.look()
    changed(tree, {"d/a": b"after", "d/gone": None, "d/new": b"new", "e/new": b"e"})
    Path(tree.root, "d/old").rename(Path(tree.root, "e/moved"))
    after = tree.look()
    tree.take(tree.preview(tree.changes(before, after)))
    assert tree.look(keep=False) == before
    tree.undo()
    assert tree.look(keep=False) == after
    outside = Path(tree.root).with_name("outside")
    outside.mkdir()
    Path(tree.root, "link").symlink_to(outside)
    assert found_at(tree.root, "link/x", SandboxRoots([Path(tree.root)])) == DiskState(ABSENT, way="link")


def test_where_case_counts(tmp_path: Path) -> None:
    assert not folds_case(str(tmp_path / "none"))
    folder = tmp_path / "12"  # whose own name tells nothing
    folder.mkdir()
    assert not folds_case(str(folder))
    (folder / "Case").touch()
    folds = (folder / "cASE").exists()
    assert folds_case(str(folder)) == folds
    if not folds:
        (folder / "cASE").hardlink_to(folder / "Case")
    assert folds_case(str(folder)) == folds


def test_where_case_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Case").touch()
    lstat = os.lstat
    with monkeypatch.context() as patch:  # pytest removes the folder with it
        patch.setattr(os, "lstat", lambda path: lstat(str(path).replace("cASE", "Case")))
        assert folds_case(str(tmp_path))
