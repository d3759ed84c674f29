"""The current folder, and paths that are relative to it: it may be gone, and nobody else asks for it."""

import os
from pathlib import Path

from acp_tui.errors import UserFault
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
