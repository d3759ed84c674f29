"""What exactly a terminal runs: argument vector, environment and folder; must not know how it is run."""

import os
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from acp_tui.host.request_fault import invalid_params
from acp_tui.host.roots import resolve
from acp_tui.protocol.terminals import CreateTerminalRequest

# A pager would wait for a key that nobody can press.
_ENVIRONMENT = {"TERM": "xterm-256color", "PAGER": "cat", "GIT_PAGER": "cat"}
_SHELL_SIGNS = re.compile(r"[\s|&;<>()$`\\\"'*?\[\]{}#~=!]")

_SEPARATORS = {os.sep, os.altsep or os.sep}


@dataclass(frozen=True, slots=True)
class TerminalCommand:
    """A command that is ready to be run; `shown` is the line that a person reads."""

    argv: tuple[str, ...]
    shown: str
    environment: Mapping[str, str]
    cwd: Path


def read_command(request: CreateTerminalRequest, default_cwd: Path, roots: Sequence[Path]) -> TerminalCommand:
    """Read `terminal/create`; raises `RequestFault` for a folder outside the roots and a command that is not there."""
    cwd = _folder(request.cwd, roots) if request.cwd else default_cwd
    environment = {**os.environ, **_ENVIRONMENT, **{variable.name: variable.value for variable in request.env}}
    if _executable(request.command, environment, cwd):
        argv = (request.command, *request.args)
        return TerminalCommand(argv, shlex.join(argv), environment, cwd)
    if request.args or not _SHELL_SIGNS.search(request.command):
        raise invalid_params(
            f"{request.command or 'an empty command'}: command not found", {"command": request.command}
        )
    return TerminalCommand((*_shell(environment), request.command), request.command, environment, cwd)


def shell_command(line: str, cwd: Path) -> TerminalCommand:
    """A line that the person's own shell runs."""
    environment = {**os.environ, **_ENVIRONMENT}
    shell = environment.get("SHELL", "") if os.name != "nt" else ""
    argv = (shell, "-c", line) if shell else (*_shell(environment), line)
    return TerminalCommand(argv, line, environment, cwd)


def _folder(cwd: str, roots: Sequence[Path]) -> Path:
    folder = resolve(cwd, roots)
    if not folder.is_dir():
        problem = "is not a folder" if folder.exists() else "does not exist"
        raise invalid_params(f"the folder {cwd} {problem}", {"cwd": cwd})
    return folder


def _executable(command: str, environment: Mapping[str, str], cwd: Path) -> bool:
    """Whether `command` names a program as it stands: by path (seen from `cwd`) or in the environment's PATH."""
    try:
        if any(separator in command for separator in _SEPARATORS):
            return shutil.which(str(cwd / command)) is not None
        return bool(command) and shutil.which(command, path=environment.get("PATH")) is not None
    except ValueError:  # a NUL or a lone surrogate
        return False


def _shell(environment: Mapping[str, str]) -> tuple[str, str]:
    return (environment.get("COMSPEC", "cmd.exe"), "/c") if os.name == "nt" else ("/bin/sh", "-c")
