"""What is read of the machine's processes, and that a signal reaches nobody else."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from acp_tui.host.system import processes
from acp_tui.host.system.processes import Listing, Process, ProcFileSystem, Table, read_ps, same, send, table

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")

Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a command that leads a session; at the end it and its group are killed."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*argv: str) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        started.append(subprocess.Popen(argv, stdin=pipe, stdout=pipe, start_new_session=True))
        return started[-1]

    yield start
    for one in started:
        if one.returncode is None:
            os.killpg(one.pid, signal.SIGKILL)
        one.communicate()


def found(pid: int) -> Process:
    process = ProcFileSystem().find(pid)
    assert process is not None
    return process


def tables() -> list[Table]:
    return [ProcFileSystem(), Listing(processes._listed_by_proc()), Listing(processes._listed_by_ps())]


def test_a_process_is_read_whatever_its_name(tmp_path: Path, start: Start) -> None:
    program = tmp_path / "a) Z 1 (b\n)"
    shutil.copy(shutil.which("cat") or "cat", program)
    started = start(str(program))
    read = found(started.pid)
    assert (read.parent, read.group, read.session) == (os.getpid(), started.pid, started.pid)
    assert int(read.start) >= int(found(os.getpid()).start)


def test_who_has_ended_is_not_found_though_nobody_has_collected_it(start: Start) -> None:
    ended = start("sh", "-c", "echo; exec sleep 0")
    assert ended.stdout is not None
    assert ended.stdout.read() == b"\n"
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    assert all(one.find(ended.pid) is None for one in tables())


def test_children_and_members_are_the_same_however_they_are_read(start: Start) -> None:
    family = start("sh", "-c", "sleep 60 & echo; wait")
    assert family.stdout is not None
    family.stdout.readline()
    for one in tables():
        parent = one.find(family.pid)
        assert parent is not None
        [child] = one.children(parent)
        assert (child.parent, child.group) == (family.pid, family.pid)
        assert one.children(parent._replace(start="0")) == []
        assert {member.pid for member in one.members(family.pid)} == {family.pid, child.pid}
    assert ProcFileSystem().children(found(1)._replace(pid=2**22 + 1)) == []  # more than there are numbers


def test_a_listing_of_ps_is_read() -> None:
    text = "    1     0     1 Ss   Sun Nov 22 12:58:32 2026\n    7     1     5 Z+   Sun Nov 22 12:58:33 2026\n\n  8 1\n"
    assert list(read_ps(text)) == [Process(1, "Sun_Nov_22_12:58:32_2026", 0, 1)]


@pytest.mark.parametrize("handles", [True, False])
def test_only_the_process_that_was_seen_is_signalled(
    handles: bool, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not handles:
        monkeypatch.setattr(processes, "_handle", lambda _: None)
    sleeper = start("sleep", "60")
    seen = found(sleeper.pid)
    send(signal.SIGKILL, seen._replace(start=f"{seen.start}1"))
    assert same(ProcFileSystem().find(sleeper.pid), seen)
    send(signal.SIGTERM, seen)
    assert sleeper.wait() == -signal.SIGTERM
    send(signal.SIGTERM, seen)  # nobody is there


def test_without_lists_of_children_all_processes_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "LISTS_CHILDREN", False)
    assert isinstance(table(), Listing)
    monkeypatch.setattr(processes, "_numbers", list)
    assert table() is None
