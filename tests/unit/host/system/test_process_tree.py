"""Who belongs to a tree, that all of it ends, and that nobody else does."""

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from acp_tui.host.system import process_tree, processes, watchdog
from acp_tui.host.system.process_tree import ProcessTree, left_running
from acp_tui.host.system.processes import ProcFileSystem
from acp_tui.host.system.watchdog import RUN, VARIABLE, marked

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")

PATIENCE = 30.0  # seconds for what takes milliseconds


class Family:
    """A shell that runs a line and then reads; what it writes are numbers of processes."""

    def __init__(self, line: str) -> None:
        pipe = subprocess.PIPE
        self.shell = subprocess.Popen(
            ["sh", "-c", f"{line}\nread -r _; exit 0"],
            stdin=pipe,
            stdout=pipe,
            start_new_session=True,
            env=marked(os.environ),
        )

    def told(self) -> int:
        assert self.shell.stdout is not None
        return int(self.shell.stdout.readline())

    def end_by_itself(self) -> None:
        assert self.shell.stdin is not None
        self.shell.stdin.close()
        self.shell.wait()


Start = Callable[[str], Family]


def full(*_: object) -> int:
    raise OSError(errno.EMFILE, "too many open files")


@pytest.fixture
def start() -> Iterator[Start]:
    families: list[Family] = []

    def start(line: str) -> Family:
        families.append(Family(line))
        return families[-1]

    yield start
    for one in families:
        if one.shell.returncode is None:
            os.killpg(one.shell.pid, signal.SIGKILL)
        one.shell.wait()
        for stream in (one.shell.stdin, one.shell.stdout):
            if stream is not None:
                stream.close()


def runs(pid: int) -> bool:
    return ProcFileSystem().find(pid) is not None


def until(happened: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline


def test_a_child_with_a_session_of_its_own_belongs_to_it_and_so_do_its_children(start: Start) -> None:
    family = start("setsid sh -c 'sleep 60 & echo $!; echo $$; wait' &")
    grandchild, child = family.told(), family.told()
    tree = ProcessTree(family.shell.pid)
    assert tree._seen.keys() == {family.shell.pid, child, grandchild}
    tree.signal(signal.SIGTERM)
    family.shell.wait()
    until(lambda: not tree.look())
    assert not runs(child)
    assert not runs(grandchild)


def test_who_was_seen_belongs_to_it_when_nothing_leads_there_any_more(start: Start) -> None:
    family = start("setsid sleep 60 & echo $!")
    child = family.told()
    until(lambda: os.getsid(child) == child)
    tree = ProcessTree(family.shell.pid)
    family.end_by_itself()
    assert tree.look()
    assert runs(child)
    tree.kill()
    until(lambda: not runs(child))


GROUP_OF_ITS_OWN = "import os, time; os.setpgid(0, 0); print(os.getpid(), flush=True); time.sleep(60)"


@pytest.mark.parametrize("line", ["sleep 60 & echo $!", f"{sys.executable} -c '{GROUP_OF_ITS_OWN}' &"])
def test_who_never_left_the_session_belongs_to_it_though_it_was_not_seen(line: str, start: Start) -> None:
    family = start(line)
    child = family.told()
    family.end_by_itself()
    tree = ProcessTree(family.shell.pid)
    assert tree._seen.keys() == {child}
    tree.signal(signal.SIGTERM)
    until(lambda: not runs(child))


def test_after_the_root_has_ended_its_number_is_nobodys(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    ended, other = start("true"), start("true")
    tree = ProcessTree(ended.shell.pid)
    ended.end_by_itself()
    assert not tree.look()
    tree.pid = other.shell.pid  # as if the number had been given away
    with monkeypatch.context() as here:
        here.setattr(os, "killpg", pytest.fail)
        tree.signal(signal.SIGKILL)
        tree.kill()
    assert runs(other.shell.pid)


def test_whoever_has_the_number_of_one_that_was_seen_is_not_signalled(start: Start) -> None:
    root, other = start("true").shell.pid, start("true").shell.pid
    tree = ProcessTree(root)
    for pid in (root, other):
        seen = ProcFileSystem().find(pid)
        assert seen is not None
        tree._seen[pid] = seen._replace(start="1")
    tree._root = tree._seen[root]
    tree.signal(signal.SIGKILL)
    tree.kill()
    assert runs(root)
    assert runs(other)
    assert not tree.look()


def test_who_starts_others_all_the_time_is_ended_with_them(start: Start, tmp_path: Path) -> None:
    born = tmp_path / "born"
    family = start(f"while :; do setsid sleep 61 & echo $! >>{born}; done")
    tree = ProcessTree(family.shell.pid)
    until(lambda: born.exists() and len(born.read_text().splitlines()) > 20)
    tree.kill()
    family.shell.wait()
    pids = [int(line) for line in born.read_text().splitlines()]
    until(lambda: not any(map(runs, pids)))
    until(lambda: not tree.look())  # the last of them may have been ended before its number was written


def test_a_daemon_is_not_ended_but_named(start: Start) -> None:
    family = start("setsid sh -c 'sleep 62 >/dev/null & echo $!'; sleep 63 & echo $!")
    daemon, child = family.told(), family.told()
    tree = ProcessTree(family.shell.pid)
    assert daemon not in tree._seen
    until(lambda: (daemon, "sleep 62") in left_running())
    assert child not in dict(left_running())  # which ends with this program, however that does
    tree.kill()
    family.shell.wait()
    try:
        assert runs(daemon)
    finally:
        os.kill(daemon, signal.SIGKILL)


def test_a_run_inside_of_a_run_has_both_marks() -> None:
    assert marked({"A": "b"}) == {"A": "b", VARIABLE: RUN}
    assert marked({VARIABLE: "outer"}) == {VARIABLE: f"outer:{RUN}"}


def test_the_shell_that_outlives_us_hears_who_comes_and_goes(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(watchdog, "_say", said.extend)
    family = start("echo $$; read -r _; sleep 60 & echo $!")
    root = family.told()
    tree = ProcessTree(root)
    tree.look()
    assert family.shell.stdin is not None
    family.shell.stdin.write(b"\n")
    family.shell.stdin.flush()
    child = family.told()
    tree.look()
    tree.look()
    seen = tree._seen[child]
    family.end_by_itself()
    tree.kill()
    until(lambda: not tree.look())
    tree.forget()
    assert said == [f"group {root}\n", f"end {child} {seen.start}\n", f"forget {root}\n", f"forget {child}\n"]


@pytest.mark.anyio
@pytest.mark.parametrize("closest", [0.0, 0.001])
async def test_a_sign_of_life_is_a_reason_to_look(
    closest: float, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_tree, "FIRST", 10 * PATIENCE)
    monkeypatch.setattr(process_tree, "CLOSEST", closest)
    family = start("read -r _; setsid sleep 60 & echo $!")
    tree = ProcessTree(family.shell.pid)
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(tree.watch)
            await anyio.wait_all_tasks_blocked()
            assert family.shell.stdin is not None
            family.shell.stdin.write(b"\n")
            family.shell.stdin.flush()
            child = family.told()
            while child not in tree._seen:
                tree.hear()
                await anyio.lowlevel.checkpoint()
            tree.kill()
            family.shell.wait()
            tree.hear()  # and with the root the watching ends


def test_when_nothing_can_be_seen_what_is_known_stays_known(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    family = start("setsid sleep 60 & echo $!")
    child = family.told()
    tree = ProcessTree(family.shell.pid)
    with monkeypatch.context() as here:
        here.setattr(os, "open", full)
        assert tree.look()
        tree.kill()
    assert tree._seen.keys() == {family.shell.pid, child}
    tree.kill()
    family.shell.wait()
    until(lambda: not runs(child))


def test_where_nothing_tells_of_processes_the_group_is_ended(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "table", lambda: None)
    family = start("true")
    tree = ProcessTree(family.shell.pid)
    assert tree.look()
    tree.signal(signal.SIGTERM)
    assert family.shell.wait() == -signal.SIGTERM
    assert not tree.look()
    monkeypatch.setattr(os, "killpg", pytest.fail)  # the number is nobody's
    tree.kill()
