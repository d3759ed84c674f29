"""Consents: what a project may have started or sent, as far as the user has agreed to it.

The one to a prompt is for its folder, name and text; the one to the agent that a project proposes is for its folder and
that name; the one to go on with the last session's agent is for its command and the project's files that it names.
"""

import hashlib
import json
from pathlib import Path

from acp_tui.host.store.atomic_file import append_object, json_lines, json_object
from acp_tui.host.store.folders import state_folder
from acp_tui.host.system.current_folder import real_path


def fingerprint(folder: Path, name: str, start: object) -> str:
    """One short word for all that would be started or sent; `start` is plain data."""
    told = json.dumps([str(real_path(folder)), name, start], sort_keys=True, default=str)
    return hashlib.sha256(told.encode(errors="surrogatepass")).hexdigest()


class Consents:
    """Consents that were given, one line each: `{"start": FINGERPRINT, "folder": ..., "agent": NAME or /PROMPT}`."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or state_folder() / "consents.jsonl"

    def holds(self, start: str) -> bool:
        """Whether the user agreed to that; a file that cannot be read holds nothing."""
        try:
            lines = json_lines(self._path)
        except OSError:
            return False
        return any((json_object(line) or {}).get("start") == start for line in lines)

    def add(self, start: str, folder: Path, name: str) -> None:
        """Remember that the user agreed. Raises OSError."""
        append_object(self._path, {"start": start, "folder": str(folder), "agent": name})
