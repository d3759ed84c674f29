"""A patch of changes: real git makes of the tree before the tree after, byte by byte."""

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.headless import patch
from acp_tui.headless.patch import patch_of, untold
from acp_tui.host.snapshots.path_state import ABSENT, Kind, PathChange, PathState, Status
from tests.examples import times

GIT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CEILING_DIRECTORIES": tempfile.gettempdir(),
}
Node = tuple[Kind, int, bytes]
Tree = Mapping[str, Node]
NAMES = (
    *("a", "b", "dir/a", "dir/b", "dir/deep/a", "x y", "x b/x", " lead", "trail ", "tab\there", "new\nline", 'quote"d'),
    *("back\\slash", "é", "\udcff", "a.txt", "-dash", "\x7f", "x\r", "dev/null", "ends\\"),
)
LINES = (b"a\n", b"b\r\n", b"\n", b"long line\n", b"\r\n", b"-x\n", b"+++ b/a\n", b"\\ No newline\n", b"\xff\n")
ENDS = (b"", b"end", b"\r")
TEXT = st.builds(
    lambda lines, end: b"".join(lines) + end, st.lists(st.sampled_from(LINES), max_size=25), st.sampled_from(ENDS)
)
FILES: st.SearchStrategy[Kind] = st.just("file")
LINKS: st.SearchStrategy[Kind] = st.just("link")
DATA = st.one_of(TEXT, TEXT, st.binary(max_size=200), st.sampled_from([bytes(range(256)) * 3, b"\0"]))
FILE: st.SearchStrategy[Node] = st.tuples(FILES, st.sampled_from([0o644, 0o755]), DATA)
LINK: st.SearchStrategy[Node] = st.tuples(LINKS, st.just(0o777), st.sampled_from([b"a", b"no where", b"dir", b"\xff"]))
NODE = st.one_of(FILE, FILE, FILE, LINK)


def writable(tree: Tree) -> dict[str, Node]:
    """The tree without what lies below something that is no folder."""
    return {path: node for path, node in tree.items() if not any(path.startswith(f"{other}/") for other in tree)}


TREE = st.dictionaries(st.sampled_from(NAMES), NODE, max_size=6).map(writable)


def state(node: Node | None) -> PathState:
    return ABSENT if node is None else PathState(node[0], node[1], len(node[2]))


def change(path: str, old: Node | None, new: Node | None, status: Status = "changed", old_path: str = "") -> PathChange:
    return PathChange("/root", path, status, state(old), state(new), old_path)


def write(root: Path, tree: Tree) -> None:
    for name, (kind, mode, data) in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "link":
            path.symlink_to(os.fsdecode(data))
        else:
            path.write_bytes(data)
            path.chmod(mode)


def read(root: Path) -> dict[str, Node]:
    tree: dict[str, Node] = {}
    for path in root.rglob("*"):
        name = str(path.relative_to(root))
        if path.is_symlink():
            tree[name] = "link", 0o777, os.fsencode(path.readlink())
        elif path.is_file():
            tree[name] = "file", 0o755 if path.stat().st_mode & 0o100 else 0o644, path.read_bytes()
    return tree


def applied(before: Tree, said: bytes, *options: str) -> dict[str, Node]:
    """The tree that git makes of one with a patch."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "tree")
        root.mkdir()
        write(root, before)
        done = subprocess.run(
            ["git", "apply", "--whitespace=nowarn", *options, "-"],
            cwd=root,
            env=GIT,
            input=said,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, (done.stderr, said)
        return read(root)


def said_of(before: Tree, after: Tree) -> bytes:
    parts = []
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if old != new:
            parts.append(patch_of(change(path, old, new), old and old[2], new and new[2]))
    return b"".join(parts)


@times(0.5)
@given(TREE, TREE)
def test_git_makes_of_the_tree_before_the_tree_after_and_back(before: Tree, after: Tree) -> None:
    said = said_of(before, after)
    if not said:
        assert before == after
        return
    assert applied(before, said) == after
    assert applied(after, said, "--reverse") == before


@times(0.5)
@given(
    st.sampled_from(NAMES).filter(lambda name: name not in ("a", "dir/a")), FILE, DATA, st.sampled_from([0o644, 0o755])
)
def test_a_rename_is_one_with_its_changes(name: str, old: Node, data: bytes, mode: int) -> None:
    new: Node = "file", mode, data
    said = patch_of(change(name, old, new, "renamed", "dir/a"), old[2], data)
    assert b"\nrename from dir/a\nrename to " in said
    assert applied({"dir/a": old}, said) == {name: new}
    assert applied({name: new}, said, "--reverse") == {"dir/a": old}


def test_it_reads_like_one_of_git() -> None:
    old: Node = "file", 0o644, b"".join(b"%d\n" % number for number in range(1, 11))
    new: Node = "file", 0o755, old[2].replace(b"5\n", b"five\n").removesuffix(b"\n")
    assert patch_of(change("a b", old, new), old[2], new[2]).decode() == (
        "diff --git a/a b b/a b\n"
        "old mode 100644\n"
        "new mode 100755\n"
        "index f00c965d8307308469e537302baa73048488f162..3a649bfcaf23540b360b5d99a4716a07b59be0bf\n"
        "--- a/a b\t\n"
        "+++ b/a b\t\n"
        "@@ -2,9 +2,9 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n-10\n+10\n\\ No newline at end of file\n"
    )


def test_it_is_what_git_writes_itself(tmp_path: Path) -> None:
    before: Tree = {
        "one": ("file", 0o644, b"a\nb\nc\n"),
        "é": ("file", 0o644, b"x\n"),
        "gone": ("file", 0o755, b"1\n"),
    }
    after: Tree = {
        "one": ("file", 0o644, b"a\nB\nc\nd"),
        "é": ("file", 0o644, b""),
        "new file": ("link", 0o777, b"one"),
    }
    for name, tree in (("old", before), ("new", after)):
        (tmp_path / name).mkdir()
        write(tmp_path / name, tree)
    real = subprocess.run(
        ["git", "diff", "--no-index", "--no-prefix", "--full-index", "--binary", "--no-renames", "old", "new"],
        cwd=tmp_path,
        env=GIT,
        capture_output=True,
        check=False,
    ).stdout
    assert sections(said_of(before, after)) == sections(real.replace(b"old/", b"a/").replace(b"new/", b"b/"))


def sections(said: bytes) -> set[bytes]:
    """What is said of each path, without its first line: without an index git names one path for both in it."""
    return {part.partition(b"\n")[2].strip() for part in (b"\n" + said).split(b"\ndiff --git ")[1:]}


def test_paths_can_be_told_from_a_folder_above() -> None:
    node: Node = "file", 0o644, b"x\n"
    said = patch_of(change("a", None, node, "new"), None, b"x\n", prefix="sub/")
    assert b"\n+++ b/sub/a\n" in said
    assert applied({}, said) == {"sub/a": node}


def test_a_link_in_place_of_a_file_and_a_file_in_place_of_a_folder() -> None:
    before: Tree = {"a": ("file", 0o644, b"x\n"), "dir/one": ("file", 0o644, b""), "dir/two": ("link", 0o777, b"one")}
    after: Tree = {"a": ("link", 0o777, b"x\n"), "dir": ("file", 0o755, b"")}
    assert applied(before, said_of(before, after)) == after
    assert applied(after, said_of(after, before)) == before


def test_what_git_cannot_tell_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patch, "BINARY_CAP", 1024 * 1024)
    large = b"\0" * (1024 * 1024 + 1)
    kept: Node = "file", 0o644, b"x"
    unknown = PathState("unknown", reason="too large")
    rows = [
        (PathChange("/r", "p", "changed", unknown, state(kept)), None, b"x", "no saved copy (too large)"),
        (change("p", kept, kept), None, b"x", "no saved copy"),
        (change("p", None, ("file", 0o644, large), "new"), None, large, "binary and larger than 1 MB"),
        (change("p", ("file", 0o600, b"x"), kept, "mode"), b"x", b"x", "mode 0600 → 0644"),
        (change("p", ("folder", 0o700, b""), ("folder", 0o755, b""), "mode"), None, None, "folder mode 0700 → 0755"),
    ]
    for one, before, after, words in rows:
        assert untold(one, before, after) == words
        assert patch_of(one, before, after) == b""
    assert untold(change("p", None, kept, "new"), None, b"x") == ""
