"""A folder as the user names it."""

import os
from pathlib import Path

from acp_tui.errors import UserFault, reason_of


def existing_folder(named: str, cwd: str) -> str:
    """The absolute path of a folder, named from `cwd` or the user's home (`~`). Blocks.

    Raises `UserFault` where there is none.
    """
    path, problem = named, "No such folder"
    try:
        path = os.path.normpath(Path(cwd) / Path(named.strip().strip("\"'")).expanduser())
        if Path(path).is_dir():
            return path
        if Path(path).exists():
            problem = "Not a folder"
    except (OSError, ValueError, RuntimeError) as error:  # no such user for a ~name
        problem = reason_of(error)
    raise UserFault(problem, path)
