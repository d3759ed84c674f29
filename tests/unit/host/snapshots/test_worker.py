"""The child and the program's side of it, through real pipes."""

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.config.state_files import create_new
from acp_tui.host.snapshots import snapshot_client
from acp_tui.host.snapshots.capture import Caps
from acp_tui.host.snapshots.content import digest_of
from acp_tui.host.snapshots.folder_store import FolderStore
from acp_tui.host.snapshots.path_state import ABSENT, PathState
from acp_tui.host.snapshots.proof import Stamp, stamp_now
from acp_tui.host.snapshots.snapshot_client import SnapshotClient
from acp_tui.host.system.paths import mount_table
from tests.turns import state_now

LISTING = """
import json
heavy = [name for name in sys.modules if name.partition(".")[0] in ("pydantic", "anyio", "asyncio", "textual")]
outside = [name for name, module in sys.modules.items() if "site-packages" in str(getattr(module, "__file__", ""))]
print(json.dumps([heavy, outside, sorted(name for name in sys.modules if name.startswith("acp_tui"))]))
"""

HELD = """
import time
from acp_tui.host.snapshots import snapshot_process as child
check = child._Heard.check
def held(self, read=0, of=0):
    check(self, read, of)
    while of:
        check(self)
        time.sleep(0.001)
child._Heard.check = held
"""


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> None:
    """The child reads no file before it has to end: it is as fast as the machine is free."""
    start, call, rest = snapshot_client._PROGRAM.rpartition("serve(")
    monkeypatch.setattr(snapshot_client, "_PROGRAM", start + HELD + call + rest)


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[asyncio.subprocess.Process]:
    """All that are started."""
    started, children = snapshot_client._started, list[asyncio.subprocess.Process]()

    async def noted() -> asyncio.subprocess.Process:
        children.append(await started())
        return children[-1]

    monkeypatch.setattr(snapshot_client, "_started", noted)
    return children


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "work" / "sub").mkdir(parents=True)
    (tmp_path / "work" / "a").write_text("one\n")
    (tmp_path / "work" / "sub" / "b\n\udcff").write_text("two\n")
    return tmp_path / "work"


def run(act: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(act(), 60))


def test_the_child_needs_nothing_but_the_standard_library() -> None:
    start, _, _ = snapshot_client._PROGRAM.rpartition("serve(")
    done = subprocess.run([sys.executable, "-I", "-S", "-c", start + LISTING], capture_output=True, check=True)
    heavy, outside, ours = json.loads(done.stdout)
    assert heavy == []
    assert [name for name in outside if not name.startswith("acp_tui")] == []
    assert "acp_tui.host.snapshots.capture" in ours


def test_snapshots_compared(root: Path, tmp_path: Path) -> None:
    async def act() -> None:
        kept, progress = FolderStore(str(root), tmp_path / "store"), list[tuple[int, int]]()
        made = kept.worker
        first = await made.snapshot(lambda read, of: progress.append((read, of)))
        assert (first.files, first.bytes_new, first.gaps, first.head) == (2, 8, [], "")
        assert progress
        (root / "a").write_text("one\nmore\n")
        (root / "sub" / "b\n\udcff").rename(root / "c")
        (root / "new").write_text("")
        middle = await made.snapshot()
        (root / "new").unlink()
        (root / "sub").chmod(0o700)
        last = await made.snapshot()
        compared = await asyncio.to_thread(kept.compare, [first.id, middle.id, last.id])
        assert [(each.path, each.status, each.old_path, each.added, each.removed) for each in compared.files] == [
            ("a", "changed", "", 1, 0),
            ("c", "renamed", "sub/b\n\udcff", 0, 0),
            ("sub", "mode", "", None, None),
        ]
        assert compared.intervals == {"a": (0,), "c": (0,), "sub": (1,)}
        assert compared.files[0].after == state_now(str(root), "a")
        assert compared.files[0].root == str(root)
        names = {path.name for path in (tmp_path / "store").iterdir()}
        assert names == {"content.db", "content.db-journal", "lock"}
        states = kept.states(middle.id, ["a", "new", "none"])
        assert states == {
            "a": state_now(str(root), "a"),
            "new": PathState("file", 0o644, 0, digest_of(b"").hex()),
            "none": ABSENT,
        }
        assert set(kept.below(first.id, "sub")) == {"sub/b\n\udcff"}
        assert set(kept.below(first.id, "")) == {"a", "sub", "sub/b\n\udcff"}

    run(act)


def test_what_this_program_writes_there_itself_is_no_change(root: Path, tmp_path: Path) -> None:
    async def act() -> None:
        kept = FolderStore(str(root), tmp_path / "store")
        before = await kept.worker.snapshot()
        for place in (root / "trace.jsonl", root / "sub" / "trace.jsonl"):
            os.write(descriptor := create_new(place, "", os.O_APPEND), b"one")
            os.close(descriptor)
        (root / "sub" / "new").write_text("")
        middle = await kept.worker.snapshot()
        (root / "trace.jsonl").write_text("one, two")
        last = await kept.worker.snapshot()
        compared = await asyncio.to_thread(kept.compare, [before.id, middle.id, last.id])
        assert [(each.path, each.status) for each in compared.files] == [("sub/new", "new")]

    run(act)


def test_pruned_bytes_are_gone_and_the_next_snapshot_keeps_what_it_needs(root: Path, tmp_path: Path) -> None:
    async def act() -> None:
        kept = FolderStore(str(root), tmp_path / "store")
        made = kept.worker
        (root / "secret").write_bytes(bytes(range(256)))
        first = await made.snapshot()
        (root / "secret").unlink()
        second = await made.snapshot()
        assert kept.names() == [first.id, second.id]
        kept.drop([first.id])
        assert kept.names() == [second.id]
        stored = b"".join(path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file())
        assert bytes(range(256)) not in stored
        (root / "secret").write_bytes(bytes(range(256)))
        third = await made.snapshot()
        assert third.bytes_new == 256
        states = kept.states(third.id, ["secret", "a"])
        assert kept.get(states["secret"].digest) == bytes(range(256))
        assert kept.get(states["a"].digest) == b"one\n"
        kept.drop([second.id, third.id])
        again = await made.snapshot()
        assert again.bytes_new == 4 + 4 + 256

    run(act)


def test_faults_come_in_words(root: Path, tmp_path: Path) -> None:
    async def act() -> None:
        with pytest.raises(UserFault, match="gone"):
            FolderStore(str(root), tmp_path / "store").compare(["none", "none"])
        with pytest.raises(UserFault, match="No such file"):
            await SnapshotClient(str(tmp_path / "none"), tmp_path / "store").snapshot()
        (tmp_path / "file").write_text("")
        with pytest.raises(UserFault, match=r"Not a directory|File exists"):
            await SnapshotClient(str(root), tmp_path / "file" / "store").snapshot()

    run(act)


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("raise SystemExit(3)", "ended early"),
        ("print('nonsense', flush=True); input()", "Expecting value"),
        ("print('[]', flush=True); input()", "failed"),
        ("print('{\"done\": {}}', flush=True)", "failed"),
        ("print('x' * 9999999, flush=True); input()", "failed"),
        ("import os; os.kill(os.getpid(), 9)", "ended early"),
    ],
)
def test_a_child_that_dies_or_talks_nonsense_is_a_fault(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, words: str
) -> None:
    monkeypatch.setattr(snapshot_client, "_PROGRAM", program)

    async def act() -> None:
        with pytest.raises(UserFault, match=words):
            await SnapshotClient(str(root), tmp_path / "store").snapshot()

    run(act)


def test_a_child_that_says_nothing_is_given_up(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_client, "_PROGRAM", "import signal; signal.pause()")
    monkeypatch.setattr(snapshot_client, "SILENT_FOR", 0.05)
    monkeypatch.setattr(snapshot_client, "ENDS_WITHIN", 0.05)

    async def act() -> None:
        with pytest.raises(UserFault, match="timed out"):
            await SnapshotClient(str(root), tmp_path / "store").snapshot()

    run(act)


@pytest.mark.usefixtures("held")
def test_cancelled_it_ends_its_child(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, children: list[asyncio.subprocess.Process]
) -> None:
    async def act() -> None:
        made, begun = SnapshotClient(str(root), tmp_path / "store"), asyncio.Event()
        task = asyncio.create_task(made.snapshot(lambda _read, _of: begun.set()))
        await begun.wait()
        (process,) = children
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert process.returncode is not None
        monkeypatch.undo()
        assert (await made.snapshot()).files == 2

    run(act)


def test_what_a_child_waits_for_ends_with_it(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Git that hangs, say: nobody else would end it."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    below = f"import signal; held = open({str(pipe)!r}, 'w'); held.write('x'); held.flush(); signal.pause()"
    program = f"import subprocess, sys, signal; subprocess.Popen([sys.executable, '-c', {below!r}]); signal.pause()"
    monkeypatch.setattr(snapshot_client, "_PROGRAM", program)
    monkeypatch.setattr(snapshot_client, "ENDS_WITHIN", 0.1)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    held = select.poll()
    held.register(reader, select.POLLIN)

    async def act() -> None:
        task = asyncio.create_task(SnapshotClient(str(root), tmp_path / "store").snapshot())
        assert await asyncio.to_thread(held.poll, 20_000)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run(act)
    assert os.read(reader, 1) == b"x"
    held.modify(reader, 0)  # only whether its last writer is gone
    assert held.poll(20_000)
    os.close(reader)


def test_when_the_prompt_went_out_is_asked_once_all_is_read(root: Path, tmp_path: Path) -> None:
    """So that no prompt can go out unheard before something is read."""
    stamp, asked = stamp_now(mount_table()), list[str]()
    (root / "a").write_text("behind")

    def stamped() -> Stamp:
        asked.append("now")
        return stamp

    async def act() -> None:
        kept = FolderStore(str(root), tmp_path / "store")
        made = kept.worker
        snapshot = await made.snapshot(lambda _read, of: asked.append("reading" if of else "listing"), stamp=stamped)
        assert asked[-1] == "now"
        assert asked.count("now") == 1
        states = kept.states(snapshot.id, ["a", "none"])
        assert (states["a"].kind, states["a"].reason) == ("unknown", "saved too late to undo")
        earlier = (await made.snapshot()).id
        snapshot = await made.snapshot(stamp=stamped, earlier=earlier)
        assert kept.compare([earlier, snapshot.id]).files == []

    run(act)


def test_the_caps_count(root: Path, tmp_path: Path) -> None:
    async def act() -> None:
        snapshot = await SnapshotClient(str(root), tmp_path / "store", Caps(file=3)).snapshot()
        assert snapshot.bytes_new == 0
        assert len(snapshot.gaps) == 1
        assert snapshot.gaps[0].startswith("2 too large to save: a, sub/b")
        assert snapshot.gaps[0].isprintable()

    run(act)


def test_the_child_ends_with_its_input_and_leaves_nothing(root: Path, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    (root / ".gitignore").write_text("")
    command = {"do": "snapshot", "root": str(root), "store": str(tmp_path / "s"), "caps": [9, 9, 9], "also": []}
    child = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", snapshot_client._PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    child.communicate(json.dumps(command).encode() + b"\n", timeout=60)
    assert child.returncode == 0
    assert list(temporary.iterdir()) == []


def test_it_is_last_in_turn_and_in_a_session_of_its_own(
    root: Path, tmp_path: Path, children: list[asyncio.subprocess.Process]
) -> None:
    async def act() -> None:
        made, seen = SnapshotClient(str(root), tmp_path / "store"), list[tuple[int, int]]()

        def look(_read: int, _of: int) -> None:
            for process in children:
                seen.append((os.getpriority(os.PRIO_PROCESS, process.pid), os.getsid(process.pid) - process.pid))
                os.kill(process.pid, signal.SIGCONT)

        await made.snapshot(look)
        assert seen
        assert all(nice >= 10 and session == 0 for nice, session in seen)

    run(act)
