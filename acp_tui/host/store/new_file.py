"""New files that the user has named: nothing is written over, no link is followed, and only the user can read them."""

import os
from pathlib import Path

from acp_tui.errors import UserFault, reason_of
from acp_tui.safe_text import named


def check_new(path: Path, title: str) -> None:
    """Raise `UserFault`, with that title, where such a file could not be created now."""
    if os.path.lexists(path):
        raise _exists(path)
    if not os.access(path.parent, os.W_OK):
        raise UserFault(title, f"{named(path)}: its folder does not exist or is not writable.")


def create_new(path: Path, title: str, flags: int = 0) -> int:
    """A descriptor that writes to the new file; raises `UserFault`, with that title where it cannot be created."""
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | flags, 0o600)
    except FileExistsError as error:
        raise _exists(path) from error
    except OSError as error:
        raise UserFault(title, f"{named(path)}: {reason_of(error)}") from error


def _exists(path: Path) -> UserFault:
    return UserFault("The file already exists", named(path), "Choose another file, or delete it.")
