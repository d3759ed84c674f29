"""The agent's process, started before what serves it is loaded: Textual and the protocol take longer than it does.

It gets `initialize` at once, and boots on another core while this program imports. `AgentProcess` goes on with it, if
what is to be started then is the same; else, and wherever this program ends before that, it is ended as any agent is.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from acp_tui.errors import Fault
from acp_tui.host.catalog.launch_plan import LaunchPlan, start_of
from acp_tui.host.connection.spawn import Spawn
from acp_tui.host.system import watchdog
from acp_tui.host.system.current_folder import real_path
from acp_tui.host.system.signals import deferred, hearing, leave
from acp_tui.protocol.capabilities import introduction_line
from acp_tui.startup import late


class EarlyProcess:
    """A process that nobody serves yet, if there is one: `spawn` says how it was started, `line` what it was sent."""

    def __init__(self) -> None:
        self.spawn: Spawn | None = None
        self.line = b""
        self._popen: subprocess.Popen[bytes] | None = None

    def start(self, launch: LaunchPlan) -> None:
        """Start it, and introduce ourselves; where that fails it is tried again in its time, and told then."""
        with suppress(Fault, OSError, ValueError), deferred():
            cwd = str(real_path(launch.cwd))
            start = start_of(launch.command, cwd)
            self.spawn = Spawn.of(start.argv, start.env, start.cwd)
            popen = self._popen = self.spawn.start()
            try:
                line = introduction_line(launch.command.protocol, launch.capabilities.with_user())
                if popen.stdin is not None:
                    os.write(popen.stdin.fileno(), line)  # a pipe that is new takes it as a whole
                    self.line = line
            finally:
                watchdog.end_group(popen.pid)

    def take(self) -> subprocess.Popen[bytes] | None:
        """The process, for who serves and ends it from now on; None if there is none, or somebody has it already."""
        popen, self._popen = self._popen, None
        return popen

    def end(self) -> None:
        """End it as any agent is ended, if nobody has taken it."""
        if self._popen is not None:
            late("acp_tui.host.connection.agent_process").end_early(self)


@contextmanager
def started_early(launch: LaunchPlan | None) -> Iterator[EarlyProcess]:
    """The process of this start, while there is anybody to go on with it; however that ends, it does not stay behind.

    Signals that would end this program unwind it instead, until the app takes its own way with them.
    """
    early = EarlyProcess()
    with hearing(leave):
        try:
            if launch is not None and sys.platform != "win32":
                early.start(launch)
            yield early
        finally:
            early.end()
