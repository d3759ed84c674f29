"""Changes taken back on a real disk, and that undone."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.snapshots.states import ABSENT
from acp_tui.host.take_back.steps import Step
from tests.examples import THOROUGH
from tests.unit.host.take_back.tree import States, Tree

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
        elif kind == "mode" and not full.is_symlink():
            full.chmod(int(str(more[1 if full.is_dir() else 0])))


@contextmanager
def tree_in_memory() -> Iterator[Tree]:
    with TemporaryDirectory() as folder:
        yield Tree(Path(folder) / "root")


def everything(tree: Tree) -> set[bytes]:
    """All byte strings that are in the tree or in the store."""
    kept = set(tree.store.kept.values())
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
            for what in first:
                act(tree.root, what)
            before = tree.look()
            for what in turn:
                act(tree.root, what)
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
            for what in first:
                act(tree.root, what)
            before = tree.look()
            for what in turn:
                act(tree.root, what)
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
            for what in first:
                act(tree.root, what)
            before = tree.look()
            for what in turn:
                act(tree.root, what)
            changes = tree.changes(before, tree.look())
            for what in between:
                act(tree.root, what)
            seen, preview = tree.look(keep=False), tree.preview(changes)
            for step in preview.steps:
                assert step.refusal or step.act == "nothing" or seen.get(step.change.path, ABSENT) == step.change.after
            for what in late:
                act(tree.root, what)
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


def assert_as_said(chosen: list[Step], done: set[str], now: States) -> None:
    for step in chosen:
        if step.change.path in done and step.act != "nothing":
            place = step.change.old_path if step.act == "move" else step.change.path
            assert now.get(place, ABSENT) == step.target


def touched_by(steps: object) -> set[str]:
    assert isinstance(steps, list)
    return {path for step in steps for path in (step.change.path, step.change.old_path)}
