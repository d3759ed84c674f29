"""Processes that are killed at any step: the next start works, what was promised is there, and nothing grows."""

import os
import signal
import sqlite3
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from subprocess import CompletedProcess

import anyio
import pytest

from acp_tui.errors import UserFault
from acp_tui.host.agent.agent_services import OLD_DELETED
from acp_tui.host.config.state_files import private_folder
from acp_tui.host.snapshots import folder_store, snapshot_client
from acp_tui.host.snapshots.database import FILE_NAME
from acp_tui.host.snapshots.folder_store import FolderStore
from acp_tui.host.system.threads import in_thread
from acp_tui.session.entries import NoticeEntry
from tests.turns import tree_of, watched

pytestmark = pytest.mark.anyio

KILLED = """
import os, signal, sqlite3
left = {number}
class Dying(sqlite3.Connection):
    def execute(self, statement, *given):
        global left
        left -= statement.split()[0] in ("INSERT", "UPDATE", "DELETE", "COMMIT")
        if left < 0:
            if {half}:
                super().execute(statement, *given)
            os.kill(os.getpid(), signal.SIGKILL)
        return super().execute(statement, *given)
    def executemany(self, statement, given):
        for each in given:
            last = self.execute(statement, each)
    def executescript(self, script):
        self.execute("COMMIT") if self.in_transaction else None
        return super().executescript(script)
connect = sqlite3.connect
sqlite3.connect = lambda *given, **named: connect(*given, **named, factory=Dying)
"""
"""Begins a program that is killed at a statement that writes, before it or behind it."""
PRUNES = """
import sys
from pathlib import Path
from acp_tui.host.snapshots.database import FILE_NAME
from acp_tui.host.snapshots.folder_store import FolderStore
from acp_tui.host.config.state_files import private_folder
from acp_tui.host.system.threads import in_thread
from acp_tui.session.entries import NoticeEntry
FolderStore(sys.argv[1]).drop(sys.argv[2:])
"""
HALVES = (False, True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}").write_bytes(os.urandom(2000))
    return folder


def made(root: Path) -> FolderStore:
    store = FolderStore(str(root))
    store.prepare()
    return store


def held(of: FolderStore, names: Sequence[str]) -> list[dict[str, bytes]]:
    """What is kept of each."""
    states = [of.below(each, "") for each in names]
    return [{path: of.get(state.digest) for path, state in each.items() if state.kind == "file"} for each in states]


def is_whole(of: FolderStore) -> bool:
    """Nothing is damaged, and each row and each piece has what it belongs to."""
    connection = sqlite3.connect(of.folder / FILE_NAME)
    pieces = "SELECT count(*) FROM piece WHERE NOT EXISTS (SELECT 1 FROM blob WHERE blob.id = piece.id >> 20)"
    blobs = "NOT EXISTS (SELECT 1 FROM blob WHERE blob.digest = row.digest)"
    checks = "PRAGMA integrity_check", pieces, f"SELECT count(*) FROM row WHERE kind IN (1, 2) AND {blobs}"
    found = [connection.execute(check).fetchone()[0] for check in checks]
    connection.close()
    return found == ["ok", 0, 0]


async def test_a_child_that_is_killed_while_it_keeps(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of, program, count = made(root), snapshot_client._PROGRAM, 0
    promised = [(await of.worker.snapshot()).id]
    told = held(of, promised)
    for half in HALVES:
        for number in range(200):
            monkeypatch.setattr(snapshot_client, "_PROGRAM", KILLED.format(number=number, half=half) + program)
            (root / "0").write_bytes(os.urandom(2000))
            count += 1
            try:
                promised.append((await of.worker.snapshot()).id)
            except UserFault:
                assert is_whole(of)
                assert {*promised} <= {*of.names()}
                continue
            told.append({path: data for path, (_, _, data) in tree_of(root).items()})
            break
    assert count > 15
    monkeypatch.setattr(snapshot_client, "_PROGRAM", program)
    promised.append((await of.worker.snapshot()).id)
    assert held(of, promised[:-1]) == told


async def test_a_program_that_is_killed_while_it_prunes(root: Path) -> None:
    of, count = made(root), 0
    for half in HALVES:
        (root / "secret").write_bytes(secret := os.urandom(2000))
        old = (await of.worker.snapshot()).id
        (root / "0").write_bytes(b"kept")
        (root / "secret").unlink()
        kept = [(await of.worker.snapshot()).id]
        told = held(of, kept)
        for number in range(200):
            count += 1
            command = [sys.executable, "-c", KILLED.format(number=number, half=half) + PRUNES, str(root), old]
            done = await anyio.run_process(command, cwd=Path(__file__).parents[2], check=False)
            assert is_whole(of)
            assert held(of, kept) == told
            if done.returncode == 0:
                break
        assert of.names() == kept
        assert secret[:100] not in b"".join(path.read_bytes() for path in of.folder.iterdir())
        of.drop(kept)
    assert count > 10


async def test_many_at_once_keep_and_prune_and_nothing_that_has_a_name_is_lost(root: Path) -> None:
    workers = [made(root), made(root)]
    promised: list[str] = []

    async def keep(of: FolderStore, number: int) -> None:
        for _ in range(3):
            (root / f"own {number}").write_bytes(os.urandom(100))
            promised.append((await of.worker.snapshot()).id)
            await in_thread(of.drop, [(await of.worker.snapshot()).id])

    async with anyio.create_task_group() as tasks:
        for number, of in enumerate(workers):
            tasks.start_soon(keep, of, number)
    assert len({*promised}) == 6
    assert is_whole(workers[0])
    for each in held(workers[0], promised):
        assert {"0", "1", "2"} <= each.keys()


def hidden_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob(".*") if path.is_file()]


async def run(script: str) -> CompletedProcess[bytes]:
    return await anyio.run_process([sys.executable, "-c", script], cwd=Path(__file__).parents[2], check=False)


TAKES_BACK = """
import os, signal, sys
from pathlib import Path
import anyio
from acp_tui.host.revert import file_operations as acts
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
    for path in hidden_in(root):
        path.unlink()  # what was made beside and has not got its name yet
    names = {path: before[path] == tree_of(root)[path] for path in "012"}
    assert sum(names.values()) == number - 1  # what was done is whole, the rest as it was
    async with watched(root) as turns:
        await turns.until(lambda: bool(turns.changes.taken_back))
        taken = turns.changes.taken_back[-1]
        await in_thread(next(iter(turns.changes.turns.folders)).forget, [], time.time() + 1)
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
    left = folder_store.snapshots_folder() / folder_store.TEMPORARY
    assert list(left.iterdir())
    async with watched(root) as turns:
        assert turns.changes.points
    assert not list(left.iterdir())


async def test_what_the_first_two_releases_kept_goes_with_one_notice(root: Path) -> None:
    for name in folder_store.OLD:
        private_folder(made(root).folder / name)
    for told in ([OLD_DELETED], []):
        async with watched(root) as turns:
            entries = turns.changes.turns.session.entries
            await turns.until(lambda: not any((made(root).folder / name).exists() for name in folder_store.OLD))
        assert [entry.title for entry in entries if isinstance(entry, NoticeEntry)] == told
