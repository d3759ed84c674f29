"""The user's own config file, as a test wants it."""

from pathlib import Path

from acp_tui.host.config.config import own_file


def write_own_config(text: str) -> Path:
    """Let it say this; where it is."""
    path = own_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path
