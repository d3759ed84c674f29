"""Programs, tables and file systems that are against us while changes are taken back."""

import errno
import json
import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.revert import file_operations, plan
from acp_tui.host.revert.apply import take_back
from acp_tui.host.revert.steps import Preview, Step, TakenBack, from_data, to_data
from acp_tui.host.snapshots.path_state import ABSENT, PathChange, PathState
from acp_tui.host.system import atomic_replace
from acp_tui.host.system.sandbox_paths import SandboxPath, SandboxRoots
from tests.unit.host.revert.tree import Tree

CALLS = ("open", "stat", "rename", "link", "unlink", "mkdir", "rmdir", "symlink", "readlink", "fchmod", "fstat")
BY_RENAMES = ("rename", "link", "unlink")  # where the system cannot exchange two names at once
CHANGING = ("rename", "link", "mkdir", "symlink", "rmdir", "fchmod", "open")
SECRET = b"the secret of before"


@pytest.fixture(params=["at once", "by renames"])
def _each_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a system that can exchange two names at once, and with one that cannot."""
    if request.param == "by renames":
        monkeypatch.setattr(atomic_replace, "_renamed", lambda *_: False)


each_way = pytest.mark.usefixtures("_each_way")


class Scene:
    """A turn that changed a tree in every way, and a folder outside."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.tree, self.outside = Tree(folder / "root"), folder / "outside"
        root = Path(self.tree.root)
        for name in ("d/changed", "d/gone", "d/old", "d/mode", "d/sub/deep", "kept"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(b"before " + name.encode())
        (root / "d/link").symlink_to("changed")
        (root / "d/changed").chmod(0o600)
        (root / "d/sub").chmod(0o750)
        self.outside.mkdir()
        for name in ("changed", "new", "moved", "mode", "link"):
            (self.outside / name).write_bytes(b"outside")
        self.before = self.tree.look()
        (root / "d/changed").write_bytes(b"after")
        (root / "d/gone").unlink()
        (root / "d/old").rename(root / "d/moved")
        (root / "d/mode").chmod(0o755)
        (root / "d/sub/deep").unlink()
        (root / "d/sub").rmdir()
        (root / "d/new").write_bytes(b"new")
        (root / "d/link").unlink()
        (root / "d/link").write_bytes(b"no link")
        (root / "d/made").mkdir()
        (root / "d/made/it").write_bytes(b"it")
        self.after = self.tree.look()
        self.changes = self.tree.changes(self.before, self.after)
        self.preview = self.tree.preview(self.changes)
        self.outsides = self.outside_now()

    def outside_now(self) -> dict[str, bytes]:
        return {str(path): path.read_bytes() if path.is_file() else b"" for path in self.outside.rglob("*")}

    def bytes_there(self, *more: Path) -> set[bytes]:
        """All bytes in the tree, elsewhere and in the store."""
        found = set(self.tree.store.kept.values())
        for folder in (Path(self.tree.root), *more):
            found |= {path.read_bytes() for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}
        return found

    def strays(self) -> set[str]:
        """Files that nobody but us can have made."""
        known = {*self.before, *self.after}
        return {path for path in self.tree.look(keep=False) if path not in known}


@contextmanager
def watched(
    monkeypatch: pytest.MonkeyPatch,
    act: Callable[[str], None],
    calls: Sequence[str] = CALLS,
    but_for: Collection[str] = (),
) -> Iterator[None]:
    """Before each call of the system, but for those that go through folders of these names."""

    def before(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def it(*words: Any, **more: Any) -> Any:
            if not (words[0] in but_for and name in ("open", "readlink")):
                act(name)
            return call(*words, **more)

        return it

    with monkeypatch.context() as patch:
        for name in calls:
            patch.setattr(os, name, before(name, getattr(os, name)))
        patch.setattr(atomic_replace, "_renamed", before("renamed", atomic_replace._renamed))
        yield


class Once:
    """Does something at one call, and counts."""

    def __init__(self, at: int, act: Callable[[], None]) -> None:
        self.count, self._at, self._act = 0, at, act
        self._busy = False

    def __call__(self, _: str) -> None:
        if self._busy:
            return
        self.count += 1
        if self.count == self._at + 1:
            self._busy = True
            self._act()
            self._busy = False

    @property
    def happened(self) -> bool:
        return self.count > self._at


NAMES = ["d/changed", "d/new", "d/gone", "d/moved", "d/link", "d/mode", "d/made/it", "d/sub/deep"]


def every_call(
    name: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    act: Callable[[Scene], None],
    judge: Callable[[Scene], None],
    but_for: Collection[str] = (),
) -> None:
    """One path taken back, once for each call of the system, before which `act` is done."""
    above = Path(os.path.realpath(folder)).parts  # how many there are is of no meaning
    for at in range(300):
        scene = Scene(folder / str(at))
        steps = [step for step in scene.preview.steps if step.change.path == name]
        once = Once(at, partial(act, scene))
        with watched(monkeypatch, once, but_for=(*above, str(at), *but_for)):
            scene.tree.take(scene.preview, steps)
        judge(scene)
        if not once.happened:
            assert at > 5
            assert scene.tree.look(keep=False).get(name, ABSENT) == (ABSENT if name == "d/moved" else steps[0].target)
            return
    pytest.fail("it took too many calls")


def become_link(scene: Scene) -> None:
    folder = Path(scene.tree.root, "d")
    folder.rename(scene.tree.root + "/away")
    folder.symlink_to(scene.outside)


@pytest.mark.parametrize("name", NAMES)
def test_a_parent_that_becomes_a_link_at_any_call_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def judge(scene: Scene) -> None:
        assert scene.outside_now() == scene.outsides

    every_call(name, tmp_path, monkeypatch, become_link, judge)


@each_way
@pytest.mark.parametrize("name", [*NAMES, "d/old"])
@pytest.mark.parametrize("at_once", [True, False])
def test_what_an_outsider_writes_at_any_call_is_never_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, at_once: bool
) -> None:
    def write(scene: Scene) -> None:
        path = Path(scene.tree.root, name)
        with suppress(FileNotFoundError):  # its folder is gone
            if at_once:
                path.with_name("theirs").write_bytes(b"theirs")
                path.with_name("theirs").replace(path)
            elif path.is_symlink():
                return
            else:
                path.write_bytes(b"theirs")
            scene.outsides["wrote"] = b""

    def judge(scene: Scene) -> None:
        wrote = "wrote" in scene.outsides
        assert {b"after", b"new", b"no link", b"before d/old", b"it"} <= scene.bytes_there()
        assert not wrote or b"theirs" in scene.bytes_there()

    every_call(
        "d/moved" if name == "d/old" else name, tmp_path, monkeypatch, write, judge, ("root", "d", "sub", "made")
    )


@pytest.mark.parametrize("calls", [CHANGING, BY_RENAMES])
def test_a_call_that_fails_costs_only_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: Sequence[str]
) -> None:
    number = errno.ENOSPC
    if calls == BY_RENAMES:
        monkeypatch.setattr(atomic_replace, "_renamed", lambda *_: False)
    for at in range(500):
        scene = Scene(tmp_path / f"{number}-{at}")

        def fail() -> None:
            raise OSError(number, os.strerror(number))

        once = Once(at, fail)
        with watched(monkeypatch, once, calls, (*tmp_path.parts, f"{number}-{at}", "root")):
            outcomes = scene.tree.take(scene.preview)
        failed = [each for each in outcomes if not each.done]
        assert all(each.said for each in failed)
        assert len(failed) <= 2  # a folder holds the one that stays
        assert {b"after", b"new", b"no link", b"before d/old", b"it"} <= scene.bytes_there()
        now = scene.tree.look(keep=False)
        for each in failed:
            step = next(step for step in scene.preview.steps if step.change.path == each.path)
            assert now.get(each.path, ABSENT) in (step.now, step.target)
        if not once.happened:
            assert now == scene.before
            return
        undo_all(scene)
    pytest.fail("it took too many calls")


def undo_all(scene: Scene) -> None:
    scene.tree.undo()
    assert {path: state for path, state in scene.tree.look(keep=False).items() if path in scene.after} == scene.after


class Full:
    def write(self, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@contextmanager
def no_space(place: SandboxPath, mode: int = 0o600) -> Iterator[Any]:
    with atomic_replace.written(place, mode):
        yield Full()


@pytest.mark.parametrize("full", ["store", "disk"])
def test_a_full_disk_leaves_everything_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: str) -> None:
    scene = Scene(tmp_path)
    scene.tree.store.full = full == "store"
    if full == "store":  # and no snapshot has what is there now
        known = {state.digest for state in scene.before.values()}
        scene.tree.store.kept = {each: data for each, data in scene.tree.store.kept.items() if each in known}
    with monkeypatch.context() as patch:
        if full == "disk":
            patch.setattr(file_operations, "written", no_space)
        outcomes = {each.path: each for each in scene.tree.take(scene.preview)}
    assert ("state folder is full" if full == "store" else "No space left") in outcomes["d/changed"].said
    assert not outcomes["d/changed"].done
    now = scene.tree.look(keep=False)
    assert now["d/changed"] == scene.after["d/changed"]
    assert outcomes["d/mode"].done  # which needs no space
    if full == "store":
        assert now["d/new"] == scene.after["d/new"]
        assert "cannot be saved" in outcomes["d/new"].said
    assert scene.strays() == set()
    scene.tree.store.full = False
    undo_all(scene)


def test_nothing_is_readable_by_others_for_a_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = Tree(tmp_path / "root")
    root = Path(tree.root)
    (root / "private").mkdir(mode=0o700)
    for name in ("open", "gone", "private/in"):
        (root / name).write_bytes(SECRET)
        (root / name).chmod(0o600)
    before = tree.look()
    (root / "open").write_bytes(b"agent")
    (root / "open").chmod(0o644)
    (root / "gone").unlink()
    (root / "private/in").unlink()
    (root / "private").rmdir()
    preview = tree.preview(tree.changes(before, tree.look()))
    seen: list[str] = []

    def look(_: str) -> None:
        for path in root.rglob("*"):
            mode = os.lstat(path).st_mode
            if stat.S_ISDIR(mode) or path.read_bytes()[: len(SECRET)] == SECRET:
                seen.extend([f"{path} {mode:o}"] if mode & 0o077 else [])

    busy: list[bool] = []

    def once(name: str) -> None:
        if not busy:
            busy.append(True)
            look(name)
            busy.clear()

    umask = os.umask(0)
    try:
        with watched(monkeypatch, once):
            tree.take(preview)
    finally:
        os.umask(umask)
    assert seen == []
    assert tree.look(keep=False) == before


class TestWhatIsInTheWay:
    @pytest.mark.parametrize("early", [True, False])
    def test_a_fifo_is_never_opened(self, tmp_path: Path, early: bool) -> None:
        scene = Scene(tmp_path)
        path = Path(scene.tree.root, "d/changed")
        path.unlink()
        os.mkfifo(path)
        preview = scene.tree.preview(scene.changes) if early else scene.preview
        (step,) = [step for step in preview.steps if step.change.path == "d/changed"]
        assert (step.refusal, step.forcible) == (
            ("A pipe, socket or device has taken its place", False) if early else ("", False)
        )
        (outcome,) = scene.tree.take(preview, [step])
        assert not outcome.done
        assert stat.S_ISFIFO(path.lstat().st_mode)

    def test_a_file_does_not_come_back_over_a_folder_with_things_in_it(self, tmp_path: Path) -> None:
        scene = Scene(tmp_path)
        path = Path(scene.tree.root, "d/changed")
        path.unlink()
        path.mkdir()
        (path / "own").write_text("own")
        (step,) = [each for each in scene.tree.preview(scene.changes).steps if each.change.path == "d/changed"]
        assert (step.refusal, step.forcible) == ("Contains files that are not undone: own", False)
        told = replace(step, refusal="", now=PathState("folder", stat.S_IMODE(path.stat().st_mode)))
        outcomes, steps = take_back(Preview("", [told]), [told], scene.tree.roots, scene.tree.store)
        assert [(each.done, each.said) for each in outcomes] == [(False, "Skipped: it contains other files")]
        assert (path / "own").read_text() == "own"
        assert steps == []
        assert scene.strays() == {"d/changed/own"}

    def test_a_root_that_is_another_folder_by_a_link_now(self, tmp_path: Path) -> None:
        scene = Scene(tmp_path)
        root = Path(scene.tree.root)
        root.rename(root.with_name("away"))
        root.symlink_to(scene.outside)
        assert {step.refusal for step in scene.tree.preview(scene.changes).steps} == {
            f"{scene.tree.root} is now a symlink, possibly to another place"
        }
        assert not any(each.done for each in scene.tree.take(scene.preview))
        assert scene.outside_now() == scene.outsides


def restarted(tree: Tree, change: Callable[[dict[str, Any]], object] = lambda _: None) -> Preview:
    """The undoing of what was taken back last, from a table, in another run of the program."""
    data = json.loads(json.dumps(to_data(tree.taken[-1])))
    change(data)
    tree.taken[-1] = from_data(TakenBack, data)
    tree.roots = SandboxRoots([Path(tree.root)])
    return plan.plan_redo(tree.taken[-1], tree.roots, tree.store)


class TestTables:
    def test_undone_after_a_restart(self, tmp_path: Path) -> None:
        scene = Scene(tmp_path)
        for name in (b"line\nbreak", b"bad\xff"):
            Path(os.fsdecode(os.fsencode(scene.tree.root) + b"/d/" + name)).write_bytes(name)
        after = scene.tree.look()
        scene.tree.take(scene.tree.preview(scene.tree.changes(scene.before, after)))
        assert scene.tree.look(keep=False) == scene.before
        scene.tree.take(restarted(scene.tree))
        assert scene.tree.look(keep=False) == after
        scene.tree.take(restarted(scene.tree))
        assert scene.tree.look(keep=False) == scene.before

    @pytest.mark.parametrize(
        "path",
        [
            "../outside/new",
            "d/../../outside/new",
            "/etc/never",
            "",
            ".",
            "..",
            "d//x",
            "d/./x",
            "x\0y",
            ".git/hooks/post-checkout",
            "d/.GIT/config",
        ],
    )
    @pytest.mark.parametrize("old", [True, False])
    def test_a_changed_one_writes_nowhere_else(self, tmp_path: Path, path: str, old: bool) -> None:
        scene = Scene(tmp_path)
        scene.tree.take(scene.preview)

        def change(data: dict[str, Any]) -> None:
            for step in data["steps"]:
                if old:
                    step["change"] |= {"old_path": path, "status": "renamed"}
                    step["act"] = "move"
                else:
                    step["change"]["path"] = path
                step["target"] = {"kind": "absent"}

        preview = restarted(scene.tree, change)
        scene.tree.take(preview, preview.steps)
        told = [replace(step, refusal="", chosen=True, now=ABSENT) for step in preview.steps]
        scene.tree.take(Preview("", told), told)
        assert scene.outside_now() == scene.outsides
        assert scene.tree.look(keep=False) == scene.before

    @pytest.mark.parametrize("root", ["/", "outside", "root/..", "root/d/../../outside", "relative"])
    def test_another_root_is_none(self, tmp_path: Path, root: str) -> None:
        scene = Scene(tmp_path)
        place = root if root in ("/", "relative") else f"{tmp_path}/{root}"
        change = PathChange(place, "new", "new", scene.before["kept"], ABSENT)
        preview = plan.plan_revert("", [change], scene.tree.roots, scene.tree.store)
        assert [(step.refusal, step.forcible) for step in preview.steps] == [("Outside this session's folders", False)]
        told = Step(change, "write", ABSENT, scene.before["kept"])
        (outcome,) = scene.tree.take(Preview("", [told]), [told])
        assert not outcome.done
        assert scene.outside_now() == scene.outsides

    @pytest.mark.parametrize(
        "change",
        [
            {"steps": None},
            {"steps": [1]},
            {"steps": [{"act": "run"}]},
            {"outcomes": [["a"]]},
            {"number": "1"},
            {"time": None},
            {"undone": 1},
            {"undoes": "x"},
        ],
    )
    def test_what_is_no_taking_is_said_to_be_none(self, tmp_path: Path, change: dict[str, Any]) -> None:
        scene = Scene(tmp_path)
        scene.tree.take(scene.preview)
        data = to_data(scene.tree.taken[-1])
        assert from_data(TakenBack, data) == scene.tree.taken[-1]
        with pytest.raises(ValueError):  # noqa: PT011 (any)
            from_data(TakenBack, {**data, **change})

    def test_bytes_that_are_not_those_of_their_name(self, tmp_path: Path) -> None:
        scene = Scene(tmp_path)
        digest = scene.before["d/changed"].digest
        scene.tree.store.kept[digest] = b"forged"
        (outcome,) = [each for each in scene.tree.take(scene.preview) if each.path == "d/changed"]
        assert (outcome.done, outcome.said) == (False, "Skipped: the saved version is damaged")
        assert scene.tree.look(keep=False)["d/changed"] == scene.after["d/changed"]
        assert scene.strays() == set()
