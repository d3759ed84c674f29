"""However a program ends, the processes that are to end with it do."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")

PATIENCE = 30.0  # seconds for what takes two
PROGRAM = """
import subprocess, sys
from acp_tui.host.watchdog import end_if_killed, forget
stubborn = ["sh", "-c", "trap '' TERM HUP; echo up; while :; do sleep 1; done"]
children = [subprocess.Popen(stubborn, stdout=subprocess.PIPE, start_new_session=True) for _ in range(3)]
for child in children:
    child.stdout.readline()
    end_if_killed(child.pid)
forget(children[1].pid)
print(*(child.pid for child in children), flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("end", ["kill", "close"])
def test_who_is_to_end_does_and_nobody_else(end: str, tmp_path: Path) -> None:
    pipe = subprocess.PIPE
    program = subprocess.Popen([sys.executable, "-c", PROGRAM], stdin=pipe, stdout=pipe, cwd=Path(__file__).parents[3])
    assert program.stdin is not None
    assert program.stdout is not None
    first, forgotten, last = (int(word) for word in program.stdout.readline().split())
    try:
        if end == "kill":
            program.kill()
        program.stdin.close()
        program.wait()
        program.stdout.close()
        deadline = time.monotonic() + PATIENCE
        while lives(first) or lives(last):
            assert time.monotonic() < deadline
        assert lives(forgotten)
    finally:
        os.killpg(forgotten, signal.SIGKILL)


def lives(group: int) -> bool:
    listed = subprocess.run(["ps", "-A", "-o", "pgid=,stat="], capture_output=True, text=True, check=True).stdout
    found = [line.split() for line in listed.splitlines()]
    return any(pgid == str(group) and not state.startswith("Z") for pgid, state in found)
