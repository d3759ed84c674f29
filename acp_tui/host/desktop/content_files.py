"""What an agent sent as bytes, written to a file of the cache folder for the user to look at.

The name of the file is never the agent's: it is made of the bytes, and its ending only of types that are looked at
and not run.
"""

import base64
import hashlib
from pathlib import Path

from anyio import to_thread

from acp_tui.errors import UserFault
from acp_tui.host.project_files.file_types import MEDIA, OTHER_ENDINGS
from acp_tui.host.store.folders import cache_folder, write_private

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
    return await to_thread.run_sync(_save, data, mime_type)


def _save(data: str | bytes, mime_type: str | None) -> Path:
    try:
        content = base64.b64decode(data, validate=True) if isinstance(data, str) else data
    except ValueError as error:
        raise UserFault("This cannot be saved", "What the agent sent is no base64.") from error
    name = f"{hashlib.sha256(content).hexdigest()[:20]}.{ENDINGS.get(_plain(mime_type), 'bin')}"
    path = cache_folder() / "content" / name
    try:
        if not path.is_file() or path.stat().st_size != len(content):
            write_private(path, content)
    except OSError as error:
        raise UserFault("This cannot be saved", f"{path}: {error.strerror or error}") from error
    return path


def _plain(mime_type: str | None) -> str:
    return (mime_type or "").split(";")[0].strip().lower()
