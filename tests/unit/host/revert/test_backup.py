"""Where the disk with the kept bytes takes no more: what loses nothing is done, and only the rest is left alone."""

from collections.abc import Sequence
from pathlib import Path

from acp_tui.host.revert import apply
from acp_tui.host.revert.apply import FileProgress, take_back, unkept_steps
from acp_tui.host.revert.file_operations import FULL
from acp_tui.host.revert.steps import Act, Key, Outcome, Preview, Step
from acp_tui.host.snapshots.path_state import ABSENT, PathChange, PathState, Status
from tests.rows import each_of
from tests.unit.host.revert.tree import Tree

FILE, OTHER, FOLDER = PathState("file", 0o644, 1, "aa"), PathState("file", 0o644, 1, "bb"), PathState("folder", 0o755)
LINK = PathState("link", 0o777, 1, "aa")


class Has:
    """A store that has the bytes of `FILE` and `LINK`."""

    def has(self, digest: str) -> bool:
        return digest == "aa"


def step(act: Act, now: PathState, after: PathState, refusal: str = "", *, forcible: bool = False) -> Step:
    return Step(PathChange("/r", "p", "changed", OTHER, after), act, now, OTHER, refusal, forcible)


@each_of(
    ("tried", "done"),
    [
        (step("write", ABSENT, ABSENT), True),  # nothing is there
        (step("write", FILE, FILE), True),  # a snapshot has it
        (step("link", LINK, LINK), True),
        (step("delete", FILE, FILE), True),
        (step("mode", OTHER, FILE), True),  # its bytes stay
        (step("delete", FOLDER, FOLDER), True),  # an empty one, or it stays
        (step("write", OTHER, OTHER), False),  # too large for a snapshot
        (
            step("write", FILE, OTHER, "Changed since", forcible=True),
            False,
        ),  # kept, but no snapshot is known to name it
    ],
)
def test_what_loses_nothing(tried: Step, done: bool) -> None:
    assert (not unkept_steps([tried], (), Has())) is done  # type: ignore[arg-type]


def test_what_was_kept_and_named_may_go_too() -> None:
    tried = step("write", OTHER, FILE)
    assert unkept_steps([tried], {"bb"}, Has()) == []  # type: ignore[arg-type]


def test_what_is_not_done_anyway_loses_nothing() -> None:
    assert unkept_steps([step("write", OTHER, OTHER, "Too large to save")], (), Has()) == []  # type: ignore[arg-type]


class Scene:
    """A turn made `junk`, deleted `gone` and changed `file`; then the user changed `own`, which no snapshot has."""

    def __init__(self, folder: Path) -> None:
        self.tree = Tree(folder / "root")
        self.write(gone="1", file="1", own="1")
        before = self.tree.look()
        self.write(file="2", own="2", junk="j" * 100)
        (self.tree.path / "gone").unlink()
        changes = self.tree.changes(before, self.tree.look())
        self.write(own="mine")
        self.preview = self.tree.preview(changes)
        self.tree.store.full = True
        self.progress = FileProgress()
        self.asked = list[bool]()  # whether the junk was there at each backup

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.tree.path / name).write_text(text)

    def keep(self) -> dict[Key, str]:
        tree, steps = self.tree, self.preview.steps
        self.asked.append((tree.path / "junk").exists())
        trouble = apply.keep_before(steps, tree.roots, tree.store)
        return {step.change.key: trouble for step in unkept_steps(steps, (), tree.store)} if trouble else {}

    def take(self) -> tuple[list[Outcome], list[Step]]:
        disk = self.tree.roots, self.tree.store
        return take_back(self.preview, self.preview.steps, *disk, self.progress, self.keep(), self.keep)

    def texts(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.tree.path.iterdir()}


def paths(steps: Sequence[Step]) -> list[str]:
    return sorted(step.change.path for step in steps)


def test_only_what_cannot_be_kept_is_left_alone_and_said(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    outcomes, done = scene.take()
    assert scene.texts() == {"gone": "1", "file": "1", "own": "mine"}
    assert [each for each in outcomes if not each.done] == [Outcome("own", False, FULL)]
    assert paths(done) == ["file", "gone", "junk"]
    assert (scene.progress.done, scene.progress.of) == (4, 4)


def test_what_makes_room_goes_first_and_then_the_rest_is_kept(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    keep = scene.keep

    def roomy() -> dict[Key, str]:
        scene.tree.store.full = (scene.tree.path / "junk").exists()
        return keep()

    scene.keep = roomy  # type: ignore[method-assign]
    outcomes, done = scene.take()
    assert scene.asked == [True, False]
    assert scene.texts() == {"gone": "1", "file": "1", "own": "1"}
    assert b"mine" in scene.tree.store.kept.values()
    assert all(each.done for each in outcomes)
    assert paths(done) == ["file", "gone", "junk", "own"]


def test_folders_that_come_or_go_with_their_files_are_not_counted() -> None:
    def change(path: str, status: Status, before: PathState, after: PathState) -> Step:
        return Step(PathChange("/r", path, status, before, after), "delete", after, before)

    steps = [change("d", "new", ABSENT, FOLDER), change("d/f", "new", ABSENT, FILE), change("e", "new", ABSENT, FOLDER)]
    progress = FileProgress()
    progress.begin(steps)
    for each in (*steps, *steps):
        progress.add(each)
    assert (progress.done, progress.of) == (2, 2)


def test_a_preview_without_trouble_is_done_as_it_is(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.tree.store.full = False
    scene.preview = Preview("Turn 1", [each for each in scene.preview.steps if not each.refusal])
    outcomes, _ = scene.take()
    assert scene.asked == [True]
    assert all(each.done for each in outcomes)
