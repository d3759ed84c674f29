"""Where the snapshots of a folder are kept, and which folders are better not kept."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from acp_tui.host.store.atomic_file import private_folder, read_private, write_private
from acp_tui.host.store.folders import kept_name, state_folder

if sys.platform != "win32":
    import fcntl

TEMPORARY = "temporary"
OLD = ("packs", "manifests", "trees", "sessions")  # what a store of the first two releases holds
_ROOT_FILE = "root"  # in a store: which folder it is of
_ROOT_AT_MOST = 1 << 16  # bytes
_IN_USE = "in use"  # locked as long as the program runs that has a temporary store


def prepare(folder: Path, root: str) -> None:
    """Make a store, which says what it is of; raises OSError."""
    private_folder(folder)
    if not (folder / _ROOT_FILE).exists():
        write_private(folder / _ROOT_FILE, os.fsencode(root), sync=False)


def hold(folder: Path) -> int:
    """Have a temporary store be ours as long as this descriptor is open; raises OSError if it is another one's."""
    descriptor = os.open(folder / _IN_USE, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        if sys.platform != "win32":
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def snapshots_folder() -> Path:
    """Where all stores are. Not created here."""
    return state_folder() / "snapshots"


def place_of(root: str) -> Path:
    """The store of a folder, which is absolute and real."""
    whole = os.fsencode(root)
    return snapshots_folder() / kept_name(os.path.basename(root), whole, "root")  # noqa: PTH119 (a text)


def temporary_place() -> Path:
    """A store for a session that keeps nothing."""
    return snapshots_folder() / TEMPORARY / f"{os.getpid()}-{os.urandom(6).hex()}"


def remove_leftovers() -> bool:
    """Remove the temporary stores of runs that have crashed, and what the first two releases kept; whether they did."""
    removed = False
    with suppress(OSError):
        for folder in (snapshots_folder() / TEMPORARY).iterdir():
            with suppress(OSError):
                os.close(hold(folder))
                shutil.rmtree(folder, ignore_errors=True)
    for _, folder in stores():
        for name in OLD:
            if (folder / name).is_dir():
                removed = True
                shutil.rmtree(folder / name, ignore_errors=True)
        if removed:
            (folder / "known").unlink(missing_ok=True)
    return removed


def total_size() -> int:
    """Bytes that all stores take, those of other runs that keep nothing among them."""
    return size_of(snapshots_folder())


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder; what goes meanwhile counts as nothing."""
    return sum(state.st_size for state in _files(folder))


def newest_in(folder: Path) -> float:
    """When a file below a folder was written last, in Unix seconds; 0 where there is none."""
    return max((state.st_mtime for state in _files(folder)), default=0.0)


def _files(folder: Path) -> Iterator[os.stat_result]:
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                yield Path(parent, name).lstat()


def stores() -> list[tuple[str, Path]]:
    """The folders of which snapshots are kept, and their stores, by name."""
    found = []
    with suppress(OSError):
        for folder in snapshots_folder().iterdir():
            with suppress(OSError):
                found.append((os.fsdecode(read_private(folder / _ROOT_FILE, _ROOT_AT_MOST)), folder))
    return sorted(found)


def refusal(root: str, *, everywhere: bool = False) -> str:
    """Why no snapshots of a folder are taken, in words; empty if they are. `everywhere`: the user asked for them."""
    if os.open not in os.supports_dir_fd or os.scandir not in os.supports_fd or sys.platform == "win32":
        return "this system has no folder handles"
    real = Path(os.path.realpath(root))
    if not real.is_dir():
        return "there is no such folder"
    state = Path(os.path.realpath(state_folder()))
    if everywhere:
        return "it is inside the folder of snapshots" if real.is_relative_to(state / "snapshots") else ""
    home = Path(os.path.realpath(os.path.expanduser("~")))  # noqa: PTH111 (never fails)
    if real == home:
        return "it is the home folder"
    if real == Path(real.anchor):
        return "it is the top of the file system"
    if home.is_relative_to(real):
        return "it holds the home folder"
    if state.is_relative_to(real) or real.is_relative_to(state):
        return "it holds the folder in which acp-tui keeps its own state"
    return ""
