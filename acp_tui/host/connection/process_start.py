"""An agent's process from its command: the program is found, and started with three pipes in a session of its own.

An agent is started before what serves it is loaded, for Textual and the protocol take longer than it does: standard
library alone here. It gets `initialize` at once, and boots on another core while this program imports. `AgentProcess`
goes on with it, if what is to be started then is the same; else, and wherever this program ends before that, it is
ended as any agent is.
"""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import which
from typing import NamedTuple

from acp_tui.errors import AgentFault, Fault, UserFault
from acp_tui.host.catalog.agent_entries import known_by_argv
from acp_tui.host.catalog.launch_plan import LaunchPlan, start_of
from acp_tui.host.system import watchdog
from acp_tui.host.system.paths import absolute_path, folder_problem, real_path, why_not_started
from acp_tui.host.system.processes import deferred, hearing, leave
from acp_tui.host.system.watchdog import marked
from acp_tui.protocol.capabilities import introduction_line
from acp_tui.safe_text import named
from acp_tui.startup import late


class Spawn(NamedTuple):
    """What the system is given: the program's path, the argument vector, all of the environment, the folder."""

    program: str
    argv: tuple[str, ...]
    environment: dict[str, str]
    cwd: str

    @classmethod
    def of(cls, argv: tuple[str, ...], env: Mapping[str, str], cwd: str) -> "Spawn":
        """With `env` on top of ours. Raises `AgentFault` or `UserFault` where it cannot be started."""
        environment = marked({**os.environ, **env})
        return cls(_find(argv, environment, cwd), argv, environment, cwd)

    def start(self) -> subprocess.Popen[bytes]:
        """Start it. Raises `AgentFault`."""
        pipe = subprocess.PIPE
        try:
            return subprocess.Popen(  # noqa: S603 - the user's command, without a shell
                [self.program, *self.argv[1:]],
                bufsize=0,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                cwd=self.cwd,
                env=self.environment,
                start_new_session=True,
            )
        except OSError as error:
            raise self.fault(error) from error

    def fault(self, error: OSError) -> AgentFault:
        """Why the system did not start it."""
        if error.filename == self.cwd:
            return AgentFault("The agent could not be started", why_not_started(error, self.argv[0], self.cwd))
        if isinstance(error, FileNotFoundError):
            # The program is there: what is missing is the interpreter that its first line names.
            error = OSError(errno.ENOEXEC, "interpreter not found")
        return _not_started(self.argv[0], error)


def _find(argv: tuple[str, ...], environment: Mapping[str, str], cwd: str) -> str:
    """The program's path, found from our folder (not the agent's, as a user would expect of `./agent`)."""
    if problem := folder_problem(cwd):
        raise UserFault("No such folder", problem, "Choose another one with --cwd.")
    if not argv or not argv[0]:
        raise UserFault("No agent given", "The command is empty.", "Name one: acp-tui -- AGENT ARG...")
    found = which(argv[0], path=environment.get("PATH"))
    if found is not None:
        return str(absolute_path(found))
    if Path(argv[0]).is_dir():
        raise _not_started(argv[0], OSError(errno.EISDIR, "is a folder"))
    if os.sep in argv[0] and Path(argv[0]).exists():
        raise _not_started(argv[0], PermissionError(errno.EACCES, "not executable"))
    known = known_by_argv(argv)
    if known is not None and argv[0] == known.argv[0]:
        raise AgentFault(*known.missing)
    raise _not_started(argv[0], FileNotFoundError(errno.ENOENT, "command not found"))


def _not_started(name: str, error: OSError) -> AgentFault:
    reason = f"{named(name)}: {error.strerror or error}"
    if isinstance(error, FileNotFoundError):
        hint = "Check the spelling, or install it. It runs without a shell: no aliases, pipes or ~."
        return AgentFault("Agent not found", reason, hint)
    if isinstance(error, PermissionError):
        return AgentFault("The agent cannot be executed", reason, f"Make it executable: chmod +x {named(name)}")
    if error.errno == errno.ENOEXEC:
        hint = "Start it with its interpreter, or add a first line such as #!/usr/bin/env python3."
        return AgentFault("The agent cannot be executed", reason, hint)
    return AgentFault("The agent could not be started", reason)


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
