"""However a program ends, the processes that are to end with it do."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from acp_tui.host.system import watchdog
from acp_tui.host.system.processes import Listing, Process, _listed_by_ps, table

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")

PATIENCE = 30.0  # seconds for what takes two
AGES = ("* 100 - 500", "* 100 - 600000")
"""How far back the mark counts, in clock ticks: 5 s in the program. Here nobody has to be that fast: on a busy machine
it took longer from a child's start to the look for it.
"""
PROGRAM = f"""
import os, subprocess, sys
from pathlib import Path
read = Path.read_text
Path.read_text = lambda path: read(path).replace(*{AGES!r})
"""
PROGRAM += """
from acp_tui.host.system.processes import table
from acp_tui.host.system.watchdog import end, end_group, forget, marked

def start(line, env=marked(os.environ)):
    command, pipe = ["sh", "-c", line], subprocess.PIPE
    child = subprocess.Popen(command, stdin=pipe, stdout=pipe, start_new_session=True, env=env)
    return child, int(child.stdout.readline())

stubborn = "trap '' TERM HUP; echo $$; while :; do sleep 1; done"
groups = [start(stubborn, os.environ) for _ in range(2)]
# Their children have sessions of their own and were seen by nobody. One agent stays, the other ends with its input,
# and then nothing leads to its child but the mark.
agent, descendant = start(f"setsid sh -c \\"{stubborn}\\" & while :; do wait; done")
seen, forgotten, other = (start(stubborn, os.environ) for _ in range(3))
brief, orphan = start(f"setsid sh -c \\"{stubborn}\\" & read -r _; exit 0")  # last: the mark counts for 5 s
for child, _ in (*groups, (agent, descendant), (brief, orphan)):
    end_group(child.pid)
for child, _ in (seen, forgotten):
    end([table().find(child.pid)])
end([table().find(other[1])._replace(start="1")])  # another process that had its number
forget([groups[1][1], forgotten[1]])
print(groups[0][1], descendant, orphan, seen[1], "|", groups[1][1], forgotten[1], other[1], flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("end", ["kill", "close"])
def test_who_is_to_end_does_and_nobody_else(end: str, tmp_path: Path) -> None:
    pipe = subprocess.PIPE
    program = subprocess.Popen([sys.executable, "-c", PROGRAM], stdin=pipe, stdout=pipe, cwd=Path(__file__).parents[3])
    assert program.stdin is not None
    assert program.stdout is not None
    ending, staying = ([int(word) for word in part.split()] for part in program.stdout.readline().split(b"|"))
    try:
        if end == "kill":
            program.kill()
        program.stdin.close()
        program.wait()
        program.stdout.close()
        deadline = time.monotonic() + PATIENCE
        while any(map(lives, ending)):
            assert time.monotonic() < deadline
        assert all(map(lives, staying))
    finally:
        for pid in staying:
            os.killpg(pid, signal.SIGKILL)


SHELLS = (("sh",), ("dash",), ("bash", "--posix"), ("zsh", "--emulate", "sh"), ("busybox", "sh"), ("ksh",))


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: str(shell[0]))
def test_any_shell_can_be_the_one_that_outlives_us(shell: tuple[str, ...]) -> None:
    """The agent has ended before the shell looks; three of its descendants have not, and only one of them was seen."""
    if shutil.which(shell[0]) is None:
        pytest.skip(f"there is no {shell[0]} on this machine")
    script = Path(watchdog.__file__).with_name("watchdog.sh").read_text()
    assert AGES[0] in script
    script = script.replace(*AGES)
    mark = os.urandom(16).hex()
    line = "sleep 60 & echo $!; setsid sleep 60 & echo $!; exec >&-; exit 0"
    seen, (child,) = started("trap '' TERM; sleep 60 & echo $!; exec >&-; while :; do wait; done", os.environ)
    agent, (member, apart) = started(line, {**os.environ, watchdog.VARIABLE: f"outer:{mark}"})
    ending = [member, apart, seen.pid, child]
    try:
        agent.wait()
        lines = f"group {agent.pid}\ngroup 4194305\nend {seen.pid} {found(seen.pid).start}\nend {os.getpid()} 1\n"
        argv = [*shell, "-c", script, "acp-tui", mark]
        subprocess.run(argv, input=f"{lines}forget 4194305\n".encode(), start_new_session=True, check=True)
        deadline = time.monotonic() + PATIENCE
        while any(map(lives, ending)):
            assert time.monotonic() < deadline
    finally:
        for pid in filter(lives, ending):
            os.kill(pid, signal.SIGKILL)
        seen.wait()


def test_no_bracket_in_an_expansion_is_bare() -> None:
    """ksh93 ends the expansion there; the whole script is a mistake for it then, which nobody sees."""
    script = Path(watchdog.__file__).with_name("watchdog.sh").read_text()
    assert re.findall(r"\$\{[^}]*(?<!\\)[()][^}]*\}", script) == []
    assert re.findall(r"\$\{[^}]*(?<!\\)[()][^}]*\}", "set -- ${line##*) }")


def started(line: str, environment: Mapping[str, str]) -> tuple[subprocess.Popen[bytes], list[int]]:
    """A shell that runs this line, and the numbers that it writes."""
    shell = subprocess.Popen(["sh", "-c", line], stdout=subprocess.PIPE, start_new_session=True, env=environment)
    assert shell.stdout is not None
    with shell.stdout:
        return shell, [int(shell.stdout.readline()) for _ in range(line.count("echo"))]


def found(pid: int) -> Process:
    listed = table() or Listing(())
    process = listed.find(pid)
    assert process is not None
    return process


def lives(pid: int) -> bool:
    """Whether it runs; one that has ended and that nobody has collected does not."""
    return Listing(_listed_by_ps()).find(pid) is not None


def test_lines_are_written_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []
    monkeypatch.setattr(watchdog, "_shell", lambda: 1)
    monkeypatch.setattr(os, "write", lambda _, piece: written.append(piece))
    watchdog.end(Process(pid, "123456789", 1, 1) for pid in range(1_000_000, 1_000_500))
    watchdog.forget([])
    watchdog.forget(range(1_000_000, 1_000_500))
    assert all(len(piece) <= watchdog.PIECE and piece.endswith(b"\n") for piece in written)
    lines = b"".join(written).decode().splitlines()
    assert lines[:2] == ["end 1000000 123456789", "end 1000001 123456789"]
    assert sorted(lines[500:]) == [f"forget {pid}" for pid in range(1_000_000, 1_000_500)]
