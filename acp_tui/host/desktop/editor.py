"""The command of the user's editor for a file and a line."""

import os
import shlex
from collections.abc import Callable, Mapping
from pathlib import PurePath

from acp_tui.errors import UserFault
from acp_tui.host.system.programs import own_program

VARIABLES = ("VISUAL", "EDITOR")
USUAL = ("nano", "vim", "vi", "micro", "emacs")
WAITING = ("code", "code-insiders", "codium", "cursor", "windsurf", "zed", "zeditor", "subl", "atom", "mate")

_GOTO = frozenset({"code", "code-insiders", "codium", "cursor", "windsurf"})  # --goto path:line
_COLON = frozenset({"hx", "helix", "zed", "zeditor", "subl", "atom"})  # path:line


def editor_command(
    path: str,
    line: int | None = None,
    environment: Mapping[str, str] | None = None,
    find: Callable[[str], str | None] = own_program,
) -> list[str]:
    """The command that opens `path` at `line` (from 1) in the user's editor and ends when it is closed.

    `$VISUAL`, `$EDITOR`, else the first of the usual ones on this machine. Raises `UserFault` if there is none.
    """
    words = _chosen(os.environ if environment is None else environment, find)
    name = PurePath(words[0]).name.removesuffix(".exe")
    if name in WAITING and not {"-w", "--wait"} & set(words):
        words.append("--wait")
    if line is None:
        return [*words, path]
    if name in _GOTO:
        return [*words, "--goto", f"{path}:{line}"]
    return [*words, f"{path}:{line}"] if name in _COLON else [*words, f"+{line}", path]


def _chosen(environment: Mapping[str, str], find: Callable[[str], str | None]) -> list[str]:
    for variable in VARIABLES:
        value = environment.get(variable, "")
        try:
            words = shlex.split(value)
        except ValueError as error:
            raise UserFault(f"${variable} is not a valid command", f"{value!r}: {error}") from error
        if words:
            return words
    found = next((path for name in USUAL if (path := find(name))), None)
    if found is None:
        raise UserFault("No editor found", hint="Set $EDITOR to the command of your editor.")
    return [found]
