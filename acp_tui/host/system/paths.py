"""Paths of this system: the current folder, the file system that holds a path, and the program that a name means.

The current folder may be gone, and nobody else asks for it. A program's name is looked for in PATH. An entry that is
relative, or lies inside the project, is a word of the project: a checkout would choose what `npx` or a known agent is.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shutil import which
from typing import BinaryIO

from acp_tui.errors import UserFault, reason_of
from acp_tui.safe_text import named


def current_folder() -> Path:
    """The folder that this program was started in. Raises `UserFault` where it is gone."""
    try:
        return Path.cwd()
    except OSError as error:
        raise UserFault("The current folder no longer exists", hint="Change to another one: cd FOLDER") from error


def absolute_path(path: str | Path) -> Path:
    """A path from the root, its links as they are. Raises `UserFault` for a relative one where the folder is gone."""
    return Path(path) if Path(path).is_absolute() else current_folder() / path


def real_path(path: str | Path) -> Path:
    """A path from the root without links. Raises `UserFault` as `absolute_path` does."""
    return Path(os.path.realpath(absolute_path(path)))


def written_path(written: str) -> Path:
    """A path as the user writes it: `~` is the home folder. Raises `UserFault` for a user that there is not."""
    try:
        return Path(written).expanduser()
    except RuntimeError as error:
        raise UserFault(f"{named(written)}: no such home folder") from error


# Local ones whose change times follow the clock of this machine and cannot be set (tried: TAKE-BACK, law 5).
WITH_CHANGE_TIMES = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "tmpfs", "overlay", "apfs"})
_MOUNTS = Path("/proc/self/mountinfo")


def file_system_of(path: str) -> str:
    """Its name (`ext4`, `nfs4`) by the longest mount point above a real path; empty where nobody knows. It blocks.

    macOS tells it by no file: APFS, which holds all systems since 10.13, is taken for granted there.
    """
    return "apfs" if sys.platform == "darwin" else _holding(os.fsencode(path), mount_table())


def mount_table() -> bytes:
    """What is mounted where, as the system tells it; empty where it does not. It blocks, for no disk."""
    try:
        return _MOUNTS.read_bytes()
    except OSError:
        return b""


def mounted_below(root: str, table: bytes) -> set[str]:
    """The paths below a real path, relative to it, on which something is mounted, by such a table."""
    above = os.fsencode(root).rstrip(b"/") + b"/"
    points = (point for point, _ in _mounts(table))
    return {os.fsdecode(point.removeprefix(above)) for point in points if point.startswith(above)}


def _holding(path: bytes, table: bytes) -> str:
    """A later mount covers an earlier one."""
    found, length = b"", -1
    for mounted, name in _mounts(table):
        if (path == mounted or path.startswith(mounted + b"/")) and len(mounted) >= length:
            found, length = name, len(mounted)
    return found.decode("ascii", "replace")


def _mounts(table: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Where and which file system, by lines of mountinfo (proc(5)): fields, ` - `, the file system."""
    for line in table.splitlines():
        head, _, tail = line.partition(b" - ")
        fields = head.split(b" ")
        if len(fields) >= 5:
            point = fields[4].replace(b"\\040", b" ").replace(b"\\011", b"\t").replace(b"\\134", b"\\").rstrip(b"/")
            yield point, tail.split(b" ")[0]


def tells_change_times(path: str) -> bool:
    """Whether a change time there proves when something happened. It blocks."""
    return file_system_of(path) in WITH_CHANGE_TIMES


def open_regular(path: str | Path, flags: int = 0) -> BinaryIO:
    """Open a file that must be a regular one: a pipe or a device is not waited for. Raises OSError and ValueError.

    `flags` are more of `os.open`.
    """
    flags |= getattr(os, "O_NONBLOCK", 0)
    file = open(path, "rb", opener=lambda name, own: os.open(name, own | flags))  # noqa: SIM115 - the caller closes it
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "not a regular file")
    return file


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
