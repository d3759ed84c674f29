"""The folders in which this program keeps what outlives a run, and private files in them."""

import hashlib
import os
from pathlib import Path

import platformdirs

_NAME = "acp-tui"


def state_folder() -> Path:
    """Prompt history, drafts and logs: what may be lost without harm. Not created here."""
    return platformdirs.user_state_path(_NAME, appauthor=False)


def config_folder() -> Path:
    """The user's own config file and prompts. Not created here."""
    return platformdirs.user_config_path(_NAME, appauthor=False)


def data_folder() -> Path:
    """Agents that were installed from here. Not created here."""
    return platformdirs.user_data_path(_NAME, appauthor=False)


def cache_folder() -> Path:
    """What can be fetched again. Not created here."""
    return platformdirs.user_cache_path(_NAME, appauthor=False)


def kept_name(readable: str, whole: bytes, otherwise: str) -> str:
    """A name to recognise a file by (`otherwise` if `readable` is empty), and a digest of `whole` to tell it apart."""
    words = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in readable)[:40]
    return f"{words or otherwise}-{hashlib.sha256(whole).hexdigest()[:16]}"


def private_folder(folder: Path) -> Path:
    """Create `folder` (and its parents) so that only its owner can look inside; raises OSError."""
    if not folder.is_dir():
        private_folder(folder.parent)
        folder.mkdir(exist_ok=True, mode=0o700)
    return folder


def write_private(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, so that only its owner can read it; raises OSError."""
    beside = private_folder(path.parent) / f".{path.name}.{os.urandom(6).hex()}"
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
