"""Which processes live: not who has ended though nobody has collected it, nor whom SIGKILL is on its way to.

A program that has killed a process cannot wait for its end unless it is its child, and the system takes its time.
"""

import os
import signal
import subprocess
from pathlib import Path

_KILL = 1 << (signal.SIGKILL - 1) if hasattr(signal, "SIGKILL") else 0
_EXITING = 0x4  # in the flags of `/proc/PID/stat` (PF_EXITING)


def alive(pid: int) -> bool:
    return any(int(listed[0]) == pid for listed in _living())


def processes_of_group(group: int) -> list[str]:
    """The command lines of those that live in a process group."""
    return [line for _, of, line in _living() if int(of) == group]


def processes_of(folder: Path) -> list[str]:
    """The command lines of the agents of this folder that live."""
    return [line for _, _, line in _living() if f"{folder}/agent.py" in line]


def _living() -> list[tuple[str, str, str]]:
    told = subprocess.run(
        ["ps", "-A", "-o", "pid=,pgid=,stat=,command="], capture_output=True, text=True, check=True, env={**os.environ}
    ).stdout
    rows = [line.split(None, 3) for line in told.splitlines()]
    return [(row[0], row[1], row[3]) for row in rows if len(row) == 4 and row[2][0] not in "ZX" and not _ends(row[0])]


def _ends(pid: str) -> bool:
    """Whether nothing keeps it from ending any more; only Linux tells."""
    try:
        flags = int(Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[6])
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return Path("/proc/self/stat").exists()
    pending = [int(line.split()[1], 16) for line in lines if line.startswith(("SigPnd:", "ShdPnd:"))]
    return bool(flags & _EXITING) or any(mask & _KILL for mask in pending)
