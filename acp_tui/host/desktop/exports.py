"""Files that the user exports to: new ones only."""

import os
import re
from datetime import datetime
from pathlib import Path

from anyio import to_thread

from acp_tui.errors import UserFault

NAME_AT_MOST = 60  # characters of a title
_OTHER = re.compile(r"[^\w]+")


def free_name(folder: str, title: str, ending: str) -> str:
    """A name for a new file in `folder` that tells the title and the day and is not taken: `fix-it-2026-11-20.md`."""
    words = _OTHER.sub("-", title.lower()[:NAME_AT_MOST]).strip("-") or "session"
    stem = f"{words}-{datetime.now():%Y-%m-%d}"
    names = (f"{stem}{'' if number == 1 else f'-{number}'}.{ending}" for number in range(1, 1_000))
    return next((name for name in names if not os.path.lexists(Path(folder, name))), f"{stem}.{ending}")


async def write_new_file(folder: str, name: str, text: str) -> Path:
    """Write a file that was not there before; its path.

    `name` is a path, relative to `folder`, `~` is the user's home. Raises `UserFault` if there is something of
    that name, or it cannot be written.
    """
    return await to_thread.run_sync(_write, folder, name, text)


def _write(folder: str, name: str, text: str) -> Path:
    try:
        path = Path(folder) / Path(name).expanduser()
        with path.open("x", encoding="utf-8", errors="replace", newline="") as file:
            file.write(text)
    except FileExistsError as error:
        raise UserFault(f"{name} exists already", "Nothing was overwritten.", "Choose another name.") from error
    except FileNotFoundError as error:
        raise UserFault(f"{name} cannot be written", "There is no such folder.") from error
    except (OSError, ValueError, RuntimeError) as error:  # no such user for a ~name
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UserFault(f"{name} cannot be written", reason) from error
    return path
