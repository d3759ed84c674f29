"""Whatever an agent and others do to a folder: what is taken back is what the laws say, by an oracle of its own.

The oracle reads the folder by itself at each moment; it knows nothing of snapshots.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from itertools import count
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_tui.host.changes.snapshot_history import Point
from acp_tui.host.revert.steps import TakenBack
from tests.examples import times
from tests.turns import Tree, Turns, at_home, git, print_of, tree_of, watched

__all__ = ["at_home"]

PATHS = ["a", "b.txt", "d", "d/x", "d/y", "d/e", "d/e/z", "n\nl", os.fsdecode(b"b\xffd"), "s.log", "logs/t.log", "logs"]
CONTENTS = [b"", b"1\n", b"2\n", b"one\r\ntwo\r\n", b"$Id$\n", b"\xff\0\xfe", b"longer\n" * 3]
MODES = [0o644, 0o600, 0o755, 0o400, 0o664]
RULES = [b"", b"*.log\n", b"logs/\n", b"a\nd/x\n"]

Act = Callable[[Path], object]
Told = tuple[Point, Point, Tree, Tree]
"""The points of a turn, and the folder as it was at each."""

paths, contents = st.sampled_from(PATHS), st.sampled_from(CONTENTS)


def _write(root: Path, path: str, content: bytes) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(content)


def _become(root: Path, path: str, content: bytes) -> None:
    """A file, whatever was there."""
    _delete(root, path)
    _write(root, path, content)


def _delete(root: Path, path: str) -> None:
    if (root / path).is_dir() and not (root / path).is_symlink():
        shutil.rmtree(root / path)
    else:
        (root / path).unlink()


def _hide(root: Path, path: str) -> None:
    """A change of equal size whose time is put back."""
    info = (root / path).stat()
    data = (root / path).read_bytes()
    (root / path).write_bytes(bytes(reversed(data)))
    os.utime(root / path, ns=(info.st_atime_ns, info.st_mtime_ns))


def _link(root: Path, path: str, target: str) -> None:
    with suppress(OSError):
        _delete(root, path)
    (root / path).symlink_to(target)


def _commit(root: Path) -> None:
    git(root, "add", "-A", check=False)
    git(root, "commit", "-qm", "x", check=False)


def _checkout(root: Path, branch: str) -> None:
    git(root, "checkout", "-qfB", branch, "start", check=False)


acts: st.SearchStrategy[Act] = st.one_of(
    st.builds(lambda path, data: lambda root: _write(root, path, data), paths, contents),
    st.builds(lambda path, data: lambda root: _become(root, path, data), paths, contents),
    st.builds(lambda path: lambda root: _delete(root, path), paths),
    st.builds(lambda path: lambda root: _hide(root, path), paths),
    st.builds(lambda one, other: lambda root: (root / one).rename(root / other), paths, paths),
    st.builds(lambda path, mode: lambda root: (root / path).chmod(mode), paths, st.sampled_from(MODES)),
    st.builds(lambda path: lambda root: (root / path).chmod(0o700), st.sampled_from(["d", "d/e", "logs"])),
    st.builds(lambda path, to: lambda root: _link(root, path, to), paths, st.sampled_from(["a", "d", "/etc", "../.."])),
    st.builds(lambda path: lambda root: (root / path).mkdir(parents=True), paths),
    st.builds(lambda one, other: lambda root: (root / other).hardlink_to(root / one), paths, paths),
)
git_acts: st.SearchStrategy[Act] = st.one_of(
    st.just(_commit),
    st.builds(lambda branch: lambda root: _checkout(root, branch), st.sampled_from(["one", "two"])),
    st.just(lambda root: git(root, "stash", "-q", "-u", check=False)),
    st.just(lambda root: git(root, "stash", "pop", "-q", check=False)),
    st.just(lambda root: git(root, "reset", "-q", "--hard", check=False)),
    st.just(lambda root: git(root, "clean", "-qfdx", check=False)),
    st.just(lambda root: git(root, "gc", "-q", "--prune=now", check=False)),
    st.builds(lambda rules: lambda root: (root / ".gitignore").write_bytes(rules), st.sampled_from(RULES)),
)


def _do(root: Path, series: Sequence[Act]) -> None:
    for act in series:
        with suppress(OSError, shutil.Error):
            act(root)


def few(*kinds: st.SearchStrategy[Act]) -> st.SearchStrategy[list[Act]]:
    return st.lists(st.one_of(*kinds), max_size=5)


@dataclass
class Story:
    """What happens before the session, before and within each turn, and later; which turns are taken back."""

    first: list[Act]
    turns: list[tuple[list[Act], list[Act]]]
    later: list[Act]
    which: str
    forced: bool


def stories(*kinds: st.SearchStrategy[Act]) -> st.SearchStrategy[Story]:
    return st.builds(
        Story,
        few(*kinds),
        st.lists(st.tuples(few(*kinds), few(*kinds)), min_size=1, max_size=2),
        st.one_of(st.just([]), few(*kinds)),
        st.sampled_from(["last", "first", "all"]),
        st.booleans(),
    )


class World:
    """A folder that is watched by the oracle."""

    def __init__(self, root: Path, *, checkout: bool) -> None:
        self.root, self.checkout = root, checkout
        self.kept: set[bytes] = set()  # contents of kept paths at a moment at which a snapshot was taken

    def see(self) -> Tree:
        tree = tree_of(self.root)
        self.kept |= {data for path, (kind, _, data) in tree.items() if kind == "file" and path in self.not_ignored()}
        return tree

    def not_ignored(self) -> set[str]:
        if not self.checkout:
            return set(tree_of(self.root))
        return set(git(self.root, "ls-files", "-z", "-co", "--exclude-standard").split("\0"))

    def repository(self) -> object:
        return print_of(self.root / ".git") if self.checkout else None


async def _story(world: World, story: Story) -> None:
    root: Path = world.root
    _do(root, story.first)
    async with watched(root) as turns:
        ends: list[Told] = []
        for between, within in story.turns:
            _do(root, between)
            before, git_before = world.see(), world.repository()
            await turns.begin()
            assert (tree_of(root), world.repository()) == (before, git_before)
            _do(root, within)
            after, git_before = world.see(), world.repository()
            since, until = await turns.end()
            assert (tree_of(root), world.repository()) == (after, git_before)
            ends.append((since, until, before, after))
        _do(root, story.later)
        await _taken_back(world, turns, story, ends)
        held = {data for kind, _, data in tree_of(root).values() if kind == "file"}
        stores = [*turns.changes.turns.folders]
        for data in world.kept - held:
            assert stores[0].get(blake2b(data, digest_size=20).hexdigest()) == data


async def _taken_back(world: World, turns: Turns, story: Story, ends: list[Told]) -> None:
    root, git_before, now = world.root, world.repository(), world.see()
    since, _, before, _ = ends[-1 if story.which == "last" else 0]
    _, until, _, after = ends[0 if story.which == "first" else -1]
    preview = await turns.preview(since, until)
    assert tree_of(root) == now
    taken = await turns.take_back(preview, forced=story.forced)
    then = tree_of(root)
    _check(taken, before, after, now, then, forced=story.forced)
    if now == after and story.which != "all" and not _ignores(world, before):
        if not _ignores(world, after):
            assert then == before
        left = {step.change.path for step in preview.steps if step.refusal}
        for path, held in before.items():  # law 12: whatever became of the rules
            assert path in left or then.get(path) == held or held[0] == "folder", ("law 12", path)
    again = await turns.undo(taken)
    assert all(outcome.done for outcome in again.outcomes), again
    assert tree_of(root) == now
    redone = await turns.undo(again)
    assert all(outcome.done for outcome in redone.outcomes), redone
    assert tree_of(root) == then
    assert world.repository() == git_before


def _ignores(world: World, *trees: Tree) -> bool:
    return world.checkout and any(tree.get(".gitignore", ("", 0, b""))[2] for tree in trees)


def _check(taken: TakenBack, before: Tree, after: Tree, now: Tree, then: Tree, *, forced: bool) -> None:
    """What the laws say of every path."""
    done = {step.change.path: step for step in taken.steps}
    done |= {step.change.old_path: step for step in taken.steps if step.act == "move"}
    for path in now.keys() | then.keys():
        if path not in done:
            assert now.get(path) == then.get(path), ("touched", path)
    for path, step in done.items():
        if step.act == "move" and path == step.change.path:
            assert path not in then or then[path] == before.get(path), ("move", path)
        else:
            assert then.get(path) == before.get(path), ("bytes", path, step)
    for path in now.keys() - then.keys():
        assert path not in before, ("law 3", path)
    if not forced:
        for path in now.keys() | then.keys():
            if now.get(path) != after.get(path):
                assert now.get(path) == then.get(path) or then.get(path) == after.get(path), ("law 4", path)


async def _hasty(root: Path, story: Story) -> None:
    """An agent that works before anybody has looked since the prompt went out."""
    _do(root, story.first)
    async with watched(root) as turns:
        for between, within in story.turns:
            _do(root, between)
            before = tree_of(root)
            await turns.type()
            turns.send()
            _do(root, within)
            since, until = await turns.end()
        if not (since.trees and until.trees):
            return
        now = tree_of(root)
        preview = await turns.preview(since, until)
        taken = await turns.take_back(preview)
        _check(taken, before, now, now, tree_of(root), forced=False)
        await turns.undo(taken)
        assert tree_of(root) == now


@pytest.fixture
def roots(tmp_path: Path) -> Iterator[Path]:
    return (tmp_path / f"{number}" / "work" for number in count())


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that is copied for each story: with a commit, settings that would change bytes, and a hook."""
    root = tmp_path / "template"
    root.mkdir()
    git(root, "init", "-q")
    for path, data in (("a", b"1\n"), ("b.txt", b"one\r\ntwo\r\n"), ("d/x", b"$Id$\n"), ("d/e/z", b"deep\n")):
        _write(root, path, data)
    (root / ".gitattributes").write_text("*.txt text eol=lf\nx ident\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "start")
    git(root, "tag", "start")
    return root


BOUNDED = settings(times(0.5), suppress_health_check=list(HealthCheck))


@pytest.mark.usefixtures("at_home")
class TestStories:
    @BOUNDED
    @given(stories(acts))
    def test_in_a_folder_that_is_no_checkout(self, roots: Iterator[Path], story: Story) -> None:
        root = next(roots)
        root.mkdir(parents=True)
        anyio.run(_story, World(root, checkout=False), story)

    @BOUNDED
    @given(stories(acts, acts, git_acts))
    def test_in_a_checkout(self, roots: Iterator[Path], checkout: Path, story: Story) -> None:
        root = next(roots)
        shutil.copytree(checkout, root, symlinks=True)
        anyio.run(_story, World(root, checkout=True), story)


@settings(times(0.15), suppress_health_check=list(HealthCheck))
@given(stories(acts))
def test_what_was_read_too_late_is_no_state_before(roots: Iterator[Path], story: Story) -> None:
    root = next(roots)
    root.mkdir(parents=True)
    anyio.run(_hasty, root, story)
