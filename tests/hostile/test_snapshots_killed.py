"""Processes that are killed at any step: the next start works, what was promised is there, and nothing grows."""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from subprocess import CompletedProcess

import anyio
import pytest

from acp_tui.errors import UserFault
from acp_tui.host.snapshots import places, worker
from acp_tui.host.snapshots.pack import Blob, blobs_in, index_of
from acp_tui.host.snapshots.places import Place, place_of
from acp_tui.host.snapshots.store import Store
from acp_tui.host.snapshots.worker import Worker
from tests.turns import tree_of, watched

pytestmark = pytest.mark.anyio

KILLED = """
import os, signal, sys
left = {number}
def dying(act):
    def wrapped(*given, **named):
        global left
        if (given[0] not in (1, 2)) if act is os.write else True:
            left -= 1
            if left < 0:
                if act is os.write:
                    act(given[0], bytes(given[1])[: len(given[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
        return act(*given, **named)
    return wrapped
for name in ("write", "fsync", "replace", "rename", "unlink", "ftruncate"):
    setattr(os, name, dying(getattr(os, name)))
"""
"""Begins a program that is killed at a call that writes, in the middle of it."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}").write_bytes(os.urandom(2000))
    return folder


def made(root: Path) -> Worker:
    Place(str(root), place_of(str(root))).prepare()
    return Worker(str(root), place_of(str(root)))


async def held(of: Worker, manifests: Sequence[str]) -> list[dict[str, bytes]]:
    """What is kept of each."""
    states = [await of.below(each, "") for each in manifests]
    store = Store(of.folder)
    return [{path: store.get(state.digest) for path, state in each.items() if state.kind == "file"} for each in states]


def deaths(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have children be killed at each step, one after the other."""
    program = worker._PROGRAM
    for number in range(200):
        monkeypatch.setattr(worker, "_PROGRAM", KILLED.format(number=number) + program)
        yield
    pytest.fail("it never came to its end")


def files_of(folder: Path) -> list[str]:
    """What kinds of files a store has, by what is not random in their names."""
    return sorted(str(path.parent.relative_to(folder)) + path.suffix for path in folder.rglob("*") if path.is_file())


async def test_a_child_that_is_killed_while_it_keeps(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of, program = made(root), worker._PROGRAM
    promised = [(await of.snapshot()).id]
    told = await held(of, promised)
    count = 0
    for _ in deaths(monkeypatch):
        count += 1
        (root / "0").write_bytes(os.urandom(2000))
        try:
            promised.append((await of.snapshot()).id)
        except UserFault:
            continue
        told.append({path: data for path, (_, _, data) in tree_of(root).items()})
        break
    assert count > 5
    monkeypatch.setattr(worker, "_PROGRAM", program)
    promised.append((await of.snapshot()).id)
    assert await held(of, promised[:-1]) == told
    store = Store(of.folder)
    index = sum(blob.length for pack in store.packs for blob in blobs(pack))
    assert index == sum(pack.stat().st_size for pack in store.packs)  # nothing that was torn stays
    await of.prune([])
    assert not torn_in(of.folder)


def torn_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob(".*") if path.is_file()]


def blobs(pack: Path) -> Iterator[Blob]:
    return blobs_in(index_of(pack))


async def test_a_child_that_is_killed_while_it_prunes(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of, program = made(root), worker._PROGRAM
    old = [(await of.snapshot()).id]
    (root / "0").write_bytes(b"kept")
    (root / "1").unlink()
    kept = [(await of.snapshot()).id]
    told = await held(of, kept)
    count = 0
    for _ in deaths(monkeypatch):
        count += 1
        try:
            await of.prune(old)
        except UserFault:
            monkeypatch.setattr(worker, "_PROGRAM", program)
            assert await held(of, kept) == told
            continue
        break
    assert count > 5
    monkeypatch.setattr(worker, "_PROGRAM", program)
    await of.prune(old)
    assert await held(of, kept) == told
    assert set(os.listdir(of.folder / "manifests")) == set(kept)  # noqa: PTH208
    once = files_of(of.folder)
    kept.append((await of.snapshot()).id)
    assert (await held(of, kept))[1] == told[0]
    assert [name for name in once if name.startswith(("packs", "trees", "rewriting"))] == [
        "packs.index",
        "packs.pack",
        "trees",
    ]


async def test_many_at_once_keep_and_prune_and_nothing_that_has_a_name_is_lost(root: Path) -> None:
    workers = [made(root), made(root)]
    promised: list[str] = []

    async def keep(of: Worker, number: int) -> None:
        for _ in range(3):
            (root / f"own {number}").write_bytes(os.urandom(100))
            promised.append((await of.snapshot()).id)
            await of.prune([])

    async with anyio.create_task_group() as tasks:
        for number, of in enumerate(workers):
            tasks.start_soon(keep, of, number)
    assert len({*promised}) == 6
    for each in await held(workers[0], promised):
        assert {"0", "1", "2"} <= each.keys()


async def run(script: str) -> CompletedProcess[bytes]:
    return await anyio.run_process([sys.executable, "-c", script], cwd=Path(__file__).parents[2], check=False)


TAKES_BACK = """
import os, signal, sys
from pathlib import Path
import anyio
from acp_tui.host.take_back import acts
from tests.turns import watched
left = {number}
def dying(act):
    def wrapped(*given):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return act(*given)
    return wrapped
async def run():
    root = Path({root!r})
    async with watched(root) as turns:
        await turns.begin()
        for name in "012":
            (root / name).write_text("agent " + name)
        since, until = await turns.end()
        (root / "0").write_text("mine")
        acts.replace_by = dying(acts.replace_by)
        await turns.take_back(await turns.preview(since, until), forced=True)
anyio.run(run)
"""


@pytest.mark.parametrize("number", [1, 2, 3])
async def test_a_program_that_is_killed_while_it_takes_back_can_undo_that_later(root: Path, number: int) -> None:
    before = tree_of(root)
    script = TAKES_BACK.format(number=number, root=str(root))
    done = await run(script)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    for path in torn_in(root):
        path.unlink()  # what was made beside and has not got its name yet
    names = {path: before[path] == tree_of(root)[path] for path in "012"}
    assert sum(names.values()) == number - 1  # what was done is whole, the rest as it was
    async with watched(root) as turns:
        await turns.until(lambda: bool(turns.changes.taken_back))
        taken = turns.changes.taken_back[-1]
        assert turns.changes.turns.history.manifests  # by which its bytes stay for longer than a day
        await next(iter(turns.changes.turns.folders)).worker.prune([])
        undone = await turns.undo(taken)
        assert all(outcome.done for outcome in undone.outcomes)
        told = {path: data for path, (_, _, data) in tree_of(root).items()}
        assert told == {"0": b"mine", "1": b"agent 1", "2": b"agent 2"}


async def test_a_store_of_a_run_that_was_killed_is_removed_at_the_next_start(root: Path) -> None:
    script = f"""
import os, signal
from pathlib import Path
import anyio
from tests.turns import watched
async def run():
    async with watched(Path({str(root)!r}), passing=True):
        os.kill(os.getpid(), signal.SIGKILL)
anyio.run(run)
"""
    done = await run(script)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    left = places.snapshots_folder() / places.TEMPORARY
    assert list(left.iterdir())
    async with watched(root) as turns:
        assert turns.changes.points
    assert not list(left.iterdir())
