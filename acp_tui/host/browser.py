"""Opens an address in the person's browser, by their own act only; must not know what it is for."""

import subprocess
import sys

import anyio

from acp_tui.host.programs import own_environment

PATIENCE = 15.0
"""Seconds that a browser's starter has; then it is taken as started."""

# In a process of its own: browsers of the terminal must not take it, and none may write on the screen. Isolated (-I),
# or a webbrowser.py in the project would be run.
_OPEN = "import sys, webbrowser; sys.exit(not webbrowser.open(sys.argv[1]))"


async def open_address(url: str) -> bool:
    """Have the system's browser show a web address; whether one was found. The address is fetched by nobody else."""
    with anyio.move_on_after(PATIENCE):
        done = await anyio.run_process(
            [sys.executable, "-I", "-c", _OPEN, url],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            env=own_environment(),
            start_new_session=True,
        )
        return done.returncode == 0
    return True
