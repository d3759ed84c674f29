"""What type a file is said to be, by its name, on every machine the same.

Python asks the system's list. That has no pictures of today where there is none, and takes sources for something else
where there is one: `.ts` for translations, `.rs` for a service description.
"""

import mimetypes
from pathlib import PurePath

MEDIA = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "bmp": "image/bmp",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "heic": "image/heic",
    "avif": "image/avif",
    "wav": "audio/wav",
    "mp3": "audio/mpeg",
    "ogg": "audio/ogg",
    "oga": "audio/ogg",
    "opus": "audio/ogg",
    "flac": "audio/flac",
    "m4a": "audio/mp4",
    "aac": "audio/aac",
}
"""Pictures and sounds that agents take, by the ending of their name."""
OTHER_ENDINGS = frozenset({"jpeg", "tif", "oga", "opus", "heic"})
"""Those that a file is not given here: there is a more usual one, or not every viewer shows it."""

_SOURCES = {
    "ts": "text/typescript",
    "mts": "text/typescript",
    "cts": "text/typescript",
    "tsx": "text/tsx",
    "rs": "text/x-rust",
    "m": "text/x-objcsrc",
}


def type_of(name: str) -> str | None:
    """The MIME type that goes with a file of this name; None if nobody knows one."""
    ending = PurePath(name).suffix[1:].lower()
    return MEDIA.get(ending) or _SOURCES.get(ending) or mimetypes.guess_type(name)[0]
