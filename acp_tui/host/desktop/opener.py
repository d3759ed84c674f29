"""Opens a web address or a file with the system's own programs, by the user's act only."""

import base64
import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import anyio

from acp_tui.errors import UserFault, reason_of
from acp_tui.host.prompts.mentions import MEDIA, OTHER_ENDINGS
from acp_tui.host.store.state_files import cache_folder, write_private
from acp_tui.host.system.paths import own_environment, own_program
from acp_tui.host.system.threads import in_joined_thread

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


BROWSER_PATIENCE, VIEWER_PATIENCE = 15.0, 10.0  # seconds that what opens it has; then it is taken as opened

# In a process of its own: browsers of the terminal must not take it, and none may write on the screen. Isolated (-I),
# or a webbrowser.py in the project would be run.
_OPEN = "import sys, webbrowser; sys.exit(not webbrowser.open(sys.argv[1]))"


async def open_address(url: str) -> bool:
    """Have the system's browser show a web address; whether one was found. The address is fetched by nobody else."""
    return await _run([sys.executable, "-I", "-c", _OPEN, url], BROWSER_PATIENCE)


async def open_file(path: Path) -> bool:
    """Have the system show a file; whether it could."""
    if sys.platform == "win32":
        try:
            os.startfile(path)  # noqa: S606 (the user asked for it)
        except OSError:
            return False
        return True
    command = viewer_command(path)
    return command is not None and await _run(command, VIEWER_PATIENCE)


def viewer_command(path: Path, find: Callable[[str], str | None] = own_program) -> list[str] | None:
    """The command that opens a file; None where this system has none (Windows opens files itself)."""
    opener = "open" if sys.platform == "darwin" else "xdg-open"
    return [opener, str(path)] if find(opener) else None


async def _run(command: Sequence[str], within: float) -> bool:
    with anyio.move_on_after(within) as scope, suppress(OSError):  # it is there, but cannot be started
        done = await anyio.run_process(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            env=own_environment(),
            start_new_session=True,
        )
        return done.returncode == 0
    return scope.cancelled_caught
