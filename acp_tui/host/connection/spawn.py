"""An agent's process from its command: the program is found, and started with three pipes in a session of its own.

Standard library alone, for an agent is started before what serves it is loaded (`early_process`).
"""

import errno
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from shutil import which
from typing import NamedTuple

from acp_tui.errors import AgentFault, UserFault
from acp_tui.host.catalog.agent_entries import known_by_argv
from acp_tui.host.system.current_folder import absolute_path
from acp_tui.host.system.programs import folder_problem, why_not_started
from acp_tui.host.system.watchdog import marked
from acp_tui.safe_text import named


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
