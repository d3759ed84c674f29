"""Snapshots of real folders, with real Git: each row of what was tried before, and what may lie in a tree."""

import hashlib
import os
import shutil
import socket
import stat
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.snapshots import file_reader, tree_walk
from acp_tui.host.snapshots.capture import Caps, Capture, Control
from acp_tui.host.snapshots.content import PIECE, WHOLE_AT_MOST, digest_of
from acp_tui.host.snapshots.database import Database, StoreFault
from acp_tui.host.snapshots.folder_store import FolderStore, changes
from acp_tui.host.snapshots.path_state import (
    ABSENT,
    COARSE,
    FILE,
    FOLDER,
    IGNORED,
    NESTED,
    NOT_THERE,
    REASONS,
    SPECIAL,
    TICK,
    UNKNOWN,
    UNREADABLE,
    PathChange,
    PathState,
)
from acp_tui.host.snapshots.path_state import SnapshotTree as Rows
from acp_tui.host.snapshots.proof import Stamp, stamp_now
from acp_tui.host.snapshots.snapshot_rows import Snapshots
from acp_tui.host.system.paths import mount_table
from tests.turns import state_now

AS = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")


def git(folder: Path, *words: str) -> str:
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", *AS, *words]
    done = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True, check=True)
    return done.stdout


class Tree:
    """A folder, and the snapshots that are taken of it."""

    def __init__(self, root: Path, store: Path) -> None:
        self.root, self.store = root, FolderStore(str(root), store)
        self.snapshots = Snapshots(Database(store))
        self.said: dict[str, Any] = {}

    def take(self, *also: str, caps: Caps | None = None, control: Control | None = None) -> str:
        self.said = Capture(str(self.root), self.store.folder, caps or Caps(), control or Control()).take(also)
        name: str = self.said["id"]
        return name

    def read(self, name: str) -> Rows:
        return self.snapshots.tree(name)

    def kept(self, name: str) -> dict[str, bytes]:
        rows = self.read(name).rows.items()
        return {
            path: self.store.get(row.digest.hex())
            for path, row in rows
            if path and row.kind not in (UNKNOWN, FOLDER, NOT_THERE)
        }

    def unknown(self, name: str) -> dict[str, str]:
        return {path: REASONS[row.reason] for path, row in self.read(name).rows.items() if row.reason}

    def changed(self, *chain: str) -> list[PathChange]:
        return changes(str(self.root), *self.snapshots.chain(chain))

    def statuses(self, *chain: str) -> dict[str, str]:
        return {change.path: change.status for change in self.changed(*chain)}

    def write(self, path: str, content: bytes | str = "") -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
        return place

    def init(self) -> "Tree":
        git(self.root, "init", "-q")
        return self


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    (tmp_path / "work").mkdir()
    return Tree(tmp_path / "work", tmp_path / "store")


def fingerprint(folder: Path) -> dict[str, object]:
    """All of a folder: bytes, modes and times."""
    return {
        str(path): (
            path.lstat().st_mtime_ns,
            path.lstat().st_mode,
            hashlib.sha256(path.read_bytes()).digest() if path.is_file() else None,
        )
        for path in [folder, *folder.rglob("*")]
    }


def hostile(marker: Path) -> str:
    """Settings of a checkout each of which runs something."""
    run = f"touch {marker}"
    return "\n".join(
        [
            f'[filter "evil"]\n clean = {run}; cat\n smudge = {run}; cat\n required = true\n process = {run}',
            f"[core]\n fsmonitor = {run}; true\n hooksPath = {marker.parent}\n pager = {run}\n sshCommand = {run}",
            f'[diff "evil"]\n textconv = {run}\n[alias]\n ls-files = !{run}',
        ]
    )


def test_bytes_are_those_on_the_disk_whatever_git_makes_of_them(tree: Tree, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    Path.home().joinpath(".gitconfig").write_text(hostile(marker) + "\n[core]\n autocrlf = true\n")
    tree.init().write(".gitattributes", "* text=auto ident filter=evil\n*.u16 working-tree-encoding=UTF-16LE\n")
    contents = {
        "crlf.txt": b"a\r\nb\r\n",
        "id.txt": b"$Id: mine$\n",
        "text.u16": "a\nb".encode("utf-16-le"),
        "data.bin": bytes(range(256)),
    }
    for path, content in contents.items():
        tree.write(path, content)
    kept = tree.kept(tree.take())
    assert {path: kept[path] for path in contents} == contents
    assert not marker.exists()


def test_nothing_of_a_hostile_checkout_or_a_nested_one_runs(tree: Tree, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    for place in (tree.root, tree.root / "nested", tree.root / "nested2"):
        place.mkdir(exist_ok=True)
        git(place, "init", "-q")
        with (place / ".git" / "config").open("a") as file:
            file.write(hostile(marker))
        (place / ".gitattributes").write_text("* filter=evil\n")
        (place / "file").write_text("here")
        (place / ".git" / "hooks" / "post-index-change").write_text(f"#!/bin/sh\ntouch {marker}\n")
        (place / ".git" / "hooks" / "post-index-change").chmod(0o755)
    git(tree.root / "nested2", "-c", "filter.evil.required=false", "-c", "filter.evil.clean=cat", "status")
    marker.unlink(missing_ok=True)
    name = tree.take()
    tree.write("file", "there")
    tree.take()
    assert not marker.exists()
    assert tree.unknown(name) == {".git": "ignored", "nested": REASONS[NESTED], "nested2": REASONS[NESTED]}
    assert set(tree.kept(name)) == {"file", ".gitattributes"}
    assert tree.said["gaps"] == ["2 nested repositories (skipped): nested, nested2"]


def test_one_checkout_is_told_as_one(tree: Tree) -> None:
    (tree.root / "nested").mkdir()
    git(tree.root / "nested", "init", "-q")
    tree.write("nested/file")
    tree.take()
    assert tree.said["gaps"] == ["1 nested repository (skipped): nested"]


def test_the_users_repository_is_as_it_was(tree: Tree) -> None:
    tree.init()
    for number in range(20):
        tree.write(f"d{number % 3}/f{number}", f"{number}")
    git(tree.root, "add", "-A")
    git(tree.root, "commit", "-qm", "one")
    git(tree.root, "update-index", "--skip-worktree", "d0/f0")
    git(tree.root, "update-index", "--assume-unchanged", "d0/f3")
    tree.write("d0/f0", "hidden from git")
    tree.write("d0/f3", "this too")
    before = fingerprint(tree.root)
    first = tree.take()
    tree.write("d1/f1", "changed")
    tree.take()
    tree.write("d1/f1", "1")
    after = fingerprint(tree.root / ".git")
    assert after == {path: value for path, value in before.items() if path in after}
    assert not [path for path in before if ".git" in path and path not in after]
    assert tree.kept(first)["d0/f0"] == b"hidden from git"
    assert tree.kept(first)["d0/f3"] == b"this too"


def test_variables_of_git_in_our_surroundings_count_for_nothing(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.init().write("kept", "1")
    tree.write("b.log", "1")
    tree.write(".gitignore", "*.log\n")
    index = tmp_path / "their-index"
    monkeypatch.setenv("GIT_INDEX_FILE", str(index))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    name = tree.take()
    assert not index.exists()
    assert set(tree.kept(name)) == {"kept", ".gitignore"}


def test_what_is_ignored_is_known_to_be_there_and_never_new(tree: Tree) -> None:
    tree.init().write(".env", "SECRET")
    tree.write("node_modules/a/b.js", "x")
    tree.write(".gitignore", ".env\nnode_modules/\n")
    before = tree.take()
    assert tree.unknown(before) == {".env": "ignored", "node_modules": "ignored", ".git": "ignored"}
    assert b"SECRET" not in b"".join(tree.kept(before).values())
    tree.write(".gitignore", "")
    after = tree.take()
    assert tree.statuses(before, after) == {".gitignore": "changed"}
    tree.write("node_modules/a/c.js", "y")
    later = tree.take()
    assert tree.statuses(before, later) == {".gitignore": "changed"}
    assert tree.statuses(after, later) == {"node_modules/a/c.js": "new"}


@pytest.mark.parametrize(
    ("first", "second"),
    [("a\n", "b\n"), ("a\n", "a\nb\n"), ("a\nb\n", "a\n"), ("", "a/c\n"), ("a/c\n", "a\n"), ("*", "")],
)
def test_rules_that_change_count_at_once(tree: Tree, first: str, second: str) -> None:
    tree.init()
    for path in ("a/c", "a/d/e", "b", "x"):
        tree.write(path, path)
    tree.write(".git/info/exclude", first)
    tree.take()
    tree.write(".git/info/exclude", second)
    name = tree.take()
    fresh = Tree(tree.root, tree.store.folder.with_name("fresh"))
    expected = fresh.take()
    assert tree.read(name).rows == fresh.read(expected).rows


def test_all_ways_of_ignoring_count_and_what_is_tracked_is_kept(tree: Tree) -> None:
    tree.init()
    for path in ("a.global", "a.info", "sub/a.local", "ig/tracked", "ig/other", "deep/only/x.local", "plain"):
        tree.write(path, path)
    Path.home().joinpath("rules").write_text("*.global\n")
    Path.home().joinpath(".gitconfig").write_text("[core]\n excludesFile = ~/rules\n")
    tree.write(".git/info/exclude", "*.info\n")
    tree.write(".gitignore", "*.local\nig/\n")
    git(tree.root, "add", "-f", "ig/tracked")
    name = tree.take()
    assert set(tree.kept(name)) == {".gitignore", "plain", "ig/tracked"}
    assert set(tree.unknown(name)) == {
        ".git",
        "a.global",
        "a.info",
        "sub/a.local",
        "ig/other",
        "deep/only/x.local",
    }


def test_a_file_that_came_while_git_was_asked_is_not_kept_if_it_is_ignored(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.init().write(".gitignore", "*.env\n")
    tree.take()
    whole = tree_walk.Walk._folder

    def folder(self: tree_walk.Walk, path: str, *rest: Any) -> None:
        if not path:
            tree.write("sub/b.env", "SECRET")
            tree.write("sub/b", "")
        whole(self, path, *rest)

    monkeypatch.setattr(tree_walk.Walk, "_folder", folder)
    name = tree.take()
    assert "sub/b" in tree.kept(name)
    assert tree.unknown(name)["sub/b.env"] == "ignored"


def test_a_folder_that_is_no_checkout(tree: Tree) -> None:
    tree.write("a", "1")
    tree.write("node_modules/b", "2")
    tree.write("lib/.gitignore", "*.log\n")
    tree.write("lib/deep/x.log", "3")
    tree.write("lib/deep/x", "4")
    tree.write("x.log", "5")
    name = tree.take()
    assert set(tree.kept(name)) == {"a", "lib/.gitignore", "lib/deep/x", "x.log"}
    assert tree.unknown(name) == {"node_modules": "ignored", "lib/deep/x.log": "ignored"}
    assert tree.said["head"] == ["", "", ""]


def test_a_part_of_a_checkout_and_a_work_tree(tree: Tree, tmp_path: Path) -> None:
    tree.init().write("sub/a", "1")
    tree.write("sub/b.log", "1")
    tree.write(".gitignore", "*.log\n")
    git(tree.root, "add", "-A")
    git(tree.root, "commit", "-qm", "one")
    git(tree.root, "worktree", "add", "-q", str(tmp_path / "other"))
    part = Tree(tree.root / "sub", tmp_path / "store2")
    assert set(part.kept(part.take())) == {"a"}
    other = Tree(tmp_path / "other", tmp_path / "store3")
    name = other.take()
    assert set(other.kept(name)) == {".gitignore", "sub/a"}
    assert other.unknown(name) == {".git": "ignored"}
    assert other.said["head"][0] == "ref: refs/heads/other"
    assert other.said["head"][1] == git(tree.root, "rev-parse", "HEAD").strip()


@pytest.mark.parametrize("part", ["out", "out/deep"])
def test_a_folder_that_is_ignored_itself_is_not_kept_and_that_is_said(tree: Tree, tmp_path: Path, part: str) -> None:
    tree.init().write(".gitignore", "out/\n")
    tree.write(f"{part}/.env", "SECRET")
    inside = Tree(tree.root / part, tmp_path / "inside")
    for _ in range(2):
        assert inside.kept(inside.take()) == {}
        assert inside.said["gaps"] == ["nothing is saved: Git ignores this folder"]
    git(tree.root, "add", "-f", f"{part}/.env")
    assert set(inside.kept(inside.take())) == {".env"}


ODD = [b"new\nline", b"\xff\xfe", b" blank ", b'quo"te', b"-c", b"\x1b[31m", b".GIT/config", b"git~1/config", b"\xc3("]


@pytest.mark.parametrize("as_checkout", [True, False])
def test_odd_names_are_names(tree: Tree, *, as_checkout: bool) -> None:
    if as_checkout:
        tree.init()
    for name in ODD:
        tree.write(os.fsdecode(name), name)
    kept = tree.kept(tree.take())
    assert {os.fsencode(path): content for path, content in kept.items()} == {name: name for name in ODD}


def test_one_odd_thing_never_costs_the_others(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.init().write("good", "1")
    git(tree.root, "init", "-q", "empty-repo")
    tree.write("secret", "no").chmod(0)
    opened = os.open

    def refuse(path: Any, *rest: Any, **named: Any) -> int:
        if path == "secret":  # the tests may run as root, who reads everything
            raise PermissionError
        return opened(path, *rest, **named)

    monkeypatch.setattr(os, "open", refuse)
    os.mkfifo(tree.root / "pipe")
    (tree.root / "link-to-pipe").symlink_to("pipe")
    (tree.root / "dangling").symlink_to("nowhere")
    server = socket.socket(socket.AF_UNIX)
    here = os.open(".", os.O_RDONLY)
    os.chdir(tree.root)  # names of sockets are short
    server.bind("socket")
    os.fchdir(here)
    os.close(here)
    name = tree.take()
    server.close()
    assert tree.kept(name) == {"good": b"1", "link-to-pipe": b"pipe", "dangling": b"nowhere"}
    assert tree.unknown(name) == {
        ".git": "ignored",
        "empty-repo": REASONS[NESTED],
        "pipe": REASONS[SPECIAL],
        "socket": REASONS[SPECIAL],
        "secret": REASONS[UNREADABLE],
    }


def test_a_folder_without_rights_is_named_and_what_is_in_it_unknown(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.write("closed/a", "1")
    opened = os.open

    def refuse(path: Any, *rest: Any, **named: Any) -> int:
        if path == "closed":
            raise PermissionError
        return opened(path, *rest, **named)

    with monkeypatch.context() as context:
        context.setattr(os, "open", refuse)
        before = tree.take()
    assert tree.unknown(before) == {"closed": REASONS[UNREADABLE]}
    assert [(each.status, each.before.kind) for each in tree.changed(before, tree.take())] == [("changed", "unknown")]


def test_a_link_is_kept_as_a_link_and_a_folder_behind_one_is_not_entered(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("SECRET")
    (tree.root / "link").symlink_to(tmp_path / "outside")
    assert tree.kept(tree.take()) == {"link": os.fsencode(tmp_path / "outside")}


def test_a_parent_that_becomes_a_link_leads_nowhere(tree: Tree, tmp_path: Path) -> None:
    tree.write("a/b/file", "1")
    (tmp_path / "outside" / "b").mkdir(parents=True)
    (tmp_path / "outside" / "b" / "file").write_text("SECRET")

    class Swapping(Control):
        def check(self, read: int = 0, of: int = 0) -> None:
            if of:
                shutil.rmtree(tree.root / "a", ignore_errors=True)
                (tree.root / "a").symlink_to(tmp_path / "outside")

    name = tree.take(control=Swapping())
    assert b"SECRET" not in tree.kept(name).values()


def test_modes_and_empty_folders(tree: Tree) -> None:
    tree.init()
    tree.write("private", "1").chmod(0o600)
    tree.write("sub/program", "1").chmod(0o755)
    (tree.root / "sub").chmod(0o700)
    (tree.root / "empty" / "inside").mkdir(parents=True)
    (tree.root / "empty").chmod(0o750)
    rows = tree.read(tree.take()).rows
    modes = {path: stat.S_IMODE(rows[path].mode) for path in ("private", "sub", "sub/program", "empty", "empty/inside")}
    assert modes == {
        "private": 0o600,
        "sub": 0o700,
        "sub/program": 0o755,
        "empty": 0o750,
        "empty/inside": stat.S_IMODE((tree.root / "empty" / "inside").stat().st_mode),
    }


def test_it_needs_nothing_of_the_checkout_afterwards(tree: Tree) -> None:
    tree.init().write("tracked", "as it was")
    git(tree.root, "add", "-A")
    git(tree.root, "commit", "-qm", "one")
    name = tree.take()
    shutil.rmtree(tree.root)
    assert tree.kept(name) == {"tracked": b"as it was"}


def test_a_second_look_reads_nothing_and_a_change_that_hides_is_seen(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tree.write("file", "one")
    other = tree.write("other", "other")
    long_ago = time.time_ns() + 10 * COARSE
    first = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: long_ago)  # all of it is older than the look
    before = tree.take()
    monkeypatch.setattr(time, "time_ns", first)
    read = list[str]()
    whole = file_reader.Contents.read

    def noted(self: file_reader.Contents, path: str, *rest: Any) -> Any:
        read.append(path)
        return whole(self, path, *rest)

    monkeypatch.setattr(file_reader.Contents, "read", noted)
    same = tree.take()
    assert read == []
    assert tree.read(same).rows == tree.read(before).rows
    times = place.stat()
    place.write_text("two")  # as long, and with its old time
    os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))
    after = tree.take()
    assert read == ["file"]
    assert tree.statuses(before, after) == {"file": "changed"}
    assert tree.kept(after) == {"file": b"two", "other": other.read_bytes()}


def test_what_was_changed_in_the_tick_of_the_look_is_read_again(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tree.write("file", "one")
    monkeypatch.setattr(time, "time_ns", lambda: place.stat().st_ctime_ns)
    tree.take()
    times = tree.snapshots.look().stats[0]
    assert times == (place.stat().st_mode, 3, 0, 0, 0)


def test_a_file_that_changes_while_it_is_read_is_read_again_or_left_out(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.write("steady", "1")
    place = tree.write("log", "1")
    read, left = os.read, [1]

    def growing(descriptor: int, size: int) -> bytes:
        data = read(descriptor, size)
        if data.startswith(b"1") and os.fstat(descriptor).st_ino == place.stat().st_ino and left[0]:
            left[0] -= 1
            with place.open("a") as file:
                file.write("more")
        return data

    monkeypatch.setattr(os, "read", growing)
    assert tree.kept(tree.take())["log"] == b"1more"
    left[0] = 100
    name = tree.take()
    assert tree.unknown(name) == {"log": "changed while it was read"}
    assert tree.kept(name) == {"steady": b"1"}


def test_caps_leave_out_and_say_so(tree: Tree) -> None:
    tree.write("large", bytes(1001))
    tree.write("old", "0" * 900)
    os.utime(tree.root / "old", ns=(1, 1))
    tree.write("new", "1" * 900)
    name = tree.take(caps=Caps(file=1000, snapshot=1000))
    assert set(tree.kept(name)) == {"new"}
    assert tree.said["gaps"] == ["1 too large to save: large", "1 skipped: the snapshot is too large: old"]
    tree.write("large", bytes(1002))
    later = tree.take(caps=Caps(file=1000))
    assert set(tree.kept(later)) == {"new", "old"}  # there was room for it now
    assert tree.statuses(name, later) == {"large": "changed", "old": "changed"}
    assert all(change.before.kind == "unknown" for change in tree.changed(name, later))


def test_too_many_files_are_cut_and_what_was_not_reached_is_never_new(tree: Tree) -> None:
    for number in range(30):
        tree.write(f"d/{number}")
        tree.write(f"e/{number}")
    name = tree.take(caps=Caps(paths=40))
    assert len(tree.kept(name)) == 40
    assert tree.said["gaps"][0].endswith("1 folder skipped: too many files: e")
    after = tree.take()
    assert "new" not in tree.statuses(name, after).values()


class PromptAt(Control):
    """A prompt goes out before the file with this number is read, and right then somebody acts; -1: before the walk."""

    def __init__(self, number: int, act: Callable[[], object] = lambda: None) -> None:
        self._number, self._act, self._stamp = number, act, stamp_now(mount_table()) if number < 0 else None
        if number < 0:
            act()

    def check(self, read: int = 0, of: int = 0) -> None:
        if of and read == self._number and self._stamp is None:
            self._stamp = stamp_now(mount_table())
            self._act()

    def stamp(self) -> Stamp | None:
        return self._stamp


@pytest.fixture
def aged(tree: Tree) -> Callable[[], None]:
    """Wait until all that was done has times that are older than any prompt from now on."""

    def wait() -> None:
        done = tree.write("aged").stat().st_ctime_ns
        (tree.root / "aged").unlink()
        while stamp_now(b"").wall <= done + 2 * TICK:
            os.sched_yield()

    return wait


BEHIND = {  # what an agent may do once the prompt is out; `src/f` holds "old", `src2/f` "two"
    "write": "printf new > src/f",
    "same size and time": "touch -r src/f ref; printf new > src/f; touch -r ref src/f",
    "rename over": "printf new > beside; mv beside src/f",
    "hard link over": "ln -f src2/f src/f",
    "chmod": "chmod 600 src/f",
    "utime": "touch -t 200001010000 src/f",
    "delete": "rm src/f",
    "delete the folder": "rm -r src",
    "another folder": "mv src away; mv src2 src",
    "a link": "ln -sf ../src2/f src/f",
    "a folder": "rm src/f; mkdir src/f",
    "a linked folder": "mv src away; ln -s src2 src",
    "an ignore rule": "echo src/ > .gitignore; printf new > src/f",
    "a rule that hides itself": "echo '*' > src/.gitignore; printf new > src/f",
    "a checkout": "git init -q src; printf new > src/f",
    "a pipe": "rm src/f; mkfifo src/f",
    "the same again": "cp -a src other; rm -r src; mv other src",
}


def behind(tree: Tree, act: str) -> Callable[[], object]:
    return lambda: subprocess.run(["sh", "-ec", BEHIND[act]], cwd=tree.root, check=True)


def two_folders(tree: Tree) -> None:
    tree.init().write("src/f", "old")
    tree.write("src2/f", "two")


@pytest.mark.parametrize("act", BEHIND)
@pytest.mark.parametrize("number", [-1, 0])
def test_what_is_looked_at_after_the_prompt_is_never_given_as_the_state_before(
    tree: Tree, aged: Callable[[], None], act: str, number: int
) -> None:
    """Between the listing and the reading, and before both; without an earlier look, and with one."""
    two_folders(tree)
    aged()
    name = tree.take(control=PromptAt(number, behind(tree, act)))
    row = tree.read(name).row("src/f")
    kept = b"" if row is None else tree.store.get(row.digest.hex()) if row.kind == FILE else row.reason
    mode = 0 if row is None else row.mode
    assert row is None or row.kind in (UNKNOWN, FILE)
    if row is None:
        assert tree.read(name).cover("src/f")
    elif row.kind == FILE:
        assert (kept, mode & 0o777) == (b"old", 0o644)
    assert "new" not in tree.statuses(name, tree.take())


@pytest.mark.parametrize("act", BEHIND)
def test_what_an_earlier_look_has_counts_where_the_prompts_comes_too_late(
    tree: Tree, aged: Callable[[], None], act: str
) -> None:
    two_folders(tree)
    aged()
    earlier, before = tree.take(), tree.kept(tree.said["id"])
    folders = [path for path, row in tree.read(earlier).rows.items() if row.kind == FOLDER]
    aged()
    scan = Capture(str(tree.root), tree.store.folder, Caps(), PromptAt(-1, behind(tree, act)))
    name = scan.take(earlier=earlier)["id"]
    assert tree.kept(name) == before
    assert [path for path, row in tree.read(name).rows.items() if row.kind == FOLDER] == folders
    assert tree.changed(earlier, name) == []


def test_what_the_user_wrote_since_an_earlier_look_is_not_given_as_the_agents(
    tree: Tree, aged: Callable[[], None]
) -> None:
    """It is older than the prompt, but the time of its folder is new, for the agent wrote there, too."""
    two_folders(tree)
    aged()
    earlier = tree.take()
    tree.write("src/f", "mine")
    tree.write("src/mine", "mine")
    aged()
    scan = Capture(str(tree.root), tree.store.folder, Caps(), PromptAt(-1, lambda: tree.write("src/agents")))
    name = scan.take(earlier=earlier)["id"]
    assert tree.unknown(name) == {".git": "ignored"} | dict.fromkeys(["src/f", "src/mine"], "saved too late to undo")
    assert tree.statuses(name, tree.take()) == {"src/agents": "new"}


def test_what_was_ignored_at_an_earlier_look_was_not_absent(tree: Tree, aged: Callable[[], None]) -> None:
    """Else undo deletes an `.env` that the agent has named no more in a `.gitignore`."""
    two_folders(tree)
    tree.write(".gitignore", ".env\n")
    tree.write("src/.env", "secret")
    aged()
    earlier = tree.take()
    aged()
    control = PromptAt(-1, lambda: tree.write(".gitignore", ".env\nsrc\n"))
    name = Capture(str(tree.root), tree.store.folder, Caps(), control).take(earlier=earlier)["id"]
    tree.write(".gitignore")
    assert tree.statuses(name, tree.take()) == {".gitignore": "changed"}


def test_a_folder_that_a_new_ignore_rule_hides_is_looked_at_as_its_files_are(tree: Tree) -> None:
    """One that is a link by now is in the way of what comes back, and an empty one that is gone comes back, too."""
    tree.init().write("src/f", "old")
    (tree.root / "empty/in").mkdir(parents=True)
    tree.write("empty/f", "old")
    before = tree.take()
    (tree.root / "src").rename(tree.root / "away")
    (tree.root / "src").symlink_to("away")
    (tree.root / "empty/in").rmdir()
    (tree.root / "empty/f").unlink()
    tree.write("empty/f/x")
    tree.write(".gitignore", "src\nempty\naway\n")
    after = Capture(str(tree.root), tree.store.folder, Caps(), Control()).take(follow=before)["id"]
    statuses = {".gitignore": "new", "src": "kind", "src/f": "deleted", "empty/in": "deleted", "empty/f": "kind"}
    assert tree.statuses(before, after) == statuses


def test_what_nobody_touched_is_proved_though_it_is_read_late(tree: Tree, aged: Callable[[], None]) -> None:
    two_folders(tree)
    (tree.root / "src/link").symlink_to("f")
    aged()
    name = tree.take(control=PromptAt(-1))
    assert set(tree.kept(name)) == {"src/f", "src2/f", "src/link"}
    assert tree.said["gaps"] == []
    tree.write("src/new")
    assert tree.statuses(name, tree.take()) == {"src/new": "new"}


def test_a_new_file_beside_others_costs_only_what_nobody_has_listed_before(
    tree: Tree, aged: Callable[[], None]
) -> None:
    """The folder's time is new then, but each file is the one of the listing, or of the last look."""
    two_folders(tree)
    aged()
    name = tree.take(control=PromptAt(0, lambda: tree.write("src/new")))
    assert set(tree.kept(name)) == {"src/f", "src2/f"}
    aged()
    name = tree.take(control=PromptAt(-1, lambda: tree.write("src/newer")))
    assert set(tree.kept(name)) == {"src/f", "src2/f"}
    assert tree.unknown(name).keys() >= {"src", "src/new", "src/newer"}
    assert "new" not in tree.statuses(name, tree.take())


def test_a_write_within_milliseconds_of_the_prompt_proves_nothing(tree: Tree, aged: Callable[[], None]) -> None:
    """The clock of inodes is up to a tick behind: such a write may have been after the prompt or before."""
    tree.write("f", "old")
    aged()
    (tree.root / "f").write_text("new")
    name = tree.take(control=PromptAt(-1))
    assert tree.unknown(name)["f"] == "saved too late to undo"
    assert tree.said["gaps"] == ["1 can't be undone (saved too late): f"]


def test_a_clock_that_was_set_back_proves_nothing(
    tree: Tree, aged: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.write("f", "old")
    aged()
    control = PromptAt(-1)
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() - 3600 * 10**9)
    assert tree.unknown(tree.take(control=control)).keys() == {"", "f"}


def test_a_mount_since_the_prompt_proves_nothing(tree: Tree, aged: Callable[[], None]) -> None:
    """Where that is allowed; in any case a table that is another one proves nothing (`test_proof`)."""
    two_folders(tree)
    aged()
    src = tree.root / "src"

    def mount() -> None:
        done = subprocess.run(["mount", "--bind", str(tree.root / "src2"), str(src)], capture_output=True, check=False)
        if done.returncode:
            pytest.skip(f"mount --bind: {os.fsdecode(done.stderr).strip()}")

    try:
        name = tree.take(control=PromptAt(-1, mount))
    finally:
        subprocess.run(["umount", str(src)], capture_output=True, check=False)
    assert "src/f" not in tree.kept(name)


def test_a_link_that_is_replaced_while_it_is_read_is_read_again(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its stat data, by which it is proved, are behind what was read."""
    (tree.root / "link").symlink_to("first")
    readlink, reads = os.readlink, list[str]()

    def replacing(name: str, *, dir_fd: int) -> str:
        reads.append(readlink(name, dir_fd=dir_fd))
        if len(reads) == 1:
            replaced = tree.root / "beside"
            replaced.symlink_to("second")
            replaced.replace(tree.root / "link")
        return reads[-1]

    monkeypatch.setattr(os, "readlink", replacing)
    assert tree.kept(tree.take()) == {"link": b"second"}
    assert reads == ["first", "second"]


def test_a_prompt_after_all_was_read_makes_nothing_late(tree: Tree) -> None:
    class After(Control):
        def stamp(self) -> Stamp | None:
            return stamp_now(mount_table())

    tree.write("f", "old")
    assert tree.kept(tree.take(control=After())) == {"f": b"old"}
    assert tree.said["gaps"] == []


def test_a_path_that_is_wanted_is_kept_though_it_is_ignored(tree: Tree) -> None:
    tree.init().write(".gitignore", ".env\nout/\n")
    tree.write(".env", "SECRET")
    tree.write("out/a/b", "made")
    tree.write("out/c", "made too")
    git(tree.root, "init", "-q", "nested")
    tree.write("nested/x", "theirs")
    name = tree.take(".env", "out/a/b", "out/none", "nested/x", "../outside", ".git/config", "/etc/passwd")
    assert set(tree.kept(name)) == {".gitignore", ".env", "out/a/b"}
    tree.write(".env", "other")
    after = tree.take(".env", "out/a/b")
    assert tree.statuses(name, after) == {".env": "changed"}
    assert tree.read(after).cover("out/c") == IGNORED


def test_without_git_a_checkout_is_not_kept_and_that_is_said(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.init().write(".env", "SECRET")
    tree.write("a", "1")
    monkeypatch.setenv("PATH", str(tree.root))
    name = tree.take()
    assert tree.kept(name) == {}
    assert tree.said["gaps"] == ["1 skipped: .gitignore rules could not be read: ."]
    monkeypatch.undo()
    assert set(tree.statuses(name, tree.take()).values()) == {"changed"}


def test_a_broken_index_costs_only_what_is_tracked_and_ignored(tree: Tree) -> None:
    tree.init().write("a", "1")
    tree.write("b.log", "1")
    tree.write(".gitignore", "*.log\n")
    git(tree.root, "add", "-A")
    tree.write(".git/index", b"DIRC nonsense")
    assert set(tree.kept(tree.take())) == {"a", ".gitignore"}


def test_what_is_pruned_while_a_snapshot_is_taken_is_read_and_kept_again(tree: Tree, tmp_path: Path) -> None:
    """It is there already when it is read, and gone before it is named."""
    other = Tree(tmp_path / "other", tree.store.folder)
    other.write("there", "the same")
    first = other.take()
    tree.write("here", "the same")

    class Pruned(Control):
        def stamp(self) -> Stamp | None:
            Snapshots(Database(tree.store.folder)).drop([first])
            return None

    assert tree.kept(tree.take(control=Pruned())) == {"here": b"the same"}


def test_what_is_found_damaged_is_read_and_kept_again(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 2 * 10**18)  # the file is old enough to be proved unchanged
    tree.write("f", "precious")
    digest = digest_of(b"precious").hex()
    tree.take()
    with Database(tree.store.folder).writing() as connection:
        connection.execute("UPDATE piece SET data = zeroblob(8)")
    with pytest.raises(StoreFault, match="damaged"):
        tree.store.get(digest)
    assert tree.kept(tree.take()) == {"f": b"precious"}


def test_what_git_did_meanwhile_can_be_told(tree: Tree) -> None:
    tree.init().write("a", "1")
    tree.take()
    assert tree.said["head"] == ["ref: refs/heads/main", "", ""]
    git(tree.root, "add", "-A")
    git(tree.root, "commit", "-qm", "one")
    commit = git(tree.root, "rev-parse", "HEAD").strip()
    tree.take()
    assert tree.said["head"] == ["ref: refs/heads/main", commit, ""]
    tree.write("a", "2")
    git(tree.root, "stash", "-q")
    git(tree.root, "pack-refs", "--all")
    git(tree.root, "checkout", "-q", "--detach")
    tree.take()
    assert tree.said["head"] == [commit, commit, git(tree.root, "rev-parse", "refs/stash").strip()]


def states(tree: Tree, paths: Sequence[str]) -> list[PathState]:
    return [state_now(str(tree.root), path, tree.store.content) for path in paths]


def test_how_paths_are_now(tree: Tree) -> None:
    tree.write("large", bytes(5 << 20)).chmod(0o640)
    (tree.root / "link").symlink_to("large")
    (tree.root / "folder").mkdir(mode=0o700)
    os.mkfifo(tree.root / "pipe")
    (tree.root / "away").symlink_to("folder")
    large, link, folder, pipe, none, below, beyond, above, outside = states(
        tree, ["large", "link", "folder", "pipe", "none", "large/x", "away/x", "..", "../store/lock"]
    )
    digest = digest_of(bytes(5 << 20)).hex()
    assert large == PathState("file", 0o640, 5 << 20, digest)
    assert tree.store.get(digest) == bytes(5 << 20)
    assert state_now(str(tree.root), "large") == large
    assert (link.kind, tree.store.get(link.digest)) == ("link", b"large")
    assert folder == PathState("folder", 0o700)
    assert (pipe.kind, pipe.reason) == ("unknown", "special file")
    assert none == below == ABSENT
    assert above.kind == outside.kind == "unknown"
    assert beyond.kind in ("absent", "unknown")  # never what is behind the link


class Counting(Control):
    def __init__(self) -> None:
        self.checks = 0

    def check(self, read: int = 0, of: int = 0) -> None:
        self.checks += 1


def test_it_can_be_ended_in_the_midst_of_a_large_file(tree: Tree) -> None:
    (tree.root / "large").write_bytes(bytes(WHOLE_AT_MOST + 20 * PIECE))
    control = Counting()
    tree.take(control=control)
    assert control.checks > 20
