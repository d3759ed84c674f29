"""Changes taken back on a real disk, and that undone."""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.revert import file_operations
from acp_tui.host.revert.apply import clear_up, is_done
from acp_tui.host.revert.steps import Step
from acp_tui.host.snapshots.path_state import ABSENT, PathChange
from acp_tui.host.system import atomic_replace
from tests.examples import THOROUGH
from tests.unit.host.revert.tree import States, Tree

NAMES = ["a", "b", "cfg", "x\n\udcff"]
PATHS = [*NAMES, *(f"{one}/{other}" for one in NAMES for other in NAMES), "a/b/cfg", "cfg/a/b"]
BYTES = st.sampled_from([b"", b"one\n", b"two\r\n", b"\xff\x00", b"three"])
FILE_MODES = st.sampled_from([0o600, 0o644, 0o755, 0o400, 0o666])
FOLDER_MODES = st.sampled_from([0o700, 0o755, 0o500, 0o1777])
PLACES = st.sampled_from(PATHS)
ACTS = st.one_of(
    st.tuples(st.just("write"), PLACES, BYTES),
    st.tuples(st.just("delete"), PLACES),
    st.tuples(st.just("rename"), PLACES, PLACES),
    st.tuples(st.just("swap"), PLACES, PLACES),
    st.tuples(st.just("mode"), PLACES, FILE_MODES, FOLDER_MODES),
    st.tuples(st.just("link"), PLACES, st.sampled_from(["a", "../outside", "/nowhere"])),
    st.tuples(st.just("folder"), PLACES),
)
SERIES = st.lists(ACTS, max_size=8)
OWN = st.lists(st.one_of(ACTS, st.tuples(st.just("write"), PLACES, st.binary(min_size=4, max_size=8))), max_size=6)


def act(root: str, what: tuple[object, ...]) -> None:
    """What an agent or another program does; what cannot be done is not."""
    kind, path, *more = what
    full = Path(root, str(path))
    with suppress(OSError, shutil.Error):
        if kind in ("write", "link", "folder"):
            full.parent.mkdir(parents=True, exist_ok=True)
            if full.is_symlink() or full.is_file():
                if kind != "write" or full.is_symlink():
                    full.unlink()
            elif full.is_dir():
                shutil.rmtree(full)
        if kind == "write":
            assert isinstance(more[0], bytes)
            full.write_bytes(more[0])
        elif kind == "link":
            full.symlink_to(str(more[0]))
        elif kind == "folder":
            full.mkdir()
        elif kind == "delete":
            shutil.rmtree(full) if full.is_dir() and not full.is_symlink() else full.unlink()
        elif kind == "rename":
            target = Path(root, str(more[0]))
            target.parent.mkdir(parents=True, exist_ok=True)
            full.rename(target)
        elif kind == "swap":
            other, third = Path(root, str(more[0])), Path(root, "third")
            for one, two in ((full, third), (other, full), (third, other)):
                two.parent.mkdir(parents=True, exist_ok=True)
                one.rename(two)
        elif kind == "mode" and not full.is_symlink():
            full.chmod(int(str(more[1 if full.is_dir() else 0])))


def act_all(root: str, series: Iterable[tuple[object, ...]]) -> None:
    for what in series:
        act(root, what)


@contextmanager
def tree_in_memory() -> Iterator[Tree]:
    with TemporaryDirectory() as folder:
        yield Tree(Path(folder) / "root")


def everything(tree: Tree, *, stored: bool = True) -> set[bytes]:
    """All byte strings that are in the tree or in the store."""
    kept = set(tree.store.kept.values()) if stored else set()
    for folder, _, files in os.walk(tree.root):
        kept |= {Path(folder, name).read_bytes() for name in files if not Path(folder, name).is_symlink()}
    return kept


def test_what_a_file_in_the_place_of_its_folder_hides_was_not_deleted_by_us(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "root")
    act(tree.root, ("write", "a/b", b"new"))
    preview = tree.preview(tree.changes({}, tree.look()))
    act(tree.root, ("write", "a", b"own"))
    assert [each.done for each in tree.take(preview)] == [False, False]
    assert tree.taken[-1].steps == []


class TestAnySeries:
    @THOROUGH
    @given(SERIES, SERIES)
    def test_all_of_a_turn_is_taken_back_and_undone_and_done_again(
        self, first: list[tuple[object, ...]], turn: list[tuple[object, ...]]
    ) -> None:
        with tree_in_memory() as tree:
            act_all(tree.root, first)
            before = tree.look()
            act_all(tree.root, turn)
            after = tree.look()
            preview = tree.preview(tree.changes(before, after))
            assert [step.refusal for step in preview.steps if step.refusal] == []
            outcomes = tree.take(preview)
            assert [each for each in outcomes if not each.done or each.said] == []
            assert tree.look(keep=False) == before
            tree.undo()
            assert tree.look(keep=False) == after
            tree.undo()
            assert tree.look(keep=False) == before

    @THOROUGH
    @given(SERIES, SERIES, st.data())
    def test_of_any_subset_the_rest_is_untouched_and_undo_brings_all_back(
        self, first: list[tuple[object, ...]], turn: list[tuple[object, ...]], data: st.DataObject
    ) -> None:
        with tree_in_memory() as tree:
            act_all(tree.root, first)
            before = tree.look()
            act_all(tree.root, turn)
            after = tree.look()
            preview = tree.preview(tree.changes(before, after))
            chosen = [step for step in preview.steps if data.draw(st.booleans())]
            outcomes = tree.take(preview, chosen)
            now = tree.look(keep=False)
            done = {each.path for each in outcomes if each.done}
            assert_as_said(chosen, done, now)
            touched = touched_by(tree.taken[-1].steps)
            assert {path: state for path, state in now.items() if path not in touched} == {
                path: state for path, state in after.items() if path not in touched
            }
            tree.undo()
            assert tree.look(keep=False) == after

    @THOROUGH
    @given(SERIES, SERIES, OWN, OWN, st.booleans())
    def test_an_outsider_before_the_preview_and_after_it_loses_no_byte(
        self,
        first: list[tuple[object, ...]],
        turn: list[tuple[object, ...]],
        between: list[tuple[object, ...]],
        late: list[tuple[object, ...]],
        forced: bool,
    ) -> None:
        with tree_in_memory() as tree:
            act_all(tree.root, first)
            before = tree.look()
            act_all(tree.root, turn)
            changes = tree.changes(before, tree.look())
            act_all(tree.root, between)
            seen, preview = tree.look(keep=False), tree.preview(changes)
            for step in preview.steps:
                assert step.refusal or step.act == "nothing" or seen.get(step.change.path, ABSENT) == step.change.after
            act_all(tree.root, late)
            there, known = tree.look(keep=False), everything(tree)
            outcomes = tree.take(preview, [step for step in preview.steps if step.chosen or (forced and step.forcible)])
            assert everything(tree) >= known
            now = tree.look(keep=False)
            for step in preview.steps:
                path = step.change.path
                if not any(each.done for each in outcomes if each.path == path) and path not in touched_by(
                    tree.taken[-1].steps
                ):
                    assert now.get(path) == there.get(path)
            for step in tree.taken[-1].steps:
                assert there.get(step.change.path, ABSENT) == step.now
            tree.undo()
            assert everything(tree) >= known


CHANGING = ("open", "mkdir", "rmdir", "unlink", "rename", "link", "symlink", "fchmod", "chmod")


class Killed(BaseException):
    """The program has ended: from here on no call changes anything, nor those that would clear up."""


@contextmanager
def killed(after: int) -> Iterator[list[int]]:
    """At so many calls of the system that may change something the program is killed; how many were left."""
    left = [after]

    def dying(call: Callable[..., Any]) -> Callable[..., Any]:
        def it(*given: Any, **more: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise Killed
            return call(*given, **more)

        return it

    with pytest.MonkeyPatch.context() as patch:
        for name in CHANGING:
            patch.setattr(os, name, dying(getattr(os, name)))
        patch.setattr(atomic_replace, "_renamed", dying(atomic_replace._renamed))
        with suppress(Killed):
            yield left


FIRST = [("write", name, name.encode()) for name in ("a", "b", "old", "d/x", "file", "gone")]
TURN = [
    ("swap", "a", "b"),
    ("rename", "old", "e/new"),
    ("delete", "file"),
    ("folder", "file"),
    ("write", "file/y", b"y"),
    ("rename", "d/x", "gone"),
]


class TestKills:
    @THOROUGH
    @given(SERIES, SERIES, st.integers(0, 120))
    def test_a_kill_at_any_call_loses_nothing_and_the_next_undo_does_the_rest(
        self, first: list[tuple[object, ...]], turn: list[tuple[object, ...]], after: int
    ) -> None:
        judge_kill(first, turn, after)

    def test_a_kill_at_each_call(self) -> None:
        """With two names swapped, a move, one onto a name that was there, and a folder in the place of a file."""
        assert next(after for after in count() if judge_kill(FIRST, TURN, after)) > 20

    def test_between_the_two_operations_of_a_move_both_names_are_there(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tree, before, changes = moved(tmp_path)
        preview = tree.preview(changes)

        def kill(*_: object) -> None:
            raise Killed

        with monkeypatch.context() as patch, suppress(Killed):
            patch.setattr(file_operations, "take", kill)
            tree.take(preview)
        assert set(tree.look()) == {"old", "new"}
        assert not is_done(preview.steps[0], tree.roots)
        (step,) = tree.preview(changes).steps
        assert (step.act, step.target, step.refusal, step.chosen) == ("delete", ABSENT, "", True)
        tree.take(tree.preview(changes))
        assert tree.look(keep=False) == before
        tree.undo()
        assert tree.look(keep=False).keys() == {"old", "new"}  # as it was when that undo began


def judge_kill(first: Sequence[tuple[object, ...]], turn: Sequence[tuple[object, ...]], after: int) -> bool:
    """Undo a turn, with a kill, and the rest of it in the next run; whether there were less calls than that."""
    with tree_in_memory() as tree:
        act_all(tree.root, first)
        before = tree.look()
        act_all(tree.root, turn)
        changes, there = tree.changes(before, tree.look()), on_disk(tree)
        known, preview = everything(tree), tree.preview(changes)
        with killed(after) as left:
            tree.take(preview)
        assert everything(tree) >= known
        moves = {tree.store.kept[step.now.digest] for step in preview.steps if step.act == "move"}
        assert on_disk(tree) >= moves & there  # the old name is written before the new one goes
        clear_up(preview.steps, tree.roots)
        again = tree.preview(changes)
        tree.take(again, [step for step in again.steps if step.may_be_done])
        assert tree.look(keep=False) == before
        return left[0] >= 0


def on_disk(tree: Tree) -> set[bytes]:
    """All byte strings that are in the tree."""
    return everything(tree, stored=False)


def moved(folder: Path, to: str = "new") -> tuple[Tree, States, list[PathChange]]:
    """A file that a turn moved from `old`: how it was before, and the changes."""
    tree = Tree(folder / "root")
    act(tree.root, ("write", "old", b"bytes"))
    before = tree.look()
    act(tree.root, ("rename", "old", to))
    return tree, before, tree.changes(before, tree.look())


class TestMoves:
    def half_back(self, folder: Path) -> Tree:
        """One whose undo cannot delete the new name."""
        tree, _, changes = moved(folder)

        def fails(*_: object) -> None:
            raise PermissionError(13, "Permission denied")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(file_operations, "take", fails)
            (outcome,) = tree.take(tree.preview(changes))
        said = "Restored as old, but this copy could not be removed: Permission denied"
        assert (outcome.path, outcome.done, outcome.said) == ("new", True, said)
        return tree

    def test_where_the_new_name_cannot_go_the_old_one_is_back(self, tmp_path: Path) -> None:
        tree = self.half_back(tmp_path)
        assert set(tree.look()) == {"old", "new"}
        assert [(step.act, step.change.path) for step in tree.taken[-1].steps] == [("write", "old")]

    def test_that_is_undone_and_done_again(self, tmp_path: Path) -> None:
        tree = self.half_back(tmp_path)
        tree.undo()
        assert set(tree.look()) == {"new"}
        tree.undo()
        assert set(tree.look()) == {"old", "new"}

    def test_it_is_one_step_for_who_does_it_again(self, tmp_path: Path) -> None:
        tree, before, changes = moved(tmp_path)
        after = tree.look()
        tree.take(tree.preview(changes))
        assert [(step.act, step.change.path) for step in tree.taken[-1].steps] == [("move", "new")]
        assert tree.look(keep=False) == before
        tree.undo()
        assert [(step.act, step.change.path) for step in tree.taken[-1].steps] == [("move", "old")]
        assert tree.look(keep=False) == after

    def test_of_two_that_come_back_to_one_name_the_first_one_does(self, tmp_path: Path) -> None:
        tree, before, (change,) = moved(tmp_path)
        act(tree.root, ("write", "other", b"other"))
        other = replace(change, path="other", before=tree.look()["other"], after=tree.look()["other"])
        outcomes = tree.take(tree.preview([change, other]))
        assert [(each.done, each.said) for each in outcomes] == [(True, ""), (False, file_operations.CHANGED)]
        assert tree.look(keep=False) == {**before, "other": other.after}

    def test_a_file_that_changed_meanwhile_stays_and_nothing_is_written(self, tmp_path: Path) -> None:
        tree, _, changes = moved(tmp_path)
        preview = tree.preview(changes)
        act(tree.root, ("write", "new", b"mine"))
        (outcome,) = tree.take(preview)
        assert (outcome.done, outcome.said) == (False, file_operations.CHANGED)
        assert set(tree.look()) == {"new"}

    def test_what_was_deleted_meanwhile_comes_back_where_the_user_says_so(self, tmp_path: Path) -> None:
        tree, before, changes = moved(tmp_path, "d/new")
        act(tree.root, ("delete", "d"))
        (step,) = [step for step in tree.preview(changes).steps if step.act == "move"]
        assert (step.refusal, step.forcible) == ("Deleted since the turn ended", True)
        tree.take(tree.preview(changes), [step])
        assert tree.look(keep=False) == before


def assert_as_said(chosen: list[Step], done: set[str], now: States) -> None:
    for step in chosen:
        if step.change.path in done and step.act != "nothing":
            place = step.change.old_path if step.act == "move" else step.change.path
            assert now.get(place, ABSENT) == step.target


def touched_by(steps: object) -> set[str]:
    assert isinstance(steps, list)
    return {path for step in steps for path in (step.change.path, step.change.old_path)}
