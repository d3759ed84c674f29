"""Where the snapshots of a folder are kept, and which folders are better not kept."""

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path

from acp_tui.host.snapshots.pack import lock, private_file
from acp_tui.host.store.atomic_file import private_folder
from acp_tui.host.store.folders import kept_name, state_folder
from acp_tui.host.system.regular_files import read_regular

ROOT_FILE = "root"  # in a store: which folder it is of
TEMPORARY = "temporary"
_HOLDS = "in use"  # locked as long as the program runs


class Place:
    """The store of one folder. A `temporary` one is removed with `remove`, or at the next start after a crash."""

    def __init__(self, root: str, folder: Path, *, temporary: bool = False) -> None:
        self.root, self.folder, self.temporary = root, folder, temporary
        self._held: int | None = None

    def prepare(self) -> None:
        """Make the folder and write down what it is of; raises OSError."""
        private_folder(self.folder)
        descriptor = private_file(self.folder / ROOT_FILE, os.O_WRONLY | os.O_CREAT)
        try:
            os.write(descriptor, os.fsencode(self.root))
        finally:
            os.close(descriptor)
        if self.temporary and self._held is None:
            self._held = private_file(self.folder / _HOLDS, os.O_RDWR | os.O_CREAT)
            lock(self._held, exclusive=True)

    def remove(self) -> None:
        """Remove all of it; what cannot be removed stays."""
        if self._held is not None:
            os.close(self._held)
            self._held = None
        shutil.rmtree(self.folder, ignore_errors=True)


def snapshots_folder() -> Path:
    """Where all stores are. Not created here."""
    return state_folder() / "snapshots"


def place_of(root: str) -> Path:
    """The store of a folder, which is absolute and real."""
    whole = os.fsencode(root)
    return snapshots_folder() / kept_name(os.path.basename(root), whole, "root")  # noqa: PTH119 (a text)


def temporary_place(root: str) -> Place:
    """A store for a session that keeps nothing."""
    return Place(root, snapshots_folder() / TEMPORARY / f"{os.getpid()}-{os.urandom(6).hex()}", temporary=True)


def remove_leftovers() -> None:
    """Remove the temporary stores of runs that have crashed; those of others that run stay."""
    with suppress(OSError):
        for folder in (snapshots_folder() / TEMPORARY).iterdir():
            with suppress(OSError):
                descriptor = private_file(folder / _HOLDS, os.O_RDWR)
                try:
                    lock(descriptor, exclusive=True)
                finally:
                    os.close(descriptor)
                shutil.rmtree(folder, ignore_errors=True)


def stores() -> list[Place]:
    """All that are kept, by the folders that they are of."""
    found = []
    with suppress(OSError):
        for folder in snapshots_folder().iterdir():
            with suppress(OSError):
                found.append(Place(os.fsdecode(read_regular(folder / ROOT_FILE)), folder))
    return sorted(found, key=lambda place: place.root)


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
