"""Undo and redo in any order over turns that share files, with ignore rules that change, the user's edits and kills:
after each step the folder is as an oracle says that knows nothing of snapshots.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st

from acp_tui.host.revert import apply
from acp_tui.host.revert.steps import Preview, Step
from tests.examples import times
from tests.turns import Turns, at_home, git, tree_of, watched

__all__ = ["at_home"]

PATHS = ["a", "b", "d/x", "notes/t"]
RULES = ["", "notes/\n", "a\n", "*.o\n"]
Files = dict[str, bytes]
Op = tuple[str, str, str]
"""`write` a path with a text, `delete` it, `move` it to another one."""

ops = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PATHS), st.sampled_from(["1\n", "2\n", "3\n"])),
    st.tuples(st.just("delete"), st.sampled_from(PATHS), st.just("")),
    st.tuples(st.just("move"), st.sampled_from(PATHS), st.sampled_from(["moved", "d/y"])),
    st.tuples(st.just("write"), st.just(".gitignore"), st.sampled_from(RULES)),
)
steps = st.one_of(
    st.tuples(st.just("turn"), st.lists(ops, min_size=1, max_size=4)),
    st.tuples(st.just("turn"), st.lists(ops, min_size=1, max_size=4)),
    st.just(("undo", 0)),
    st.just(("undo", 0)),
    st.just(("redo", 0)),
    st.tuples(st.just("kill"), st.integers(0, 3)),
    st.tuples(st.just("edit"), st.sampled_from(PATHS)),
)


class Killed(Exception):
    """The program ended here."""


@dataclass
class Turn:
    """One that changed something that is to be seen; the files before and after, and which were not ignored then."""

    number: int
    before: Files
    after: Files
    kept_before: set[str]
    kept_after: set[str]

    @property
    def changed(self) -> set[str]:
        """What is the turn's to undo: what was kept at its beginning, and what is new and not ignored at its end."""
        both = self.before.keys() | self.after.keys()
        differ = {path for path in both if self.before.get(path) != self.after.get(path)}
        return {path for path in differ if path in self.kept_before or self._is_new(path)}

    def _is_new(self, path: str) -> bool:
        return path not in self.before and path in self.kept_after


@dataclass
class Model:
    """What the folder must be. `stands`: turns that are not undone; `edited`: files that the user changed himself."""

    root: Path
    stands: list[Turn] = field(default_factory=list)
    edited: dict[str, bytes | None] = field(default_factory=dict)
    turns: int = 0
    redoable: tuple[Turn, Files] | None = None

    def files(self) -> Files:
        return {path: data for path, (kind, _, data) in tree_of(self.root).items() if kind == "file"}

    def kept(self) -> set[str]:
        return set(git(self.root, "ls-files", "-z", "-co", "--exclude-standard").split("\0")) & self.files().keys()

    def is_undone(self, turn: Turn) -> None:
        """The folder now, after a turn was undone: as before it, but for what the user edited."""
        now = self.files()
        for path in turn.changed - self.edited.keys():
            assert now.get(path) == turn.before.get(path), (path, now.get(path), turn)
        for path, data in self.edited.items():
            assert now.get(path) == data, ("the user's", path)


def _act(root: Path, op: Op, kept: Collection[str]) -> None:
    """One of the agent; it does nothing to a file that was ignored when its turn began, which nobody keeps."""
    kind, path, to = op
    if (root / path).exists() and path not in kept and path != ".gitignore":
        return
    with suppress(OSError):
        if kind == "write":
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_text(to)
        elif kind == "delete":
            (root / path).unlink()
        elif not (root / to).exists():
            (root / to).parent.mkdir(exist_ok=True)
            (root / path).rename(root / to)


async def _turn(model: Model, turns: Turns, given: Sequence[Op]) -> None:
    before, kept = model.files(), model.kept()
    await turns.begin()
    for op in given:
        _act(model.root, op, kept)
    after, kept_after = model.files(), model.kept()
    await turns.end()
    model.turns += 1
    turn = Turn(model.turns, before, after, kept, kept_after)
    for path in [path for path in model.edited if before.get(path) != after.get(path)]:
        del model.edited[path]  # it is the agent's now
    model.redoable = None
    if turn.changed:
        model.stands.append(turn)


async def _previewed(model: Model, turns: Turns) -> tuple[Turn | None, Preview | None]:
    """What the next undo offers: the newest turn that stands, as the screen finds it."""
    passed: set[int] = set()
    while (found := turns.changes.last_turn(passed)) is not None:
        between = await turns.changes.between(*found)
        preview = await turns.changes.preview("x", between, between.files)
        if preview.steps and not preview.is_as_it_was:
            break
        passed.add(found[0].turn)
        if model.stands and model.stands[-1].number == found[0].turn:
            model.is_undone(model.stands.pop())  # all of it is back already, by the user's hand or another turn's
    if found is None:
        assert model.stands == [], "a turn is skipped"
        return None, None
    assert model.stands, "more than there is"
    assert found[0].turn == model.stands[-1].number, "not the newest turn"
    return model.stands[-1], preview


def _chosen(preview: Preview) -> list[Step]:
    return [step for step in preview.steps if not step.refusal and step.act != "nothing"]


async def _undo(model: Model, turns: Turns) -> None:
    turn, preview = await _previewed(model, turns)
    if turn is None or preview is None:
        return
    now = model.files()
    if not _chosen(preview):  # all of it is the user's by now: the screen passes the turn by for the rest of the run
        event("nothing can be undone")
        raise Killed
    await turns.take_back(preview)
    model.is_undone(turn)
    model.stands.pop()
    model.redoable = turn, now


async def _redo(model: Model, turns: Turns) -> None:
    if model.redoable is None:
        return
    turn, then = model.redoable
    last = next(each for each in reversed(turns.changes.taken_back) if each.undoes is None and not each.undone)
    await turns.undo(last)
    assert model.files() == then
    model.stands.append(turn)
    model.redoable = None


async def _kill(model: Model, turns: Turns, after: int) -> bool:
    """The program ends in an undo, behind so many steps of it; whether there was one."""
    turn, preview = await _previewed(model, turns)
    if turn is None or preview is None or not _chosen(preview):
        return False
    real, done = apply.take_back, []

    def part(given: Preview, wanted: Sequence[Step], *how: Any) -> Any:
        done.extend(list(wanted)[:after])
        real(given, done, *how)
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apply, "take_back", part)
        with pytest.raises(Killed):
            await turns.take_back(preview)
    event(f"killed behind {len(done)} of {len(_chosen(preview))}")
    model.redoable = None
    return True


async def _settled(model: Model, turns: Turns) -> None:
    """After a kill what is said of each file is what the disk shows, and the turn stands unless all of it is back."""
    now = model.files()
    taken = turns.changes.taken_back[-1]
    assert taken.finished
    for step in taken.steps:
        if step.target.kind == "absent":
            assert step.change.path not in now
        elif step.act == "write":
            assert step.change.path in now
    if taken.whole:
        model.is_undone(model.stands.pop())


async def _series(root: Path, given: Sequence[tuple[str, Any]]) -> None:
    model, at = Model(root), 0
    edits = count()
    while at < len(given):
        killed = False
        async with watched(root) as turns:
            await turns.until(lambda: len(turns.changes.points) >= 1)
            if at:
                await turns.until(lambda: bool(turns.changes.taken_back) and turns.changes.taken_back[-1].finished)
                await _settled(model, turns)
            while at < len(given) and not killed:
                kind, what = given[at]
                at += 1
                event(kind)
                match kind:
                    case "turn":
                        await _turn(model, turns, what)
                    case "undo":
                        try:
                            await _undo(model, turns)
                        except Killed:
                            return
                    case "redo":
                        await _redo(model, turns)
                    case "kill":
                        killed = await _kill(model, turns, what)
                    case "edit":
                        _edit(model, what, f"mine {next(edits)}\n".encode())


def _edit(model: Model, path: str, data: bytes) -> None:
    """The user writes a file that is there, and no two times the same."""
    if path in model.files():
        (model.root / path).write_bytes(data)
        model.edited[path] = data
        model.redoable = None


@pytest.fixture
def roots(tmp_path: Path) -> Iterator[Path]:
    return (tmp_path / f"{number}" / "work" for number in count())


BOTH = [("write", "a", "2\n")]


@pytest.mark.usefixtures("at_home")
@settings(times(0.5), suppress_health_check=list(HealthCheck))
@given(st.lists(steps, min_size=2, max_size=9))
@example([("turn", BOTH), ("turn", [("write", "a", "3\n")]), ("undo", 0), ("undo", 0), ("undo", 0)])
@example([("turn", [("write", ".gitignore", "notes/\n"), ("move", "notes/t", "moved")]), ("undo", 0), ("redo", 0)])
@example([("turn", [*BOTH, ("write", "b", "2\n")]), ("kill", 1), ("undo", 0), ("redo", 0), ("undo", 0)])
@example(
    [("turn", BOTH), ("turn", [("write", "b", "2\n")]), ("edit", "b"), ("turn", [("delete", "a", "")]), ("undo", 0)]
)
def test_after_each_step_the_folder_is_as_the_oracle_says(
    roots: Iterator[Path], given: Sequence[tuple[str, Any]]
) -> None:
    root = next(roots)
    root.mkdir(parents=True)
    git(root, "init", "-q")
    for path in PATHS:
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text("0\n")
    anyio.run(_series, root, given)
