"""Opens a file with whatever the system shows such files with, by the person's own act only."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import anyio

from acp_tui.host.programs import own_environment, own_program

PATIENCE = 10.0
"""Seconds that the system's opener has; then it is taken as started."""


def viewer_command(path: Path, find: Callable[[str], str | None] = own_program) -> list[str] | None:
    """The command that opens a file; None where this system has none (Windows opens files itself)."""
    opener = "open" if sys.platform == "darwin" else "xdg-open"
    return [opener, str(path)] if find(opener) else None


async def open_file(path: Path) -> bool:
    """Have the system show a file; whether it could."""
    if sys.platform == "win32":
        try:
            os.startfile(path)  # noqa: S606 (the person asked for it)
        except OSError:
            return False
        return True
    command = viewer_command(path)
    if command is None:
        return False
    with anyio.move_on_after(PATIENCE):
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
    return True
