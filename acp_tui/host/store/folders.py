"""The folders in which this program keeps what outlives a run."""

import hashlib
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
