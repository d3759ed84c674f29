"""Where a program is looked for that is started by its name, and why one was not started.

A name is looked for in PATH. An entry that is relative, or lies inside the project, is a word of the project: a
checkout would choose what `npx` or a known agent is.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import which

from acp_tui.errors import UserFault, reason_of
from acp_tui.host.system.current_folder import absolute_path, current_folder
from acp_tui.safe_text import named

PLAIN_SHELL = "/bin/sh"
PROJECT_FILE = ".acp-tui.toml"  # the project's own settings
_MARKS = (".git", PROJECT_FILE)


class Programs:
    """What can be started by its name for work in one folder; PATH is read once."""

    def __init__(self, folder: Path) -> None:
        self._project = project_folders(folder)
        self._path = search_path(_surroundings(), self._project)

    def find(self, name: str, path: str | None = None, *, agreed: bool = False) -> str:
        """The absolute path of the program `name`, looked for in `path` (PATH) unless it is a path; empty if none.

        Where that `path` is `agreed` to, it may lead into the project.
        """
        searched = self._path if path is None else search_path(path, () if agreed else self._project)
        found = which(name, path=searched)
        if found is None or (os.sep not in name and not Path(found).is_absolute()):
            return ""  # Windows looks into the current folder before PATH
        return str(absolute_path(found))

    def passed_over(self, name: str, path: str | None = None) -> str:
        """Where the program would have been found by every entry of PATH; empty if nowhere."""
        everywhere = _surroundings() if path is None else path
        return (which(name, path=everywhere) or "") if everywhere != self._path else ""


def project_folders(folder: Path) -> tuple[Path, ...]:
    """The folder that is worked in, and the project around it, resolved.

    A folder that holds the home folder is none: all that the user has installed lies in it.
    """
    home = Path(os.path.realpath(os.path.expanduser("~")))  # noqa: PTH111 - `Path.home` may raise
    here = Path(os.path.realpath(folder))
    around = next(
        (place for place in (here, *here.parents) if any(os.path.lexists(place / name) for name in _MARKS)), here
    )
    return tuple(place for place in dict.fromkeys((here, around)) if not home.is_relative_to(place))


def search_path(path: str, away_from: Sequence[Path] = ()) -> str:
    """The entries of `path` that are absolute and not inside the folders `away_from`, which are resolved."""
    entries = (entry for entry in path.split(os.pathsep) if Path(entry).is_absolute())
    return os.pathsep.join(entry for entry in entries if not is_inside(entry, away_from))


def is_inside(path: str | Path, folders: Sequence[Path]) -> bool:
    """Whether a path, as it is written or by its links, is inside one of these resolved folders."""
    places = (Path(os.path.normpath(path)), Path(os.path.realpath(path)))
    return any(place.is_relative_to(folder) for place in places for folder in folders)


def own_environment() -> dict[str, str]:
    """Our variables for what this program starts by its own choice (opener, browser, clipboard): PATH is away from the
    project of the current folder, as it is for agents, for them and for what they start in turn.
    """
    try:
        project = project_folders(current_folder())
    except UserFault:  # the folder is gone, and with it what lies in it
        project = ()
    return {**os.environ, "PATH": search_path(_surroundings(), project)}


def own_program(name: str) -> str | None:
    """The absolute path of a program that is started by its name by our own choice; None if there is none."""
    return which(name, path=own_environment()["PATH"])


def is_program(path: str) -> bool:
    """Whether a path from the root is that of a program that can be started."""
    return Path(path).is_absolute() and which(path) is not None


def user_shell(environment: Mapping[str, str]) -> tuple[str, str]:
    """The user's own shell, or `/bin/sh`; and what is wrong with $SHELL, empty where it is used or not set."""
    wanted = environment.get("SHELL", "")
    found = which(wanted, path=environment.get("PATH")) if wanted else None
    return found or PLAIN_SHELL, "" if found or not wanted else f"SHELL={named(wanted)}"


def why_not_started(error: Exception, program: str, cwd: str | Path | None = None) -> str:
    """Why the system did not start a program in the folder `cwd`, in words that name what is missing.

    It has one error for a folder that is gone, a program that is not there, and one whose first line names an
    interpreter that is not there.
    """
    culprit = getattr(error, "filename", None)
    if cwd is not None and culprit is not None and str(culprit) == str(cwd):
        return folder_problem(cwd) or f"{named(cwd)}: {reason_of(error)}"
    if not isinstance(error, FileNotFoundError):
        return f"{named(program)}: {reason_of(error)}"
    missing = "interpreter" if culprit is not None and which(culprit) else "command"
    return f"{named(program)}: {missing} not found"


def folder_problem(folder: str | Path) -> str:
    """Why nothing can be started in a folder; empty where nothing is known against it."""
    try:
        if Path(folder).is_dir():
            return ""
    except OSError as error:
        return f"{named(folder)}: {reason_of(error)}"
    return f"{named(folder)} {'is not a folder' if os.path.lexists(folder) else 'no longer exists'}"


def _surroundings() -> str:
    return os.environ.get("PATH", os.defpath)
