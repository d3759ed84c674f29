"""Opens a web address or a file with the system's own programs, by the user's act only."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import anyio

from acp_tui.host.system.programs import own_environment, own_program

BROWSER_PATIENCE, VIEWER_PATIENCE = 15.0, 10.0  # seconds that what opens it has; then it is taken as opened

# In a process of its own: browsers of the terminal must not take it, and none may write on the screen. Isolated (-I),
# or a webbrowser.py in the project would be run.
_OPEN = "import sys, webbrowser; sys.exit(not webbrowser.open(sys.argv[1]))"


async def open_address(url: str) -> bool:
    """Have the system's browser show a web address; whether one was found. The address is fetched by nobody else."""
    return await _run([sys.executable, "-I", "-c", _OPEN, url], BROWSER_PATIENCE)


async def open_file(path: Path) -> bool:
    """Have the system show a file; whether it could."""
    if sys.platform == "win32":
        try:
            os.startfile(path)  # noqa: S606 (the user asked for it)
        except OSError:
            return False
        return True
    command = viewer_command(path)
    return command is not None and await _run(command, VIEWER_PATIENCE)


def viewer_command(path: Path, find: Callable[[str], str | None] = own_program) -> list[str] | None:
    """The command that opens a file; None where this system has none (Windows opens files itself)."""
    opener = "open" if sys.platform == "darwin" else "xdg-open"
    return [opener, str(path)] if find(opener) else None


async def _run(command: Sequence[str], within: float) -> bool:
    with anyio.move_on_after(within) as scope, suppress(OSError):  # it is there, but cannot be started
        done = await anyio.run_process(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            env=own_environment(),
            start_new_session=True,
        )
        return done.returncode == 0
    return scope.cancelled_caught
