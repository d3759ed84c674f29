"""A helper shell that kills the agents' process groups if acp-tui itself is killed, so that it could not do so.

The shell reads a pipe whose other end only this program has, so that it hears of any end. On Windows, and where there
is no shell, nothing ends them.
"""

import os
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from acp_tui.host.system.processes import Process

PIECE = 4000  # bytes that a pipe takes as a whole or not at all (PIPE_BUF)

VARIABLE = "ACP_TUI_RUN"
RUN = os.urandom(16).hex()
"""What marks all that this run starts, wherever it goes: a variable of the environment, which is inherited."""

_noted: set[int] = set()


def marked(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment with this run's mark in it; a run inside of another one has both marks."""
    outer = environment.get(VARIABLE, "")
    return {**environment, VARIABLE: f"{outer}:{RUN}" if outer else RUN}


def end_group(group: int) -> None:
    """Have this process group, and whoever descends from its members, ended when this program has ended."""
    _noted.add(group)
    _say([f"group {group}\n"])


def end(descendants: Iterable[Process]) -> None:
    """Have these ended as well, and whoever descends from them, until `forget` is called."""
    lines = []
    for one in descendants:
        _noted.add(one.pid)
        lines.append(f"end {one.pid} {one.start}\n")
    _say(lines)


def forget(pids: Iterable[int]) -> None:
    """The processes, or the groups, have ended, or are nobody's care any more."""
    known = _noted.intersection(pids)
    _noted.difference_update(known)
    _say(f"forget {pid}\n" for pid in known)


def ends(pid: int) -> bool:
    """Whether this process is ended when this program has ended."""
    with suppress(OSError):
        return pid in _noted or os.getpgid(pid) in _noted
    return False


def _say(lines: Iterable[str]) -> None:
    piece = b""
    for line in [*lines, ""]:
        if piece and (not line or len(piece) + len(line) > PIECE) and (pipe := _shell()) is not None:
            with suppress(OSError):  # somebody ended the shell, or stopped it
                os.write(pipe, piece)
            piece = b""
        piece += line.encode()


@cache
def _shell() -> int | None:
    """Start the shell; the pipe to it stays open until this program ends."""
    if os.name == "nt":
        return None
    script = Path(__file__).with_suffix(".sh").read_text()  # where that is missing, it is a mistake of ours
    theirs, ours = os.pipe()
    try:
        subprocess.run(  # noqa: S603 (a fixed command)
            ["/bin/sh", "-c", script, "acp-tui", RUN],
            stdin=theirs,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={"PATH": os.environ.get("PATH", os.defpath)},  # nothing that would change how a shell works
            start_new_session=True,
            check=False,
        )
    except OSError:
        os.close(ours)
        return None
    finally:
        os.close(theirs)
    os.set_blocking(ours, False)
    return ours
