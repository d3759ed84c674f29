"""The log of this program's own mistakes."""

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

from acp_tui.host.config.state_files import private_folder, state_folder

_MAX_BYTES = 1024 * 1024


def open_log() -> Path | None:
    """Send what is logged below `acp_tui` to a file in the state folder, and nowhere else; `None` if there can be none.

    The file is created by its first line, and begun anew when it is full (one older one is kept).
    """
    logger = logging.getLogger("acp_tui")
    logger.propagate = False
    path = state_folder() / "acp-tui.log"
    try:
        private_folder(path.parent)
    except OSError:
        logger.addHandler(logging.NullHandler())
        return None
    handler = RotatingFileHandler(
        path, maxBytes=_MAX_BYTES, backupCount=1, encoding="utf-8", errors="backslashreplace", delay=True
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger.addHandler(handler)
    return path


def log_mistake(error: Exception) -> Path | None:
    """Write down what ends this program; the file that it is in."""
    log_file = open_log()
    logging.getLogger("acp_tui").error("unexpected", exc_info=error)
    return log_file
