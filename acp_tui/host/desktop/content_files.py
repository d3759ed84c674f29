"""What an agent sent as bytes, written to a file of the cache folder for the user to look at.

The name of the file is never the agent's: it is made of the bytes, and its ending only of types that are looked at
and not run.
"""

import base64
import hashlib
import os
import re
from datetime import datetime
from pathlib import Path

from acp_tui.errors import UserFault, reason_of
from acp_tui.host.project_files.file_types import MEDIA, OTHER_ENDINGS
from acp_tui.host.store.atomic_file import write_private
from acp_tui.host.store.folders import cache_folder
from acp_tui.host.system.blocking import in_joined_thread

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
    return await in_joined_thread(_write, folder, name, text)


def _write(folder: str, name: str, text: str) -> Path:
    try:
        path = Path(folder) / Path(name).expanduser()
        with path.open("x", encoding="utf-8", errors="replace", newline="") as file:
            file.write(text)
    except FileExistsError as error:
        raise UserFault(f"{name} already exists", "It was not overwritten.", "Choose another name.") from error
    except FileNotFoundError as error:
        raise UserFault(f"{name} cannot be written", "No such folder.") from error
    except (OSError, ValueError, RuntimeError) as error:  # no such user for a ~name
        raise UserFault(f"{name} cannot be written", reason_of(error)) from error
    return path


_MEDIA = {mime_type: ending for ending, mime_type in MEDIA.items() if ending not in OTHER_ENDINGS}
ENDINGS = _MEDIA | {
    "audio/x-wav": "wav",
    "audio/wave": "wav",
    "audio/mp3": "mp3",
    "audio/opus": "opus",
    "audio/webm": "weba",
    "video/mp4": "mp4",
    "video/webm": "webm",
    "application/pdf": "pdf",
    "application/json": "json",
    "text/plain": "txt",
    "text/markdown": "md",
    "text/csv": "csv",
}
"""Types whose files a viewer shows. No markup (HTML, SVG) that a browser would run, nothing that a shell would."""


def has_viewer(mime_type: str | None) -> bool:
    """Whether a file of this type may be given to the system's viewer."""
    return _plain(mime_type) in ENDINGS


async def save_content(data: str | bytes, mime_type: str | None) -> Path:
    """Write base64 text or bytes to a file, once; its path. Raises `UserFault` for what is no base64 or no room."""
    return await in_joined_thread(_save, data, mime_type)


def _save(data: str | bytes, mime_type: str | None) -> Path:
    try:
        content = base64.b64decode(data, validate=True) if isinstance(data, str) else data
    except ValueError as error:
        raise UserFault("Cannot save this", "The agent's data is not valid base64.") from error
    name = f"{hashlib.sha256(content).hexdigest()[:20]}.{ENDINGS.get(_plain(mime_type), 'bin')}"
    path = cache_folder() / "content" / name
    try:
        if not path.is_file() or path.stat().st_size != len(content):
            write_private(path, content)
    except OSError as error:
        raise UserFault("Cannot save this", f"{path}: {error.strerror or error}") from error
    return path


def _plain(mime_type: str | None) -> str:
    return (mime_type or "").split(";")[0].strip().lower()
